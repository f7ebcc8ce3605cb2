//! The hot exports: the owner of a key, with the least that a native call can cost.
//!
//! They answer the node's index if the revision that was asked is the one Java has the names of, else a negative
//! number; Java then asks again by an export that can tell why. They enter bare: the frame that the usual entry
//! builds costs more than the lookup.

use std::mem::MaybeUninit;

use jni::sys::{self, jbyteArray, jclass, jint, jlong};
use shardway_core::{Key, Route, Router};

use crate::border::{bare, borrow};
use crate::key;

/// Ask again: another revision is in force, or there is no owner.
const ASK_AGAIN: jint = -1;

/// Keys up to this length are copied to the stack.
const SHORT: usize = 256;

fn index(route: &shardway_core::Result<Route>, revision: jlong) -> jint {
    match route {
        Ok(route) if route.revision == revision.cast_unsigned() => route.node as jint,
        _ => ASK_AGAIN,
    }
}

/// `int route(long router, byte[] key, int length, long revision)`; `length` is the array's.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_route(
    env: *mut sys::JNIEnv,
    _class: jclass,
    router: jlong,
    key: jbyteArray,
    length: jint,
    revision: jlong,
) -> jint {
    let body = || {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let count = length as usize;
        let mut short = [const { MaybeUninit::<u8>::uninit() }; SHORT];
        let mut long = Vec::new();
        let room: *mut u8 = if count <= SHORT {
            short.as_mut_ptr().cast()
        } else {
            long.reserve_exact(count);
            long.as_mut_ptr()
        };
        // SAFETY: `env` is the environment of this thread, `key` an array of `length` bytes, `room` has that many;
        // after the copy they are set.
        let data = unsafe {
            ((**env).v1_1.GetByteArrayRegion)(env, key, 0, length, room.cast());
            std::slice::from_raw_parts(room.cast_const(), count)
        };
        index(&router.route(Key::Bytes(data)), revision)
    };
    bare(body).unwrap_or(ASK_AGAIN)
}

/// `int routeNumber(long router, int kind, long key, long revision)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routeNumber(
    _env: *mut sys::JNIEnv,
    _class: jclass,
    router: jlong,
    kind: jint,
    value: jlong,
    revision: jlong,
) -> jint {
    let body = || {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        let key = key::number(kind, value)?;
        Some(index(&router.route(key), revision))
    };
    bare(body).flatten().unwrap_or(ASK_AGAIN)
}

/// `int routeHash(long router, long hash, long revision)`.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_routeHash(
    _env: *mut sys::JNIEnv,
    _class: jclass,
    router: jlong,
    hash: jlong,
    revision: jlong,
) -> jint {
    let body = || {
        // SAFETY: Java keeps the router reachable during the call.
        let router: &Router = unsafe { borrow(router) };
        index(&router.route_hash(hash.cast_unsigned()), revision)
    };
    bare(body).unwrap_or(ASK_AGAIN)
}

/// `int nothing()`: what a native call costs at least, for the bench to stand beside.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_nothing(_env: *mut sys::JNIEnv, _class: jclass) -> jint {
    bare(|| 0).unwrap_or(ASK_AGAIN)
}
