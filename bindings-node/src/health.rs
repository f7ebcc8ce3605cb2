//! Outcomes, admissions and events: what the host tells and is told about the health of nodes.

use std::sync::Arc;

use napi::bindgen_prelude::External;
use napi_derive::napi;
use shardway_core::{ErrorCode, Event, Outcome, Router};

use crate::border::{Result, fault, guard, raise};

/// A change of a node's state.
#[napi(object)]
pub(crate) struct EventRow {
    /// `ejected`, `probing` or `revived`.
    pub kind: String,
    /// The node's id.
    pub node: String,
    /// When, in ms.
    pub at_ms: f64,
    /// Until when, in ms.
    pub until_ms: f64,
}

fn row(event: Event) -> EventRow {
    EventRow {
        kind: event.kind.name().to_owned(),
        node: event.node,
        at_ms: event.at_ms as f64,
        until_ms: event.until_ms as f64,
    }
}

/// Takes the outcome of a request; the host layer has checked that the times are safe integers.
#[napi]
pub(crate) fn router_report(
    router: &External<Arc<Router>>,
    id: String,
    outcome: String,
    sent_ms: f64,
    now_ms: f64,
) -> Result<Option<EventRow>> {
    guard(|| {
        let Some(outcome) = Outcome::ALL.into_iter().find(|known| known.name() == outcome) else {
            let message = format!("outcome: {outcome:?}; \"success\", \"failure\" or \"ignored\" is right");
            return Err(fault(ErrorCode::InvalidArgument, "outcome", message));
        };
        let event = router.report(&id, outcome, sent_ms as u64, now_ms as u64).map_err(raise)?;
        Ok(event.map(row))
    })
}

/// Asks whether a request may go to a node.
#[napi]
pub(crate) fn router_admit(router: &External<Arc<Router>>, id: String, now_ms: f64) -> Result<String> {
    guard(|| {
        let admission = router.admit(&id, now_ms as u64).map_err(raise)?;
        Ok(admission.name().to_owned())
    })
}

/// Lets time pass.
#[napi]
pub(crate) fn router_tick(router: &External<Arc<Router>>, now_ms: f64) -> Result<Vec<EventRow>> {
    guard(|| Ok(router.tick(now_ms as u64).into_iter().map(row).collect()))
}

/// When the next tick has something to do.
#[napi]
pub(crate) fn router_next_tick(router: &External<Arc<Router>>) -> Result<Option<f64>> {
    guard(|| Ok(router.next_tick_ms().map(|due| due as f64)))
}
