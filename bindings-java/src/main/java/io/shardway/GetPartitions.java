package io.shardway;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Splits a request by logical partitions. Called on the thread of the call, once for each request;
 * must be pure.
 */
@FunctionalInterface
public interface GetPartitions {
  /**
   * The sub-requests by partition id. The same request may go to many.
   *
   * @param endpoint the method's name
   * @param request the request
   * @return sub-requests by partition id, in an order that the map keeps; null when the endpoint
   *     has no case
   * @throws Exception what is thrown becomes a {@link PartitioningStrategyException}
   */
  Map<Integer, ?> partitions(String endpoint, Object request) throws Exception;

  /**
   * The same, later. The client calls this one.
   *
   * @param endpoint the method's name
   * @param request the request
   * @return what {@link #partitions} gives
   * @throws Exception as {@link #partitions}
   */
  default CompletionStage<? extends Map<Integer, ?>> partitionsLater(
      String endpoint, Object request) throws Exception {
    return CompletableFuture.completedFuture(partitions(endpoint, request));
  }

  /** A function that answers later. */
  @FunctionalInterface
  interface Later {
    /**
     * The sub-requests by partition id.
     *
     * @param endpoint the method's name
     * @param request the request
     * @return what {@link GetPartitions#partitions} gives, when it is there
     * @throws Exception as {@link GetPartitions#partitions}
     */
    CompletionStage<? extends Map<Integer, ?>> partitions(String endpoint, Object request)
        throws Exception;
  }

  /**
   * Splits by a function that answers later.
   *
   * @param later the function
   * @return a function for a {@link CustomStrategy}
   */
  static GetPartitions later(Later later) {
    return new GetPartitions() {
      @Override
      public Map<Integer, ?> partitions(String endpoint, Object request) throws Exception {
        return later.partitions(endpoint, request).toCompletableFuture().get();
      }

      @Override
      public CompletionStage<? extends Map<Integer, ?>> partitionsLater(
          String endpoint, Object request) throws Exception {
        return later.partitions(endpoint, request);
      }
    };
  }

  /**
   * Splits the requests of one endpoint.
   *
   * @param <Q> the type of the endpoint's requests
   */
  @FunctionalInterface
  interface Case<Q> {
    /**
     * The sub-requests by partition id.
     *
     * @param request the request
     * @return as {@link GetPartitions#partitions}
     * @throws Exception as {@link GetPartitions#partitions}
     */
    Map<Integer, ?> partitions(Q request) throws Exception;
  }

  /**
   * One function made of one for each endpoint; an endpoint without one has no case.
   *
   * @param cases the functions by method name
   * @return a function for a {@link CustomStrategy}
   */
  @SuppressWarnings("unchecked")
  static GetPartitions perEndpoint(Map<String, ? extends Case<?>> cases) {
    Map<String, Case<?>> mine = Map.copyOf(cases);
    return (endpoint, request) -> {
      Case<Object> one = (Case<Object>) mine.get(endpoint);
      return one == null ? null : one.partitions(request);
    };
  }
}
