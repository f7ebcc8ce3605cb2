//! What the library is: its version, its error codes, its key hashers.

use napi_derive::napi;
use shardway_core::{ErrorCode, KeyHasher};

use crate::border::{Result, guard};

/// A kind of error.
#[napi(object)]
pub(crate) struct CodeRow {
    /// Its number.
    pub number: i32,
    /// Its name.
    pub name: String,
    /// One line of advice.
    pub advice: String,
}

/// The version of the native library, which is that of the package it was built for.
#[napi]
pub(crate) fn version() -> Result<String> {
    guard(|| Ok(env!("CARGO_PKG_VERSION").to_owned()))
}

/// Every kind of error, in the order of their numbers.
#[napi]
pub(crate) fn error_codes() -> Result<Vec<CodeRow>> {
    guard(|| {
        let row = |code: ErrorCode| CodeRow {
            number: code.as_i32(),
            name: code.name().to_owned(),
            advice: code.advice().to_owned(),
        };
        Ok(ErrorCode::ALL.into_iter().map(row).collect())
    })
}

/// The names of the key hashers.
#[napi]
pub(crate) fn key_hashers() -> Result<Vec<String>> {
    guard(|| Ok(KeyHasher::ALL.into_iter().map(|hasher| hasher.name().to_owned()).collect()))
}

/// Panics. Only in builds for the test of the panic boundary.
#[cfg(feature = "panic-test")]
#[napi]
pub(crate) fn panic_on_demand() -> Result<()> {
    guard(|| panic!("on demand"))
}
