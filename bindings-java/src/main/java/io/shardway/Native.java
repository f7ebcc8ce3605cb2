package io.shardway;

import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * The native methods, and nothing else: each is one call of the core. Text crosses as UTF-8 in
 * {@code byte[]}, since JNI's own strings are no UTF-8. A handle is alive while the object that
 * holds it is reachable; whoever passes one keeps that object reachable to the end of the call.
 *
 * <p>Errors are thrown by {@link #raise}, which the library calls.
 */
final class Native {
  /** Frees what was forgotten, once nothing can reach it. */
  static final Cleaner CLEANER = Cleaner.create();

  static {
    NativeLibrary.load();
    NativeLibrary.compareVersions(new String(version(), StandardCharsets.UTF_8));
  }

  private Native() {}

  /** Called by the library with what an exception is made of. */
  private static void raise(int code, byte[] place, byte[] message) {
    throw ShardwayException.of(
        ErrorCode.of(code),
        new String(message, StandardCharsets.UTF_8),
        new String(place, StandardCharsets.UTF_8));
  }

  // The hot calls. A negative answer means: ask again, by a call that can tell why.

  static native int route(long router, byte[] key, int length, long revision);

  static native int routeNumber(long router, int kind, long key, long revision);

  /** Does nothing: what a native call costs at least. */
  static native int nothing();

  static native int routeHash(long router, long hash, long revision);

  static native long routerNew(long topology, long seed);

  static native void routerFree(long router);

  /** A new handle, or 0 when the snapshot that is known is in force still. */
  static native long routerSnapshot(long router, long known);

  static native int routerPublish(long router, long topology);

  static native boolean routerEject(long router, byte[] id);

  static native boolean routerRevive(long router, byte[] id);

  static native byte[] routerReport(long router, byte[] id, int outcome, long sentMs, long nowMs);

  static native int routerAdmit(long router, byte[] id, long nowMs);

  static native byte[] routerTick(long router, long nowMs);

  static native long routerNextTick(long router);

  static native long[] routerStats(long router);

  static native void snapshotFree(long snapshot);

  static native byte[] snapshotFacts(long snapshot);

  static native byte[] snapshotNodes(long snapshot);

  static native long snapshotTopology(long snapshot);

  static native int snapshotRoute(long snapshot, int kind, byte[] key, long number);

  static native int snapshotRouteHash(long snapshot, long hash);

  static native long snapshotHash(long snapshot, int kind, byte[] key, long number);

  static native int[] snapshotReplicas(long snapshot, int kind, byte[] key, long number, int n);

  static native byte[] snapshotExplain(long snapshot, int kind, byte[] key, long number);

  static native byte[] snapshotPartitionFacts(long snapshot);

  static native int[] snapshotPartitionNodes(long snapshot, int partition);

  static native int[] snapshotPartitionsOf(long snapshot, int node);

  /** The kinds are null when all keys are bytes. */
  static native int[] group(long snapshot, byte[] kinds, byte[] data, int[] offsets);

  static native int[] groupDirect(
      long snapshot, Buffer data, int from, int length, Buffer offsets, int first, int count);

  static native int[] groupHashes(long snapshot, long[] hashes);

  static native long partitionsNew(byte[] instances);

  static native void partitionsFree(long map);

  static native byte[] partitionsFacts(long map);

  static native int[] partitionsNodes(long map, int partition);

  static native int[] partitionsOf(long map, int node);

  static native long topologyFromJson(byte[] text);

  static native void topologyFree(long topology);

  static native byte[] topologyToJson(long topology);

  static native byte[] topologyFacts(long topology);

  static native byte[] topologyNodes(long topology);

  static native byte[] version();

  static native byte[] errorCodes();

  /** In libraries built for the tests only; elsewhere an {@link UnsatisfiedLinkError}. */
  static native void panicOnDemand();
}
