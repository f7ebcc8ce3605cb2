package io.shardway;

import java.util.Map;

/** A strategy of its own for each endpoint; requests of an endpoint without one are not split. */
public final class MethodStrategies implements Strategy {
  final Map<String, Strategy> byEndpoint;

  /**
   * Describes the strategies.
   *
   * @param strategies hashing and custom strategies by method name
   * @throws InvalidArgumentException when one is a MethodStrategies itself
   */
  public MethodStrategies(Map<String, ? extends Strategy> strategies) {
    this.byEndpoint = Map.copyOf(strategies);
    byEndpoint.forEach(
        (endpoint, strategy) -> {
          if (strategy instanceof MethodStrategies) {
            String place = "strategies[\"" + endpoint + "\"]";
            throw new InvalidArgumentException(
                place + ": a MethodStrategies; a HashingStrategy or CustomStrategy is right",
                place);
          }
        });
  }
}
