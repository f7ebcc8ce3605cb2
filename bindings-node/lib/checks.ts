/**
 * Checks of what callers pass, one wording for all. Private to the package.
 *
 * @module
 */

import { InvalidArgumentError } from "./errors.js";

/** What a wrong value is, for a message: its type, and the value itself where that is short and safe to print. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length <= 100 ? `${JSON.stringify(value)} of type string` : "a long string";
    case "number":
    case "boolean":
      return `${String(value)} of type ${typeof value}`;
    case "bigint":
      return "a bigint";
    case "undefined":
      return "undefined";
    case "object":
      return value === null ? "null" : "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Gives the error about `place`. */
export function invalid(place: string, message: string): InvalidArgumentError {
  return new InvalidArgumentError(`${place}: ${message}`, { place });
}

/** Refuses what is no well-formed text. */
export function text(place: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(place, `${describe(value)}; a string is right`);
  if (!isWellFormed(value)) throw invalid(place, surrogate(value));
  return value;
}

/** Refuses what is no function. */
export function callable(place: string, value: unknown): void {
  if (typeof value !== "function") throw invalid(place, `${describe(value)}; a function is right`);
}

/** Refuses what is no integer from `least` to `most`. */
export function integer(place: string, value: unknown, least: number, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(place, `${describe(value)}; an integer from ${least} to ${most} is right`);
  }
  return value;
}

/** Takes an unsigned 64-bit integer, as a bigint or a safe integer. */
export function unsigned(place: string, value: unknown): bigint {
  const right = "a bigint or safe integer from 0 to 2^64 - 1 is right";
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === "bigint") {
    if (value >= 0n && value < 1n << 64n) return value;
    throw invalid(place, `a bigint out of range; ${right}`);
  }
  throw invalid(place, `${describe(value)}; ${right}`);
}

/** The longest time a request may be given, in ms: a day. */
export const MAX_TIMEOUT_MS = 86_400_000;

/** Refuses what is no time in ms above 0 and up to a day. */
export function timeout(place: string, value: number): number {
  if (typeof value !== "number" || !(value > 0 && value <= MAX_TIMEOUT_MS)) {
    throw invalid(place, `${describe(value)}; a number of ms above 0 and up to ${MAX_TIMEOUT_MS} is right`);
  }
  return value;
}

/** Refuses fields that nobody reads: a misspelt option would silently do nothing. */
export function fields(place: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== "object" || value === null) throw invalid(place, `${describe(value)}; an object is right`);
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) throw invalid(`${place}.${name}`, `no such option; ${known.join(", ")} are`);
  }
}

/** Whether text has no lone surrogate. */
export function isWellFormed(value: string): boolean {
  // Node 20 has it; the library of TypeScript for its language level has not.
  return (value as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Says which lone surrogate text has. */
export function surrogate(value: string): string {
  const at = value.search(/\p{Surrogate}/u);
  const unit = value.charCodeAt(at).toString(16).toUpperCase();
  return `the lone surrogate U+${unit} at UTF-16 unit ${at} has no UTF-8; use well-formed text, or bytes`;
}
