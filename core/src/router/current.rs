//! The snapshot in force, and how a reader gets it for a nanosecond.
//!
//! The swap itself is `arc-swap`: a maintained crate whose reclamation is proven, against a cell of our own that
//! would have to be. Its load costs about ten nanoseconds, more than a whole lookup, so each thread keeps the
//! last snapshots it used and checks a version number instead. A stress test compares answers with the
//! snapshot they name.
//!
//! A thread keeps at most [`SLOTS`] snapshots alive, until it routes by other routers or ends.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::snapshot::Snapshot;

/// Routers whose snapshots a thread keeps.
const SLOTS: usize = 4;

/// What tells one cell from another; 0 is nobody's.
static NEXT_NAME: AtomicU64 = AtomicU64::new(1);

struct Slot {
    name: u64,
    version: u64,
    snapshot: Option<Arc<Snapshot>>,
}

const EMPTY: Slot = Slot { name: 0, version: 0, snapshot: None };

thread_local! {
    static KEPT: RefCell<[Slot; SLOTS]> = const { RefCell::new([EMPTY; SLOTS]) };
}

#[derive(Debug)]
pub(super) struct Current {
    name: u64,
    version: AtomicU64,
    snapshot: ArcSwap<Snapshot>,
}

impl Current {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Self {
            name: NEXT_NAME.fetch_add(1, Ordering::Relaxed),
            version: AtomicU64::new(1),
            snapshot: ArcSwap::from_pointee(snapshot),
        }
    }

    /// Puts a snapshot in force. Called by one writer at a time.
    pub(super) fn store(&self, snapshot: Arc<Snapshot>) {
        self.snapshot.store(snapshot);
        // After the store: who sees the new version finds a snapshot at least as new.
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The snapshot in force, counted.
    pub(super) fn load(&self) -> Arc<Snapshot> {
        self.with(Arc::clone)
    }

    /// Runs `look` on the snapshot in force. `look` must not come back to this module.
    #[inline]
    pub(super) fn with<T>(&self, mut look: impl FnMut(&Arc<Snapshot>) -> T) -> T {
        let answer = KEPT.try_with(|kept| {
            let mut kept = kept.try_borrow_mut().ok()?;
            let slot = &mut kept[self.name as usize % SLOTS];
            let version = self.version.load(Ordering::Acquire);
            if slot.name != self.name || slot.version != version {
                *slot = Slot { name: self.name, version, snapshot: Some(self.snapshot.load_full()) };
            }
            slot.snapshot.as_ref().map(&mut look)
        });
        match answer {
            Ok(Some(answer)) => answer,
            // The thread is ending: its slots are gone, so the cell itself is asked.
            Ok(None) | Err(_) => look(&self.snapshot.load_full()),
        }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let old = KEPT.try_with(|kept| {
            let mut kept = kept.try_borrow_mut().ok()?;
            let slot = &mut kept[self.name as usize % SLOTS];
            (slot.name == self.name).then(|| std::mem::replace(slot, EMPTY))
        });
        drop(old);
    }
}
