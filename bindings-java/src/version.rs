//! What the library says of itself.

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use shardway_core::ErrorCode;

use crate::border::{byte_array, guard};
use crate::wire::Wire;

/// `byte[] version()`: UTF-8.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_version<'l>(env: EnvUnowned<'l>, class: JClass<'l>) -> JByteArray<'l> {
    guard(env, &class, |env| byte_array(env, env!("CARGO_PKG_VERSION").as_bytes()))
}

/// `byte[] errorCodes()`: number and name of every code of the core.
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_errorCodes<'l>(env: EnvUnowned<'l>, class: JClass<'l>) -> JByteArray<'l> {
    guard(env, &class, |env| {
        let mut wire = Wire::default();
        wire.count(ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            wire.int(code.as_i32()).text(code.name());
        }
        byte_array(env, &wire.content)
    })
}

/// `void panicOnDemand()`: for the test of the panic boundary. Never in a release.
#[cfg(feature = "panic-test")]
#[unsafe(no_mangle)]
extern "system" fn Java_io_shardway_Native_panicOnDemand<'l>(env: EnvUnowned<'l>, class: JClass<'l>) {
    guard(env, &class, |_| panic!("on demand"))
}
