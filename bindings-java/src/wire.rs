//! Answers of several fields, packed into one `byte[]`: numbers big-endian, text as length and UTF-8, an optional
//! field with a byte before it that says whether it is there. `io.shardway.WireReader` reads them.

use shardway_core::{Event, LeftOut, Node};

/// Packs an answer.
#[derive(Default)]
pub(crate) struct Wire {
    pub(crate) content: Vec<u8>,
}

impl Wire {
    pub(crate) fn byte(&mut self, value: u8) -> &mut Self {
        self.content.push(value);
        self
    }

    pub(crate) fn int(&mut self, value: i32) -> &mut Self {
        self.content.extend_from_slice(&value.to_be_bytes());
        self
    }

    pub(crate) fn count(&mut self, value: usize) -> &mut Self {
        // Counts of nodes, partitions and the like: bounded by the core far below 2^31.
        self.int(value as i32)
    }

    pub(crate) fn long(&mut self, value: u64) -> &mut Self {
        self.content.extend_from_slice(&value.to_be_bytes());
        self
    }

    pub(crate) fn text(&mut self, value: &str) -> &mut Self {
        self.count(value.len());
        self.content.extend_from_slice(value.as_bytes());
        self
    }

    pub(crate) fn texts(&mut self, values: &[String]) -> &mut Self {
        self.count(values.len());
        for value in values {
            self.text(value);
        }
        self
    }

    /// An optional field: the byte, then the field if it is there.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) -> &mut Self {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
        self
    }

    fn optional_text(&mut self, value: Option<&str>) -> &mut Self {
        self.option(value, |wire, value| {
            wire.text(value);
        })
    }

    pub(crate) fn nodes(&mut self, nodes: &[Node]) -> &mut Self {
        self.count(nodes.len());
        for node in nodes {
            self.text(&node.id).optional_text(node.host.as_deref()).int(node.port.map_or(0, i32::from));
            self.int(node.weight.cast_signed());
            self.option(node.shard_id, |wire, shard_id| {
                wire.int(shard_id);
            });
            self.optional_text(node.zone.as_deref());
        }
        self
    }

    pub(crate) fn event(&mut self, event: &Event) -> &mut Self {
        self.byte(event.kind as u8).text(&event.node).long(event.at_ms).long(event.until_ms)
    }

    pub(crate) fn left_out(&mut self, left_out: &[LeftOut]) -> &mut Self {
        self.count(left_out.len());
        for left in left_out {
            self.int(left.node.cast_signed()).int(left.code.as_i32()).text(&left.reason);
        }
        self
    }

    pub(crate) fn optional_name(&mut self, name: Option<&String>) -> &mut Self {
        self.optional_text(name.map(String::as_str))
    }
}
