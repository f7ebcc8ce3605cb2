package io.shardway;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** Functions by endpoint, frozen by the client that is built with them. */
abstract class MergerRegistry<F> {
  private final String role;
  private final Map<String, F> byEndpoint = new ConcurrentHashMap<>();
  private boolean frozen;

  MergerRegistry(String role) {
    this.role = role;
  }

  final synchronized void put(String endpoint, F merge) {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(merge, "merge");
    if (frozen) {
      throw refused(endpoint, "comes too late; it is frozen once a client has it");
    }
    if (byEndpoint.putIfAbsent(endpoint, merge) != null) {
      throw refused(endpoint, "has one already; one for an endpoint is right");
    }
  }

  private InvalidArgumentException refused(String endpoint, String why) {
    return new InvalidArgumentException(
        "endpoint: the " + role + " of \"" + endpoint + "\" " + why, "endpoint");
  }

  /** The function of an endpoint, or null. */
  final F get(String endpoint) {
    return byEndpoint.get(endpoint);
  }

  final synchronized void freeze() {
    frozen = true;
  }
}
