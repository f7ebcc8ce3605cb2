"""The demo's main part with the client and the servers of another language: hashing, a crash, the return."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from acts import ACCRUAL, BACK_SECONDS, Stage, received, share_table
from programs import Driver
from shardway import Router, Topology

MERGERS = {"request_merger": "concat", "response_merger": "concat"}
HASHING = {"kind": "hashing", "endpoints": {"getBoxes": {"split": {"each": "key"}, **MERGERS}}}


def play(stage: Stage, language: str) -> None:
    """All acts. The client's own core says who owns what; Python's is asked too, and must agree."""
    document: dict[str, Any] = {
        "format": 1,
        "scheme": {"native": "ring-v1"},
        "nodes": stage.fleet.nodes(),
        "eject_failed_host": True,
        "failure_accrual": ACCRUAL,
    }
    with Driver(language, document, HASHING, quiet=True) as client:
        first = _owners(client, stage.names)
        _hashing(stage, client, language, first)
        victim = Counter(first.values()).most_common(1)[0][0]
        _kill(stage, client, first, victim)
        _return(stage, client, first, victim)


def _owners(client: Driver, names: list[str]) -> dict[str, str]:
    return dict(zip(names, client.ask(owners=names)["owners"], strict=True))


def _answered(client: Driver, batch: list[str]) -> Counter[str]:
    """The names that were answered; the merger keeps what succeeded, and no success is the error of a part."""
    return Counter(name for name, _ in client.ask(call="getBoxes", request=batch).get("result", []))


def _hashing(stage: Stage, client: Driver, language: str, owner: dict[str, str]) -> None:
    stage.heading(f"1. Hashing, client and servers in {language}: each address goes to the server that owns its name")
    stage.forget()
    whole = all(_answered(client, batch) == Counter(batch) for batch in stage.batches)
    got = received(stage, "getBoxes")
    counts = {name: counter.total() for name, counter in got.items()}
    stage.console.print(share_table(counts, len(stage.names)))
    stage.claims.check("every address was answered exactly once", whole)
    expected = {
        server.name: Counter(name for name in stage.names if owner[name] == server.name) for server in stage.fleet
    }
    stage.claims.check("each server was asked for the addresses it owns, and for no other", got == expected)
    python = Router(Topology(stage.fleet.nodes(), scheme="ring-v1"))
    same = {name: node for node, group in python.group(stage.names).items() for name in group}
    stage.claims.check(f"Python names the same owner as {language} for every address", same == owner)


def _kill(stage: Stage, client: Driver, first: dict[str, str], victim: str) -> None:
    stage.heading(f"2. {victim} is killed, with eject_failed_host on")
    stage.fleet[victim].kill()
    lost: Counter[str] = Counter()
    for batch in stage.batches * 2:
        lost += Counter(batch) - _answered(client, batch)
    strangers = [name for name in lost if first[name] != victim]
    stage.claims.check(
        f"only addresses of {victim} went without an answer", bool(lost) and not strangers, strangers[:1]
    )
    after = _owners(client, stage.names)
    moved = [name for name in stage.names if after[name] != first[name]]
    stage.say(f"{len(moved):,} addresses moved: {dict(Counter(after[name] for name in moved))}")
    stage.claims.check(
        f"{victim}'s own addresses moved, and no other", set(moved) == {n for n in first if first[n] == victim}
    )
    whole = all(_answered(client, batch) == Counter(batch) for batch in stage.batches)
    stage.claims.check("asked again, the others answer for all of them", whole)


def _return(stage: Stage, client: Driver, first: dict[str, str], victim: str) -> None:
    stage.heading(f"3. {victim} comes back at the same port")
    stage.fleet[victim].start()
    its_own = [name for name in stage.names if first[name] == victim]
    began = time.monotonic()
    while time.monotonic() - began < BACK_SECONDS:
        stage.forget()
        _answered(client, its_own[:1])
        if stage.fleet[victim].names() == its_own[:1]:
            break
        time.sleep(0.05)
    stage.say(f"It was asked again after {time.monotonic() - began:.1f} s.")
    stage.claims.check("every address is back with its first owner", _owners(client, stage.names) == first)
    stage.forget()
    whole = all(_answered(client, batch) == Counter(batch) for batch in stage.batches)
    stage.claims.check("every address was answered exactly once", whole)
    got = received(stage, "getBoxes")[victim]
    stage.claims.check(f"{victim} got its own addresses, and no other", got == Counter(its_own))
    stats = client.ask(stats=True)["stats"]
    stage.claims.check("the counters tell of an ejection and a revival", stats["ejections"] >= 1 <= stats["revivals"])
