package io.shardway;

import java.util.List;

/**
 * Makes one result of all answers.
 *
 * @param <R> the type of the answers and of the result
 */
@FunctionalInterface
public interface ResponseMerger<R> {
  /**
   * Merges. Called by any number of threads at once.
   *
   * <p>To answer with an error it throws the error of one of the failures, as {@code throw
   * failures.get(0).raise()} does. Anything else that it throws counts as the merger's own failure.
   *
   * @param successes the answers, in the order in which their keys first appear
   * @param failures the parts without an answer, in the same order
   * @return the result
   * @throws Exception the error of a failure, which the caller gets as it is; what else is thrown
   *     becomes a {@link PartitioningStrategyException}
   */
  R merge(List<R> successes, List<PartFailure> failures) throws Exception;
}
