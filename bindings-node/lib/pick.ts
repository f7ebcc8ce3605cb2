/**
 * Which of several equivalent instances gets a request. Private to the package.
 *
 * @module
 */

import type { Pick } from "./strategy.js";

/** Requests under way by node. */
export class InFlight {
  readonly #counts = new Map<string, number>();

  /** Counts a request that begins. */
  enter(node: string): void {
    this.#counts.set(node, this.of(node) + 1);
  }

  /** Counts a request that ended. Nodes without any are forgotten. */
  leave(node: string): void {
    const left = this.of(node) - 1;
    if (left > 0) this.#counts.set(node, left);
    else this.#counts.delete(node);
  }

  /** Gives the requests under way to a node. */
  of(node: string): number {
    return this.#counts.get(node) ?? 0;
  }
}

/** Orders candidates: the chosen one first, then those to fall back to when it must not be sent to. */
export class Picker {
  readonly #inFlight: InFlight;
  readonly #turns = new Map<string, number>();
  #random: number;

  /** The same seed and calls give the same choices. */
  constructor(inFlight: InFlight, seed: number) {
    this.#inFlight = inFlight;
    this.#random = seed >>> 0;
  }

  /**
   * Gives every node once. `lane` names whose turns are counted together: with one count for all, a request to two
   * partitions of two nodes would meet the same two nodes for ever.
   */
  order(pick: Pick, nodes: readonly string[], lane: string): string[] {
    const count = nodes.length;
    if (count < 2) return [...nodes];
    let first: number;
    if (pick === "round_robin") {
      const turn = this.#turns.get(lane) ?? 0;
      this.#turns.set(lane, turn + 1);
      first = turn % count;
    } else {
      first = this.#draw(count);
      const second = (first + 1 + this.#draw(count - 1)) % count;
      if (this.#inFlight.of(nodes[second] as string) < this.#inFlight.of(nodes[first] as string)) first = second;
    }
    return [...nodes.slice(first), ...nodes.slice(0, first)];
  }

  /** A number below `count`: mulberry32, which is short and seedable; it balances load and places nothing. */
  #draw(count: number): number {
    this.#random = (this.#random + 0x6d2b79f5) >>> 0;
    let mixed = this.#random;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }
}
