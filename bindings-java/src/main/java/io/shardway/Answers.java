package io.shardway;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** From the answers of the parts to one result. No sending here. */
final class Answers {
  /** What came of one part: a value, or an error. */
  record Answer(String node, Object value, Throwable error) {}

  private Answers() {}

  /** An error without the wrappers that futures put around it. */
  static Throwable plain(Throwable error) {
    Throwable plain = error;
    while ((plain instanceof CompletionException || plain instanceof ExecutionException)
        && plain.getCause() != null) {
      plain = plain.getCause();
    }
    return plain;
  }

  /** The result of a request, or its error thrown. One answer in all is the result. */
  static Object gather(Scatter.Plan plan, List<Answer> answers) throws Throwable {
    if (answers.size() == 1) {
      Answer only = answers.get(0);
      if (only.error != null) {
        throw only.error;
      }
      return only.value;
    }
    List<Object> successes = new ArrayList<>();
    List<PartFailure> failures = new ArrayList<>();
    for (int place = 0; place < answers.size(); place++) {
      Answer answer = answers.get(place);
      Part part = plan.parts().get(place);
      if (answer.error == null) {
        successes.add(answer.value);
      } else {
        failures.add(
            new PartFailure(
                answer.error,
                part.endpoint(),
                answer.node,
                part.partition(),
                part.keys(),
                part.request()));
      }
    }
    return merge(plan, successes, failures);
  }

  @SuppressWarnings("unchecked")
  private static Object merge(Scatter.Plan plan, List<Object> successes, List<PartFailure> failures)
      throws Throwable {
    ResponseMerger<Object> merger = (ResponseMerger<Object>) plan.merger();
    try {
      return merger.merge(successes, new ArrayList<>(failures));
    } catch (Throwable error) {
      for (PartFailure failure : failures) {
        if (failure.error() == error) {
          throw error;
        }
      }
      throw Scatter.mergerFailed("response merger", plan.endpoint(), error);
    }
  }
}
