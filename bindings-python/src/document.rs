//! Plain Python values as the text of a topology document, which the core then reads and checks: so a topology
//! from Python obeys the same rules, and its errors name the same places, as one from a file.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyString, PyTuple};
use shardway_core::{MAX_NODES, Node as CoreNode, Profile};

use crate::border::{describe, invalid_topology, utf8, wrong_type};
use crate::node::Node;

/// How deep values may nest: a document nests three deep, so more is refused by the core anyway.
const MAX_DEPTH: usize = 8;

/// The text of a document while it is written, field by field.
pub(crate) struct Document {
    text: String,
}

impl Document {
    pub(crate) fn new() -> Self {
        Self { text: "{\"format\":1".to_owned() }
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn name(&mut self, name: &str) {
        self.text.push_str(",\"");
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    /// Writes a field, unless the value is absent or `None`.
    pub(crate) fn field(&mut self, name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(()) };
        self.name(name);
        self.value(value, name, 0)
    }

    /// Writes the scheme: the name of one, or the object of the document.
    pub(crate) fn scheme(&mut self, scheme: &Bound<'_, PyAny>) -> PyResult<()> {
        self.name("scheme");
        let Ok(name) = scheme.cast::<PyString>() else {
            if scheme.cast::<PyMapping>().is_err() {
                return Err(wrong_type(
                    "scheme",
                    scheme,
                    "the name of a scheme (str), or a dict as in the document, is right",
                ));
            }
            return self.value(scheme, "scheme", 0);
        };
        let name = utf8(name, || "scheme".to_owned())?;
        let is_profile = name == "finagle" || Profile::from_name(name).is_some();
        let kind = if is_profile { "profile" } else { "native" };
        self.text.push_str("{\"");
        self.text.push_str(kind);
        self.text.push_str("\":");
        self.string(name);
        self.text.push('}');
        Ok(())
    }

    /// Writes the failure accrual policy: a mapping as in the document.
    pub(crate) fn policy(&mut self, policy: &Bound<'_, PyAny>) -> PyResult<()> {
        if policy.cast::<PyMapping>().is_err() {
            return Err(wrong_type("failure_accrual", policy, "a dict as in the document is right"));
        }
        self.field("failure_accrual", Some(policy))
    }

    /// Writes the nodes: a mapping from id to weight, or an iterable of ids, `Node` and dicts.
    ///
    /// Stops one after the most that the core takes: the rest is not needed to refuse them, and may not end.
    pub(crate) fn nodes(&mut self, nodes: &Bound<'_, PyAny>) -> PyResult<()> {
        const RIGHT: &str = "an iterable of str, Node or dict, or a mapping from id to weight, is right";
        self.name("nodes");
        self.text.push('[');
        if nodes.is_instance_of::<PyString>() || nodes.is_instance_of::<PyBytes>() {
            return Err(wrong_type("nodes", nodes, RIGHT));
        }
        if let Ok(weights) = nodes.cast::<PyMapping>() {
            for (place, item) in pairs(weights)?.take(MAX_NODES + 1).enumerate() {
                let (id, weight): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
                self.comma(place);
                self.text.push_str("{\"id\":");
                self.value(&id, &format!("nodes[{place}].id"), 1)?;
                self.text.push_str(",\"weight\":");
                self.value(&weight, &format!("nodes[{place}].weight"), 1)?;
                self.text.push('}');
            }
        } else {
            let items = nodes.try_iter().map_err(|_| wrong_type("nodes", nodes, RIGHT))?;
            for (place, item) in items.take(MAX_NODES + 1).enumerate() {
                let item = item?;
                self.comma(place);
                if let Ok(node) = item.cast::<Node>() {
                    self.node(&node.get().0);
                } else if let Ok(id) = item.cast::<PyString>() {
                    self.text.push_str("{\"id\":");
                    self.string(Self::text_at(id, &format!("nodes[{place}]"))?);
                    self.text.push('}');
                } else if item.cast::<PyMapping>().is_ok() {
                    self.value(&item, &format!("nodes[{place}]"), 1)?;
                } else {
                    let message = format!("{}; str, Node or dict is right", describe(&item));
                    return Err(invalid_topology(item.py(), &format!("nodes[{place}]"), &message));
                }
            }
        }
        self.text.push(']');
        Ok(())
    }

    /// Writes the partitions: a mapping from shard id to partition ids, or the list of the document.
    pub(crate) fn partitions(&mut self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(serving) = partitions.cast::<PyMapping>() else {
            return self.field("partitions", Some(partitions));
        };
        self.name("partitions");
        self.text.push('[');
        for (place, item) in pairs(serving)?.take(MAX_NODES + 1).enumerate() {
            let (shard_id, serves): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            self.comma(place);
            self.text.push_str("{\"shard_id\":");
            self.value(&shard_id, &format!("partitions[{place}].shard_id"), 1)?;
            self.text.push_str(",\"serves\":");
            let field = format!("partitions[{place}].serves");
            match serves.try_iter() {
                // A range or a set is as good as a list; text is iterable too, but no list of partitions.
                Ok(items) if !serves.is_instance_of::<PyString>() && serves.cast::<PyMapping>().is_err() => {
                    self.list(items, &field, 1)?;
                }
                _ => self.value(&serves, &field, 1)?,
            }
            self.text.push('}');
        }
        self.text.push(']');
        Ok(())
    }

    fn node(&mut self, node: &CoreNode) {
        self.text.push_str("{\"id\":");
        self.string(&node.id);
        for (name, value) in [("host", &node.host), ("zone", &node.zone)] {
            if let Some(value) = value {
                self.name(name);
                self.string(value);
            }
        }
        let numbers = [
            ("port", node.port.map(i64::from)),
            ("weight", Some(i64::from(node.weight))),
            ("shard_id", node.shard_id.map(i64::from)),
        ];
        for (name, value) in numbers {
            if let Some(value) = value {
                self.name(name);
                let _ = write!(self.text, "{value}"); // A String takes everything.
            }
        }
        self.text.push('}');
    }

    fn comma(&mut self, place: usize) {
        if place > 0 {
            self.text.push(',');
        }
    }

    fn string(&mut self, text: &str) {
        self.text.push_str(&serde_json::Value::from(text).to_string());
    }

    fn text_at<'a>(text: &'a Bound<'_, PyString>, place: &str) -> PyResult<&'a str> {
        text.to_str().map_err(|_| {
            invalid_topology(text.py(), place, "text with a lone surrogate has no UTF-8; use well-formed text")
        })
    }

    /// Writes any value that JSON knows.
    fn value(&mut self, value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<()> {
        let py = value.py();
        if depth > MAX_DEPTH {
            return Err(invalid_topology(py, place, "nested too deep; a topology document is right"));
        }
        if value.is_none() {
            self.text.push_str("null");
        } else if let Ok(truth) = value.cast::<PyBool>() {
            self.text.push_str(if truth.is_true() { "true" } else { "false" });
        } else if let Ok(text) = value.cast::<PyString>() {
            self.string(Self::text_at(text, place)?);
        } else if value.is_instance_of::<PyInt>() {
            self.integer(value, place)?;
        } else if value.is_instance_of::<PyFloat>() {
            let number: f64 = value.extract()?;
            let Some(number) = serde_json::Number::from_f64(number) else {
                return Err(invalid_topology(py, place, &format!("{number}; a finite number is right")));
            };
            let _ = write!(self.text, "{number}"); // A String takes everything.
        } else if let Ok(fields) = value.cast::<PyMapping>() {
            self.text.push('{');
            for (count, item) in pairs(fields)?.enumerate() {
                let (name, field): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
                let name = name.cast::<PyString>().map_err(|_| {
                    invalid_topology(py, place, &format!("a field named by {}; str is right", describe(&name)))
                })?;
                let name = Self::text_at(name, place)?;
                self.comma(count);
                self.string(name);
                self.text.push(':');
                self.value(&field, &format!("{place}.{name}"), depth + 1)?;
            }
            self.text.push('}');
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            self.list(value.try_iter()?, place, depth)?;
        } else if let Ok(number) = value.call_method0("__index__") {
            self.integer(&number, place)?;
        } else {
            let message = format!("{}; str, int, bool, list or dict is right", describe(value));
            return Err(invalid_topology(py, place, &message));
        }
        Ok(())
    }

    fn list(&mut self, items: Bound<'_, PyIterator>, place: &str, depth: usize) -> PyResult<()> {
        self.text.push('[');
        for (count, item) in items.enumerate() {
            self.comma(count);
            self.value(&item?, &format!("{place}[{count}]"), depth + 1)?;
        }
        self.text.push(']');
        Ok(())
    }

    fn integer(&mut self, value: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
        let Ok(number) = value.extract::<i64>() else {
            return Err(invalid_topology(
                value.py(),
                place,
                "an int of more than 64 bits; the document's page has the ranges",
            ));
        };
        let _ = write!(self.text, "{number}"); // A String takes everything.
        Ok(())
    }
}

/// The pairs of a mapping, one by one: it may have far more than are needed to refuse it.
fn pairs<'py>(mapping: &Bound<'py, PyMapping>) -> PyResult<Bound<'py, PyIterator>> {
    mapping.call_method0("items")?.try_iter()
}
