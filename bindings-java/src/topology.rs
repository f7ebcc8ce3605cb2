//! `io.shardway.Topology`.

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::jlong;
use shardway_core::{Error, ErrorCode, Topology};

use crate::border::{borrow, byte_array, bytes, free, guard, handle};
use crate::wire::Wire;

/// `long topologyFromJson(byte[] text)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_topologyFromJson<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    text: JByteArray<'l>,
) -> jlong {
    guard(env, &class, |env| {
        let content = bytes(env, &text)?;
        let text = std::str::from_utf8(&content).map_err(|error| {
            let from = error.valid_up_to();
            let message = format!("text: not UTF-8 from byte {from} on; a JSON document in UTF-8 is right");
            Error::new(ErrorCode::InvalidTopology, "text", message)
        })?;
        Ok(handle(Topology::from_json(text)?))
    })
}

/// `void topologyFree(long topology)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_topologyFree<'l>(env: EnvUnowned<'l>, class: JClass<'l>, topology: jlong) {
    guard(env, &class, |_| {
        // SAFETY: the cleaner calls this once, when no call can be under way.
        unsafe { free::<Topology>(topology) };
        Ok(())
    });
}

/// `byte[] topologyToJson(long topology)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_topologyToJson<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    topology: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the topology reachable during the call.
        let topology: &Topology = unsafe { borrow(topology) };
        byte_array(env, topology.to_json().as_bytes())
    })
}

/// `byte[] topologyFacts(long topology)`: all but the nodes.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_topologyFacts<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    topology: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the topology reachable during the call.
        let topology: &Topology = unsafe { borrow(topology) };
        let mut wire = Wire::default();
        wire.long(topology.fingerprint()).option(topology.revision(), |wire, revision| {
            wire.long(revision);
        });
        wire.text(topology.scheme().name()).text(topology.key_hasher().name());
        wire.int(topology.num_reps().cast_signed()).int(topology.weight_unit().cast_signed());
        wire.byte(u8::from(topology.eject_failed_host()));
        let policy = topology.failure_accrual();
        wire.long(u64::from(policy.consecutive_failures)).long(policy.backoff_min_ms);
        wire.long(policy.backoff_max_ms).long(policy.probe_timeout_ms);
        wire.option(topology.partitions(), |wire, partitions| {
            wire.count(partitions.len());
            for serving in partitions {
                wire.int(serving.shard_id).count(serving.serves.len());
                for partition in &serving.serves {
                    wire.int(*partition);
                }
            }
        });
        byte_array(env, &wire.content)
    })
}

/// `byte[] topologyNodes(long topology)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_topologyNodes<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    topology: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the topology reachable during the call.
        let topology: &Topology = unsafe { borrow(topology) };
        byte_array(env, &Wire::default().nodes(topology.nodes()).content)
    })
}
