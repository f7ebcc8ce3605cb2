//! Readers that take what the schema says and nothing else, and say what would be right.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::topology::MAX_NODES;

/// An integer of a range, whose refusal says the range and not the name of a machine type.
#[derive(Clone, Copy)]
pub(super) struct Whole<const LEAST: i64, const MOST: i64>(pub(super) i64);

impl<const LEAST: i64, const MOST: i64> Serialize for Whole<LEAST, MOST> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de, const LEAST: i64, const MOST: i64> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Range<const LEAST: i64, const MOST: i64>;
        impl<const LEAST: i64, const MOST: i64> Visitor<'_> for Range<LEAST, MOST> {
            type Value = i64;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "an integer from {LEAST} to {MOST}")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<i64, E> {
                if (LEAST..=MOST).contains(&value) {
                    Ok(value)
                } else {
                    Err(E::invalid_value(de::Unexpected::Signed(value), &self))
                }
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<i64, E> {
                match i64::try_from(value) {
                    Ok(value) => self.visit_i64(value),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Range::<LEAST, MOST>).map(Self)
    }
}

impl<const LEAST: i64, const MOST: i64> Whole<LEAST, MOST> {
    pub(super) const fn signed(self) -> i32 {
        self.0 as i32
    }

    pub(super) const fn unsigned(self) -> u32 {
        self.0 as u32
    }

    pub(super) const fn long(self) -> u64 {
        self.0 as u64
    }
}

/// An optional field that is there must have its type: `null` is refused, so that a lost value is not taken
/// for a wanted default.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A JSON object and nothing else: derived readers would take an array too, its items by their places.
pub(super) struct Object<T>(pub(super) T);

impl<T: Serialize> Serialize for Object<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Fields(PhantomData)).map(Self)
    }
}

/// A list of at most [`MAX_NODES`] items: a longer one is refused while it is read, not after.
pub(super) struct Bounded<T>(pub(super) Vec<T>);

impl<T: Serialize> Serialize for Bounded<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = Vec<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a list of at most {MAX_NODES} items")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    if items.len() == MAX_NODES {
                        return Err(de::Error::custom(format!(
                            "more than {MAX_NODES} items; at most {MAX_NODES} are right"
                        )));
                    }
                    items.push(item);
                }
                Ok(items)
            }
        }
        deserializer.deserialize_seq(Items(PhantomData)).map(Self)
    }
}
