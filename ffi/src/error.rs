//! Statuses and errors. A call answers a status; what went wrong it writes into the caller's struct.

use std::ffi::{CString, c_char};
use std::fmt::Write;
use std::sync::LazyLock;

use shardway_core::{Error, ErrorCode};

use crate::border;

/// What a call answers: `SHARDWAY_OK` or one of the `SHARDWAY_` error numbers. A newer library may answer
/// numbers that this header does not list: treat them as failures, `shardway_status_name` names them.
#[allow(non_camel_case_types)]
pub type shardway_status_t = i32;

/// The call did what it says.
pub const SHARDWAY_OK: i32 = 0;

/// Room for a message, in bytes, its terminating NUL included.
pub const SHARDWAY_ERROR_MESSAGE_CAPACITY: usize = 512;

/// Room for a place, in bytes, its terminating NUL included.
pub const SHARDWAY_ERROR_PLACE_CAPACITY: usize = 128;

/// What went wrong. The caller's own struct: begin it with `SHARDWAY_ERROR_INIT`. A call that succeeds
/// does not touch it, so read it only after a status other than `SHARDWAY_OK`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_error_t {
    /// In: `sizeof(shardway_error_t)`.
    pub struct_size: usize,
    /// Out: the status the call answered.
    pub code: shardway_status_t,
    /// Out: 0. Keeps the layout the same everywhere.
    pub reserved: i32,
    /// Out: length of the whole message in bytes, without NUL. Above what fits, `message` holds its beginning.
    pub message_length: usize,
    /// Out: length of the whole place in bytes, without NUL.
    pub place_length: usize,
    /// Out: a sentence that names the value and what would be right. UTF-8, cut between characters, ends with NUL.
    pub message: [c_char; SHARDWAY_ERROR_MESSAGE_CAPACITY],
    /// Out: where in the input, for instance `nodes[3].weight` or the parameter's name; may be empty. As `message`.
    pub place: [c_char; SHARDWAY_ERROR_PLACE_CAPACITY],
}

/// Whether `error` can be written: NULL (nobody wants it), or aligned and at least as long as we know it.
///
/// # Safety
/// `error` is NULL, or points to a struct that begins with its size.
pub(crate) unsafe fn is_usable(error: *const shardway_error_t) -> bool {
    // SAFETY: read only when not NULL and aligned.
    error.is_null()
        || (error.is_aligned() && unsafe { (&raw const (*error).struct_size).read() } >= size_of::<shardway_error_t>())
}

/// Copies `failure` to `error`, when there is one, and answers its status. Allocates nothing.
///
/// # Safety
/// [`is_usable`] said so.
pub(crate) unsafe fn failed(error: *mut shardway_error_t, failure: &Error) -> shardway_status_t {
    let status = failure.code().as_i32();
    // SAFETY: promised by the caller. The fields have been the caller's own bytes so far, any values.
    if let Some(error) = unsafe { error.as_mut() } {
        error.code = status;
        error.reserved = 0;
        error.message_length = write_cut(&mut error.message, failure);
        error.place_length = write_cut(&mut error.place, &failure.place());
    }
    status
}

/// Writes what fits of `what`, cut between characters, and a NUL; answers the length of the whole.
fn write_cut(target: &mut [c_char], what: &impl std::fmt::Display) -> usize {
    let mut cut = Cut { target, used: 0, whole: 0 };
    // `Cut` never fails, and the core's own `Display` does not either.
    let _ = write!(cut, "{what}");
    if let Some(end) = cut.target.get_mut(cut.used) {
        *end = 0;
    }
    cut.whole
}

struct Cut<'a> {
    target: &'a mut [c_char],
    used: usize,
    whole: usize,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        // Once something did not fit, nothing after it may be written.
        if self.used == self.whole {
            let room = self.target.len() - 1 - self.used;
            let fits = &text[..text.floor_char_boundary(room)];
            for (to, from) in self.target[self.used..].iter_mut().zip(fits.bytes()) {
                *to = from as c_char;
            }
            self.used += fits.len();
        }
        self.whole += text.len();
        Ok(())
    }
}

struct Named {
    status: i32,
    name: CString,
    advice: CString,
}

static NAMED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let ok = (SHARDWAY_OK, "OK", "nothing went wrong");
    let codes = ErrorCode::ALL.into_iter().map(|code| (code.as_i32(), code.name(), code.advice()));
    std::iter::once(ok)
        .chain(codes)
        // No name or advice has a NUL in it; one that had would be empty here, and the test would fail.
        .map(|(status, name, advice)| Named {
            status,
            name: CString::new(name).unwrap_or_default(),
            advice: CString::new(advice).unwrap_or_default(),
        })
        .collect()
});

fn named(status: shardway_status_t) -> Option<&'static Named> {
    NAMED.iter().find(|named| named.status == status)
}

/// Gives the name of a status, the same in every language: "InvalidTopology".
///
/// Does: looks the status up; an unknown one is called "Unknown".
/// Owns: lends text that ends with NUL and lives for ever; never NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn shardway_status_name(status: shardway_status_t) -> *const c_char {
    let unknown = c"Unknown".as_ptr();
    border::answer(unknown, || named(status).map_or(unknown, |named| named.name.as_ptr()))
}

/// Gives one line of advice for a status: what to look at first.
///
/// Does: looks the status up; an unknown one gets the advice to read the message.
/// Owns: lends text that ends with NUL and lives for ever; never NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn shardway_status_advice(status: shardway_status_t) -> *const c_char {
    let unknown = c"read the message; the library is newer than the header".as_ptr();
    border::answer(unknown, || named(status).map_or(unknown, |named| named.advice.as_ptr()))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn cut(capacity: usize, text: &str) -> (String, usize) {
        let mut target = vec![1 as c_char; capacity];
        let whole = write_cut(&mut target, &text);
        let bytes: Vec<u8> = target.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8).collect();
        (String::from_utf8(bytes).unwrap(), whole)
    }

    #[test]
    fn a_message_is_cut_between_characters_and_its_length_is_told() {
        assert_eq!(cut(8, "short"), ("short".to_owned(), 5));
        assert_eq!(cut(6, "short"), ("short".to_owned(), 5));
        assert_eq!(cut(5, "short"), ("shor".to_owned(), 5));
        assert_eq!(cut(4, "éé"), ("é".to_owned(), 4));
        assert_eq!(cut(1, "x"), (String::new(), 1));
        assert_eq!(cut(1, ""), (String::new(), 0));
    }

    #[test]
    fn nothing_is_written_after_a_piece_that_did_not_fit() {
        let mut target = [1 as c_char; 4];
        let mut cut = Cut { target: &mut target, used: 0, whole: 0 };
        for piece in ["abcdef", "g"] {
            cut.write_str(piece).unwrap();
        }
        assert_eq!((cut.used, cut.whole), (3, 7));
    }

    #[test]
    fn every_status_has_its_name_and_advice() {
        for code in ErrorCode::ALL {
            // SAFETY: the export answers text that ends with NUL.
            let name = unsafe { CStr::from_ptr(shardway_status_name(code.as_i32())) };
            assert_eq!(name.to_str().unwrap(), code.name());
            // SAFETY: as above.
            let advice = unsafe { CStr::from_ptr(shardway_status_advice(code.as_i32())) };
            assert_eq!(advice.to_str().unwrap(), code.advice());
        }
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(shardway_status_name(-7)) }, c"Unknown");
    }
}
