//! `io.shardway.Router`.

use std::sync::Arc;

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use shardway_core::{Error, ErrorCode, Outcome, Router, Snapshot, Topology};

use crate::border::{Answer, borrow, byte_array, free, guard, handle, text};
use crate::wire::Wire;

/// `long routerNew(long topology, long seed)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerNew<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    topology: jlong,
    seed: jlong,
) -> jlong {
    guard(env, &class, |_| {
        // SAFETY: Java keeps the topology reachable during the call.
        let topology: &Topology = unsafe { borrow(topology) };
        Ok(handle(Router::new(topology.clone(), seed.cast_unsigned())?))
    })
}

/// `void routerFree(long router)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerFree<'l>(env: EnvUnowned<'l>, class: JClass<'l>, router: jlong) {
    guard(env, &class, |_| {
        // SAFETY: the cleaner calls this once, when no call can be under way.
        unsafe { free::<Router>(router) };
        Ok(())
    });
}

/// `long routerSnapshot(long router, long known)`: a new handle, 0 if the one `known` is in force still.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerSnapshot<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    known: jlong,
) -> jlong {
    guard(env, &class, |_| {
        // SAFETY: Java keeps both reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let snapshot = router.snapshot();
        if known != 0 {
            // SAFETY: as above.
            let known: &Arc<Snapshot> = unsafe { borrow(known) };
            if Arc::ptr_eq(known, &snapshot) {
                return Ok(0);
            }
        }
        Ok(handle(snapshot))
    })
}

/// `int routerPublish(long router, long topology)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerPublish<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    topology: jlong,
) -> jint {
    guard(env, &class, |_| {
        // SAFETY: Java keeps both reachable during the call.
        let (router, topology): (&Router, &Topology) = unsafe { (borrow(router), borrow(topology)) };
        Ok(router.publish(topology.clone())? as jint)
    })
}

/// `boolean routerEject(long router, byte[] id)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerEject<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    id: JByteArray<'l>,
) -> jboolean {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        Ok(router.eject(&text(env, &id, "id")?)? as jboolean)
    })
}

/// `boolean routerRevive(long router, byte[] id)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerRevive<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    id: JByteArray<'l>,
) -> jboolean {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        Ok(router.revive(&text(env, &id, "id")?)? as jboolean)
    })
}

/// `byte[] routerReport(long router, byte[] id, int outcome, long sentMs, long nowMs)`: the event, or null.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerReport<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    id: JByteArray<'l>,
    outcome: jint,
    sent_ms: jlong,
    now_ms: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let outcome = Outcome::ALL.into_iter().find(|known| *known as jint == outcome).ok_or_else(|| {
            let message = format!("outcome: {outcome} is unknown to the native library");
            Error::new(ErrorCode::Internal, "outcome", message)
        })?;
        let id = text(env, &id, "id")?;
        let event = router.report(&id, outcome, time("sentMs", sent_ms)?, time("nowMs", now_ms)?)?;
        match event {
            Some(event) => byte_array(env, &Wire::default().event(&event).content),
            None => Ok(JByteArray::default()),
        }
    })
}

/// `int routerAdmit(long router, byte[] id, long nowMs)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerAdmit<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    id: JByteArray<'l>,
    now_ms: jlong,
) -> jint {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        Ok(router.admit(&text(env, &id, "id")?, time("nowMs", now_ms)?)? as jint)
    })
}

/// `byte[] routerTick(long router, long nowMs)`: the events.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerTick<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
    now_ms: jlong,
) -> JByteArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let events = router.tick(time("nowMs", now_ms)?);
        let mut wire = Wire::default();
        wire.count(events.len());
        for event in &events {
            wire.event(event);
        }
        byte_array(env, &wire.content)
    })
}

/// `long routerNextTick(long router)`: -1 for none.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerNextTick<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
) -> jlong {
    guard(env, &class, |_| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        Ok(router.next_tick_ms().map_or(-1, |at| at.min(i64::MAX as u64) as jlong))
    })
}

/// `long[] routerStats(long router)`: the fields of `Stats` in their order.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routerStats<'l>(
    env: EnvUnowned<'l>,
    class: JClass<'l>,
    router: jlong,
) -> JLongArray<'l> {
    guard(env, &class, |env| {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let stats = router.stats();
        let fields = [
            stats.redistributes,
            stats.joins,
            stats.leaves,
            stats.ejections,
            stats.revivals,
            stats.partition_updates,
            stats.snap_updates,
            stats.update_failures,
            stats.live_nodes,
            stats.dead_nodes,
            stats.nodes,
            stats.points,
            stats.revision,
            stats.fingerprint,
        ];
        let array = env.new_long_array(fields.len())?;
        array.set_region(env, 0, &fields.map(u64::cast_signed))?;
        Ok(array)
    })
}

/// A time in ms: Java has no unsigned type, and a clock that the user gives may be wrong.
fn time(place: &'static str, value: jlong) -> Answer<u64> {
    u64::try_from(value).map_err(|_| {
        let message = format!("{place}: {value}; a time in ms from 0 on is right");
        Error::new(ErrorCode::InvalidArgument, place, message).into()
    })
}
