"""The router: lookups, publishing, ejection, health, counters, explanations."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import pytest

from shardway import (
    InvalidArgumentError,
    InvalidArgumentTypeError,
    Node,
    RevisionConflictError,
    Router,
    ShardNotAvailableError,
    StaleRevisionError,
    Topology,
    UnknownNodeError,
)

KEYS = [f"key:{number}" for number in range(500)]


def ring(nodes: Any, **options: Any) -> Topology:
    return Topology(nodes, scheme="ring-v1", **options)


@pytest.fixture
def router() -> Router:
    return Router(ring(["a", "b", "c"]))


def test_answers_are_ids_and_cost_no_new_string(router: Router) -> None:
    assert {router.route(key) for key in KEYS} == {"a", "b", "c"}
    assert router.route(KEYS[0]) is router.route(KEYS[0])
    assert router.route(KEYS[0]) is router.snapshot().route(KEYS[0])


def test_replicas_are_distinct_and_begin_with_the_owner(router: Router) -> None:
    for key in KEYS:
        replicas = router.replicas(key, 3)
        assert sorted(replicas) == ["a", "b", "c"]
        assert replicas[0] == router.route(key)
        assert router.replicas(key, 2) == router.snapshot().replicas(key, 2) == replicas[:2]
    assert router.replicas("x", 0) == []
    assert len(router.replicas("x", 2**62)) == 3


@pytest.mark.parametrize(
    ("n", "kind"),
    [
        (-1, InvalidArgumentError),
        (2**64, InvalidArgumentError),
        (1.0, InvalidArgumentTypeError),
        (None, TypeError),
    ],
)
def test_a_wrong_number_of_replicas(router: Router, n: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        router.replicas("x", n)
    assert caught.value.place == "n"  # type: ignore[attr-defined]


def test_the_empty_router_and_weight_zero() -> None:
    empty = Router(ring([]))
    calls: list[Callable[[str], object]] = [
        empty.route,
        lambda key: empty.replicas(key, 1),
        empty.snapshot().route,
    ]
    for call in calls:
        with pytest.raises(ShardNotAvailableError):
            call("x")
    router = Router(ring({"a": 1, "idle": 0}))
    assert {router.route(key) for key in KEYS} == {"a"}
    assert router.snapshot().node("idle").weight == 0
    with pytest.raises(ShardNotAvailableError):
        Router(ring({"idle": 0})).route("x")


def test_publish_and_its_answers(router: Router) -> None:
    before = router.snapshot()
    assert router.publish(ring(["a", "b", "c"])) == "unchanged"
    assert router.publish(ring(["a", "b", "c", "d"])) == "published"
    assert router.publish(ring([])) == "kept_old"
    assert (router.revision, router.topology.revision, before.revision) == (2, None, 1)
    moved = [key for key in KEYS if before.route(key) != router.route(key)]
    assert 0 < len(moved) < len(KEYS) / 2
    assert {router.route(key) for key in moved} == {"d"}
    assert router.publish(ring(["x"], revision=9)) == "published"
    assert router.revision == 9
    assert router.route("x") == "x"
    assert before.route(KEYS[0]) in {"a", "b", "c"}
    with pytest.raises(StaleRevisionError) as stale:
        router.publish(ring(["y"], revision=8))
    assert stale.value.place == "revision"
    with pytest.raises(RevisionConflictError):
        router.publish(ring(["y"], revision=9))
    assert router.route("x") == "x"


@pytest.mark.parametrize("topology", [None, "topology", {"a": 1}, ["a"]])
def test_what_is_no_topology(router: Router, topology: Any) -> None:
    for call in (Router, router.publish):
        with pytest.raises(InvalidArgumentTypeError) as caught:
            call(topology)
        assert caught.value.place == "topology"


@pytest.mark.parametrize(
    ("seed", "kind"), [(-1, InvalidArgumentError), (2**63, InvalidArgumentError), ("1", TypeError)]
)
def test_a_wrong_seed(seed: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Router(ring(["a"]), seed=seed)


@pytest.mark.parametrize("scheme", ["ring-v1", "finagle"])
def test_eject_moves_only_the_ejected_nodes_keys(scheme: str) -> None:
    router = Router(Topology(["a", "b", "c"], scheme=scheme))
    before = {key: router.route(key) for key in KEYS}
    assert router.eject("b") is True
    assert router.eject("b") is False
    without = Router(Topology(["a", "c"], scheme=scheme))
    for key, owner in before.items():
        assert router.route(key) == without.route(key) != "b"
        assert owner == "b" or router.route(key) == owner
    assert router.snapshot().is_ejected("b")
    assert not router.snapshot().is_ejected("a")
    assert router.revive("b") is True
    assert router.revive("b") is False
    assert {key: router.route(key) for key in KEYS} == before


def test_all_ejected(router: Router) -> None:
    for node in ("a", "b", "c"):
        router.eject(node)
    with pytest.raises(ShardNotAvailableError):
        router.route("x")
    with pytest.raises(ShardNotAvailableError):
        router.group(KEYS)
    assert router.explain("x").owner is None
    router.revive("a")
    assert router.route("x") == "a"


def test_an_unknown_node_is_named(router: Router) -> None:
    view = router.snapshot()
    calls: list[Callable[[Any], object]] = [
        router.eject,
        router.revive,
        view.node,
        view.is_ejected,
        view.partitions_of,
        lambda node: router.admit(node, 0),
        lambda node: router.report(node, "success", sent_ms=0, now_ms=0),
    ]
    for call in calls:
        with pytest.raises(UnknownNodeError, match='"nobody"') as caught:
            call("nobody")
        assert caught.value.place == "id"
        assert isinstance(caught.value, LookupError)
        for wrong in (1, None, b"a"):
            with pytest.raises(InvalidArgumentTypeError) as wrong_type:
                call(wrong)
            assert wrong_type.value.place == "id"


def test_health_without_ejection_fails_fast_and_moves_nothing() -> None:
    router = Router(ring(["a", "b"], failure_accrual={"consecutive_failures": 2, "backoff_min_ms": 100}))
    before = {key: router.route(key) for key in KEYS}
    assert router.report("a", "failure", sent_ms=1, now_ms=2) is None
    event = router.report("a", "failure", sent_ms=3, now_ms=4)
    assert event is not None
    assert (event.kind, event.node, event.at_ms) == ("ejected", "a", 4)
    assert 104 <= event.until_ms <= 204
    assert repr(event) == f"Event(kind='ejected', node='a', at_ms=4, until_ms={event.until_ms})"
    assert {key: router.route(key) for key in KEYS} == before
    assert router.next_tick_ms() == event.until_ms
    assert router.admit("a", 5) == "fail_fast"
    assert router.admit("b", 5) == "send"
    assert router.tick(event.until_ms - 1) == []
    changes = router.tick(event.until_ms)
    assert [(change.kind, change.node) for change in changes] == [("probing", "a")]
    now = event.until_ms
    assert router.admit("a", now) == "probe"
    assert router.admit("a", now) == "fail_fast"
    revived = router.report("a", "success", sent_ms=now, now_ms=now + 1)
    assert revived is not None
    assert revived.kind == "revived"
    assert router.admit("a", now + 2) == "send"
    assert router.next_tick_ms() is None


def test_health_with_ejection_moves_the_dead_nodes_keys_and_back() -> None:
    topology = ring(["a", "b"], eject_failed_host=True, failure_accrual={"consecutive_failures": 1})
    router = Router(topology, seed=7)
    assert router.topology == topology
    event = router.report("a", "failure", sent_ms=0, now_ms=0)
    assert event is not None
    assert {router.route(key) for key in KEYS} == {"b"}
    assert (router.stats().ejections, router.stats().dead_nodes, router.stats().live_nodes) == (1, 1, 1)
    router.tick(event.until_ms)
    assert {router.route(key) for key in KEYS} == {"a", "b"}
    assert router.stats().revivals == 1


def test_the_seed_decides_the_jitter_and_nothing_else() -> None:
    def until(seed: int) -> int:
        router = Router(ring(["a"], failure_accrual={"consecutive_failures": 1}), seed=seed)
        event = router.report("a", "failure", sent_ms=0, now_ms=0)
        assert event is not None
        return event.until_ms

    assert until(1) == until(1)
    assert len({until(seed) for seed in range(20)}) > 10


@pytest.mark.parametrize(("outcome", "kind"), [("won", InvalidArgumentError), (0, InvalidArgumentTypeError)])
def test_a_wrong_outcome(router: Router, outcome: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r'"success", "failure", "ignored"') as caught:
        router.report("a", outcome, sent_ms=0, now_ms=0)
    assert caught.value.place == "outcome"  # type: ignore[attr-defined]


@pytest.mark.parametrize("time", [-1, 1.5, "1", None, 2**64])
def test_a_wrong_time(router: Router, time: Any) -> None:
    calls: list[tuple[str, Callable[[], object]]] = [
        ("now_ms", lambda: router.tick(time)),
        ("now_ms", lambda: router.admit("a", time)),
        ("sent_ms", lambda: router.report("a", "success", sent_ms=time, now_ms=0)),
        ("now_ms", lambda: router.report("a", "success", sent_ms=0, now_ms=time)),
    ]
    for place, call in calls:
        with pytest.raises(InvalidArgumentError) as caught:
            call()
        assert caught.value.place == place


def test_stats_count_under_finagles_names(router: Router) -> None:
    first = router.stats()
    assert first == router.stats()
    router.publish(ring(["a", "d"]))
    router.eject("a")
    stats = router.stats()
    assert stats != first
    assert (stats.redistributes, stats.joins, stats.leaves) == (3, 4, 2)
    assert (stats.ejections, stats.live_nodes, stats.dead_nodes, stats.nodes) == (1, 1, 1, 2)
    assert (stats.points, stats.revision, stats.fingerprint) == (320, 2, router.topology.fingerprint)
    assert stats.to_dict()["redistributes"] == 3
    assert len(stats.to_dict()) == 14
    assert repr(stats).startswith("Stats(redistributes=3, ")


def test_explain_agrees_with_route(router: Router) -> None:
    router.eject("b")
    for key in KEYS[:50]:
        why = router.explain(key)
        assert why == router.snapshot().explain(key)
        assert why.owner == router.route(key)
        assert why.hash == router.snapshot().hash(key)
        assert [why.owner, *why.next] == router.replicas(key, 4)
        assert why.ejected == ["b"]
        assert why.point_node in {"a", "b", "c"}
        assert (why.scheme, why.key_hasher, why.revision) == ("ring-v1", "xxh3-64", 1)
        assert why.fingerprint == router.topology.fingerprint
        assert str(why).startswith(f"owner       {why.owner}")
        told = why.to_dict()
        assert {name: getattr(why, name) for name in told} == told
    assert Router(ring([])).explain("x").point is None


def test_a_snapshot_sees_no_change(router: Router) -> None:
    view = router.snapshot()
    assert [node.id for node in view.nodes] == ["a", "b", "c"]
    assert view.nodes is view.nodes
    assert view.node("a") == Node("a")
    assert (len(view), view.revision, view.fingerprint) == (3, 1, router.topology.fingerprint)
    assert view.topology == router.topology
    before = [view.route(key) for key in KEYS]
    router.eject("a")
    router.publish(ring(["z"]))
    assert [view.route(key) for key in KEYS] == before
    assert not view.is_ejected("a")
    assert repr(view) == "<Snapshot revision 1, 3 nodes, 0 ejected>"
    assert repr(router) == "<Router ring-v1, 1 nodes, revision 2>"


def test_weak_references(router: Router) -> None:
    assert weakref.ref(router)() is router
    view = router.snapshot()
    reference = weakref.ref(view)
    del view
    assert reference() is None
