//! The snapshot in force, and how a reader gets it for a nanosecond.
//!
//! The swap itself is `arc-swap`: a maintained crate whose reclamation is proven, against a cell of our own that
//! would have to be. Its load costs about ten nanoseconds, more than a whole lookup, so each thread keeps the
//! last snapshots it used and checks a version number instead. A stress test compares answers with the
//! snapshot they name.
//!
//! A thread keeps at most [`SLOTS`] snapshots alive, until it routes by other routers or ends.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::snapshot::Snapshot;

/// Routers whose snapshots a thread keeps.
const SLOTS: usize = 4;

/// What tells one router from another; 0 is nobody's.
static NEXT_NAME: AtomicU64 = AtomicU64::new(1);

/// A kept snapshot and what it is of. While a lookup runs, it has taken the snapshot out.
struct Slot {
    name: Cell<u64>,
    version: Cell<u64>,
    snapshot: Cell<Option<Arc<Snapshot>>>,
}

impl Slot {
    const fn empty() -> Self {
        Self { name: Cell::new(0), version: Cell::new(0), snapshot: Cell::new(None) }
    }
}

thread_local! {
    static KEPT: [Slot; SLOTS] = const { [const { Slot::empty() }; SLOTS] };
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
        self.with_kept(Arc::clone).unwrap_or_else(|| self.snapshot.load_full())
    }

    /// Runs `look` on the snapshot in force. `None` only while the thread ends and has no slots any more: then
    /// [`load`](Self::load) still answers.
    #[inline]
    pub(super) fn with_kept<T>(&self, look: impl FnOnce(&Arc<Snapshot>) -> T) -> Option<T> {
        KEPT.try_with(|kept| {
            let slot = &kept[self.name as usize % SLOTS];
            let version = self.version.load(Ordering::Acquire);
            let fresh = slot.name.get() == self.name && slot.version.get() == version;
            let kept = if fresh { slot.snapshot.take() } else { None };
            let snapshot = kept.unwrap_or_else(|| self.renew(slot, version));
            let answer = look(&snapshot);
            slot.snapshot.set(Some(snapshot));
            answer
        })
        .ok()
    }

    /// Loads the snapshot and claims the slot for it. It may be newer than `version`, which then costs one more
    /// load and nothing else.
    #[cold]
    fn renew(&self, slot: &Slot, version: u64) -> Arc<Snapshot> {
        slot.name.set(self.name);
        slot.version.set(version);
        drop(slot.snapshot.take());
        self.snapshot.load_full()
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let _ = KEPT.try_with(|kept| {
            let slot = &kept[self.name as usize % SLOTS];
            if slot.name.get() == self.name { slot.snapshot.take() } else { None }
        });
    }
}
