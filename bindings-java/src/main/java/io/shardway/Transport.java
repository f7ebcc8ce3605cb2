package io.shardway;

import java.util.concurrent.CompletionStage;

/** Sends a request to a node. Called by any number of threads at once. */
@FunctionalInterface
public interface Transport {
  /**
   * Sends a request and waits for its answer.
   *
   * @param node the node
   * @param endpoint the method's name
   * @param request the request
   * @return the answer
   * @throws Exception why there is none; it counts as the failure of this part
   */
  Object send(Node node, String endpoint, Object request) throws Exception;

  /** Sends a request to a node without waiting. Called by any number of threads at once. */
  @FunctionalInterface
  interface Async {
    /**
     * Sends a request.
     *
     * @param node the node
     * @param endpoint the method's name
     * @param request the request
     * @return the answer, when it is there
     * @throws Exception why there will be none
     */
    CompletionStage<?> send(Node node, String endpoint, Object request) throws Exception;
  }
}
