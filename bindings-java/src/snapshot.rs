//! `io.shardway.Snapshot`.

use std::sync::Arc;

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JIntArray};
use jni::sys::{jint, jlong};
use shardway_core::Snapshot;

use crate::border::{borrow, byte_array, free, guard, handle, int_array};
use crate::key::with_key;
use crate::wire::Wire;

/// `void snapshotFree(long snapshot)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotFree<'l>(env: EnvUnowned<'l>, class: JClass<'l>, snapshot: jlong) {
    guard(env, &class, |_| {
        // SAFETY: the cleaner calls this once, when no call can be under way.
        unsafe { free::<Arc<Snapshot>>(snapshot) };
        Ok(())
    });
}

/// `byte[] snapshotFacts(long snapshot)`: revision, fingerprint, points, the indices of the ejected nodes.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotFacts<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        let mut wire = Wire::default();
        wire.long(snapshot.revision()).long(snapshot.fingerprint()).long(snapshot.points() as u64);
        let ejected: Vec<u32> = snapshot.ejected().collect();
        wire.count(ejected.len());
        for node in ejected {
            wire.int(node.cast_signed());
        }
        byte_array(env, &wire.content)
    })
}

/// `byte[] snapshotNodes(long snapshot)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotNodes<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        byte_array(env, &Wire::default().nodes(snapshot.nodes()).content)
    })
}

/// `long snapshotTopology(long snapshot)`: a handle of a topology.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotTopology<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
) -> jlong {
    guard(env, &class, |_| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        Ok(handle(snapshot.topology().clone()))
    })
}

/// `int snapshotRoute(long snapshot, int kind, byte[] key, long value)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotRoute<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    kind: jint,
    key: JByteArray<'l>,
    value: jlong,
) -> jint {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        with_key(env, kind, &key, value, |key| Ok(snapshot.route(key)?.node as jint))
    })
}

/// `int snapshotRouteHash(long snapshot, long hash)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotRouteHash<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    hash: jlong,
) -> jint {
    guard(env, &class, |_| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        Ok(snapshot.route_hash(hash.cast_unsigned())?.node as jint)
    })
}

/// `long snapshotHash(long snapshot, int kind, byte[] key, long value)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotHash<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    kind: jint,
    key: JByteArray<'l>,
    value: jlong,
) -> jlong {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        with_key(env, kind, &key, value, |key| Ok(snapshot.hash(key)?.cast_signed()))
    })
}

/// `int[] snapshotReplicas(long snapshot, int kind, byte[] key, long value, int n)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotReplicas<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    kind: jint,
    key: JByteArray<'l>,
    value: jlong,
    n: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        let mut owners = vec![0; usize::try_from(n).unwrap_or(0).min(snapshot.nodes().len())];
        let found = with_key(env, kind, &key, value, |key| Ok(snapshot.replicas(key, &mut owners)?.n))?;
        int_array(env, &[&owners[..found]])
    })
}

/// `byte[] snapshotExplain(long snapshot, int kind, byte[] key, long value)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotExplain<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    kind: jint,
    key: JByteArray<'l>,
    value: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        let told = with_key(env, kind, &key, value, |key| snapshot.explain(key))?;
        let mut wire = Wire::default();
        wire.text(told.scheme).text(told.key_hasher).long(told.hash).long(told.position);
        wire.option(told.point, |wire, point| {
            wire.long(point);
        });
        wire.optional_name(told.point_node.as_ref()).optional_name(told.owner.as_ref());
        wire.texts(&told.next).texts(&told.ejected).long(told.revision).long(told.fingerprint);
        wire.text(&told.to_string()).text(&told.to_json());
        byte_array(env, &wire.content)
    })
}
