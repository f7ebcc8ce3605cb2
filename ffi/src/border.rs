//! The border: what every export does before and after its one call of the core.
//!
//! An export is a shell of one expression, a call of [`status`], [`answer`] or [`nothing`]: they catch
//! panics, so none reaches C. The helpers below turn pointers into references or into an error that
//! names the parameter. `cargo run -p xtask -- borders --check` proves that no export does without.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use shardway_core::{Error, ErrorCode, Result};

use crate::error::{SHARDWAY_OK, failed, shardway_error_t, shardway_status_t};

/// The boundary of an export that can fail: the status of `body`, its error copied to `error`.
///
/// # Safety
/// `error` is NULL or points to as many bytes as its `struct_size` says.
pub(crate) unsafe fn status(error: *mut shardway_error_t, body: impl FnOnce() -> Result<()>) -> shardway_status_t {
    // SAFETY: promised by the caller.
    if !unsafe { crate::error::is_usable(error) } {
        return ErrorCode::InvalidArgument.as_i32();
    }
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())));
    match outcome {
        Ok(()) => SHARDWAY_OK,
        // SAFETY: `error` was found usable above.
        Err(failure) => unsafe { failed(error, &failure) },
    }
}

/// The boundary of an export that cannot fail: what `body` answers, or `otherwise` after a panic.
pub(crate) fn answer<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// The boundary of an export that answers nothing.
pub(crate) fn nothing(body: impl FnOnce()) {
    answer((), body);
}

fn panicked(payload: &(dyn Any + Send)) -> Error {
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Error::new(ErrorCode::Internal, "", format!("a defect of the library was caught at its border: {what}"))
}

/// An `InvalidArgument` about the parameter `place`.
pub(crate) fn bad(place: &'static str, what: impl AsRef<str>) -> Error {
    Error::new(ErrorCode::InvalidArgument, place, format!("{place}: {}", what.as_ref()))
}

/// `error`, which happened inside `outer`, with the whole path as its place.
pub(crate) fn inside(error: &Error, outer: &str) -> Error {
    Error::new(error.code(), format!("{outer}.{}", error.place()), format!("{outer}.{error}"))
}

/// A type whose pointers C holds. Behind each is a counted `Arc<Self::Inner>`; the type itself has no
/// value and no layout, so C cannot look inside.
pub(crate) trait Handle: Sized {
    /// What the core has in its place.
    type Inner;
}

/// Moves one reference into C's hands.
pub(crate) fn give<H: Handle>(inner: Arc<H::Inner>) -> *mut H {
    Arc::into_raw(inner).cast_mut().cast()
}

/// Looks at what a handle holds.
///
/// # Safety
/// `handle` is NULL or was given by [`give`] for the same `H`, and the reference it stands for is not
/// released while the result lives.
pub(crate) unsafe fn look<'a, H: Handle>(handle: *const H, place: &'static str) -> Result<&'a H::Inner> {
    // SAFETY: promised by the caller.
    unsafe { glance(handle) }.ok_or_else(|| bad(place, "is NULL; give a live handle"))
}

/// [`look`] for an export that cannot fail: `None` when the handle is NULL.
///
/// # Safety
/// As [`look`].
pub(crate) unsafe fn glance<'a, H: Handle>(handle: *const H) -> Option<&'a H::Inner> {
    // SAFETY: a handle that is not NULL came from `Arc::into_raw`, which points to an `Inner`.
    unsafe { handle.cast::<H::Inner>().as_ref() }
}

/// One more reference to what a handle holds, for the core or for another handle.
///
/// # Safety
/// As [`look`].
pub(crate) unsafe fn share<H: Handle>(handle: *const H, place: &'static str) -> Result<Arc<H::Inner>> {
    if handle.is_null() {
        return Err(bad(place, "is NULL; give a live handle"));
    }
    let inner = handle.cast::<H::Inner>();
    // SAFETY: the pointer came from `Arc::into_raw`, and C's own reference keeps the count above zero.
    unsafe {
        Arc::increment_strong_count(inner);
        Ok(Arc::from_raw(inner))
    }
}

/// The body of every `_clone`: the same pointer, counted once more; NULL for NULL.
///
/// # Safety
/// As [`look`].
pub(crate) unsafe fn retain<H: Handle>(handle: *const H) -> *mut H {
    if !handle.is_null() {
        // SAFETY: the pointer came from `Arc::into_raw`, and C's own reference keeps the count above zero.
        unsafe { Arc::increment_strong_count(handle.cast::<H::Inner>()) };
    }
    handle.cast_mut()
}

/// The body of every `_free`: gives one reference back; NULL is fine.
///
/// # Safety
/// As [`look`], and C never uses this reference again.
pub(crate) unsafe fn release<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the pointer came from `Arc::into_raw`, and this reference is C's to give.
        unsafe { Arc::decrement_strong_count(handle.cast_const().cast::<H::Inner>()) };
    }
}

/// A place that C gave for an answer. Made before the core is called, written after: a call that fails
/// leaves it as it was, and a call with a bad place does nothing.
pub(crate) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// # Safety
    /// `pointer` is NULL, or may be written as a `T` until the export returns.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call costs more than the check")]
    pub(crate) unsafe fn new(pointer: *mut T, place: &'static str) -> Result<Self> {
        let pointer = NonNull::new(pointer).ok_or_else(|| bad(place, "is NULL; give a place for the answer"))?;
        aligned(pointer.as_ptr(), place)?;
        Ok(Self(pointer))
    }

    /// [`Out::new`] for an answer that C may decline with NULL.
    ///
    /// # Safety
    /// As [`Out::new`].
    pub(crate) unsafe fn maybe(pointer: *mut T, place: &'static str) -> Result<Option<Self>> {
        if pointer.is_null() {
            return Ok(None);
        }
        // SAFETY: promised by the caller.
        unsafe { Self::new(pointer, place) }.map(Some)
    }

    /// Writes the answer if C wants it.
    pub(crate) fn set_wanted(out: Option<Self>, value: T) {
        if let Some(out) = out {
            out.set(value);
        }
    }

    /// Writes the answer.
    pub(crate) fn set(self, value: T) {
        // SAFETY: not NULL and aligned, see `new`; writable, as promised to `new`.
        unsafe { self.0.as_ptr().write(value) }
    }
}

/// A pair of places for something lent: where it begins and how long it is.
pub(crate) struct Lend<T> {
    data: Out<*const T>,
    length: Out<usize>,
}

impl<T> Lend<T> {
    /// # Safety
    /// As [`Out::new`], for both.
    pub(crate) unsafe fn new(
        data: *mut *const T,
        data_place: &'static str,
        length: *mut usize,
        length_place: &'static str,
    ) -> Result<Self> {
        // SAFETY: promised by the caller.
        unsafe { Ok(Self { data: Out::new(data, data_place)?, length: Out::new(length, length_place)? }) }
    }

    /// Lends `slice`; an empty one as NULL and 0.
    pub(crate) fn set(self, slice: &[T]) {
        self.data.set(start(slice));
        self.length.set(slice.len());
    }
}

/// Where a slice begins; NULL when it is empty, since a dangling pointer is of no use to C.
pub(crate) fn start<T>(slice: &[T]) -> *const T {
    if slice.is_empty() { std::ptr::null() } else { slice.as_ptr() }
}

/// Something C passes as pointer and count. A count of 0 ignores the pointer.
///
/// # Safety
/// `data` is NULL or points to `length` values of `T` that nobody changes while the result lives.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a call costs more than the check")]
pub(crate) unsafe fn slice<'a, T>(data: *const T, length: usize, place: &'static str) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(null(place, "length", length, "data"));
    }
    aligned(data, place)?;
    fits::<T>(length, place)?;
    // SAFETY: not NULL, aligned, below the largest size of an object; the rest is promised by the caller.
    Ok(unsafe { std::slice::from_raw_parts(data, length) })
}

/// [`slice()`], for values that C wants written. They are written as wholes and never read.
///
/// # Safety
/// `data` is NULL or points to `length` initialised values of `T` that nobody else uses while the result lives.
pub(crate) unsafe fn slice_mut<'a, T>(data: *mut T, length: usize, place: &'static str) -> Result<&'a mut [T]> {
    if length == 0 {
        return Ok(&mut []);
    }
    if data.is_null() {
        return Err(null(place, "capacity", length, "array"));
    }
    aligned(data, place)?;
    fits::<T>(length, place)?;
    // SAFETY: not NULL, aligned, below the largest size of an object; the rest is promised by the caller.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, length) })
}

/// Text that C passes as pointer and length, checked to be UTF-8.
///
/// # Safety
/// As [`slice()`].
pub(crate) unsafe fn text<'a>(data: *const std::ffi::c_char, length: usize, place: &'static str) -> Result<&'a str> {
    // SAFETY: promised by the caller.
    let bytes = unsafe { slice(data.cast::<u8>(), length, place) }?;
    std::str::from_utf8(bytes)
        .map_err(|error| bad(place, format!("is not UTF-8 at byte {}; give valid UTF-8", error.valid_up_to())))
}

/// Copies `text` and a NUL to C's buffer; an error that tells the length when it does not fit.
pub(crate) fn copy_text(text: &str, room: &mut [std::ffi::c_char], place: &'static str) -> Result<()> {
    if room.len() <= text.len() {
        return Err(bad(place, format!("is {}, but {} are needed, the NUL included", room.len(), text.len() + 1)));
    }
    for (to, from) in room.iter_mut().zip(text.bytes().chain([0])) {
        *to = from as std::ffi::c_char;
    }
    Ok(())
}

/// A truth value that C passes as `int32_t`: 0 or 1.
pub(crate) fn flag(value: impl Into<i64>, place: &'static str) -> Result<bool> {
    match value.into() {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(bad(place, format!("is {other}; give 0 or 1"))),
    }
}

// The checks are inlined into every export, their errors are made apart: they cost a lookup several times otherwise.

#[inline(always)]
#[allow(clippy::inline_always, reason = "a call costs more than the check")]
fn aligned<T>(pointer: *const T, place: &'static str) -> Result<()> {
    if pointer.is_aligned() { Ok(()) } else { Err(misaligned(place, align_of::<T>())) }
}

#[cold]
fn misaligned(place: &'static str, bytes: usize) -> Error {
    bad(place, format!("is not aligned to {bytes} bytes, as its type must be"))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "a call costs more than the check")]
fn fits<T>(length: usize, place: &'static str) -> Result<()> {
    match length.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(too_long(place, length)),
    }
}

#[cold]
fn too_long(place: &'static str, length: usize) -> Error {
    bad(place, format!("has length {length}, more than any object can have; give its true length"))
}

#[cold]
fn null(place: &'static str, count: &str, length: usize, what: &str) -> Error {
    bad(place, format!("is NULL, but its {count} is {length}; give the {what}, or {count} 0"))
}

/// A struct of C's that begins with `struct_size`. Each side touches only what both sides know, so that
/// either may be newer than the other.
///
/// # Safety
/// The type is `repr(C)`, its first field is `struct_size: usize`, and all of its bytes may be copied
/// from and to C (no references, no padding that matters, every bit pattern of the fields allowed).
pub(crate) unsafe trait Growing: Copy {
    /// `sizeof` in the first release: the least that is accepted.
    const FIRST_SIZE: usize;
}

/// A place for structs, with the size that C gave for one.
pub(crate) struct OutStructs<T: Growing> {
    first: NonNull<T>,
    stride: usize,
    capacity: usize,
}

impl<T: Growing> OutStructs<T> {
    /// Room for `capacity` structs, whose size is the `struct_size` of the first.
    ///
    /// # Safety
    /// `pointer` is NULL, or points to `capacity` structs of the size that the first one says.
    pub(crate) unsafe fn new(pointer: *mut T, capacity: usize, place: &'static str) -> Result<Self> {
        if capacity == 0 {
            return Ok(Self { first: NonNull::dangling(), stride: 0, capacity });
        }
        // SAFETY: promised by the caller.
        let stride = unsafe { struct_size(pointer, place) }?;
        let first = NonNull::new(pointer).ok_or_else(|| bad(place, "is NULL"))?;
        Ok(Self { first, stride, capacity })
    }

    /// How many fit.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Writes struct `index`, below the capacity. Keeps C's own `struct_size`.
    pub(crate) fn set(&mut self, index: usize, value: &T) {
        assert!(index < self.capacity, "struct {index} of {}", self.capacity);
        let bytes = self.stride.min(size_of::<T>());
        // SAFETY: inside the room that `new` was promised, aligned since the stride is a multiple; `value` has
        // at least as many bytes, and the size is the first field.
        unsafe {
            let target = self.first.as_ptr().byte_add(index * self.stride);
            target.cast::<u8>().copy_from_nonoverlapping(std::ptr::from_ref(value).cast(), bytes);
            target.cast::<usize>().write(self.stride);
        }
    }
}

/// A struct that C filled in: what both sides know of it, the rest as in `default`.
///
/// # Safety
/// `pointer` is NULL, or points to a struct of the size that it says.
pub(crate) unsafe fn read_struct<T: Growing>(pointer: *const T, default: T, place: &'static str) -> Result<T> {
    // SAFETY: promised by the caller.
    let size = unsafe { struct_size(pointer, place) }?;
    let mut value = default;
    // SAFETY: both sides have at least this many bytes; any bytes make a value, as `Growing` promises.
    unsafe {
        std::ptr::from_mut(&mut value).cast::<u8>().copy_from_nonoverlapping(pointer.cast(), size.min(size_of::<T>()));
    }
    Ok(value)
}

/// The size that C gave for a struct, checked.
///
/// # Safety
/// `pointer` is NULL or points to a struct that begins with its size.
pub(crate) unsafe fn struct_size<T: Growing>(pointer: *const T, place: &'static str) -> Result<usize> {
    if pointer.is_null() {
        return Err(bad(place, "is NULL; give a struct with its struct_size set"));
    }
    aligned(pointer, place)?;
    // SAFETY: not NULL, aligned, and begins with a `usize`, as `Growing` promises.
    let size = unsafe { pointer.cast::<usize>().read() };
    if size < T::FIRST_SIZE || !size.is_multiple_of(align_of::<T>()) {
        return Err(bad(
            place,
            format!("has struct_size {size}; set it to sizeof of the struct, at least {}", T::FIRST_SIZE),
        ));
    }
    Ok(size)
}

#[cfg(test)]
mod tests;
