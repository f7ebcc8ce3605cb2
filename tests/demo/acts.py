"""The acts of the demo. Each prints what a person would want to see, and claims what must be true of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from address_file import zip_code
from claims import Claims
from delivery_run import Batch, Courier, hashing_by_name, in_batches, merge_answers
from idl import Delivery
from rich.console import Console
from rich.table import Table
from servers import Fleet
from shardway import CustomStrategy, ResponseMergers, Router, ShardNotAvailableError, Snapshot, Topology

SAMPLE = 200  # addresses for single calls
ENOUGH = 1_000  # addresses from which on shares can be judged
UNEVEN = 1.5  # the most that max/mean may be; a ring of 160 points a node stays well below
LEAST_BATCHES = 16  # so that there is a middle of the run however short the file is
BACK_SECONDS = 20.0
REPEATS = 4  # of the request to logical partitions: the two servers of each take turns
ACCRUAL = {"consecutive_failures": 3, "backoff_min_ms": 2_000, "backoff_max_ms": 4_000, "probe_timeout_ms": 1_000}

LOGICAL = {0: [0], 1: [0, 1], 2: [1], 3: [2], 4: [2]}
"""Which partitions each of the five servers serves, by its shard id: the second one is in two of them."""


@dataclass
class Stage:
    """What every act works with."""

    fleet: Fleet
    delivery: Delivery
    names: list[str]
    console: Console
    claims: Claims
    batches: list[list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.batches = in_batches(self.names)

    def courier(self, router: Router, strategy: Any) -> Courier:
        return Courier(self.delivery, router, strategy, self.console)

    def forget(self) -> None:
        """Have the servers count their calls anew."""
        for server in self.fleet:
            server.forget()

    def can_judge_shares(self) -> bool:
        return len(self.names) >= ENOUGH

    def heading(self, text: str) -> None:
        self.console.print()
        self.console.rule(text, align="left")

    def say(self, text: str) -> None:
        self.console.print(f"  {text}", highlight=False, markup=False, soft_wrap=True)


def owners(ring: Router | Snapshot, names: list[str]) -> dict[str, str]:
    """The owner of each name."""
    return {name: node for node, group in ring.group(names).items() for name in group}


def received(stage: Stage, endpoint: str) -> dict[str, Counter[str]]:
    """How often each server was asked for each name, as the servers tell."""
    return {
        server.name: Counter(name for call in server.calls() if call["endpoint"] == endpoint for name in call["names"])
        for server in stage.fleet
    }


def share_table(counts: dict[str, int], total: int) -> Table:
    """Servers with their counts, shares and bars."""
    table = Table(box=None, padding=(0, 2), show_edge=False)
    table.add_column("  server")
    table.add_column("addresses", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    most = max(counts.values(), default=0) or 1
    for name, count in counts.items():
        table.add_row(f"  {name}", f"{count:,}", f"{count / total:.1%}", "█" * round(30 * count / most))
    return table


def _addresses(count: int) -> str:
    return f"{count:,} address" if count == 1 else f"{count:,} addresses"


def check_whole(stage: Stage, batches: list[Batch], what: str) -> None:
    """Claim that every address of every request was answered once, or named as failed once."""
    broken = [
        batch.asked[0]
        for batch in batches
        if Counter(batch.names_answered() + batch.names_failed()) != Counter(batch.asked)
    ]
    stage.claims.check(what, not broken, f"{len(broken)} requests, the first begins with {broken[:1]}")


def check_no_failure(stage: Stage, batches: list[Batch]) -> None:
    failed = [name for batch in batches for name in batch.names_failed()]
    stage.claims.check("no part failed", not failed, f"{len(failed)} addresses failed, such as {failed[:1]}")


def act_hashing(stage: Stage, router: Router) -> None:
    """Every address through the hashing strategy, and some one by one."""
    stage.heading("1. Hashing: each address goes to the server that owns its name")
    stage.forget()
    owner = owners(router, stage.names)
    with stage.courier(router, hashing_by_name()) as courier:
        done = courier.run(stage.batches, "getBoxes")
        sample = stage.names[:: max(1, len(stage.names) // SAMPLE)][:SAMPLE]
        items = {courier.get_box(name) for name in sample}
    got = received(stage, "getBoxes")
    counts = {server.name: got[server.name].total() for server in stage.fleet}
    mean = len(stage.names) / len(counts)
    stage.say(f"{_addresses(len(stage.names))} in {len(done):,} getBoxes, each split by owner:")
    stage.console.print(share_table(counts, len(stage.names)))
    stage.say(f"max/mean {max(counts.values()) / mean:.3f} (1 is perfectly even)")
    check_whole(stage, done, "every address was answered exactly once")
    check_no_failure(stage, done)
    expected = {server.name: Counter(n for n in stage.names if owner[n] == server.name) for server in stage.fleet}
    stage.claims.check("each server was asked for the addresses it owns, and for no other", got == expected)
    sizes_right = all(
        item == f"size: {len(group)}"
        for batch in done
        for node, group in router.group(batch.asked).items()
        for name, item in batch.answered
        if owner[name] == node
    )
    stage.claims.check('each answer "size: N" has the N that its server got in that request', sizes_right)
    singles = received(stage, "getBox")
    at_owner = all(singles[owner[name]][name] == 1 for name in sample)
    total = sum(counter.total() for counter in singles.values())
    claim = f"getBox goes to the same server as getBoxes ({len(sample)} addresses tried)"
    stage.claims.check(claim, at_owner and total == len(sample) and items == {"hi"})
    if stage.can_judge_shares():
        stage.claims.check(f"max/mean is below {UNEVEN}", max(counts.values()) / mean < UNEVEN)


def act_partitions(stage: Stage, router: Router) -> None:
    """One request, first by hashing, then by logical partitions that overlap."""
    stage.heading("2. The same request through logical partitions that overlap")
    names = stage.batches[0]

    def by_zip_code(endpoint: str, request: Any) -> dict[int, Any]:
        parts: dict[int, list[Any]] = {}
        for address in request.listAddrInfo:
            parts.setdefault(address.zipCode % 3, []).append(address)
        return {part: type(request)(addresses, request.passcode) for part, addresses in sorted(parts.items())}

    strategy = CustomStrategy.no_resharding(
        by_zip_code,
        logical_partition=LOGICAL.__getitem__,
        response_mergers=ResponseMergers().add("getBoxes", merge_answers),
        pick="round_robin",
    )
    stage.forget()
    with stage.courier(router, hashing_by_name()) as courier:
        by_hash = courier.get_boxes(names)
    hashed = {server.name: [call["names"] for call in server.calls()] for server in stage.fleet}
    stage.forget()
    with stage.courier(router, strategy) as courier:
        done = [courier.get_boxes(names) for _ in range(REPEATS)]
    calls = {server.name: [call["names"] for call in server.calls()] for server in stage.fleet}
    members = {
        part: [server.name for shard, server in enumerate(stage.fleet) if part in LOGICAL.get(shard, [])]
        for part in range(3)
    }
    parts = {part: [name for name in names if zip_code(name) % 3 == part] for part in range(3)}
    split = ", ".join(f"{name} {len(got[0])}" for name, got in hashed.items() if got)
    stage.say(f"{_addresses(len(names))} by hashing: {split}")
    stage.say(f"By partitions (zip code modulo 3), asked for {REPEATS} times, the servers of a partition in turn:")
    table = Table(box=None, padding=(0, 2), show_edge=False)
    for column in ("  partition", "addresses", "served by", "requests each got of it"):
        table.add_column(column)
    for part, group in parts.items():
        shares = ", ".join(f"{name} {calls[name].count(group)}" for name in members[part]) if group else "-"
        table.add_row(f"  {part}", str(len(group)), ", ".join(members[part]), shares)
    stage.console.print(table)
    check_whole(stage, [by_hash, *done], "the answers are whole either way")
    check_no_failure(stage, [by_hash, *done])
    asked = {part: group for part, group in parts.items() if group}
    taken = {part: sum(calls[name].count(group) for name in members[part]) for part, group in asked.items()}
    total = sum(len(got) for got in calls.values())
    whole = all(taken[part] == REPEATS for part in asked) and total == REPEATS * len(asked)
    stage.claims.check("each partition was asked once a request, whole, and only of a server that serves it", whole)
    turns = {part: [calls[name].count(group) for name in members[part]] for part, group in asked.items()}
    in_turn = all(counts == [REPEATS // 2] * 2 for counts in turns.values())
    stage.claims.check("the two servers of a partition took turns", in_turn, turns)


def act_kill(stage: Stage, router: Router) -> str:
    """A server is killed while requests are under way; gives back its name."""
    before = owners(router, stage.names)
    victim = Counter(before.values()).most_common(1)[0][0]
    stage.heading(f"3. {victim} is killed in mid-run, with eject_failed_host on")
    stage.forget()
    batches = list(stage.batches)
    while len(batches) < LEAST_BATCHES:
        batches += stage.batches
    middle = len(batches) // 2
    ejected: list[Snapshot] = []

    def watch(done: int) -> None:
        if done == middle:
            stage.fleet[victim].kill()
        snapshot = router.snapshot()
        if not ejected and snapshot.is_ejected(victim):
            ejected.append(snapshot)

    with stage.courier(router, hashing_by_name()) as courier:
        done = courier.run(batches, "getBoxes", watch)
        for _ in range(LEAST_BATCHES):  # a short file may be through before the server has failed often enough
            if ejected:
                break
            done.append(courier.get_boxes([name for name in stage.names if before[name] == victim][:1]))
            watch(0)
        failed = [name for batch in done for name in batch.names_failed()]
        retried = _retry(courier, sorted(set(failed)))
    parts = [(node, len(names)) for batch in done for node, names in batch.failed]
    stage.say(f"Killed (SIGKILL) after {middle:,} of {len(batches):,} requests. {len(parts)} parts failed:")
    for node, count in parts[:6]:
        stage.say(f"  {_addresses(count)} of {node}")
    if len(parts) > 6:
        stage.say(f"  and {len(parts) - 6} more")
    check_whole(stage, done, "every merged answer has each address as a box or in a failed part: none is lost")
    stage.claims.check("the kill was noticed: parts failed", bool(parts))
    strangers = sorted({str(node) for node, _ in parts} - {victim})
    stage.claims.check(f"every failed part is one of {victim}", not strangers, strangers)
    not_its_own = [name for name in failed if before[name] != victim]
    stage.claims.check(f"every failed address is one that {victim} owns", not not_its_own, not_its_own[:1])
    stage.claims.check(f"{victim} was ejected", bool(ejected))
    if ejected:
        after = owners(ejected[0], stage.names)
        moved = {name for name in stage.names if after[name] != before[name]}
        taken = Counter(after[name] for name in moved)
        stage.say(f"{_addresses(len(moved))} moved: " + ", ".join(f"{n:,} to {to}" for to, n in sorted(taken.items())))
        its_own = {name for name in stage.names if before[name] == victim}
        stage.claims.check(f"{victim}'s own {_addresses(len(its_own))} moved, and no other", moved == its_own)
    claim = f"asked for again, what failed ({_addresses(len(set(failed)))}) is answered by the others"
    stage.claims.check(claim, not retried, f"{len(retried)} are not")
    return victim


def _retry(courier: Courier, names: list[str]) -> list[str]:
    """Ask again for these until all are answered, for a bounded number of times; gives those that never were."""
    for _ in range(20):
        if not names:
            break
        names = [name for batch in in_batches(names) for name in courier.get_boxes(batch).names_failed()]
        if names:
            time.sleep(0.1)
    return names


def act_return(stage: Stage, router: Router, victim: str, first: dict[str, str]) -> None:
    """The killed server comes back at its old port."""
    stage.heading(f"4. {victim} comes back at the same port")
    stage.forget()
    port = stage.fleet[victim].port
    stage.fleet[victim].start()
    its_own = [name for name in stage.names if first[name] == victim]
    began = time.monotonic()
    with stage.courier(router, hashing_by_name()) as courier:
        with stage.console.status("  waiting until its time is up"):
            back = _wait(lambda: _answers(courier, stage, victim, its_own[0]))
        waited = time.monotonic() - began
        stage.say(f"Asked for one of its addresses again and again; it answered after {waited:.1f} s.")
        stage.claims.check(f"{victim} is asked again once its time is up", back)
        stage.claims.same("it listens where it did before", stage.fleet[victim].port, port)
        now = owners(router, stage.names)
        stage.claims.check("every address is back with its first owner", now == first)
        stage.forget()
        done = courier.run(stage.batches, "getBoxes")
    check_whole(stage, done, "every address was answered exactly once")
    check_no_failure(stage, done)
    got = received(stage, "getBoxes")[victim]
    stage.claims.check(f"{victim} got its own {_addresses(len(its_own))}, and no other", got == Counter(its_own))
    stats = router.stats()
    stage.say(f"Counters: ejections {stats.ejections}, revivals {stats.revivals}, live_nodes {stats.live_nodes}")
    stage.claims.check("the counters tell of an ejection and a revival", stats.ejections >= 1 and stats.revivals >= 1)


def _answers(courier: Courier, stage: Stage, node: str, name: str) -> bool:
    """Whether a call for `name` reached `node`."""
    try:
        courier.get_box(name)
    except ShardNotAvailableError:
        return False
    return name in stage.fleet[node].names()


def _wait(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + BACK_SECONDS
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def act_sixth(stage: Stage, router: Router, name: str) -> None:
    """One more server joins."""
    stage.heading(f"5. A sixth server joins: {name}")
    before = owners(router, stage.names)
    stage.fleet.add(name)
    stage.forget()
    with stage.courier(router, hashing_by_name()) as courier:
        courier.client.publish(topology(stage.fleet))
        after = owners(router, stage.names)
        done = courier.run(stage.batches, "getBoxes")
    moved = [each for each in stage.names if after[each] != before[each]]
    ideal = len(stage.names) / len(stage.fleet)
    counts = {server.name: received(stage, "getBoxes")[server.name].total() for server in stage.fleet}
    stage.console.print(share_table(counts, len(stage.names)))
    stage.say(
        f"{_addresses(len(moved))} moved, {len(moved) / ideal:.2f} of the ideal 1/{len(stage.fleet)} ({ideal:,.1f})"
    )
    elsewhere = sorted({after[each] for each in moved} - {name})
    stage.claims.check(f"addresses moved towards {name} only", not elsewhere, elsewhere)
    check_whole(stage, done, "every address was answered exactly once")
    check_no_failure(stage, done)
    got = received(stage, "getBoxes")[name]
    stage.claims.check(f"{name} was asked for exactly the addresses that moved", got == Counter(moved))
    if stage.can_judge_shares():
        stage.claims.check("between half and 1.5 of the ideal moved", 0.5 < len(moved) / ideal < 1.5)


def topology(fleet: Fleet) -> Topology:
    """All servers of the fleet on a ring, with ejection on and times short enough for a demo."""
    return Topology(fleet.nodes(), scheme="ring-v1", eject_failed_host=True, failure_accrual=ACCRUAL)
