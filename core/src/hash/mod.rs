//! Hashes. One file a family.

mod bytewise;
mod digest;
mod java;
mod key_hasher;
mod libmemcached;
mod mix;

pub use java::jvm_hash_code;
pub use key_hasher::KeyHasher;

pub(crate) use bytewise::murmur64a;
pub(crate) use digest::{md5, sha256_64};
pub(crate) use java::{of_bool, of_long};
pub(crate) use mix::{SPLITMIX_GAMMA, mix64};
