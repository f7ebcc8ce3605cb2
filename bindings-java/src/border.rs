//! The border to the JVM: no panic crosses it, every error of the core becomes an exception of `io.shardway`, and
//! handles are turned into references.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jni::errors::{Error as JniError, ErrorPolicy};
use jni::objects::{JByteArray, JClass, JIntArray, JLongArray, JObject, JValue};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned, jni_sig, jni_str};
use shardway_core::{Error, ErrorCode};

/// Why an export does not answer.
pub(crate) enum Fault {
    /// An error of the core, or one that is told like one.
    Core(Error),
    /// The JVM said no; most often an exception is pending already.
    Jni(JniError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<JniError> for Fault {
    fn from(error: JniError) -> Self {
        Self::Jni(error)
    }
}

/// What an export's body gives.
pub(crate) type Answer<T> = Result<T, Fault>;

/// Runs the body of an export. What goes wrong in it is thrown by `Native.raise`, the default is returned; after a
/// panic the next call works.
pub(crate) fn guard<'local, T: Default>(
    mut env: EnvUnowned<'local>,
    class: &JClass<'local>,
    body: impl FnOnce(&mut Env<'local>) -> Answer<T>,
) -> T {
    env.with_env(body).resolve_with::<Throw, _>(|| class)
}

/// Runs the body of an export that must cost little: without the frame of the usual entry, so without a way to throw.
/// `None` after a panic; the caller then asks again by an export that can tell.
#[inline]
pub(crate) fn bare<T>(body: impl FnOnce() -> T) -> Option<T> {
    // Unwind safe: the core builds a snapshot whole before it swaps it in, and its locks do not poison.
    catch_unwind(AssertUnwindSafe(body)).ok()
}

/// Throws what a body failed with.
enum Throw {}

impl<T: Default> ErrorPolicy<T, Fault> for Throw {
    type Captures<'unowned_env_local: 'native_method, 'native_method> = &'native_method JClass<'unowned_env_local>;

    fn on_error<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        class: &mut &'native_method JClass<'unowned_env_local>,
        fault: Fault,
    ) -> jni::errors::Result<T> {
        if !env.exception_check() {
            match fault {
                Fault::Core(error) => raise(env, class, error.code(), error.place(), &error.to_string()),
                Fault::Jni(error) => raise(env, class, ErrorCode::Internal, "", &format!("the JVM refused: {error}")),
            }
        }
        Ok(T::default())
    }

    fn on_panic<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        class: &mut &'native_method JClass<'unowned_env_local>,
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        let said = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let message = format!("a panic in the native library: {said}; the call had no effect, please report this");
        raise(env, class, ErrorCode::Internal, "", &message);
        Ok(T::default())
    }
}

/// Has `Native.raise` throw the exception of `code`. Text crosses as UTF-8: JNI's own strings are no UTF-8.
#[cold]
fn raise(env: &mut Env<'_>, class: &JClass<'_>, code: ErrorCode, place: &str, message: &str) {
    let thrown = (|| {
        let place = env.byte_array_from_slice(place.as_bytes())?;
        let message = env.byte_array_from_slice(message.as_bytes())?;
        let arguments = [JValue::Int(code.as_i32()), JValue::Object(&place), JValue::Object(&message)];
        env.call_static_method(class, jni_str!("raise"), jni_sig!("(I[B[B)V"), &arguments)
    })();
    // It throws, so it never answers; without memory for that the JVM has an exception of its own pending.
    drop(thrown);
}

/// A handle for Java: it owns `value` until [`free`].
pub(crate) fn handle<T: Send + Sync>(value: T) -> jlong {
    Box::into_raw(Box::new(value)) as jlong
}

/// What a handle stands for.
///
/// # Safety
///
/// `handle` came from [`handle`] with the same `T` and is not freed before the reference ends. `Native`'s callers see
/// to that: a handle is a private field, freed by the `Cleaner` of an object that each call keeps reachable.
pub(crate) unsafe fn borrow<'a, T: Send + Sync>(handle: jlong) -> &'a T {
    // SAFETY: told above.
    unsafe { &*(handle as *const T) }
}

/// Ends a handle.
///
/// # Safety
///
/// As for [`borrow`]; and this is the only call for this handle.
pub(crate) unsafe fn free<T: Send + Sync>(handle: jlong) {
    // SAFETY: told above.
    drop(unsafe { Box::from_raw(handle as *mut T) });
}

/// A copy of a `byte[]`.
pub(crate) fn bytes(env: &Env<'_>, array: &JByteArray<'_>) -> Answer<Vec<u8>> {
    Ok(env.convert_byte_array(array)?)
}

/// A copy of an `int[]`, the bits of whose items are unsigned.
pub(crate) fn words(env: &Env<'_>, array: &JIntArray<'_>) -> Answer<Vec<u32>> {
    let mut items = vec![0; array.len(env)?];
    array.get_region(env, 0, &mut items)?;
    Ok(items.into_iter().map(i32::cast_unsigned).collect())
}

/// A copy of a `long[]`, the bits of whose items are unsigned.
pub(crate) fn long_words(env: &Env<'_>, array: &JLongArray<'_>) -> Answer<Vec<u64>> {
    let mut items = vec![0; array.len(env)?];
    array.get_region(env, 0, &mut items)?;
    Ok(items.into_iter().map(i64::cast_unsigned).collect())
}

/// An `int[]` of parts that follow each other.
pub(crate) fn int_array<'local>(env: &mut Env<'local>, parts: &[&[u32]]) -> Answer<JIntArray<'local>> {
    let array = env.new_int_array(parts.iter().map(|part| part.len()).sum())?;
    let mut place = 0;
    for part in parts {
        // SAFETY: u32 and i32 have one layout; Java has no unsigned type and reads the bits as they are.
        let items = unsafe { std::slice::from_raw_parts(part.as_ptr().cast::<jint>(), part.len()) };
        array.set_region(env, place, items)?;
        place += items.len() as jint;
    }
    Ok(array)
}

/// A `byte[]`.
pub(crate) fn byte_array<'local>(env: &mut Env<'local>, content: &[u8]) -> Answer<JByteArray<'local>> {
    Ok(env.byte_array_from_slice(content)?)
}

/// Text that Java made from a `String` without lone surrogates.
pub(crate) fn text(env: &Env<'_>, array: &JByteArray<'_>, place: &'static str) -> Answer<String> {
    String::from_utf8(bytes(env, array)?).map_err(|error| {
        let from = error.utf8_error().valid_up_to();
        Error::new(ErrorCode::InvalidArgument, place, format!("{place}: not UTF-8 from byte {from} on")).into()
    })
}

/// Items `from..from + count` of a direct buffer of `T`.
///
/// # Safety
///
/// The buffer is direct, has at least `from + count` items of `T`, and nobody writes to them meanwhile.
pub(crate) unsafe fn direct<'a, T>(env: &Env<'_>, buffer: &'a JObject<'_>, from: jint, count: jint) -> Answer<&'a [T]> {
    let raw = env.get_raw();
    // SAFETY: `raw` is the environment of this thread, and the function is there since JNI 1.4.
    let start: *mut c_void = unsafe { ((**raw).v1_4.GetDirectBufferAddress)(raw, buffer.as_raw()) };
    if count == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        let message = "data: a buffer that is not direct; a direct one is right";
        return Err(Error::new(ErrorCode::InvalidArgument, "data", message).into());
    }
    let start = start.cast::<T>();
    if !start.is_aligned() {
        let message =
            "offsets: a buffer that begins between two ints; one from a ByteBuffer aligned to 4 bytes is right";
        return Err(Error::new(ErrorCode::InvalidArgument, "offsets", message).into());
    }
    // SAFETY: told above; the alignment was checked.
    Ok(unsafe { std::slice::from_raw_parts(start.add(from as usize), count as usize) })
}
