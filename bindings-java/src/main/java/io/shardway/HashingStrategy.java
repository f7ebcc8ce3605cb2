package io.shardway;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Keys to nodes by the ring of the router: each node is a partition. Immutable once built, but for
 * its registries of mergers, which the first client freezes.
 */
public final class HashingStrategy implements Strategy {
  final GetKeys getKeys;
  final RequestMergers requestMergers;
  final ResponseMergers responseMergers;

  /** The one endpoint it is bound to, or null. */
  final String only;

  private HashingStrategy(
      GetKeys getKeys, RequestMergers requests, ResponseMergers responses, String only) {
    this.getKeys = getKeys;
    this.requestMergers = requests;
    this.responseMergers = responses;
    this.only = only;
  }

  /**
   * A strategy of one function.
   *
   * @param getKeys splits every request
   * @param requests mergers for sub-requests whose keys one node owns
   * @param responses mergers for requests that went to more than one node
   * @return the strategy
   */
  public static HashingStrategy of(
      GetKeys getKeys, RequestMergers requests, ResponseMergers responses) {
    return new HashingStrategy(
        Objects.requireNonNull(getKeys, "getKeys"),
        Objects.requireNonNull(requests, "requests"),
        Objects.requireNonNull(responses, "responses"),
        null);
  }

  /**
   * Starts a strategy of one function for each endpoint. An endpoint without one has no key.
   *
   * @return an empty description
   */
  public static Builder perEndpoint() {
    return new Builder();
  }

  /**
   * A strategy for one endpoint; requests of all others are not split.
   *
   * @param <Q> the type of the endpoint's requests
   * @param <R> the type of its answers
   * @param endpoint the method's name
   * @param type the class of the requests; one of another class is a {@link
   *     PartitioningStrategyException}
   * @param keys splits them
   * @param requests merges sub-requests whose keys one node owns; null for none
   * @param responses merges the answers of more than one node; null for none
   * @return the strategy
   */
  public static <Q, R> HashingStrategy forEndpoint(
      String endpoint,
      Class<Q> type,
      EndpointKeys<Q> keys,
      RequestMerger<Q> requests,
      ResponseMerger<R> responses) {
    RequestMergers ofRequests = new RequestMergers();
    ResponseMergers ofResponses = new ResponseMergers();
    if (requests != null) {
      ofRequests.add(endpoint, requests);
    }
    if (responses != null) {
      ofResponses.add(endpoint, responses);
    }
    return new HashingStrategy(
        typed(Objects.requireNonNull(type, "type"), Objects.requireNonNull(keys, "keys")),
        ofRequests,
        ofResponses,
        Objects.requireNonNull(endpoint, "endpoint"));
  }

  private static <Q> GetKeys typed(Class<Q> type, EndpointKeys<Q> keys) {
    return (method, request) -> {
      if (!type.isInstance(request)) {
        String what = request == null ? "null" : request.getClass().getName();
        throw new PartitioningStrategyException(
            method + ": a request of type " + what + "; the strategy takes " + type.getName(),
            method);
      }
      return keys.keys(type.cast(request));
    };
  }

  /** Collects one function for each endpoint. For one thread. */
  public static final class Builder {
    private final Map<String, GetKeys> cases = new HashMap<>();
    private final RequestMergers requests = new RequestMergers();
    private final ResponseMergers responses = new ResponseMergers();

    private Builder() {}

    /**
     * Adds an endpoint.
     *
     * @param <Q> the type of its requests
     * @param endpoint the method's name
     * @param type the class of the requests; one of another class is a {@link
     *     PartitioningStrategyException}
     * @param keys splits them
     * @return this
     */
    public <Q> Builder on(String endpoint, Class<Q> type, EndpointKeys<Q> keys) {
      cases.put(Objects.requireNonNull(endpoint, "endpoint"), typed(type, keys));
      return this;
    }

    /**
     * Adds a request merger.
     *
     * @param <Q> the type of the endpoint's requests
     * @param endpoint the method's name
     * @param merge the function
     * @return this
     */
    public <Q> Builder mergeRequests(String endpoint, RequestMerger<Q> merge) {
      requests.add(endpoint, merge);
      return this;
    }

    /**
     * Adds a response merger.
     *
     * @param <R> the type of the endpoint's answers
     * @param endpoint the method's name
     * @param merge the function
     * @return this
     */
    public <R> Builder mergeResponses(String endpoint, ResponseMerger<R> merge) {
      responses.add(endpoint, merge);
      return this;
    }

    /**
     * Makes the strategy.
     *
     * @return the strategy
     */
    public HashingStrategy build() {
      Map<String, GetKeys> mine = Map.copyOf(cases);
      GetKeys choose =
          (endpoint, request) -> {
            GetKeys one = mine.get(endpoint);
            return one == null ? null : one.keys(endpoint, request);
          };
      return new HashingStrategy(choose, requests, responses, null);
    }
  }
}
