//! What the border refuses, and what it lets through.

use std::ffi::c_char;
use std::ptr;

use super::*;

fn blank() -> shardway_error_t {
    shardway_error_t {
        struct_size: size_of::<shardway_error_t>(),
        code: 77,
        reserved: 77,
        message_length: 77,
        place_length: 77,
        message: [7; crate::error::SHARDWAY_ERROR_MESSAGE_CAPACITY],
        place: [7; crate::error::SHARDWAY_ERROR_PLACE_CAPACITY],
    }
}

fn shown(text: &[c_char]) -> String {
    text.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte as u8)).collect()
}

fn refused<T>(outcome: Result<T>) -> (String, String) {
    let error = outcome.err().expect("refused");
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    (error.place().to_owned(), error.to_string())
}

#[test]
fn success_does_not_touch_the_error() {
    let mut error = blank();
    // SAFETY: the struct is ours and says its size.
    assert_eq!(unsafe { status(&raw mut error, || Ok(())) }, SHARDWAY_OK);
    assert_eq!((error.code, error.message_length, error.message[0], error.place[0]), (77, 77, 7, 7));
}

#[test]
fn a_failure_is_told_in_the_struct_and_without_one() {
    let mut error = blank();
    // SAFETY: the struct is ours and says its size.
    assert_eq!(unsafe { status(&raw mut error, || Err(bad("key", "is wrong"))) }, 11);
    assert_eq!((error.code, error.message_length, error.place_length), (11, 13, 3));
    assert_eq!((shown(&error.message), shown(&error.place)), ("key: is wrong".to_owned(), "key".to_owned()));
    // SAFETY: NULL is fine.
    assert_eq!(unsafe { status(ptr::null_mut(), || Err(bad("key", "is wrong"))) }, 11);
}

#[test]
fn an_error_struct_that_is_too_small_stops_the_call() {
    let mut error = blank();
    for size in [0, 8, size_of::<shardway_error_t>() - 1] {
        error.struct_size = size;
        let mut called = false;
        // SAFETY: nothing beyond the size may be touched, which is what is tested.
        let answered = unsafe {
            status(&raw mut error, || {
                called = true;
                Ok(())
            })
        };
        assert_eq!((answered, called, error.code, error.message[0]), (11, false, 77, 7), "{size}");
    }
    error.struct_size = size_of::<shardway_error_t>() + 8;
    // SAFETY: a newer caller's struct is longer; what it has more is not touched.
    assert_eq!(unsafe { status(&raw mut error, || Err(bad("key", "x"))) }, 11);
    assert_eq!(error.code, 11);
}

#[test]
fn a_panic_becomes_internal_and_a_value() {
    let mut error = blank();
    // SAFETY: the struct is ours and says its size.
    assert_eq!(unsafe { status(&raw mut error, || std::panic::panic_any(String::from("boom"))) }, 90);
    assert!(shown(&error.message).ends_with("boom"), "{}", shown(&error.message));
    assert_eq!(answer(5, || std::panic::panic_any(1)), 5);
    nothing(|| std::panic::panic_any("gone"));
}

#[test]
fn a_slice_of_length_0_ignores_its_pointer() {
    let wild = ptr::without_provenance::<u64>(3);
    // SAFETY: length 0 reads nothing, which is what is tested.
    unsafe {
        assert!(slice(ptr::null::<u8>(), 0, "key").unwrap().is_empty());
        assert!(slice(wild, 0, "key").unwrap().is_empty());
        assert!(slice_mut(wild.cast_mut(), 0, "key").unwrap().is_empty());
    }
}

#[test]
fn a_slice_that_cannot_be_is_refused_with_its_name() {
    let number = 1_u64;
    let odd = (&raw const number).wrapping_byte_add(1);
    // SAFETY: all are refused before they are read, which is what is tested.
    unsafe {
        assert_eq!(refused(slice(ptr::null::<u8>(), 5, "key")).0, "key");
        assert!(refused(slice(ptr::null::<u8>(), 5, "key")).1.contains("length is 5"));
        assert!(refused(slice(odd, 1, "hashes")).1.contains("aligned to 8"));
        assert!(refused(slice(&raw const number, usize::MAX, "hashes")).1.contains("more than any object"));
        assert!(refused(slice(&raw const number, usize::MAX / 8, "hashes")).1.contains("more than any object"));
        assert_eq!(refused(slice_mut(ptr::null_mut::<u32>(), 5, "nodes")).0, "nodes");
        assert_eq!(refused(Out::<u32>::new(ptr::null_mut(), "node")).0, "node");
        assert!(Out::<u32>::maybe(ptr::null_mut(), "revision").unwrap().is_none());
    }
}

#[test]
fn text_must_be_utf8_up_to_its_end() {
    let bytes = [b'a', 0, 0xc3];
    let data = bytes.as_ptr().cast::<c_char>();
    // SAFETY: three bytes of ours.
    unsafe {
        assert_eq!(text(data, 2, "id").unwrap(), "a\0");
        assert!(refused(text(data, 3, "id")).1.contains("not UTF-8 at byte 2"));
        assert_eq!(text(ptr::null(), 0, "id").unwrap(), "");
    }
}

#[test]
fn copied_text_needs_room_for_its_end() {
    let mut room = [9; 4];
    assert!(copy_text("abc", &mut room, "id_capacity").is_ok());
    assert_eq!(room, [97, 98, 99, 0]);
    let (place, message) = refused(copy_text("abcd", &mut room, "id_capacity"));
    assert_eq!(place, "id_capacity");
    assert!(message.contains("is 4, but 5"), "{message}");
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    struct_size: usize,
    value: u64,
}

// SAFETY: repr(C), begins with its size, integers only.
unsafe impl Growing for Pair {
    const FIRST_SIZE: usize = 16;
}

#[test]
fn structs_of_another_age_are_read_and_written_in_the_common_part() {
    // A newer caller: 24 bytes a struct, of which we know 16.
    let mut newer = [[24_usize, 5, 6], [0, 7, 8]];
    // SAFETY: two structs of the size that the first one says.
    let mut out = unsafe { OutStructs::<Pair>::new(newer.as_mut_ptr().cast(), 2, "pairs") }.unwrap();
    out.set(1, &Pair { struct_size: 0, value: 99 });
    assert_eq!(newer, [[24, 5, 6], [24, 99, 8]]);
    // SAFETY: one struct of the size that it says.
    let read = unsafe { read_struct(newer.as_ptr().cast(), Pair { struct_size: 0, value: 0 }, "pair") }.unwrap();
    assert_eq!(read, Pair { struct_size: 24, value: 5 });
}

#[test]
fn structs_that_are_too_small_or_absent_are_refused() {
    let mut pair = Pair { struct_size: 15, value: 0 };
    // SAFETY: refused before more than the size is read, which is what is tested.
    unsafe {
        assert!(refused(OutStructs::new(&raw mut pair, 1, "pair")).1.contains("at least 16"));
        pair.struct_size = 17;
        assert_eq!(refused(OutStructs::new(&raw mut pair, 1, "pair")).0, "pair");
        assert_eq!(refused(read_struct(ptr::null::<Pair>(), pair, "pair")).0, "pair");
        assert_eq!(OutStructs::<Pair>::new(ptr::null_mut(), 0, "pair").unwrap().capacity(), 0);
    }
}

#[test]
fn a_flag_is_0_or_1() {
    assert_eq!((flag(0, "on").unwrap(), flag(1, "on").unwrap()), (false, true));
    assert!(refused(flag(2, "on")).1.contains("is 2"));
}
