package io.shardway;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Routes keys by the topology in force. Safe for many threads: lookups take no lock and never wait
 * for {@link #publish} or {@link #eject}.
 *
 * <p>A key is a {@code String} (its UTF-8; a lone surrogate is refused), {@code byte[]}, {@code
 * ByteBuffer} (from its position to its limit, which stay) or {@code long} (eight bytes, big-endian
 * two's complement). {@code int}, {@code short} and {@code byte} are the same as their {@code
 * long}; only the finagle profile with {@code thriftKeys} tells them apart, and takes {@code
 * boolean} too.
 *
 * <p>{@link #close()} only marks: a call that is under way on another thread ends as if nothing had
 * happened, later ones throw {@link ClosedException}. The memory outside the Java heap goes when
 * nothing can reach the router, closed or not.
 */
public final class Router implements AutoCloseable {
  private final long handle;
  private volatile boolean closed;

  /** The last snapshot seen: it has the names of the revision it is of. */
  private volatile Snapshot known;

  /**
   * Makes a router.
   *
   * @param topology what to route by; an empty one is fine: routing throws {@link
   *     ShardNotAvailableException} until nodes are published
   */
  public Router(Topology topology) {
    this(topology, 0);
  }

  /**
   * Makes a router.
   *
   * @param topology what to route by
   * @param seed feeds the jitter of backoff times and nothing else, any 64 bits. Give each process
   *     another one, so that a fleet does not probe in step
   */
  public Router(Topology topology, long seed) {
    long made = Native.routerNew(topology.handle, seed);
    Reference.reachabilityFence(topology);
    this.handle = made;
    Native.CLEANER.register(this, () -> Native.routerFree(made));
    this.known = new Snapshot(Native.routerSnapshot(made, 0), null);
  }

  private void checkOpen() {
    if (closed) {
      throw new ClosedException("the router was closed; make a new one");
    }
  }

  /**
   * The id of the node that owns a key.
   *
   * @param key the key's bytes
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException when the topology has {@code thriftKeys} and the key is no
   *     UTF-8
   */
  public String route(byte[] key) {
    checkOpen();
    Snapshot names = known;
    int index = Native.route(handle, key, key.length, names.revision);
    return index >= 0 ? named(names, index) : snapshot().route(Keys.of(key));
  }

  /** The name, with the router kept reachable to here: that is after the call. */
  private String named(Snapshot names, int index) {
    Reference.reachabilityFence(this);
    return names.id(index);
  }

  /**
   * The id of the node that owns a key.
   *
   * @param key the key, hashed by its UTF-8
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException when the text has a lone surrogate
   */
  public String route(String key) {
    return route(Keys.utf8(key, "key"));
  }

  /**
   * The id of the node that owns a key.
   *
   * @param key the key's bytes, from the position to the limit
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException as for {@link #route(byte[])}
   */
  public String route(ByteBuffer key) {
    return route(Keys.bytes(key));
  }

  /**
   * The id of the node that owns a key.
   *
   * @param key the key
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   */
  public String route(long key) {
    return route(Keys.INT64, key);
  }

  /**
   * The id of the node that owns a key: the same as for its {@code long}, but with {@code
   * thriftKeys}.
   *
   * @param key the key
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   */
  public String route(int key) {
    return route(Keys.INT32, key);
  }

  private String route(int kind, long key) {
    checkOpen();
    Snapshot names = known;
    int index = Native.routeNumber(handle, kind, key, names.revision);
    return index >= 0 ? named(names, index) : snapshot().route(Keys.of(kind, key));
  }

  /**
   * The id of the node that owns a key.
   *
   * @param key a key of any of the types that the class names
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException when the key is of another type, or no well-formed text
   */
  public String route(Object key) {
    Keys.Crossing crossing = Keys.of(key, "key");
    return crossing.kind() == Keys.BYTES
        ? route(crossing.bytes())
        : route(crossing.kind(), crossing.number());
  }

  /**
   * The id of the node that owns a key whose hash the caller computed: the way in for a hash that
   * this library lacks.
   *
   * @param hash 64 bits without a sign
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   */
  public String routeHash(long hash) {
    checkOpen();
    Snapshot names = known;
    int index = Native.routeHash(handle, hash, names.revision);
    return index >= 0 ? named(names, index) : snapshot().routeHash(hash);
  }

  /**
   * The ids of the first distinct nodes for a key; see {@link Snapshot#replicas}.
   *
   * @param key the key
   * @param n how many, from 0 on
   * @return the ids, the owner's first
   */
  public List<String> replicas(Object key, int n) {
    return snapshot().replicas(key, n);
  }

  /**
   * Keys by owner, all by one snapshot; see {@link Snapshot#group}.
   *
   * @param <K> the type of the keys
   * @param keys the keys
   * @return lists of keys by node id
   */
  public <K> Map<String, List<K>> group(List<K> keys) {
    return snapshot().group(keys);
  }

  /**
   * Key numbers by owner, all by one snapshot; see {@link Snapshot#groups}.
   *
   * @param keys the keys
   * @return the groups
   */
  public Groups groups(List<?> keys) {
    return snapshot().groups(keys);
  }

  /**
   * The keys of a packed batch by owner; see {@link Snapshot#groupPacked(byte[], int[])}.
   *
   * @param data the keys' bytes
   * @param offsets one more than keys
   * @return the groups
   */
  public Groups groupPacked(byte[] data, int[] offsets) {
    return snapshot().groupPacked(data, offsets);
  }

  /**
   * The keys of a packed batch by owner; see {@link Snapshot#groupPacked(ByteBuffer, IntBuffer)}.
   *
   * @param data the keys' bytes; direct ones are read where they are
   * @param offsets one more than keys
   * @return the groups
   */
  public Groups groupPacked(ByteBuffer data, IntBuffer offsets) {
    return snapshot().groupPacked(data, offsets);
  }

  /**
   * Keys by owner when the caller has their hashes.
   *
   * @param hashes 64 bits without a sign each
   * @return the groups
   */
  public Groups groupHashes(long[] hashes) {
    return snapshot().groupHashes(hashes);
  }

  /**
   * The snapshot in force. Who holds it sees no change, and may use it after the router is closed.
   *
   * @return the snapshot
   */
  public Snapshot snapshot() {
    checkOpen();
    Snapshot before = known;
    long fresh = Native.routerSnapshot(handle, before.handle);
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(before);
    if (fresh == 0) {
      return before;
    }
    Snapshot next = new Snapshot(fresh, before);
    known = next;
    return next;
  }

  /**
   * Why a key is where it is. For people and tests; it allocates.
   *
   * @param key the key
   * @return the steps
   */
  public Explanation explain(Object key) {
    return snapshot().explain(key);
  }

  /**
   * Puts a topology in force: at once, whole, for every call that begins after this one returns.
   *
   * @param topology the topology. One without a revision gets the next number
   * @return what became of it
   * @throws StaleRevisionException when it is older than the one in force
   * @throws RevisionConflictException when it has the revision of the one in force and other
   *     content
   */
  public Publish publish(Topology topology) {
    checkOpen();
    int answer = Native.routerPublish(handle, topology.handle);
    Reference.reachabilityFence(topology);
    Reference.reachabilityFence(this);
    return PUBLISH[answer];
  }

  /**
   * Takes a node's keys away by hand, until {@link #revive}; no other key moves.
   *
   * @param id the node's id
   * @return false when it was so already
   * @throws UnknownNodeException when no node has the id
   */
  public boolean eject(String id) {
    checkOpen();
    boolean changed = Native.routerEject(handle, Keys.utf8(id, "id"));
    Reference.reachabilityFence(this);
    return changed;
  }

  /**
   * Gives back what {@link #eject} took.
   *
   * @param id the node's id
   * @return false when nothing was taken
   * @throws UnknownNodeException when no node has the id
   */
  public boolean revive(String id) {
    checkOpen();
    boolean changed = Native.routerRevive(handle, Keys.utf8(id, "id"));
    Reference.reachabilityFence(this);
    return changed;
  }

  /**
   * Says how a request ended, for the health of its node.
   *
   * @param id the node's id
   * @param outcome how it ended
   * @param sentMs when it was sent, in ms of any clock that never goes back, from 0 on
   * @param nowMs the time now, of the same clock
   * @return what that changed, or null
   * @throws UnknownNodeException when no node has the id
   * @throws InvalidArgumentException when a time is negative
   */
  public Event report(String id, Outcome outcome, long sentMs, long nowMs) {
    checkOpen();
    byte[] event =
        Native.routerReport(handle, Keys.utf8(id, "id"), outcome.ordinal(), sentMs, nowMs);
    Reference.reachabilityFence(this);
    return event == null ? null : new WireReader(event).event();
  }

  /**
   * Whether a request may go to a node; ask before each send.
   *
   * @param id the node's id
   * @param nowMs the time, as for {@link #report}
   * @return whether it may
   * @throws UnknownNodeException when no node has the id
   * @throws InvalidArgumentException when the time is negative
   */
  public Admission admit(String id, long nowMs) {
    checkOpen();
    int answer = Native.routerAdmit(handle, Keys.utf8(id, "id"), nowMs);
    Reference.reachabilityFence(this);
    return ADMISSION[answer];
  }

  /**
   * Lets time pass: nodes whose time is up may be probed.
   *
   * @param nowMs the time, as for {@link #report}
   * @return what that changed
   * @throws InvalidArgumentException when the time is negative
   */
  public List<Event> tick(long nowMs) {
    checkOpen();
    WireReader wire = new WireReader(Native.routerTick(handle, nowMs));
    Reference.reachabilityFence(this);
    return wire.list(wire::event);
  }

  /**
   * The next time at which {@link #tick} does something.
   *
   * @return the time in ms; -1 when nothing waits
   */
  public long nextTickMs() {
    checkOpen();
    long next = Native.routerNextTick(handle);
    Reference.reachabilityFence(this);
    return next;
  }

  /**
   * Counters and gauges.
   *
   * @return their values now
   */
  public Stats stats() {
    checkOpen();
    long[] fields = Native.routerStats(handle);
    Reference.reachabilityFence(this);
    return Stats.of(fields);
  }

  /**
   * The topology in force.
   *
   * @return the topology
   */
  public Topology topology() {
    return snapshot().topology();
  }

  /**
   * The revision in force.
   *
   * @return from 1 on
   */
  public long revision() {
    return snapshot().revision();
  }

  /** Refuses later calls. May be called again, from any thread, while others route. */
  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return closed ? "<Router closed>" : "<Router " + Objects.toString(known) + ">";
  }

  private static final Publish[] PUBLISH = Publish.values();
  private static final Admission[] ADMISSION = Admission.values();
}
