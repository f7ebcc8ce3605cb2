package io.shardway.thrift;

import io.shardway.ClosedException;
import io.shardway.thrift.NodeFailedException.Reason;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/**
 * The connections to one node: at most so many, kept open between calls, replaced when they break.
 * Any number of threads may call at once.
 */
final class NodePool {
  final InetSocketAddress address;
  private final String node;
  private final Constructor<?> clients;
  private final PoolOptions options;

  /** The last one was used last. */
  private final Deque<Connection> idle = new ArrayDeque<>();

  private int open;
  private long opened;
  private boolean retired;
  private boolean closed;

  NodePool(String node, InetSocketAddress address, Constructor<?> clients, PoolOptions options) {
    this.node = node;
    this.address = address;
    this.clients = clients;
    this.options = options;
  }

  /** Calls on a free connection, a new one if there is none, within the time of a call in all. */
  Object call(Endpoint endpoint, Object request) throws Throwable {
    long deadline = System.nanoTime() + options.callTimeoutMs() * 1_000_000L;
    Connection connection = take(endpoint, deadline);
    try {
      return connection.call(endpoint, request, deadline);
    } finally {
      giveBack(connection);
    }
  }

  private Connection take(Endpoint endpoint, long deadline) {
    synchronized (this) {
      while (true) {
        if (closed) {
          throw new ClosedException("the connections to node \"" + node + "\" were closed");
        }
        Connection connection = usable();
        if (connection != null) {
          return connection;
        }
        if (open < options.maxConnections()) {
          open++;
          break;
        }
        await(endpoint, deadline);
      }
    }
    return connect(endpoint, deadline);
  }

  private Connection usable() {
    long oldest = System.nanoTime() - options.idleMs() * 1_000_000L;
    while (!idle.isEmpty()) {
      Connection connection = idle.removeLast();
      if (connection.idleSinceNanos - oldest >= 0 && !connection.isStale()) {
        return connection;
      }
      connection.close();
      open--;
    }
    return null;
  }

  private void await(Endpoint endpoint, long deadline) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new NodeFailedException(
          Reason.BUSY,
          node,
          endpoint.name,
          "all " + options.maxConnections() + " connections were in use for the whole time",
          null);
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new CancellationException(endpoint.name + ": interrupted while waiting");
    }
  }

  /** Opens the connection that was counted already; its place is given up again when that fails. */
  private Connection connect(Endpoint endpoint, long deadline) {
    long left = (deadline - System.nanoTime()) / 1_000_000;
    long allowedMs = Math.min(options.connectTimeoutMs(), left);
    try {
      Connection connection = new Connection(node, address, clients, options, allowedMs);
      synchronized (this) {
        opened++;
      }
      return connection;
    } catch (IOException | RuntimeException error) {
      synchronized (this) {
        open--;
        notify();
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException(endpoint.name + ": interrupted while connecting");
      }
      throw new NodeFailedException(
          Reason.CONNECT,
          node,
          endpoint.name,
          "no connection to "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " within "
              + allowedMs
              + " ms: "
              + error.getMessage(),
          error);
    }
  }

  private synchronized void giveBack(Connection connection) {
    if (connection.isOpen() && !retired) {
      connection.idleSinceNanos = System.nanoTime();
      idle.addLast(connection);
    } else {
      connection.close();
      open--;
    }
    notify();
  }

  synchronized PoolStats stats() {
    return new PoolStats(open, idle.size(), opened);
  }

  /** Closes what is idle and keeps no connection from now on; calls still work. */
  void retire() {
    empty(false).forEach(Connection::close);
  }

  /** Closes what is idle now, what is in use when its call ends; refuses new calls. */
  void close() {
    empty(true).forEach(Connection::close);
  }

  private synchronized List<Connection> empty(boolean forGood) {
    retired = true;
    closed |= forGood;
    List<Connection> connections = new ArrayList<>(idle);
    idle.clear();
    open -= connections.size();
    notifyAll();
    return connections;
  }
}
