//! Interleaved runs and medians.
//!
//! Contestants take turns: every round gives each one batch, and the order turns by one place from
//! round to round, so that a slow moment of the machine meets all of them alike. A contestant's
//! figure is the median over its rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One way to do the work: runs it `n` times and says how long that took.
pub type Run<'a> = Box<dyn FnMut(usize) -> Duration + 'a>;

/// How long one batch should take, about.
const BATCH: Duration = Duration::from_millis(3);

/// Median nanoseconds a unit of work for each contestant, over `rounds` interleaved rounds.
pub fn race(contestants: &mut [Run<'_>], rounds: usize) -> Vec<f64> {
    let sizes: Vec<usize> = contestants.iter_mut().map(batch_size).collect();
    let mut times = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let who = (round + turn) % contestants.len();
            let took = contestants[who](sizes[who]);
            times[who].push(took.as_nanos() as f64 / sizes[who] as f64);
        }
    }
    times.iter_mut().map(|each| quantile(each, 0.5)).collect()
}

/// The number of units that fill a batch; the trial runs also warm the caches.
fn batch_size(run: &mut Run<'_>) -> usize {
    let mut n = 1;
    loop {
        let took = run(n);
        if took >= BATCH / 2 || n >= 1 << 30 {
            let scale = BATCH.as_secs_f64() / took.as_secs_f64().max(1e-9);
            return ((n as f64 * scale) as usize).max(1);
        }
        n *= 2;
    }
}

/// The value below which the share `q` (0 to 1) of the values lies; sorts them. 0 if there are none.
pub fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * q).round() as usize).copied().unwrap_or(0.0)
}

/// A contestant that asks for the items in turn, round and round. Their number must be a power of
/// two. The answers are summed so that none can be left out.
pub fn in_turn<'a, T>(items: &'a [T], mut ask: impl FnMut(&T) -> u64 + 'a) -> Run<'a> {
    assert!(items.len().is_power_of_two(), "the item count must be a power of two");
    let mask = items.len() - 1;
    let mut at = 0;
    Box::new(move |n| {
        let mut sum = 0_u64;
        let start = Instant::now();
        for _ in 0..n {
            sum = sum.wrapping_add(ask(black_box(&items[at & mask])));
            at += 1;
        }
        black_box(sum);
        start.elapsed()
    })
}

/// A contestant whose unit of work is one whole thing: all keys, a full build.
pub fn whole<'a, T>(mut work: impl FnMut() -> T + 'a) -> Run<'a> {
    Box::new(move |n| {
        let mut total = Duration::ZERO;
        for _ in 0..n {
            let start = Instant::now();
            let result = black_box(work());
            total += start.elapsed();
            // What the work made is dropped outside the clock, for everyone.
            drop(result);
        }
        total
    })
}
