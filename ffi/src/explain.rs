//! The two forms of an explanation.

use shardway_core::{Explanation, Result};

use crate::border;

/// An explanation for people.
pub const SHARDWAY_EXPLAIN_TEXT: i32 = 0;

/// An explanation for programs: a JSON document.
pub const SHARDWAY_EXPLAIN_JSON: i32 = 1;

/// `explanation` in the form that C asks for.
pub(crate) fn written(explanation: &Explanation, format: i32) -> Result<String> {
    match format {
        SHARDWAY_EXPLAIN_TEXT => Ok(explanation.to_string()),
        SHARDWAY_EXPLAIN_JSON => Ok(explanation.to_json()),
        other => Err(border::bad("format", format!("is {other}; give SHARDWAY_EXPLAIN_TEXT or SHARDWAY_EXPLAIN_JSON"))),
    }
}
