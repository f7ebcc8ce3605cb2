//! libshardway: which instance owns this key, right now.
//!
//! A topology is read from JSON, a router answers by it, a snapshot is one view of it that never changes,
//! groups are the keys of a batch by owner. The library computes: it opens no file and no socket, reads no
//! clock, starts no thread and prints nothing (after a defect the language's runtime writes one line to
//! standard error).
//!
//! Ownership. Handles are opaque and counted. Who gets one from `_new`, `_from_json`, `_build`, `_clone` or
//! through an output owns one reference and gives it back with `_free`, once, from any thread. `_free` of NULL
//! is fine. A handle does not need the one it was made from: free them in any order.
//!
//! Lending. Pointers that a topology, snapshot, groups, partitions or text gives are lent: never freed by the
//! caller, never written, valid as long as a reference to the handle is owned. A router lends nothing. A
//! thread that has routed may keep the last snapshot it used in memory until it routes again or ends.
//!
//! Threads. `const` in front of a handle means: may be called concurrently with any other call on it. This
//! covers all but `_free`, which needs that nobody still uses the reference that is given back; so give each
//! thread its own by `_clone`. After `fork` the child may use what it inherited.
//!
//! Errors. A call that can fail answers a status, SHARDWAY_OK or another. Outputs are written on success
//! only, and so is every change: a call that fails has changed nothing. `error` is the caller's struct, begun
//! with SHARDWAY_ERROR_INIT; it is written on failure only, and may be NULL. There is no "last error".
//! Besides those listed, every status may be SHARDWAY_INTERNAL. A call that cannot fail answers its value.
//!
//! NULL. A pointer must not be NULL unless its function says so; NULL where it must not be is
//! SHARDWAY_INVALID_ARGUMENT with the parameter's name as its place, never a crash. A pointer must have the
//! alignment of its type; one that has not is the same error.
//!
//! Strings and keys. Pointer and length, in bytes; they may hold NUL. Length 0 ignores the pointer; a length
//! above 0 with NULL is an error. Text is UTF-8. Keys are any bytes; of an integer, see shardway_key_i64.
//!
//! Panics. A defect of the library is caught at its border: the call answers SHARDWAY_INTERNAL, and the next
//! call works.
//!
//! Growth. Every struct begins with `struct_size`, which the caller sets to `sizeof` of it; so programs and
//! libraries of different age fit together. New functions, constants and fields at a struct's end may come;
//! what is there stays. The ABI version is in the library's file name.
//!
//! Indices. A node's index means something only in the snapshot that gave it, or another of the same
//! revision.

// The exports' contract is the header, written here as their documentation, in C's voice and with C's names.
#![allow(clippy::missing_safety_doc, clippy::doc_markdown)]
// C functions have the parameters they need; a struct for them would be one more thing to size.
#![allow(clippy::too_many_arguments)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(unsafe_op_in_unsafe_fn)]

mod border;

pub mod version;

pub mod error;
pub mod text;

pub mod key;

pub mod node;
pub mod topology;

pub mod event;
pub mod explain;
pub mod stats;

pub mod router;

pub mod snapshot;

pub mod groups;

pub mod partition_table;
pub mod partitions;

#[cfg(feature = "panic-test")]
pub mod panic_test;
