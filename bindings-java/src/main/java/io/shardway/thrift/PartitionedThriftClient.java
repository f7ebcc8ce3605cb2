package io.shardway.thrift;

import io.shardway.ClientStats;
import io.shardway.Event;
import io.shardway.InvalidArgumentException;
import io.shardway.Node;
import io.shardway.Outcome;
import io.shardway.PartitionedClient;
import io.shardway.Publish;
import io.shardway.Router;
import io.shardway.ShardwayFault;
import io.shardway.Strategy;
import io.shardway.Topology;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.async.AsyncMethodCallback;

/**
 * A client of a Thrift service whose requests go to the nodes that own their keys. Safe for many
 * threads.
 *
 * <p>{@link #iface()} has the service's own methods. A strategy gets each call as a request of the
 * generated class of its arguments, for instance {@code DeliveryService.getBoxes_args}, and gives
 * sub-requests of the same class.
 *
 * <p>Exceptions that the service declares are answers: they arrive as they are, or among the
 * failures of a response merger, and are not held against their node's health. A node without a
 * usable answer is a {@link NodeFailedException}.
 *
 * @param <I> the generated interface, for instance {@code DeliveryService.Iface}
 */
public final class PartitionedThriftClient<I> implements AutoCloseable {
  private static final int DAY_MS = 86_400_000;

  private final Class<I> type;
  private final Map<String, Endpoint> endpoints;
  private final NodePools pools;
  private final PartitionedClient client;
  private final I iface;

  private PartitionedThriftClient(Builder<I> builder) {
    this.type = builder.type;
    this.endpoints = Endpoint.of(type);
    PoolOptions options =
        new PoolOptions(
            builder.framed,
            builder.protocol,
            builder.connectTimeoutMs,
            builder.callTimeoutMs,
            builder.maxConnections,
            builder.idleMs,
            builder.maxAnswerBytes);
    this.pools = new NodePools(builder.router, Endpoint.clients(type), options);
    PartitionedClient.Builder fanOut =
        PartitionedClient.builder(builder.router, this::send)
            .strategy(builder.strategy)
            .classify(PartitionedThriftClient::classify)
            .maxWorkers(builder.maxWorkers)
            .seed(builder.seed);
    if (builder.clockMs != null) {
      fanOut.clock(builder.clockMs);
    }
    this.client = fanOut.build();
    this.iface = type.cast(proxy(type, (proxy, method, arguments) -> call(method, arguments)));
  }

  private static Object proxy(Class<?> type, InvocationHandler calls) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() != Object.class) {
            return calls.invoke(proxy, method, arguments);
          }
          return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "<partitioned " + type.getName() + ">";
          };
        };
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /**
   * Starts a client.
   *
   * @param <I> the generated interface
   * @param iface its class, for instance {@code DeliveryService.Iface.class}
   * @param router says who owns a key; every node of its topology needs host and port. A topology
   *     that is published to it later, by whomever, is followed from the next call on
   * @return a description with defaults
   */
  public static <I> Builder<I> builder(Class<I> iface, Router router) {
    return new Builder<>(iface, router);
  }

  /**
   * The service's own methods. A call throws what the service declares as it is, and unchecked what
   * {@link PartitionedClient#call(String, Object)} throws.
   *
   * @return the service
   */
  public I iface() {
    return iface;
  }

  private Object call(Method method, Object[] arguments) {
    Endpoint endpoint = Endpoint.find(endpoints, method.getName());
    return client.call(endpoint.name, endpoint.request(arguments));
  }

  /**
   * Calls a method of the service without waiting; as many go out at once as there are workers.
   *
   * @param <R> what the result is taken for, unchecked
   * @param method the method's name
   * @param arguments its arguments
   * @return the result; cancelling it gives up parts that were not sent yet
   * @throws InvalidArgumentException when there is no such method, or the arguments do not fit
   */
  public <R> CompletableFuture<R> callAsync(String method, Object... arguments) {
    Endpoint endpoint = Endpoint.find(endpoints, method);
    return client.callAsync(method, endpoint.request(arguments));
  }

  /**
   * The service's methods with callbacks: the generated interface for asynchronous clients, over
   * the futures of {@link #callAsync}. Callbacks run on threads of the client.
   *
   * @param <A> the generated interface
   * @param asyncIface its class, for instance {@code DeliveryService.AsyncIface.class}
   * @return the service
   */
  public <A> A asyncIface(Class<A> asyncIface) {
    return asyncIface.cast(
        proxy(
            asyncIface,
            (proxy, method, arguments) -> {
              int last = arguments.length - 1;
              @SuppressWarnings("unchecked")
              AsyncMethodCallback<Object> callback = (AsyncMethodCallback<Object>) arguments[last];
              callAsync(method.getName(), Arrays.copyOf(arguments, last))
                  .whenComplete((result, error) -> tell(callback, result, error));
              return null;
            }));
  }

  private static void tell(AsyncMethodCallback<Object> callback, Object result, Throwable error) {
    if (error == null) {
      callback.onComplete(result);
    } else {
      callback.onError(error instanceof Exception known ? known : new RuntimeException(error));
    }
  }

  private Object send(Node node, String name, Object request) throws Exception {
    Endpoint endpoint = Endpoint.find(endpoints, name);
    try {
      return pools.pool(node).call(endpoint, request);
    } catch (Exception | Error error) {
      throw error;
    } catch (Throwable error) {
      throw new IllegalStateException(error); // there is no third kind
    }
  }

  /**
   * What an error of a call says about its node. No usable answer is a failure; an error of the
   * caller's own making says nothing; everything else came out of an answer.
   *
   * @param error what was thrown
   * @return the outcome
   */
  public static Outcome classify(Throwable error) {
    if (error instanceof NodeFailedException failed) {
      boolean ours = failed.reason() == NodeFailedException.Reason.BUSY;
      return ours ? Outcome.IGNORED : Outcome.FAILURE;
    }
    if (error instanceof TBase || error instanceof TApplicationException) {
      return Outcome.SUCCESS;
    }
    boolean ours =
        error instanceof ShardwayFault
            || error instanceof CancellationException
            || error instanceof Error;
    return ours ? Outcome.IGNORED : Outcome.FAILURE;
  }

  /**
   * Publishes a topology to the router, and opens and closes connections as it says.
   *
   * @param topology the topology
   * @return what {@link Router#publish} gives
   * @throws io.shardway.InvalidTopologyException when a node has no host or port; nothing was
   *     published
   */
  public Publish publish(Topology topology) {
    NodePools.checkAddresses(topology);
    Publish outcome = client.router().publish(topology);
    pools.follow();
    return outcome;
  }

  /**
   * The router.
   *
   * @return the router
   */
  public Router router() {
    return client.router();
  }

  /**
   * The connections to each node.
   *
   * @return counts by node id
   */
  public Map<String, PoolStats> pools() {
    return pools.stats();
  }

  /**
   * Counters and gauges of the fan-out.
   *
   * @return their values now
   */
  public ClientStats stats() {
    return client.stats();
  }

  /**
   * Lets time pass for nodes that are marked dead. Calls do this in passing.
   *
   * @return what that changed
   */
  public List<Event> tick() {
    return client.tick();
  }

  /**
   * Refuses new calls, waits for those under way and closes all connections. The router stays open.
   * May be called again.
   */
  @Override
  public void close() {
    client.close();
    pools.close();
  }

  /**
   * Describes a client. For one thread.
   *
   * @param <I> the generated interface
   */
  public static final class Builder<I> {
    private final Class<I> type;
    private final Router router;
    private Strategy strategy;
    private boolean framed = true;
    private Protocol protocol = Protocol.BINARY;
    private int connectTimeoutMs = 1_000;
    private int callTimeoutMs = 5_000;
    private int maxConnections = 8;
    private int idleMs = 60_000;
    private int maxAnswerBytes = 16_777_216;
    private int maxWorkers = 32;
    private long seed;
    private LongSupplier clockMs;

    private Builder(Class<I> type, Router router) {
      this.type = Objects.requireNonNull(type, "iface");
      this.router = Objects.requireNonNull(router, "router");
    }

    private static int checked(String place, long value, int least, int most) {
      if (value < least || value > most) {
        throw new InvalidArgumentException(
            place + ": " + value + "; " + least + " to " + most + " is right", place);
      }
      return (int) value;
    }

    /**
     * Sets how requests are split; without one each goes whole to the nodes in turn.
     *
     * @param strategy the strategy
     * @return this
     */
    public Builder<I> strategy(Strategy strategy) {
      this.strategy = strategy;
      return this;
    }

    /**
     * Sets whether messages are framed, as the servers speak; true by default.
     *
     * @param framed whether they are
     * @return this
     */
    public Builder<I> framed(boolean framed) {
      this.framed = framed;
      return this;
    }

    /**
     * Sets the protocol, as the servers speak; binary by default.
     *
     * @param protocol the protocol
     * @return this
     */
    public Builder<I> protocol(Protocol protocol) {
      this.protocol = Objects.requireNonNull(protocol, "protocol");
      return this;
    }

    /**
     * Sets the time for making one connection; a second by default.
     *
     * @param timeout 1 ms to a day
     * @return this
     */
    public Builder<I> connectTimeout(Duration timeout) {
      this.connectTimeoutMs = checked("connectTimeout", timeout.toMillis(), 1, DAY_MS);
      return this;
    }

    /**
     * Sets the time for one call to one node as a whole: waiting for a free connection, connecting,
     * sending, and the answer to its last byte; five seconds by default.
     *
     * @param timeout 1 ms to a day
     * @return this
     */
    public Builder<I> callTimeout(Duration timeout) {
      this.callTimeoutMs = checked("callTimeout", timeout.toMillis(), 1, DAY_MS);
      return this;
    }

    /**
     * Sets the connections to one node at most; 8 by default.
     *
     * @param count 1 to 10,000
     * @return this
     */
    public Builder<I> maxConnections(int count) {
      this.maxConnections = checked("maxConnections", count, 1, 10_000);
      return this;
    }

    /**
     * Sets how long a connection may have been idle to be used again; a minute by default.
     *
     * @param time 0 to a day
     * @return this
     */
    public Builder<I> idle(Duration time) {
      this.idleMs = checked("idle", time.toMillis(), 0, DAY_MS);
      return this;
    }

    /**
     * Sets the bytes of one answer at most; 16 MiB by default. A longer one is refused and its
     * connection closed.
     *
     * @param bytes 64 to 2,147,483,647
     * @return this
     */
    public Builder<I> maxAnswerBytes(int bytes) {
      this.maxAnswerBytes = checked("maxAnswerBytes", bytes, 64, Integer.MAX_VALUE);
      return this;
    }

    /**
     * Sets the threads at most on which parts are sent; 32 by default.
     *
     * @param workers 1 to 4,096
     * @return this
     */
    public Builder<I> maxWorkers(int workers) {
      this.maxWorkers = checked("maxWorkers", workers, 1, 4_096);
      return this;
    }

    /**
     * Sets the seed of the draws among equivalent instances; 0 by default.
     *
     * @param seed any 64 bits
     * @return this
     */
    public Builder<I> seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * Sets the clock for the nodes' health; by default the JVM's own.
     *
     * @param clockMs the time in ms, from 0 on
     * @return this
     */
    public Builder<I> clock(LongSupplier clockMs) {
      this.clockMs = Objects.requireNonNull(clockMs, "clockMs");
      return this;
    }

    /**
     * Makes the client. Nothing is connected before the first call.
     *
     * @return the client
     * @throws InvalidArgumentException when {@code iface} is not the Iface of a generated service
     * @throws io.shardway.InvalidTopologyException when a node has no host or port
     */
    public PartitionedThriftClient<I> build() {
      return new PartitionedThriftClient<>(this);
    }
  }
}
