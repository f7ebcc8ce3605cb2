//! The JSON form of a topology: strict in, canonical out. The schema is `docs/topology.schema.json`.

mod strict;

use serde::{Deserialize, Serialize};

use self::strict::{Bounded, Object, Whole, present};
use crate::error::{Error, Result};
use crate::hash::KeyHasher;
use crate::health::FailureAccrual;
use crate::topology::{
    DEFAULT_SLOTS, MAX_NUM_REPS, MAX_WEIGHT, MAX_WEIGHT_UNIT, Node, Profile, Scheme, Serving, Topology,
};

/// The largest document that is read, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// The version of the document's form.
const FORMAT: i64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: Whole<0, { i64::MAX }>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    revision: Option<Whole<1, { i64::MAX }>>,
    scheme: Object<SchemeForm>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    key_hasher: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    num_reps: Option<Whole<1, { MAX_NUM_REPS as i64 }>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    weight_unit: Option<Whole<1, { MAX_WEIGHT_UNIT as i64 }>>,
    #[serde(default)]
    eject_failed_host: bool,
    #[serde(default)]
    failure_accrual: Object<AccrualForm>,
    nodes: Bounded<Object<NodeForm>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    partitions: Option<Bounded<Object<ServingForm>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemeForm {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    native: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    profile: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    old_libmemcached: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    thrift_keys: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    slots: Option<Whole<0, { u32::MAX as i64 }>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    balance: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AccrualForm {
    consecutive_failures: Whole<1, { u32::MAX as i64 }>,
    backoff_min_ms: Whole<0, { i64::MAX }>,
    backoff_max_ms: Whole<0, { i64::MAX }>,
    probe_timeout_ms: Whole<0, { i64::MAX }>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeForm {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    port: Option<Whole<1, 65_535>>,
    #[serde(default = "weight_of_one")]
    weight: Whole<0, { MAX_WEIGHT as i64 }>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    shard_id: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    zone: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServingForm {
    shard_id: Id,
    serves: Vec<Id>,
}

/// A shard or partition id.
type Id = Whole<{ i32::MIN as i64 }, { i32::MAX as i64 }>;

const fn weight_of_one() -> Whole<0, { MAX_WEIGHT as i64 }> {
    Whole(1)
}

impl Default for AccrualForm {
    fn default() -> Self {
        FailureAccrual::default().into()
    }
}

impl Default for Object<AccrualForm> {
    fn default() -> Self {
        Self(AccrualForm::default())
    }
}

impl From<FailureAccrual> for AccrualForm {
    fn from(policy: FailureAccrual) -> Self {
        Self {
            consecutive_failures: Whole(i64::from(policy.consecutive_failures)),
            backoff_min_ms: Whole(policy.backoff_min_ms as i64),
            backoff_max_ms: Whole(policy.backoff_max_ms as i64),
            probe_timeout_ms: Whole(policy.probe_timeout_ms as i64),
        }
    }
}

impl From<AccrualForm> for FailureAccrual {
    fn from(form: AccrualForm) -> Self {
        Self {
            consecutive_failures: form.consecutive_failures.unsigned(),
            backoff_min_ms: form.backoff_min_ms.long(),
            backoff_max_ms: form.backoff_max_ms.long(),
            probe_timeout_ms: form.probe_timeout_ms.long(),
        }
    }
}

impl From<NodeForm> for Node {
    fn from(form: NodeForm) -> Self {
        Self {
            id: form.id,
            host: form.host,
            port: form.port.map(|port| port.unsigned() as u16),
            weight: form.weight.unsigned(),
            shard_id: form.shard_id.map(Whole::signed),
            zone: form.zone,
        }
    }
}

impl From<&Node> for NodeForm {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id.clone(),
            host: node.host.clone(),
            port: node.port.map(|port| Whole(i64::from(port))),
            weight: Whole(i64::from(node.weight)),
            shard_id: node.shard_id.map(|id| Whole(i64::from(id))),
            zone: node.zone.clone(),
        }
    }
}

impl SchemeForm {
    fn read(&self) -> Result<Scheme> {
        let unknown = |place: &'static str, name: &str, known: &str| {
            Error::topology(place, format!("unknown scheme {name:?}; {known} is right"))
        };
        let scheme = match (self.native.as_deref(), self.profile.as_deref()) {
            (Some("ring-v1"), None) => Scheme::RingV1,
            (Some("slots-v1"), None) => Scheme::SlotsV1 {
                slots: self.slots.map_or(DEFAULT_SLOTS, Whole::unsigned),
                balance: self.balance.map(thousandths).transpose()?,
            },
            (Some("rendezvous-v1"), None) => Scheme::RendezvousV1,
            (None, Some("finagle")) => Scheme::Finagle {
                old_libmemcached: self.old_libmemcached.unwrap_or(false),
                thrift_keys: self.thrift_keys.unwrap_or(false),
            },
            (Some(name), None) => {
                return Err(unknown("scheme.native", name, "\"ring-v1\", \"slots-v1\" or \"rendezvous-v1\""));
            }
            (None, Some(name)) => Scheme::Profile(Profile::from_name(name).ok_or_else(|| {
                let known: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
                unknown("scheme.profile", name, &format!("one of \"finagle\", \"{}\"", known.join("\", \"")))
            })?),
            _ => return Err(Error::topology("scheme", "exactly one of \"native\" and \"profile\" is right")),
        };
        let is_finagle = matches!(scheme, Scheme::Finagle { .. });
        let is_slots = matches!(scheme, Scheme::SlotsV1 { .. });
        let options = [
            ("old_libmemcached", self.old_libmemcached.is_some() && !is_finagle, "the finagle profile"),
            ("thrift_keys", self.thrift_keys.is_some() && !is_finagle, "the finagle profile"),
            ("slots", self.slots.is_some() && !is_slots, "slots-v1"),
            ("balance", self.balance.is_some() && !is_slots, "slots-v1"),
        ];
        match options.into_iter().find(|&(_, misplaced, _)| misplaced) {
            Some((name, _, owner)) => Err(Error::topology(
                format!("scheme.{name}"),
                format!("an option of {owner}; {} does not have it", scheme.name()),
            )),
            None => Ok(scheme),
        }
    }

    fn write(scheme: Scheme) -> Self {
        let name = Some(scheme.name().to_owned());
        let native = Self {
            native: name.clone(),
            profile: None,
            old_libmemcached: None,
            thrift_keys: None,
            slots: None,
            balance: None,
        };
        match scheme {
            Scheme::RingV1 | Scheme::RendezvousV1 => native,
            Scheme::SlotsV1 { slots, balance } => Self {
                slots: Some(Whole(i64::from(slots))),
                balance: balance.map(|balance| f64::from(balance) / 1_000.0),
                ..native
            },
            Scheme::Profile(_) => Self { native: None, profile: name, ..native },
            Scheme::Finagle { old_libmemcached, thrift_keys } => Self {
                native: None,
                profile: name,
                old_libmemcached: Some(old_libmemcached),
                thrift_keys: Some(thrift_keys),
                ..native
            },
        }
    }
}

/// A factor of at most three decimal places, in thousandths.
fn thousandths(factor: f64) -> Result<u32> {
    let whole = (factor * 1_000.0).round();
    let is_exact = (0.0..=1e9).contains(&whole) && (whole / 1_000.0 - factor).abs() < 1e-9;
    if is_exact {
        return Ok(whole as u32);
    }
    Err(Error::topology("scheme.balance", format!("{factor}; 1.01 to 2 is right, with at most three decimal places")))
}

impl Topology {
    /// Reads a document. Unknown fields, repeated fields, `null`, wrong types and broken rules are refused; the
    /// error names the place.
    pub fn from_json(text: &str) -> Result<Self> {
        if text.len() > MAX_DOCUMENT_BYTES {
            let rule = format!("the document has {} bytes; at most {MAX_DOCUMENT_BYTES} are read", text.len());
            return Err(Error::topology("", rule));
        }
        let mut parser = serde_json::Deserializer::from_str(text);
        let Object(document): Object<Document> = serde_path_to_error::deserialize(&mut parser)
            .map_err(|error| Error::topology(place(&error.path().to_string()), error.inner().to_string()))?;
        parser.end().map_err(|error| Error::topology("", error.to_string()))?;
        document.into_topology()
    }

    /// The document, with every default written out. Reading it back gives an equal topology.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document = Document {
            format: Whole(FORMAT),
            revision: self.revision().map(|revision| Whole(revision as i64)),
            scheme: Object(SchemeForm::write(self.scheme())),
            key_hasher: Some(self.key_hasher().name().to_owned()),
            num_reps: Some(Whole(i64::from(self.num_reps()))).filter(|_| self.scheme().has_points()),
            weight_unit: Some(Whole(i64::from(self.weight_unit()))).filter(|unit| unit.0 != 1),
            eject_failed_host: self.eject_failed_host(),
            failure_accrual: Object(self.failure_accrual().into()),
            nodes: Bounded(self.nodes().iter().map(|node| Object(node.into())).collect()),
            partitions: self.partitions().map(|partitions| {
                let id = |&id: &i32| Whole(i64::from(id));
                let form = |serving: &Serving| ServingForm {
                    shard_id: id(&serving.shard_id),
                    serves: serving.serves.iter().map(id).collect(),
                };
                Bounded(partitions.iter().map(|serving| Object(form(serving))).collect())
            }),
        };
        // Strings and numbers only: there is nothing in a document that JSON cannot say.
        serde_json::to_string(&document).unwrap_or_default()
    }
}

/// The place of a parse error: the deepest one that has a name. The parser writes `.` for the whole document and
/// `?` where the text broke off.
fn place(path: &str) -> String {
    path.trim_end_matches('?').trim_end_matches('.').to_owned()
}

impl Document {
    fn into_topology(self) -> Result<Topology> {
        if self.format.0 != FORMAT {
            return Err(Error::topology("format", format!("{}; {FORMAT} is right", self.format.0)));
        }
        let mut builder = Topology::builder(self.scheme.0.read()?)
            .nodes(self.nodes.0.into_iter().map(|Object(node)| node.into()))
            .eject_failed_host(self.eject_failed_host)
            .failure_accrual(self.failure_accrual.0.into());
        if let Some(name) = &self.key_hasher {
            builder = builder.key_hasher(KeyHasher::from_name(name)?);
        }
        if let Some(num_reps) = self.num_reps {
            builder = builder.num_reps(num_reps.unsigned());
        }
        if let Some(unit) = self.weight_unit {
            builder = builder.weight_unit(unit.unsigned());
        }
        if let Some(revision) = self.revision {
            builder = builder.revision(revision.long());
        }
        if let Some(partitions) = self.partitions {
            let serving = |Object(form): Object<ServingForm>| Serving {
                shard_id: form.shard_id.signed(),
                serves: form.serves.into_iter().map(Whole::signed).collect(),
            };
            builder = builder.partitions(partitions.0.into_iter().map(serving));
        }
        builder.build()
    }
}

#[cfg(test)]
mod tests;
