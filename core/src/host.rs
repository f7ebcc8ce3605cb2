//! What every border needs and must not re-invent: how keys become bytes, and a checked view of a packed batch.

use crate::error::{Error, Result};
use crate::hash::{jvm_hash_code, of_bool, of_long};

/// The most keys of one batch.
pub const MAX_BATCH: usize = u32::MAX as usize;

/// A key as the caller's language has it. What it becomes depends on the scheme: see `docs/keys.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// Bytes, hashed as they are. With `thrift_keys` they must be UTF-8 and count as text.
    Bytes(&'a [u8]),
    /// Text: its UTF-8 bytes, or with `thrift_keys` its JVM `hashCode()`.
    Str(&'a str),
    /// A 64-bit integer: eight bytes, big-endian two's complement, or with `thrift_keys` a JVM `Long`.
    I64(i64),
    /// A 32-bit integer: the same as its 64-bit value, or with `thrift_keys` a JVM `Integer`.
    I32(i32),
    /// A truth value: defined with `thrift_keys` only, as a JVM `Boolean`.
    Bool(bool),
}

macro_rules! key_from {
    ($($from:ty => |$value:ident| $key:expr;)*) => {$(
        impl<'a> From<$from> for Key<'a> {
            #[inline]
            fn from($value: $from) -> Self {
                $key
            }
        }
    )*};
}

key_from! {
    &'a [u8] => |value| Key::Bytes(value);
    &'a Vec<u8> => |value| Key::Bytes(value);
    &'a str => |value| Key::Str(value);
    &'a String => |value| Key::Str(value);
    i64 => |value| Key::I64(value);
    i32 => |value| Key::I32(value);
    bool => |value| Key::Bool(value);
}

impl<'a, const N: usize> From<&'a [u8; N]> for Key<'a> {
    #[inline]
    fn from(value: &'a [u8; N]) -> Self {
        Key::Bytes(value)
    }
}

/// The bytes of an integer key: big-endian two's complement.
#[must_use]
pub const fn key_i64(value: i64) -> [u8; 8] {
    value.to_be_bytes()
}

/// The bytes that a scheme with `thrift_keys` hashes for `key`: its JVM `hashCode()`, big-endian.
///
/// Bytes that are not UTF-8 are refused: a JVM client would have hashed the identity of an array.
pub fn key_thrift(key: Key<'_>) -> Result<[u8; 4]> {
    let code = match key {
        Key::Str(text) => jvm_hash_code(text),
        Key::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => jvm_hash_code(text),
            Err(error) => {
                let rule = format!(
                    "not UTF-8 from byte {} on; thrift_keys needs text, an integer or a bool",
                    error.valid_up_to()
                );
                return Err(Error::argument("key", rule));
            }
        },
        Key::I64(value) => of_long(value),
        Key::I32(value) => value,
        Key::Bool(value) => of_bool(value),
    };
    Ok(code.to_be_bytes())
}

/// The bytes that a scheme without `thrift_keys` hashes for `key`.
pub(crate) fn key_bytes<'a>(key: Key<'a>, room: &'a mut [u8; 8]) -> Result<&'a [u8]> {
    let value = match key {
        Key::Bytes(bytes) => return Ok(bytes),
        Key::Str(text) => return Ok(text.as_bytes()),
        Key::I64(value) => value,
        Key::I32(value) => i64::from(value),
        Key::Bool(_) => {
            return Err(Error::argument("key", "a bool; text, bytes or an integer is right (bools need thrift_keys)"));
        }
    };
    *room = key_i64(value);
    Ok(room)
}

/// Many keys in one piece of memory, in Arrow's layout: key `i` is `data[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct PackedKeys<'a> {
    data: &'a [u8],
    offsets: Offsets<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Offsets<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl<'a> PackedKeys<'a> {
    /// A batch with 32-bit offsets. There is one offset more than keys; the first may be above 0, none may be
    /// below the one before it, and the last is at most `data.len()`.
    pub fn new(data: &'a [u8], offsets: &'a [u32]) -> Result<Self> {
        Self::check(data, Offsets::Narrow(offsets))
    }

    /// A batch with 64-bit offsets, under the same rules.
    pub fn new_wide(data: &'a [u8], offsets: &'a [u64]) -> Result<Self> {
        Self::check(data, Offsets::Wide(offsets))
    }

    fn check(data: &'a [u8], offsets: Offsets<'a>) -> Result<Self> {
        let packed = Self { data, offsets };
        let count = match offsets {
            Offsets::Narrow(offsets) => offsets.len(),
            Offsets::Wide(offsets) => offsets.len(),
        };
        let Some(keys) = count.checked_sub(1) else {
            return Err(Error::argument("offsets", "empty; one offset more than keys is right, so at least one"));
        };
        if keys > MAX_BATCH {
            return Err(Error::argument("offsets", format!("{keys} keys; at most {MAX_BATCH} in one batch")));
        }
        let fall = match offsets {
            Offsets::Narrow(offsets) => offsets.windows(2).position(|pair| pair[0] > pair[1]),
            Offsets::Wide(offsets) => offsets.windows(2).position(|pair| pair[0] > pair[1]),
        };
        if let Some(place) = fall {
            let rule = format!("{} after {}; offsets must not fall", packed.offset(place + 1), packed.offset(place));
            return Err(Error::argument(format!("offsets[{}]", place + 1), rule));
        }
        if packed.offset(keys) > data.len() as u64 {
            let rule = format!("{}; the data has {} bytes", packed.offset(keys), data.len());
            return Err(Error::argument(format!("offsets[{keys}]"), rule));
        }
        Ok(packed)
    }

    fn offset(&self, place: usize) -> u64 {
        match self.offsets {
            Offsets::Narrow(offsets) => u64::from(offsets[place]),
            Offsets::Wide(offsets) => offsets[place],
        }
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.offsets {
            Offsets::Narrow(offsets) => offsets.len() - 1,
            Offsets::Wide(offsets) => offsets.len() - 1,
        }
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let packed = *self;
        (0..packed.len()).map(move |place| {
            let (from, to) = (packed.offset(place) as usize, packed.offset(place + 1) as usize);
            &packed.data[from..to]
        })
    }
}

/// `text` cut to at most `room` bytes at a character's border, for fixed buffers.
#[must_use]
pub fn cut(text: &str, room: usize) -> &str {
    &text[..text.floor_char_boundary(room)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_eight_big_endian_bytes_whatever_their_width() {
        let mut room = [0; 8];
        assert_eq!(key_bytes(Key::I32(-2), &mut room).unwrap(), key_i64(-2));
        assert_eq!(key_i64(42), [0, 0, 0, 0, 0, 0, 0, 42]);
    }

    #[test]
    fn a_bool_is_a_key_for_the_jvm_only() {
        let error = key_bytes(Key::Bool(true), &mut [0; 8]).unwrap_err();
        assert_eq!((error.code(), error.place()), (crate::ErrorCode::InvalidArgument, "key"));
        assert_eq!(key_thrift(Key::Bool(true)).unwrap(), 1231_i32.to_be_bytes());
    }

    #[test]
    fn thrift_bytes_count_as_text_or_are_refused() {
        assert_eq!(key_thrift(Key::Bytes("订单".as_bytes())).unwrap(), key_thrift(Key::Str("订单")).unwrap());
        assert!(key_thrift(Key::Bytes(b"ab\xff")).unwrap_err().to_string().contains("byte 2"));
    }

    #[test]
    fn a_batch_is_cut_where_the_offsets_say() {
        let keys = PackedKeys::new(b"xabbccc", &[1, 2, 2, 4, 7]).unwrap();
        assert_eq!(keys.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"bb", b"ccc"]);
        assert_eq!(PackedKeys::new_wide(b"", &[0]).unwrap().len(), 0);
    }

    #[test]
    fn a_broken_batch_is_refused_with_its_place() {
        let place = |offsets: &[u32]| PackedKeys::new(b"abc", offsets).unwrap_err().place().to_owned();
        assert_eq!(place(&[]), "offsets");
        assert_eq!(place(&[0, 2, 1]), "offsets[2]");
        assert_eq!(place(&[0, 4]), "offsets[1]");
        assert!(PackedKeys::new_wide(b"abc", &[0, u64::MAX]).is_err());
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
    }
}
