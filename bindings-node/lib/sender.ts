/**
 * Whether a part may go out, to which node, and what its end says of that node's health. Private to the package.
 *
 * @module
 */

import { NodeUnavailableError, PartTimeoutError, ShardwayError, UnknownNodeError } from "./errors.js";
import { InFlight, Picker } from "./pick.js";
import type { Admission, Event, Outcome, Router } from "./router.js";
import type { Part } from "./scatter.js";
import type { Log } from "./schema.js";
import type { Node } from "./topology.js";

/**
 * What an error of the transport says of the node: `success` when it is the answer of a live server (a declared
 * exception), `ignored` when it is the caller's own doing, else `failure`.
 */
export type Classify = (error: unknown) => Outcome;

/**
 * The rule that holds when none is given: a call out of time is a failure of its node, aborted calls and the errors
 * that this package throws itself say nothing, everything else is a failure.
 */
export function defaultClassify(error: unknown): Outcome {
  if (error instanceof PartTimeoutError) return "failure";
  if (error instanceof ShardwayError) return "ignored";
  return (error as { name?: unknown } | null | undefined)?.name === "AbortError" ? "ignored" : "failure";
}

/** One send that was allowed: to which node, and since when. Settled once; what comes later is dropped. */
export class Ticket {
  settled = false;

  constructor(
    readonly node: Node,
    readonly sentMs: number,
  ) {}
}

/** Admits sends and reports their ends. */
export class Sender {
  readonly #router: Router;
  readonly #classify: Classify;
  readonly #clockMs: () => number;
  readonly #inFlight = new InFlight();
  readonly #picker: Picker;
  readonly #log: Log;

  constructor(router: Router, classify: Classify, clockMs: () => number, seed: number, log: Log) {
    this.#router = router;
    this.#classify = classify;
    this.#clockMs = () => Math.floor(clockMs());
    this.#picker = new Picker(this.#inFlight, seed);
    this.#log = log;
  }

  /** Chooses the node of a part and asks whether it may be sent to. What is admitted must be settled. */
  admit(part: Part): Ticket {
    if (part.error !== undefined) throw part.error;
    const names = part.candidates.map(({ id }) => id);
    const lane = `${part.endpoint}/${part.partition ?? ""}`;
    for (const id of this.#picker.order(part.pick, names, lane)) {
      const nowMs = this.#clockMs();
      if (this.#admission(id, nowMs) === "fail_fast") continue;
      this.#inFlight.enter(id);
      return new Ticket(part.candidates.find((node) => node.id === id) as Node, nowMs);
    }
    const why =
      names.length === 0
        ? "the topology has no node to send to"
        : `nothing was sent: ${names.join(", ")} marked dead or being probed`;
    throw new NodeUnavailableError(`${part.endpoint}: ${why}`, names);
  }

  #admission(id: string, nowMs: number): Admission {
    try {
      return this.#router.admit(id, nowMs);
    } catch (error) {
      // It left while the request was under way, which still ends on its old snapshot.
      if (error instanceof UnknownNodeError) return "send";
      throw error;
    }
  }

  /** Reports that a part was answered. */
  succeeded(ticket: Ticket): void {
    this.#end(ticket, "success");
  }

  /** Reports what a part failed with. */
  failed(ticket: Ticket, error: unknown): void {
    if (!ticket.settled) this.#end(ticket, this.#outcome(error));
  }

  /** Gives up a part that says nothing of its node. */
  dropped(ticket: Ticket): void {
    this.#end(ticket, "ignored");
  }

  /** Never throws: the answer is there and must reach the caller. */
  #end(ticket: Ticket, outcome: Outcome): void {
    if (ticket.settled) return;
    ticket.settled = true;
    const { id } = ticket.node;
    this.#inFlight.leave(id);
    try {
      const event = this.#router.report(id, outcome, { sentMs: ticket.sentMs, nowMs: this.#clockMs() });
      if (event !== undefined) this.#tell(event);
    } catch (error) {
      if (error instanceof UnknownNodeError) return; // it left while the request was under way
      this.#log(`the end of a call to node ${id} was not reported`, error);
    }
  }

  #outcome(error: unknown): Outcome {
    try {
      const outcome = this.#classify(error);
      if (outcome === "success" || outcome === "failure" || outcome === "ignored") return outcome;
      this.#log(`classify gave ${String(outcome)}, which counts as a failure of the node`);
    } catch (broken) {
      this.#log("classify failed, so the answer counts as a failure of its node", broken);
    }
    return "failure";
  }

  /** Lets time pass: nodes whose time is up may be probed. Gives what changed. */
  tick(): Event[] {
    const events = this.#router.tick(this.#clockMs());
    for (const event of events) this.#tell(event);
    return events;
  }

  /** Ticks when something waits for it. */
  tickIfDue(): void {
    const dueMs = this.#router.nextTickMs();
    if (dueMs !== undefined && dueMs <= this.#clockMs()) this.tick();
  }

  #tell(event: Event): void {
    this.#log(`node ${event.node} ${event.kind} at ${event.atMs} ms, until ${event.untilMs} ms`);
  }
}
