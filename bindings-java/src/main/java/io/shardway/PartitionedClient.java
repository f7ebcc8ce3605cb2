package io.shardway;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Splits requests by a strategy, sends the parts at once, merges the answers. Safe for many
 * threads.
 *
 * <p>A request takes one snapshot of the ring and of the logical partitions and holds it to its
 * end. With a blocking {@link Transport}, {@link #call} sends a request of one part on the caller's
 * thread; the parts of others go out on threads of the client, and on the caller's where those are
 * all busy, so that calls that call again cannot wait for each other.
 *
 * <p>No method declares checked exceptions: what a transport threw is thrown as it is.
 */
public final class PartitionedClient implements AutoCloseable {
  private static final long MAX_TIMEOUT_MS = 86_400_000;
  private static final int MAX_WORKERS = 4_096;

  private final Router router;
  private final Scatter scatter;
  private final Sender sender;
  private final Transport.Async send;

  /** Null with an asynchronous transport, which needs no threads of ours. */
  private final ThreadPoolExecutor pool;

  private final Long timeoutMs;
  private final Set<PartJob> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private PartitionedClient(Builder builder) {
    this.router = builder.router;
    this.timeoutMs = builder.timeoutMs;
    this.sender = new Sender(router, builder.classify, builder.clockMs, builder.seed);
    this.scatter = new Scatter(router, builder.strategy);
    if (builder.async != null) {
      this.send = builder.async;
      this.pool = null;
    } else {
      Transport blocking = builder.blocking;
      this.send =
          (node, endpoint, request) ->
              CompletableFuture.completedFuture(blocking.send(node, endpoint, request));
      this.pool = pool(builder.maxWorkers);
    }
  }

  private static ThreadPoolExecutor pool(int workers) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            workers,
            workers,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "shardway-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Starts a client over a blocking transport.
   *
   * @param router who routes, and what failures are reported to; several clients may share it
   * @param transport sends a request to a node and waits
   * @return a description with defaults
   */
  public static Builder builder(Router router, Transport transport) {
    return new Builder(router, Objects.requireNonNull(transport, "transport"), null);
  }

  /**
   * Starts a client over an asynchronous transport.
   *
   * @param router who routes, and what failures are reported to; several clients may share it
   * @param transport sends a request to a node
   * @return a description with defaults
   */
  public static Builder asyncBuilder(Router router, Transport.Async transport) {
    return new Builder(router, null, Objects.requireNonNull(transport, "transport"));
  }

  /**
   * The router.
   *
   * @return the router
   */
  public Router router() {
    return router;
  }

  /**
   * Sends a request and gives its result, within the client's timeout.
   *
   * @param <R> what the result is taken for, unchecked
   * @param endpoint the method's name
   * @param request what the strategy and the transport understand
   * @return the result
   * @throws NoPartitioningKeysException when the strategy gave no key
   * @throws PartitioningStrategyException when the strategy or a merger failed or is missing
   * @throws NoPartitionException when the one partition that was asked for is not served
   * @throws ShardNotAvailableException when no node can own the keys, or the one node may not be
   *     sent to, or is late
   * @throws ClosedException when the client was closed
   * @throws CancellationException when the thread was interrupted; the parts under way are
   *     cancelled
   */
  public <R> R call(String endpoint, Object request) {
    return result(start(endpoint, request, timeoutMs, pool != null));
  }

  /**
   * Sends a request and gives its result, within a time.
   *
   * @param <R> what the result is taken for, unchecked
   * @param endpoint the method's name
   * @param request what the strategy and the transport understand
   * @param timeout above 0 and up to a day. A part that is late counts as a failure with a {@link
   *     PartTimeoutException}; its end still counts for its node's health
   * @return the result; see {@link #call(String, Object)} for what is thrown
   */
  public <R> R call(String endpoint, Object request, Duration timeout) {
    return result(start(endpoint, request, millis(timeout), pool != null));
  }

  /**
   * Sends a request within the client's timeout. The strategy is asked on this thread.
   *
   * @param <R> what the result is taken for, unchecked
   * @param endpoint the method's name
   * @param request what the strategy and the transport understand
   * @return the result, or what {@link #call(String, Object)} throws; cancelling it cancels the
   *     parts
   */
  public <R> CompletableFuture<R> callAsync(String endpoint, Object request) {
    return unchecked(start(endpoint, request, timeoutMs, false));
  }

  /**
   * Sends a request within a time.
   *
   * @param <R> what the result is taken for, unchecked
   * @param endpoint the method's name
   * @param request what the strategy and the transport understand
   * @param timeout above 0 and up to a day
   * @return the result, or what {@link #call(String, Object)} throws; cancelling it cancels the
   *     parts
   */
  public <R> CompletableFuture<R> callAsync(String endpoint, Object request, Duration timeout) {
    return unchecked(start(endpoint, request, millis(timeout), false));
  }

  @SuppressWarnings("unchecked")
  private static <R> CompletableFuture<R> unchecked(CompletableFuture<Object> future) {
    return (CompletableFuture<R>) future;
  }

  @SuppressWarnings("unchecked")
  private static <R> R result(CompletableFuture<Object> future) {
    try {
      return (R) future.get();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      future.cancel(true);
      throw new CancellationException("interrupted while waiting for an answer");
    } catch (ExecutionException error) {
      throw Sneaky.raise(error.getCause());
    }
  }

  /**
   * Begins a request; {@code helps} tells that the caller's thread will wait, so it may send too.
   */
  private CompletableFuture<Object> start(
      String endpoint, Object request, Long timeout, boolean helps) {
    Objects.requireNonNull(endpoint, "endpoint");
    CompletableFuture<Object> result = new CompletableFuture<>();
    CompletableFuture<Scatter.Plan> planned;
    try {
      if (closed) {
        throw new ClosedException("the client was closed; make a new one");
      }
      sender.tickIfDue();
      planned = scatter.plan(endpoint, request);
    } catch (RuntimeException error) {
      result.completeExceptionally(error);
      return result;
    }
    // A strategy that answers later does so on a thread that is not ours to send on.
    boolean here = helps && planned.isDone();
    long deadline = timeout == null ? 0 : System.nanoTime() + timeout * 1_000_000;
    if (timeout != null && !planned.isDone()) {
      planned = planned.copy().orTimeout(timeout, TimeUnit.MILLISECONDS);
    }
    planned.whenComplete(
        (plan, error) -> {
          if (error == null) {
            sendAll(plan, result, timeout == null ? null : deadline, here);
            return;
          }
          Throwable plain = Answers.plain(error);
          boolean late = plain instanceof TimeoutException;
          result.completeExceptionally(
              late
                  ? new PartitioningStrategyException(
                      endpoint + ": the partitioning strategy gave no answer in time",
                      endpoint,
                      plain)
                  : plain);
        });
    return result;
  }

  private void sendAll(
      Scatter.Plan plan, CompletableFuture<Object> result, Long deadline, boolean helps) {
    List<PartJob> jobs =
        plan.parts().stream().map(part -> new PartJob(sender, send, part)).toList();
    for (PartJob job : jobs) {
      underWay.add(job);
      job.ended.whenComplete((none, error) -> underWay.remove(job));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            jobs.stream().map(job -> job.answer).toArray(CompletableFuture[]::new));
    result.whenComplete(
        (value, error) -> {
          if (result.isCancelled()) {
            jobs.forEach(PartJob::cancel);
          }
        });
    all.whenComplete((none, error) -> finish(plan, jobs, result));
    boolean alone = helps && deadline == null;
    if (!(alone && jobs.size() == 1)) {
      begin(jobs);
    }
    if (alone) {
      jobs.forEach(PartJob::run); // does nothing where a worker has begun
    } else if (deadline != null) {
      long left = Math.max(0, deadline - System.nanoTime());
      all.copy()
          .orTimeout(left, TimeUnit.NANOSECONDS)
          .whenComplete(
              (none, error) -> {
                if (error != null) {
                  jobs.forEach(PartJob::late);
                }
              });
    }
  }

  private void begin(List<PartJob> jobs) {
    for (PartJob job : jobs) {
      if (pool == null) {
        job.run();
        continue;
      }
      try {
        pool.execute(job);
      } catch (RejectedExecutionException closing) {
        job.run(); // closed meanwhile: what was begun is ended, on this thread
      }
    }
  }

  private static void finish(
      Scatter.Plan plan, List<PartJob> jobs, CompletableFuture<Object> result) {
    try {
      result.complete(Answers.gather(plan, jobs.stream().map(job -> job.answer.join()).toList()));
    } catch (Throwable error) {
      result.completeExceptionally(error);
    }
  }

  /**
   * Lets time pass for nodes that are marked dead. Calls do this in passing.
   *
   * @return what that changed
   */
  public List<Event> tick() {
    return sender.tick();
  }

  /**
   * Counters and gauges.
   *
   * @return their values now
   */
  public ClientStats stats() {
    return scatter.stats();
  }

  /**
   * Refuses new calls and waits for the parts under way, at most a minute; those of an asynchronous
   * transport are cancelled instead and fail with a {@link ClosedException}. The router stays open.
   * May be called again, from any thread; on a thread that is interrupted, or one of the client's
   * own, it does not wait.
   */
  @Override
  public void close() {
    closed = true;
    scatter.close();
    if (pool == null) {
      List.copyOf(underWay).forEach(PartJob::closed);
      return;
    }
    pool.shutdown();
    if (Thread.currentThread().getName().startsWith("shardway-")) {
      return;
    }
    try {
      pool.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  private static Long millis(Duration timeout) {
    long millis = Objects.requireNonNull(timeout, "timeout").toMillis();
    if (millis < 1 || millis > MAX_TIMEOUT_MS) {
      throw new InvalidArgumentException(
          "timeout: " + timeout + "; 1 to " + MAX_TIMEOUT_MS + " ms is right", "timeout");
    }
    return millis;
  }

  /** Describes a client. For one thread. */
  public static final class Builder {
    private final Router router;
    private final Transport blocking;
    private final Transport.Async async;
    private Strategy strategy;
    private Function<Throwable, Outcome> classify = Sender::classifyByDefault;
    private LongSupplier clockMs = () -> System.nanoTime() / 1_000_000 - EPOCH_MS;
    private int maxWorkers = 32;
    private Long timeoutMs;
    private long seed;

    /** So that the time is never negative: the JVM's clock may begin anywhere. */
    private static final long EPOCH_MS = System.nanoTime() / 1_000_000;

    private Builder(Router router, Transport blocking, Transport.Async async) {
      this.router = Objects.requireNonNull(router, "router");
      this.blocking = blocking;
      this.async = async;
    }

    /**
     * Sets how requests are split. Without one each goes whole to the nodes in turn.
     *
     * @param strategy the strategy
     * @return this
     */
    public Builder strategy(Strategy strategy) {
      this.strategy = strategy;
      return this;
    }

    /**
     * Sets what an exception of the transport says of the node's health. By default cancellations,
     * interrupts and errors of the JVM are ignored and every other exception is a failure.
     *
     * @param classify the function
     * @return this
     */
    public Builder classify(Function<Throwable, Outcome> classify) {
      this.classify = Objects.requireNonNull(classify, "classify");
      return this;
    }

    /**
     * Sets the clock for the nodes' health; by default the JVM's own, which never goes back.
     * Clients of one router need one clock.
     *
     * @param clockMs the time in ms, from 0 on
     * @return this
     */
    public Builder clock(LongSupplier clockMs) {
      this.clockMs = Objects.requireNonNull(clockMs, "clockMs");
      return this;
    }

    /**
     * Sets the threads at most; 32 by default. They are started as they are needed.
     *
     * @param workers 1 to 4,096
     * @return this
     * @throws InvalidArgumentException when the count is out of range
     */
    public Builder maxWorkers(int workers) {
      if (workers < 1 || workers > MAX_WORKERS) {
        throw new InvalidArgumentException(
            "workers: " + workers + "; 1 to " + MAX_WORKERS + " is right", "workers");
      }
      this.maxWorkers = workers;
      return this;
    }

    /**
     * Sets the time for each request that is not given its own; no bound by default.
     *
     * @param timeout above 0 and up to a day
     * @return this
     * @throws InvalidArgumentException when it is out of range
     */
    public Builder timeout(Duration timeout) {
      this.timeoutMs = millis(timeout);
      return this;
    }

    /**
     * Sets the seed of the draws among equivalent instances; 0 by default.
     *
     * @param seed any 64 bits
     * @return this
     */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * Makes the client, which freezes the strategy's mergers. Nothing is sent and no thread started
     * yet.
     *
     * @return the client
     */
    public PartitionedClient build() {
      return new PartitionedClient(this);
    }
  }
}
