package io.shardway;

import java.util.Map;

/**
 * Splits the requests of one endpoint by keys.
 *
 * @param <Q> the type of the endpoint's requests
 */
@FunctionalInterface
public interface EndpointKeys<Q> {
  /**
   * The sub-requests by hash key.
   *
   * @param request the request
   * @return as for {@link GetKeys#keys}
   * @throws Exception what is thrown becomes a {@link PartitioningStrategyException}
   */
  Map<?, ? extends Q> keys(Q request) throws Exception;
}
