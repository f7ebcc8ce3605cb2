//! Prints one line a comparison, tab separated, for `scripts/bench.py` to set in its table:
//! what, shardway's ns, peer, the peer's ns, the target. A missing peer or target is empty.
//! A target is `share X` (of the peer's time, at most) or `ns X` (below).

use std::hint::spin_loop;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use pingora_ketama::Continuum;
use shardway_bench::baseline::SortedRing;
use shardway_bench::inputs::{self, Key};
use shardway_bench::peers;
use shardway_bench::stopwatch::{self, Run, in_turn, quantile, race, whole};
use shardway_core::{PackedKeys, Router, Topology};

/// Keys asked for one at a time.
const SINGLE_KEYS: usize = 1 << 14;
/// Keys of a batch.
const BATCH_KEYS: usize = 1_000_000;
/// Nodes of the comparison, where nothing else is said.
const NODES: usize = 100;

const PINGORA: &str = "pingora-ketama 0.9.1";

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shardway-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let keys = inputs::keys(BATCH_KEYS);
    route(&keys[..SINGLE_KEYS])?;
    group(&keys)?;
    publish()?;
    eject()?;
    under_load(&keys[..SINGLE_KEYS])
}

fn row(what: &str, ours: f64, peer: &str, theirs: Option<f64>, target: &str) {
    let theirs = theirs.map_or(String::new(), |ns| ns.to_string());
    println!("{what}\t{ours}\t{peer}\t{theirs}\t{target}");
}

fn topology(first: usize, n: usize) -> Result<Topology, shardway_core::Error> {
    Topology::from_json(&inputs::document(first, n))
}

fn router(n: usize) -> Result<Router, shardway_core::Error> {
    Router::new(topology(0, n)?, 0)
}

/// The node of a key as a number that the stopwatch can add up.
#[inline]
fn owner(router: &Router, key: &Key) -> u64 {
    router.route(key).map_or(u64::MAX, |route| u64::from(route.node))
}

fn pingora_owner(ring: &Continuum, key: &Key) -> u64 {
    ring.node(key).map_or(u64::MAX, |node| u64::from(node.port()))
}

fn route(keys: &[Key]) -> Outcome {
    for (n, target) in [(10, ""), (NODES, "share 0.35"), (1000, "")] {
        let ours = router(n)?;
        let pingora = peers::pingora(n);
        let ring = peers::hashring(n);
        #[cfg(feature = "libmemcached")]
        let clients = libmemcached_clients(n)?;
        let mut contestants: Vec<(String, Run<'_>)> = vec![
            (String::new(), in_turn(keys, |key| owner(&ours, key))),
            (PINGORA.into(), in_turn(keys, |key| pingora_owner(&pingora, key))),
        ];
        if n == NODES {
            contestants.push((
                "hashring 0.3.6".into(),
                in_turn(keys, |key| ring.get(key).map_or(u64::MAX, |at| u64::from(at.node))),
            ));
            #[cfg(feature = "libmemcached")]
            for (name, client) in &clients {
                let ask = |key: &Key| u64::from(client.owner(key));
                contestants.push(((*name).into(), in_turn(keys, ask)));
            }
        }
        let (names, mut runs): (Vec<_>, Vec<_>) = contestants.into_iter().unzip();
        let times = race(&mut runs, 101);
        for (name, time) in names.iter().zip(&times).skip(1) {
            let target = if name == PINGORA { target } else { "" };
            row(&format!("route, {n} nodes"), times[0], name, Some(*time), target);
        }
    }
    Ok(())
}

#[cfg(feature = "libmemcached")]
type NamedClient = (&'static str, shardway_bench::libmemcached::Client);

#[cfg(feature = "libmemcached")]
fn libmemcached_clients(n: usize) -> Result<Vec<NamedClient>, Box<dyn std::error::Error>> {
    use shardway_bench::libmemcached::{Client, Distribution};
    let new = |distribution| Client::new(n, distribution).ok_or("libmemcached refused a server");
    if n != NODES {
        return Ok(Vec::new());
    }
    Ok(vec![
        ("libmemcached, weighted (MD5)", new(Distribution::KetamaWeighted)?),
        ("libmemcached, one-at-a-time", new(Distribution::Ketama)?),
    ])
}

fn group(keys: &[Key]) -> Outcome {
    let router = router(NODES)?;
    let baseline = SortedRing::new(NODES);
    let groups = router.group(keys)?;
    let grouped: usize = groups.iter().map(|(_, at)| at.len()).sum();
    if grouped != keys.len() {
        return Err(format!("group lost keys: {grouped} of {} came back", keys.len()).into());
    }
    let data = keys.concat();
    let offsets: Vec<u32> = (0..=keys.len()).map(|at| (at * size_of::<Key>()) as u32).collect();
    let mut runs = [
        whole(|| router.group(keys)),
        whole(|| PackedKeys::new(&data, &offsets).and_then(|packed| router.group_packed(packed))),
        whole(|| baseline.group_map(keys)),
        whole(|| baseline.group_vec(keys, NODES)),
    ];
    let per_key: Vec<f64> = race(&mut runs, 25).iter().map(|ns| ns / keys.len() as f64).collect();
    let what = "group, a million keys, 100 nodes (a key)";
    row(what, per_key[0], "HashMap + partition_point", Some(per_key[2]), "share 0.5");
    row(what, per_key[0], "Vec<Vec> + partition_point", Some(per_key[3]), "");
    let packed = "group, the same from a packed buffer";
    row(packed, per_key[1], "HashMap + partition_point", Some(per_key[2]), "share 0.5");
    Ok(())
}

/// Publishes two topologies in turn; cloning the document is outside the clock.
fn publish_in_turn<'a>(router: &'a Router, topologies: [&'a Topology; 2]) -> Run<'a> {
    let mut next = 0;
    Box::new(move |n| {
        let mut total = Duration::ZERO;
        for _ in 0..n {
            next ^= 1;
            let topology = topologies[next].clone();
            let start = Instant::now();
            let published = router.publish(topology);
            total += start.elapsed();
            assert!(published.is_ok(), "a valid topology was refused: {published:?}");
        }
        total
    })
}

fn publish() -> Outcome {
    const N: usize = 1000;
    let (here, elsewhere, shifted) = (topology(0, N)?, topology(N, N)?, topology(1, N)?);
    let (all, one) = (router(N)?, router(N)?);
    let buckets = peers::pingora_buckets(N);
    let mut runs = [
        publish_in_turn(&all, [&here, &elsewhere]),
        publish_in_turn(&one, [&here, &shifted]),
        whole(|| Continuum::new(&buckets)),
    ];
    let times = race(&mut runs, 41);
    let peer = format!("{PINGORA}, new ring");
    row("publish, 1,000 nodes, all of them new", times[0], &peer, Some(times[2]), "ns 1e7");
    row("publish, 1,000 nodes, one replaced", times[1], &peer, Some(times[2]), "ns 1e7");
    Ok(())
}

/// Ejects one node and brings it back, over and over; both are timed apart. Returns the times.
fn eject_and_revive(router: &Router, ids: &[String], times: usize) -> [Vec<f64>; 2] {
    let mut took = [Vec::with_capacity(times), Vec::with_capacity(times)];
    for id in ids.iter().cycle().take(times) {
        let start = Instant::now();
        let ejected = router.eject(id);
        took[0].push(start.elapsed().as_nanos() as f64);
        let start = Instant::now();
        let revived = router.revive(id);
        took[1].push(start.elapsed().as_nanos() as f64);
        let both = matches!((&ejected, &revived), (Ok(true), Ok(true)));
        assert!(both, "{id}: eject gave {ejected:?}, revive {revived:?}");
    }
    took
}

fn eject() -> Outcome {
    for n in [NODES, 1000] {
        let router = router(n)?;
        let ids: Vec<String> = (0..n).map(inputs::id).collect();
        eject_and_revive(&router, &ids, 1000);
        let [mut eject, mut revive] = eject_and_revive(&router, &ids, 20_000);
        row(&format!("eject, {n} nodes"), quantile(&mut eject, 0.5), "", None, "ns 2000");
        row(&format!("revive, {n} nodes"), quantile(&mut revive, 0.5), "", None, "");
    }
    Ok(())
}

// What the writer does in `under_load`, for the reader to file its times.
const QUIET: u8 = 0;
const EJECTING: u8 = 1;
const PUBLISHING: u8 = 2;

/// One thread routes all the time while another first rests, then ejects, then publishes.
fn under_load(keys: &[Key]) -> Outcome {
    const N: usize = 1000;
    /// Between two ejections: thousands a second, far more than an outage brings.
    const PAUSE: Duration = Duration::from_micros(100);
    let (here, shifted) = (topology(0, N)?, topology(1, N)?);
    let router = router(N)?;
    // Nodes that both topologies have.
    let ids: Vec<String> = (1..N).map(inputs::id).collect();
    let (phase, done) = (AtomicU8::new(QUIET), AtomicBool::new(false));
    thread::scope(|scope| {
        let reader = scope.spawn(|| read_until(&router, keys, &phase, &done));
        let spell = Duration::from_millis(600);
        thread::sleep(spell);

        phase.store(EJECTING, Relaxed);
        let (mut eject, start) = (Vec::new(), Instant::now());
        while start.elapsed() < spell {
            let next = eject.len() % ids.len();
            let [ejects, _] = eject_and_revive(&router, &ids[next..=next], 1);
            eject.extend(ejects);
            // Not asleep: waking up would be timed with the ejection.
            let pause = Instant::now();
            while pause.elapsed() < PAUSE {
                spin_loop();
            }
        }

        phase.store(PUBLISHING, Relaxed);
        let (mut publish, start) = (Vec::new(), Instant::now());
        let mut one = publish_in_turn(&router, [&here, &shifted]);
        while start.elapsed() < spell {
            publish.push(one(1).as_nanos() as f64);
        }
        done.store(true, Relaxed);
        let mut reads = reader.join().map_err(|_| "the reader thread panicked")?;
        let median = |times: &mut [f64]| quantile(times, 0.5);
        row("eject, 1,000 nodes, a reader running", median(&mut eject), "", None, "ns 2000");
        row("publish, 1,000 nodes, a reader running", median(&mut publish), "", None, "ns 1e7");
        let alone = median(&mut reads[usize::from(QUIET)]);
        for (phase, doing) in [(EJECTING, "ejects"), (PUBLISHING, "publishes")] {
            let time = median(&mut reads[usize::from(phase)]);
            let what = format!("route while another thread {doing}, 1,000 nodes");
            row(&what, time, "shardway, other thread idle", Some(alone), "");
        }
        Ok(())
    })
}

/// Routes until `done`; ns a route over short stretches, by what the writer was doing.
fn read_until(router: &Router, keys: &[Key], phase: &AtomicU8, done: &AtomicBool) -> [Vec<f64>; 3] {
    const STRETCH: usize = 4096;
    let mut run = stopwatch::in_turn(keys, |key| owner(router, key));
    let mut times = [const { Vec::new() }; 3];
    while !done.load(Relaxed) {
        let before = phase.load(Relaxed);
        let took = run(STRETCH).as_nanos() as f64 / STRETCH as f64;
        // A stretch across a change of phase belongs to neither.
        if phase.load(Relaxed) == before {
            times[usize::from(before)].push(took);
        }
    }
    times
}
