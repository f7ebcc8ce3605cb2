package io.shardway;

/**
 * Response mergers by endpoint. Filled before a client is built with it, which freezes it; then
 * read by any number of threads.
 */
public final class ResponseMergers extends MergerRegistry<ResponseMerger<?>> {
  /** Makes an empty registry. */
  public ResponseMergers() {
    super("response merger");
  }

  /**
   * Sets the merger of an endpoint.
   *
   * @param <R> the type of the endpoint's answers
   * @param endpoint the method's name
   * @param merge the function
   * @return this, so that calls can be chained
   * @throws InvalidArgumentException when the endpoint has one, or a client has the registry
   */
  public <R> ResponseMergers add(String endpoint, ResponseMerger<R> merge) {
    put(endpoint, merge);
    return this;
  }
}
