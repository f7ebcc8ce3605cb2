//! Debian's libmemcached, asked only where a key belongs: no server is needed for that.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::NonNull;

#[link(name = "memcached")]
unsafe extern "C" {
    fn memcached_create(storage: *mut c_void) -> *mut c_void;
    fn memcached_free(client: *mut c_void);
    fn memcached_behavior_set(client: *mut c_void, flag: c_int, data: u64) -> c_int;
    fn memcached_server_add(client: *mut c_void, host: *const c_char, port: u16) -> c_int;
    fn memcached_generate_hash(client: *const c_void, key: *const c_char, length: usize) -> u32;
}

// From libmemcached-1.0/types/behavior.h of 1.1.4.
const BEHAVIOR_KETAMA: c_int = 3;
const BEHAVIOR_KETAMA_WEIGHTED: c_int = 16;
const SUCCESS: c_int = 0;

/// Which of the library's two rings.
#[derive(Clone, Copy, Debug)]
pub enum Distribution {
    /// 160 points a server, MD5 for points and keys.
    KetamaWeighted,
    /// 100 points a server, Jenkins' one-at-a-time for points and keys.
    Ketama,
}

/// A client that knows its servers and never connects.
pub struct Client(NonNull<c_void>);

impl Client {
    /// A client of the servers `0..n`; `None` if the library refuses anything.
    pub fn new(n: usize, distribution: Distribution) -> Option<Self> {
        let flag = match distribution {
            Distribution::KetamaWeighted => BEHAVIOR_KETAMA_WEIGHTED,
            Distribution::Ketama => BEHAVIOR_KETAMA,
        };
        // SAFETY: a null argument asks the library to allocate the client itself.
        let client = Self(NonNull::new(unsafe { memcached_create(std::ptr::null_mut()) })?);
        // SAFETY: the client is live and the flag is one of the library's.
        if unsafe { memcached_behavior_set(client.0.as_ptr(), flag, 1) } != SUCCESS {
            return None;
        }
        for i in 0..n {
            let address = crate::inputs::address(i);
            let host = CString::new(address.ip().to_string()).ok()?;
            // SAFETY: the client is live, `host` ends with NUL and the library copies it.
            let added = unsafe { memcached_server_add(client.0.as_ptr(), host.as_ptr(), address.port()) };
            if added != SUCCESS {
                return None;
            }
        }
        Some(client)
    }

    /// The number of the server that owns the key.
    #[inline]
    pub fn owner(&self, key: &[u8]) -> u32 {
        // SAFETY: the client is live and the key is readable for its whole length.
        unsafe { memcached_generate_hash(self.0.as_ptr(), key.as_ptr().cast(), key.len()) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: made by `memcached_create`, freed once.
        unsafe { memcached_free(self.0.as_ptr()) }
    }
}
