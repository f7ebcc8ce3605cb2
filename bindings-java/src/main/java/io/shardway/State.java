package io.shardway;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A value that others watch: what a resharding strategy depends on. Safe for many threads.
 *
 * <p>Watchers are called one change after the other, on a thread that updates, and see changes in
 * their order. A watcher may watch and stop watching from inside its call, and may update the
 * value: that change is told when the one under way has been told to everyone.
 *
 * @param <T> the type of the value
 */
public final class State<T> {
  /** A value and how many came before it. */
  record Versioned<T>(long version, T value) {}

  private final AtomicReference<Versioned<T>> now;
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
  private final ReentrantLock telling = new ReentrantLock();

  /**
   * Begins with a value.
   *
   * @param value the first value
   */
  public State(T value) {
    this.now = new AtomicReference<>(new Versioned<>(0, value));
  }

  /**
   * The value now.
   *
   * @return the value
   */
  public T value() {
    return now.get().value();
  }

  /**
   * How often the value was set; two equal values in a row count twice.
   *
   * @return the count
   */
  public long version() {
    return now.get().version();
  }

  Versioned<T> read() {
    return now.get();
  }

  /**
   * Sets the value and tells the watchers, which have all been called when this returns, unless a
   * watcher calls it.
   *
   * @param value the new value
   * @throws RuntimeException the first exception of a watcher, after all were told
   */
  public void update(T value) {
    now.updateAndGet(before -> new Versioned<>(before.version() + 1, value));
    if (telling.isHeldByCurrentThread()) {
      return; // the round under way goes around once more
    }
    RuntimeException first = null;
    telling.lock();
    try {
      long told = -1;
      while (told != version()) {
        told = version();
        for (Runnable watcher : new ArrayList<>(watchers)) {
          try {
            watcher.run();
          } catch (RuntimeException error) {
            first = first == null ? error : first;
          }
        }
      }
    } finally {
      telling.unlock();
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Has a function called after each change.
   *
   * @param watcher the function
   * @return ends it; may be called again
   */
  public Runnable watch(Runnable watcher) {
    Runnable own = watcher::run;
    watchers.add(own);
    return () -> watchers.remove(own);
  }
}
