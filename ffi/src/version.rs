//! Versions: of the package, and of the ABI, which the library's file name carries.

use std::ffi::{CStr, c_char};

use crate::border;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// The number in the file `ABI_VERSION`, which the build script passes on.
const ABI_VERSION: u32 = match u32::from_str_radix(env!("SHARDWAY_ABI_VERSION"), 10) {
    Ok(version) => version,
    Err(_) => u32::MAX,
};

/// Gives the package version of the library that is loaded: "0.1.0".
///
/// Does: compare it with SHARDWAY_VERSION, that of the header, and print both if they differ.
/// Owns: lends text that ends with NUL and lives for ever; never NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn shardway_version() -> *const c_char {
    border::answer(VERSION.as_ptr(), || VERSION.as_ptr())
}

/// Gives the ABI version of the library that is loaded.
///
/// Does: equal to SHARDWAY_ABI_VERSION of the header means that programs built with the header can use
/// the library.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn shardway_abi_version() -> u32 {
    border::answer(ABI_VERSION, || ABI_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_the_stamped_ones() {
        // SAFETY: the export answers text that ends with NUL.
        let version = unsafe { CStr::from_ptr(shardway_version()) };
        assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
        let file = include_str!("../ABI_VERSION");
        assert_eq!(shardway_abi_version().to_string(), file.trim());
    }
}
