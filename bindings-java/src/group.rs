//! Many keys at once. The answer is one `int[]`: the number of groups, the nodes of the groups, the offsets, the key
//! numbers, as `shardway_core::Groups` has them.

use std::sync::Arc;

use jni::objects::{JByteArray, JClass, JIntArray, JLongArray, JObject};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned};
use shardway_core::{Error, Groups, PackedKeys, Snapshot};

use crate::border::{Answer, borrow, bytes, direct, guard, int_array, long_words, words};
use crate::key::item;

fn packed<'local>(env: &mut Env<'local>, groups: &Groups) -> Answer<JIntArray<'local>> {
    int_array(env, &[&[groups.len() as u32], groups.nodes(), groups.offsets(), groups.indices()])
}

/// `int[] group(long snapshot, byte[] kinds, byte[] data, int[] offsets)`: `kinds` is null when all are bytes.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_group<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    kinds: JByteArray<'l>,
    data: JByteArray<'l>,
    offsets: JIntArray<'l>,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        let (data, offsets) = (bytes(env, &data)?, words(env, &offsets)?);
        let keys = PackedKeys::new(&data, &offsets)?;
        if kinds.is_null() {
            return packed(env, &snapshot.group_packed(keys)?);
        }
        let kinds = bytes(env, &kinds)?;
        let mut hashes = Vec::with_capacity(keys.len());
        for (number, (data, kind)) in keys.iter().zip(kinds).enumerate() {
            let key = item(jint::from(kind), data)?;
            let hash = snapshot.hash(key).map_err(|error| {
                Error::new(error.code(), format!("keys[{number}]"), format!("keys[{number}]: {error}"))
            })?;
            hashes.push(hash);
        }
        packed(env, &snapshot.group_hashes(&hashes)?)
    })
}

/// `int[] groupDirect(long snapshot, Buffer data, int from, int length, Buffer offsets, int first, int count)`: direct
/// buffers, read where they are.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_groupDirect<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    data: JObject<'l>,
    from: jint,
    length: jint,
    offsets: JObject<'l>,
    first: jint,
    count: jint,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        // SAFETY: Java passes position and remaining of direct buffers, and its page forbids writing meanwhile.
        let (data, offsets) = unsafe { (direct(env, &data, from, length)?, direct(env, &offsets, first, count)?) };
        packed(env, &snapshot.group_packed(PackedKeys::new(data, offsets)?)?)
    })
}

/// `int[] groupHashes(long snapshot, long[] hashes)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_groupHashes<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    snapshot: jlong,
    hashes: JLongArray<'l>,
) -> JIntArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the snapshot reachable during the call.
        let snapshot: &Arc<Snapshot> = unsafe { borrow(snapshot) };
        let hashes = long_words(env, &hashes)?;
        packed(env, &snapshot.group_hashes(&hashes)?)
    })
}
