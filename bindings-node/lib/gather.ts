/**
 * From the answers of the parts to one result. No sending here. Private to the package.
 *
 * @module
 */

import { PartitioningStrategyError } from "./errors.js";
import type { PartFailure } from "./mergers.js";
import { mergerFailed, type Plan } from "./scatter.js";

/** What came of one part. */
export type Answer =
  | { readonly ok: true; readonly node: string; readonly value: unknown }
  | { readonly ok: false; readonly node: string | undefined; readonly error: unknown };

/**
 * Gives the result of a request, or throws its error. Every part has its answer in `answers`, none is lost. One
 * answer in all is the result; several go to the response merger.
 */
export function gather(plan: Plan, answers: readonly Answer[]): unknown {
  const [first] = answers;
  if (answers.length === 1 && first !== undefined) {
    if (first.ok) return first.value;
    throw first.error;
  }
  if (plan.merge === undefined) {
    // Refused when the plan was made.
    throw new PartitioningStrategyError(`${plan.endpoint}: no response merger`, { place: plan.endpoint });
  }
  const successes: unknown[] = [];
  const failures: PartFailure[] = [];
  for (const [index, part] of plan.parts.entries()) {
    const answer = answers[index] as Answer;
    if (answer.ok) {
      successes.push(answer.value);
    } else {
      const { endpoint, partition, keys, request } = part;
      failures.push({ error: answer.error, endpoint, node: answer.node, partition, keys, request });
    }
  }
  const errors = failures.map(({ error }) => error);
  let result: unknown;
  try {
    result = plan.merge(successes, failures);
  } catch (error) {
    throw errors.includes(error) ? error : mergerFailed(plan.endpoint, error);
  }
  // A failure's error need not be an `Error`: a transport may reject with anything.
  if (result instanceof Error || (result !== undefined && errors.includes(result))) throw result;
  return result;
}
