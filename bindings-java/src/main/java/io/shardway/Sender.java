package io.shardway;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Whether a part may go out, to which node, and what its end says of that node's health. For any
 * number of threads.
 */
final class Sender {
  private static final System.Logger LOG = System.getLogger("io.shardway");

  /** One send that was allowed; it must be settled. */
  record Ticket(Node node, long sentMs) {}

  private final Router router;
  private final Function<Throwable, Outcome> classify;
  private final LongSupplier clockMs;
  private final Picker picker;

  Sender(Router router, Function<Throwable, Outcome> classify, LongSupplier clockMs, long seed) {
    this.router = router;
    this.classify = classify;
    this.clockMs = clockMs;
    this.picker = new Picker(seed);
  }

  /** Cancellations and interrupts say nothing of a node, nor does an error of the JVM. */
  static Outcome classifyByDefault(Throwable error) {
    boolean ignored =
        error instanceof CancellationException
            || error instanceof InterruptedException
            || error instanceof Error;
    return ignored ? Outcome.IGNORED : Outcome.FAILURE;
  }

  /** Chooses the node of a part and asks whether it may be sent to. */
  Ticket admit(Part part) {
    if (part.error() != null) {
      throw part.error();
    }
    for (Node node :
        picker.order(
            part.pick(), part.candidates(), new Picker.Lane(part.endpoint(), part.partition()))) {
      long nowMs = clockMs.getAsLong();
      if (admission(node.id(), nowMs) != Admission.FAIL_FAST) {
        picker.enter(node.id());
        return new Ticket(node, nowMs);
      }
    }
    List<String> nodes = part.candidates().stream().map(Node::id).toList();
    throw new NodeUnavailableException(
        part.endpoint()
            + (nodes.isEmpty()
                ? ": the topology has no node to send to"
                : ": nothing was sent: "
                    + String.join(", ", nodes)
                    + " marked dead or being probed"),
        part.endpoint(),
        nodes);
  }

  private Admission admission(String node, long nowMs) {
    try {
      return router.admit(node, nowMs);
    } catch (UnknownNodeException error) {
      return Admission.SEND; // it left while the request was under way, which keeps its snapshot
    }
  }

  /** Reports how a send ended. Never throws. */
  void settle(Ticket ticket, Throwable error) {
    String node = ticket.node.id();
    picker.leave(node);
    try {
      Outcome outcome = error == null ? Outcome.SUCCESS : outcome(error);
      Event event = router.report(node, outcome, ticket.sentMs, clockMs.getAsLong());
      if (event != null) {
        log(event);
      }
    } catch (UnknownNodeException | ClosedException gone) {
      return; // it left, or the router was closed, while the request was under way
    } catch (RuntimeException broken) {
      LOG.log(Level.ERROR, "the end of a request could not be reported: " + broken, broken);
    }
  }

  private Outcome outcome(Throwable error) {
    try {
      Outcome outcome = classify.apply(error);
      if (outcome != null) {
        return outcome;
      }
      LOG.log(Level.ERROR, "classify gave null, so the answer counts as a failure of its node");
    } catch (RuntimeException broken) {
      LOG.log(
          Level.ERROR,
          "classify failed, so the answer counts as a failure of its node: " + broken,
          broken);
    }
    return Outcome.FAILURE;
  }

  List<Event> tick() {
    List<Event> events = router.tick(clockMs.getAsLong());
    events.forEach(Sender::log);
    return events;
  }

  /** Ticks when something waits for it. */
  void tickIfDue() {
    long dueMs = router.nextTickMs();
    if (dueMs >= 0 && dueMs <= clockMs.getAsLong()) {
      tick();
    }
  }

  private static void log(Event event) {
    LOG.log(
        Level.WARNING,
        "node "
            + event.node()
            + " "
            + event.kind()
            + " at "
            + event.atMs()
            + " ms, until "
            + event.untilMs()
            + " ms");
  }
}
