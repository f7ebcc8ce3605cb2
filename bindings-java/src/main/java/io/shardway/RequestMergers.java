package io.shardway;

/**
 * Request mergers by endpoint. Filled before a client is built with it, which freezes it; then read
 * by any number of threads.
 */
public final class RequestMergers extends MergerRegistry<RequestMerger<?>> {
  /** Makes an empty registry. */
  public RequestMergers() {
    super("request merger");
  }

  /**
   * Sets the merger of an endpoint.
   *
   * @param <Q> the type of the endpoint's requests
   * @param endpoint the method's name
   * @param merge the function
   * @return this, so that calls can be chained
   * @throws InvalidArgumentException when the endpoint has one, or a client has the registry
   */
  public <Q> RequestMergers add(String endpoint, RequestMerger<Q> merge) {
    put(endpoint, merge);
    return this;
  }
}
