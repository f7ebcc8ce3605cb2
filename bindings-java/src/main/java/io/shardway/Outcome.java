package io.shardway;

/** How a request ended, for the health of its node. */
public enum Outcome {
  /** The node answered. A declared exception is an answer. */
  SUCCESS,

  /** The node did not answer, or with garbage. */
  FAILURE,

  /** It says nothing about the node: the caller cancelled. */
  IGNORED;
}
