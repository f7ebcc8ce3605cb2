//! `io.shardway.PartitionMap`, alone or as the part of a snapshot.

use std::sync::Arc;

use jni::objects::{JByteArray, JClass, JIntArray};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned};
use shardway_core::{Error, ErrorCode, Instance, PartitionMap, Serves, Snapshot};

use crate::border::{Answer, borrow, byte_array, bytes, free, guard, handle, int_array};
use crate::wire::Wire;

fn facts<'local>(env: &mut Env<'local>, map: &PartitionMap) -> Answer<JByteArray<'local>> {
    let mut wire = Wire::default();
    wire.count(map.len());
    for partition in map.partitions() {
        wire.int(partition);
    }
    wire.left_out(map.left_out());
    byte_array(env, &wire.content)
}

fn partitions_of<'local>(env: &mut Env<'local>, map: &PartitionMap, node: jint) -> Answer<JIntArray<'local>> {
    let partitions: Vec<u32> = map.partitions_of(node.cast_unsigned()).iter().map(|id| id.cast_unsigned()).collect();
    int_array(env, &[&partitions])
}

/// `long partitionsNew(byte[] instances)`: for each instance a byte that says whether it has a shard id, the id, a
/// byte for what it serves (0 its own, 1 a list, 2 a failure), then count and ids, or length and text.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_partitionsNew<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    instances: JByteArray<'l>,
) -> jlong {
    guard(env, &class, |env| {
        let content = bytes(env, &instances)?;
        let mut rest = content.as_slice();
        let mut instances = Vec::new();
        while !rest.is_empty() {
            let node = instances.len() as u32;
            let instance = instance(&mut rest, node).ok_or_else(|| {
                Error::new(ErrorCode::Internal, "instances", "instances: packed in another way than this library reads")
            })?;
            instances.push(instance);
        }
        Ok(handle(PartitionMap::build(&instances)))
    })
}

fn instance(rest: &mut &[u8], node: u32) -> Option<Instance> {
    let shard_id = match byte(rest)? {
        0 => None,
        _ => Some(int(rest)?),
    };
    let serves = match byte(rest)? {
        0 => Serves::Own,
        1 => {
            let count = int(rest)?;
            Serves::List((0..count).map(|_| int(rest)).collect::<Option<_>>()?)
        }
        _ => {
            let (text, after) = usize::try_from(int(rest)?).ok().and_then(|length| rest.split_at_checked(length))?;
            *rest = after;
            Serves::Failed(String::from_utf8_lossy(text).into_owned())
        }
    };
    Some(Instance { node, shard_id, serves })
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    rest.split_off_first().copied()
}

fn int(rest: &mut &[u8]) -> Option<i32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*number))
}

/// `void partitionsFree(long map)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_partitionsFree<'l>(env: EnvUnowned<'l>, class: JClass<'l>, map: jlong) {
    guard(env, &class, |_| {
        // SAFETY: the cleaner calls this once, when no call can be under way.
        unsafe { free::<PartitionMap>(map) };
        Ok(())
    });
}

/// `byte[] partitionsFacts(long map)`: the ids, and who was left out.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_partitionsFacts<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    map: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the map reachable during the call.
        facts(env, unsafe { borrow(map) })
    })
}

/// `int[] partitionsNodes(long map, int partition)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_partitionsNodes<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    map: jlong,
    partition: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the map reachable during the call.
        let map: &PartitionMap = unsafe { borrow(map) };
        int_array(env, &[map.nodes_of(partition)?])
    })
}

/// `int[] partitionsOf(long map, int node)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_partitionsOf<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    map: jlong,
    node: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the map reachable during the call.
        partitions_of(env, unsafe { borrow(map) }, node)
    })
}

/// `byte[] snapshotPartitionFacts(long snapshot)`: as `partitionsFacts`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotPartitionFacts<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        facts(env, snapshot.partitions())
    })
}

/// `int[] snapshotPartitionNodes(long snapshot, int partition)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotPartitionNodes<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    partition: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        int_array(env, &[snapshot.partitions().nodes_of(partition)?])
    })
}

/// `int[] snapshotPartitionsOf(long snapshot, int node)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_snapshotPartitionsOf<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    node: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        partitions_of(env, snapshot.partitions(), node)
    })
}
