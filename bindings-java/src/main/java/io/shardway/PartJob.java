package io.shardway;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** A part that is run once, by whoever comes first, and answered once. */
final class PartJob implements Runnable {
  private final Sender sender;
  private final Transport.Async send;
  private final Part part;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile CompletableFuture<?> underWay;

  /** Never completed with an exception: an error is an answer too. */
  final CompletableFuture<Answers.Answer> answer = new CompletableFuture<>();

  /** Completed when nothing of the part is under way any more, late or not. */
  final CompletableFuture<Void> ended = new CompletableFuture<>();

  PartJob(Sender sender, Transport.Async send, Part part) {
    this.sender = sender;
    this.send = send;
    this.part = part;
  }

  @Override
  public void run() {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    Sender.Ticket ticket;
    try {
      ticket = sender.admit(part);
    } catch (RuntimeException error) {
      finish(new Answers.Answer(part.onlyNode(), null, error));
      return;
    }
    CompletionStage<?> stage;
    try {
      stage = send.send(ticket.node(), part.endpoint(), part.request());
      if (stage == null) {
        throw new NullPointerException("the transport gave null; a CompletionStage is right");
      }
    } catch (Throwable error) {
      settle(ticket, null, error);
      return;
    }
    if (stage instanceof CompletableFuture<?> future) {
      underWay = future;
    }
    stage.whenComplete((value, error) -> settle(ticket, value, error));
  }

  private void settle(Sender.Ticket ticket, Object value, Throwable error) {
    Throwable plain = error == null ? null : Answers.plain(error);
    sender.settle(ticket, plain);
    finish(new Answers.Answer(ticket.node().id(), value, plain));
  }

  private void finish(Answers.Answer end) {
    answer.complete(end);
    ended.complete(null);
  }

  /** Answers with a timeout unless there is an answer; what was not begun never will be. */
  void late() {
    boolean sent = !begun.compareAndSet(false, true);
    answer.complete(
        new Answers.Answer(
            part.onlyNode(),
            null,
            new PartTimeoutException(
                part.endpoint() + ": no answer in time; it was " + (sent ? "sent" : "not sent"),
                part.endpoint())));
    if (!sent) {
      ended.complete(null);
    }
  }

  /** Gives up: what was not begun never will be, what is under way is told. */
  void cancel() {
    giveUp(new CancellationException(part.endpoint() + ": the part was cancelled"));
  }

  /** Gives up because the client was closed. */
  void closed() {
    giveUp(new ClosedException(part.endpoint() + ": the client was closed before the answer came"));
  }

  private void giveUp(RuntimeException why) {
    if (begun.compareAndSet(false, true)) {
      ended.complete(null);
    }
    // First, so that the end of what is under way does not answer in its place.
    answer.complete(new Answers.Answer(part.onlyNode(), null, why));
    CompletableFuture<?> future = underWay;
    if (future != null) {
      future.cancel(true);
    }
  }
}
