package io.shardway;

import java.util.Map;

/**
 * Splits a request by keys. Called on the thread of the call, once for each request; must be pure.
 */
@FunctionalInterface
public interface GetKeys {
  /**
   * The sub-requests by hash key.
   *
   * @param endpoint the method's name
   * @param request the request
   * @return sub-requests by key, in an order that the map keeps; null, an empty map or a null key
   *     when the request has no key
   * @throws Exception what is thrown becomes a {@link PartitioningStrategyException}
   */
  Map<?, ?> keys(String endpoint, Object request) throws Exception;
}
