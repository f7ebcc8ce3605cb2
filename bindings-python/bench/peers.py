"""shardway's Python package beside uhashring, as rows for the table of ``scripts/bench.py``.

One line a comparison, tab separated: what, shardway's ns, peer, the peer's ns, the target. The same
keys for both, interleaved rounds with a turning order, the median of each. uhashring has two modes;
the faster one of this run is the peer.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.metadata import version

from uhashring import HashRing

import shardway

NODES = 100
POINTS = 160
BATCH_KEYS = 100_000

PEER = f"uhashring {version('uhashring')}"

Run = Callable[[], object]


def median_times(contestants: list[Run], units: int, rounds: int) -> list[float]:
    """Median ns a unit for each contestant, each of whose runs does ``units`` units of work."""
    times: list[list[float]] = [[] for _ in contestants]
    for contestant in contestants:
        contestant()
    for turn in range(rounds):
        for place in range(len(contestants)):
            who = (turn + place) % len(contestants)
            start = time.perf_counter_ns()
            result = contestants[who]()
            times[who].append((time.perf_counter_ns() - start) / units)
            del result
    return [statistics.median(each) for each in times]


def row(what: str, ours: float, peer: str, theirs: float, target: str) -> None:
    print(what, ours, peer, theirs, target, sep="\t", flush=True)


def loop(lookup: Callable[[str], object], keys: list[str]) -> Run:
    def run() -> None:
        for key in keys:
            lookup(key)

    return run


def group_loop(ring: HashRing, keys: list[str]) -> Run:
    def run() -> dict[str, list[str]]:
        groups: defaultdict[str, list[str]] = defaultdict(list)
        get_node = ring.get_node
        for key in keys:
            groups[get_node(key)].append(key)
        return groups

    return run


def main() -> None:
    rng = random.Random(1)
    keys = [f"{rng.getrandbits(64):016x}" for _ in range(BATCH_KEYS)]
    names = [f"10.0.0.{i}:9090" for i in range(NODES)]
    router = shardway.Router(shardway.Topology(names, scheme="ring-v1", num_reps=POINTS))
    rings = {
        f"{PEER}, default": HashRing(nodes=names, vnodes=POINTS),
        f"{PEER}, ketama": HashRing(nodes=names, hash_fn="ketama"),
    }
    if sum(map(len, router.group(keys).values())) != len(keys):
        raise SystemExit("group lost keys")

    # The collector's pauses would fall on whoever happens to run.
    gc.disable()
    some = keys[:1000]
    contestants = [loop(router.route, some), *(loop(ring.get_node, some) for ring in rings.values())]
    ours, *theirs = median_times(contestants, len(some), rounds=101)
    time_of = dict(zip(rings, theirs, strict=True))
    peer = min(time_of, key=time_of.__getitem__)
    row(f"Python route(str), {NODES} nodes", ours, peer, time_of[peer], "share 0.1")

    contestants = [lambda: router.group(keys), group_loop(rings[peer], keys)]
    ours, loop_time = median_times(contestants, len(keys), rounds=15)
    what = f"Python group(list of {len(keys):,} str) (a key)"
    row(what, ours, f"{peer}, in a loop", loop_time, "share 0.05")


if __name__ == "__main__":
    main()
