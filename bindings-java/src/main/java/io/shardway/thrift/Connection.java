package io.shardway.thrift;

import io.shardway.InvalidArgumentException;
import io.shardway.thrift.NodeFailedException.Reason;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TServiceClient;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TIOStreamTransport;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * One connection and the calls over it, one at a time. The clock runs over a call as a whole: when
 * its time is up the connection is closed under it, whatever it waits for, so a server that
 * trickles bytes, or reads none, cannot hold a caller.
 */
final class Connection {
  private static final ScheduledThreadPoolExecutor WATCH = watch();

  private final String node;
  private final SocketChannel channel;
  private final TServiceClient client;
  private final Bounded input;
  private final PoolOptions options;
  long idleSinceNanos;
  private volatile boolean expired;

  private static ScheduledThreadPoolExecutor watch() {
    ScheduledThreadPoolExecutor watch =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "shardway-thrift-watch");
              thread.setDaemon(true);
              return thread;
            });
    watch.setRemoveOnCancelPolicy(true);
    return watch;
  }

  /** Connects within a time. */
  Connection(
      String node,
      InetSocketAddress address,
      Constructor<?> clients,
      PoolOptions options,
      long timeoutMs)
      throws IOException {
    this.node = node;
    this.options = options;
    this.channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      // Resolved at each connect: a name may move.
      InetSocketAddress now = new InetSocketAddress(address.getHostString(), address.getPort());
      if (now.isUnresolved()) {
        throw new IOException("the name " + address.getHostString() + " is unknown");
      }
      channel.socket().connect(now, (int) Math.max(1, timeoutMs));
      this.input = new Bounded(channel.socket().getInputStream(), options.maxAnswerBytes());
      this.client = (TServiceClient) clients.newInstance(protocol());
    } catch (ReflectiveOperationException | TTransportException error) {
      channel.close();
      throw new IOException(error);
    } catch (IOException | RuntimeException error) {
      channel.close();
      throw error;
    }
  }

  private TProtocol protocol() throws IOException, TTransportException {
    int most = options.maxAnswerBytes();
    TConfiguration bounds = new TConfiguration(most, most, TConfiguration.DEFAULT_RECURSION_DEPTH);
    TTransport transport =
        new TIOStreamTransport(
            bounds,
            new BufferedInputStream(input),
            new BufferedOutputStream(channel.socket().getOutputStream()));
    if (options.framed()) {
      transport = new TFramedTransport(transport, most);
    }
    return options.protocol() == Protocol.COMPACT
        ? new TCompactProtocol(transport, most, most)
        : new TBinaryProtocol(transport, most, most, true, true);
  }

  /** Calls and waits for the answer until a deadline of {@link System#nanoTime()}. */
  Object call(Endpoint endpoint, Object request, long deadlineNanos) throws Throwable {
    long left = deadlineNanos - System.nanoTime();
    ScheduledFuture<?> watching = WATCH.schedule(this::expire, left, TimeUnit.NANOSECONDS);
    try {
      input.begin();
      try {
        endpoint.send(client, request);
      } catch (TTransportException error) {
        throw lost(endpoint, error);
      } catch (Exception error) {
        // Half a message may have been written: the connection is of no more use.
        close();
        throw invalid(endpoint, error);
      }
      return receive(endpoint);
    } finally {
      watching.cancel(false);
    }
  }

  private Object receive(Endpoint endpoint) throws Throwable {
    try {
      return endpoint.receive(client);
    } catch (TTransportException error) {
      throw lost(endpoint, error);
    } catch (TApplicationException error) {
      if (error.getType() == TApplicationException.BAD_SEQUENCE_ID) {
        throw garbage(endpoint, error);
      }
      throw error;
    } catch (Exception | OutOfMemoryError error) {
      if (error instanceof TBase) {
        throw error; // declared by the service: an answer
      }
      throw garbage(endpoint, error);
    }
  }

  private RuntimeException invalid(Endpoint endpoint, Exception error) {
    InvalidArgumentException invalid =
        new InvalidArgumentException(
            endpoint.name + ": an argument cannot be written as its Thrift type (" + error + ")",
            endpoint.name);
    invalid.initCause(error);
    return invalid;
  }

  private RuntimeException garbage(Endpoint endpoint, Throwable error) {
    close();
    if (expired) {
      return timeout(endpoint, error);
    }
    return new NodeFailedException(
        Reason.GARBAGE, node, endpoint.name, "what came is not an answer: " + error, error);
  }

  private RuntimeException lost(Endpoint endpoint, TTransportException error) {
    close();
    if (expired) {
      return timeout(endpoint, error);
    }
    if (Thread.currentThread().isInterrupted()) {
      return new CancellationException(endpoint.name + ": interrupted while waiting for an answer");
    }
    boolean tooLarge =
        error.getType() == TTransportException.CORRUPTED_DATA
            || error.getCause() instanceof Bounded.TooLarge;
    return new NodeFailedException(
        tooLarge ? Reason.GARBAGE : Reason.LOST,
        node,
        endpoint.name,
        (tooLarge ? "what came is not an answer, or over the bound: " : "") + error.getMessage(),
        error);
  }

  private RuntimeException timeout(Endpoint endpoint, Throwable error) {
    return new NodeFailedException(
        Reason.TIMEOUT,
        node,
        endpoint.name,
        "no answer within " + options.callTimeoutMs() + " ms",
        error);
  }

  private void expire() {
    expired = true;
    close();
  }

  /** Whether it broke while it was idle: closed by the server, or with bytes nobody asked for. */
  boolean isStale() {
    try {
      channel.configureBlocking(false);
      try {
        return channel.read(ByteBuffer.allocate(1)) != 0;
      } finally {
        channel.configureBlocking(true);
      }
    } catch (IOException error) {
      return true;
    }
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Closes it; harmless when it is closed. */
  void close() {
    try {
      channel.close();
    } catch (IOException error) {
      // It is of no more use either way.
      return;
    }
  }
}
