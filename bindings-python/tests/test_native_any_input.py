"""Whatever comes in, what comes out is an answer or one of our errors, and the next call works."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shardway import Node, PartitionMap, Router, ShardwayError, Topology

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 5),
    st.floats(),
    st.text(st.characters(codec=None), max_size=5),
    st.binary(max_size=5),
    st.sampled_from(["ring-v1", "finagle", "native", "profile", "id", "weight", "a", "b", "ketama"]),
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner, inner),
        st.sets(LEAVES, max_size=3),
        st.dictionaries(LEAVES, inner, max_size=4),
        st.binary(max_size=4).map(lambda data: memoryview(data)),
    ),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["key_hasher", "num_reps", "weight_unit", "revision", "partitions", "eject_failed_host", "failure_accrual"]
)
DOCUMENTS = st.builds(
    lambda nodes, extra: json.dumps({"format": 1, "scheme": {"native": "ring-v1"}, "nodes": nodes, **extra}),
    st.lists(st.dictionaries(st.sampled_from(["id", "weight", "port", "host"]), st.integers() | st.text(max_size=3))),
    st.dictionaries(FIELDS, st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)),
)
ROUTER = Router(Topology(["a", "b", "c"], scheme="ring-v1"))
OWNER = ROUTER.route("key")


@given(ANYTHING, st.one_of(st.just("ring-v1"), ANYTHING), st.dictionaries(FIELDS, ANYTHING, max_size=3))
def test_any_topology(nodes: Any, scheme: Any, options: dict[str, Any]) -> None:
    with contextlib.suppress(ShardwayError):
        topology = Topology(nodes, scheme=scheme, **options)
        assert Topology.from_json(topology.to_json()) == topology


@given(st.one_of(ANYTHING, st.text(), st.binary(), DOCUMENTS))
def test_any_document(text: Any) -> None:
    with contextlib.suppress(ShardwayError):
        Topology.from_json(text)


@given(st.lists(ANYTHING, min_size=1, max_size=6))
def test_any_node(fields: list[Any]) -> None:
    with contextlib.suppress(ShardwayError):
        node = Node(*fields)
        assert node == Node(*fields)


@given(ANYTHING)
def test_any_partitions(instances: Any) -> None:
    with contextlib.suppress(ShardwayError):
        made = PartitionMap(instances)
        assert len(made) == len(made.ids)


@given(ANYTHING, ANYTHING)
def test_any_argument_of_a_router(one: Any, two: Any) -> None:
    view = ROUTER.snapshot()
    calls = [
        lambda: ROUTER.route(one),
        lambda: ROUTER.route_hash(one),
        lambda: ROUTER.replicas(one, two),
        lambda: ROUTER.group(one),
        lambda: ROUTER.group_indices(one),
        lambda: ROUTER.group_packed(one, two),
        lambda: ROUTER.group_hashes(one),
        lambda: ROUTER.publish(one),
        lambda: ROUTER.admit(one, two),
        lambda: ROUTER.report("a", one, sent_ms=two, now_ms=two),
        lambda: ROUTER.tick(one),
        lambda: ROUTER.explain(one),
        lambda: view.hash(one),
        lambda: view.node(one),
        lambda: view.partition_nodes(one),
        lambda: Router(one, seed=two),
    ]
    for call in calls:
        with contextlib.suppress(ShardwayError):
            call()  # type: ignore[no-untyped-call]
    assert ROUTER.route("key") == OWNER
