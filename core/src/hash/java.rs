//! `hashCode()` as the JVM computes it, for rings that hash it instead of the key's bytes.

/// The JVM's `String.hashCode()` of `text`: a polynomial of base 31 over the UTF-16 units, wrapping at 32 bits.
///
/// Source: the Java SE API documentation of `java.lang.String`.
#[must_use]
pub fn jvm_hash_code(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// The JVM's `Long.hashCode()`: both halves, exclusive or.
pub(crate) const fn of_long(value: i64) -> i32 {
    (value ^ ((value as u64) >> 32) as i64) as i32
}

/// The JVM's `Boolean.hashCode()`.
pub(crate) const fn of_bool(value: bool) -> i32 {
    if value { 1231 } else { 1237 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_printed_by_a_jvm() {
        assert_eq!(jvm_hash_code(""), 0);
        assert_eq!(jvm_hash_code("user:42"), -147_170_163);
        assert_eq!(jvm_hash_code("订单"), 1_129_459);
        assert_eq!(jvm_hash_code("🦀"), 1_772_802);
        assert_eq!(of_long(-1), 0);
        assert_eq!(of_long(i64::MAX), i32::MIN);
        assert_eq!(of_long(4_294_967_296), 1);
    }
}
