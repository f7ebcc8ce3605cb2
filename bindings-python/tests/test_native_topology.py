"""Topologies from Python and from documents: what is taken, what is refused, and where the error points."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import time
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from shardway import (
    InvalidArgumentError,
    InvalidArgumentTypeError,
    InvalidTopologyError,
    Node,
    Topology,
)
from shardway._native import key_hashers


def ring(nodes: Any, **options: Any) -> Topology:
    return Topology(nodes, scheme="ring-v1", **options)


def test_node_is_a_frozen_value() -> None:
    node = Node("a", "10.0.0.1", 9090, weight=2, shard_id=-1, zone="z1")
    assert (node.id, node.host, node.port) == ("a", "10.0.0.1", 9090)
    assert (node.weight, node.shard_id, node.zone) == (2, -1, "z1")
    assert node == Node("a", "10.0.0.1", 9090, 2, -1, "z1")
    assert hash(node) == hash(copy.copy(node))
    assert node != Node("a")
    assert node != "a"
    assert pickle.loads(pickle.dumps(node)) == node
    assert copy.deepcopy(node) == node
    with pytest.raises(AttributeError):
        node.weight = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "node",
    [Node("a"), Node("it's", "h", 1, 0, 0, "z"), Node("é\n", weight=7)],
)
def test_the_repr_of_a_node_makes_it_again(node: Node) -> None:
    assert eval(repr(node)) == node


def test_defaults_of_a_node() -> None:
    node = Node("a")
    assert (node.host, node.port, node.weight, node.shard_id, node.zone) == (None, None, 1, None, None)


@pytest.mark.parametrize(
    ("arguments", "place", "kind"),
    [
        ({"id": 1}, "id", InvalidArgumentTypeError),
        ({"id": b"a"}, "id", InvalidArgumentTypeError),
        ({"id": "\ud800"}, "id", InvalidArgumentError),
        ({"host": 10}, "host", InvalidArgumentTypeError),
        ({"port": 65_536}, "port", InvalidArgumentError),
        ({"port": 0}, "port", InvalidArgumentError),
        ({"port": "80"}, "port", InvalidArgumentTypeError),
        ({"weight": -1}, "weight", InvalidArgumentError),
        ({"weight": 10**9 + 1}, "weight", InvalidArgumentError),
        ({"weight": 2**70}, "weight", InvalidArgumentError),
        ({"weight": 1.5}, "weight", InvalidArgumentTypeError),
        ({"weight": float("nan")}, "weight", InvalidArgumentTypeError),
        ({"weight": "1"}, "weight", InvalidArgumentTypeError),
        ({"weight": True}, "weight", InvalidArgumentTypeError),
        ({"shard_id": 2**31}, "shard_id", InvalidArgumentError),
        ({"zone": []}, "zone", InvalidArgumentTypeError),
    ],
)
def test_a_wrong_field_of_a_node_is_named(
    arguments: dict[str, Any], place: str, kind: type[InvalidArgumentError]
) -> None:
    with pytest.raises(kind) as caught:
        Node(**{"id": "a", **arguments})
    assert type(caught.value) is kind
    assert caught.value.place == place
    assert str(caught.value).startswith(f"{place}: ")


def test_every_way_to_name_nodes_says_the_same() -> None:
    expected = ring(["a", "b"])
    assert ring([Node("a"), Node("b")]) == expected
    assert ring([{"id": "a"}, {"id": "b", "weight": 1}]) == expected
    assert ring({"a": 1, "b": 1}) == expected
    assert ring(MappingProxyType({"a": 1, "b": 1})) == expected
    assert ring(name for name in "ab") == expected
    assert ring(("a", Node("b"))) == expected
    assert [node.id for node in expected.nodes] == ["a", "b"]
    assert len(expected) == 2


def test_an_empty_topology_is_fine() -> None:
    assert len(ring([])) == 0
    assert ring([]).nodes == ()


def test_a_document_and_python_say_the_same() -> None:
    document = {
        "format": 1,
        "revision": 7,
        "scheme": {"profile": "finagle", "old_libmemcached": True, "thrift_keys": True},
        "key_hasher": "murmur3",
        "num_reps": 40,
        "eject_failed_host": True,
        "failure_accrual": {"consecutive_failures": 3, "backoff_min_ms": 10},
        "nodes": [{"id": "a", "host": "h", "port": 1, "weight": 2, "shard_id": 0, "zone": "z"}, {"id": "b"}],
        "partitions": [{"shard_id": 0, "serves": [1, 0]}],
    }
    read = Topology.from_json(json.dumps(document))
    made = Topology(
        [Node("a", "h", 1, 2, 0, "z"), "b"],
        scheme={"profile": "finagle", "old_libmemcached": True, "thrift_keys": True},
        key_hasher="murmur3",
        num_reps=40,
        revision=7,
        partitions={0: (1, 0)},
        eject_failed_host=True,
        failure_accrual={"consecutive_failures": 3, "backoff_min_ms": 10},
    )
    assert read == made
    assert hash(read) == hash(made)
    assert (made.scheme, made.key_hasher, made.num_reps, made.weight_unit) == ("finagle", "murmur3", 40, 1)
    assert (made.revision, made.eject_failed_host, made.partitions) == (7, True, {0: [1, 0]})
    assert made.failure_accrual == {
        "consecutive_failures": 3,
        "backoff_min_ms": 10,
        "backoff_max_ms": 300_000,
        "probe_timeout_ms": 5_000,
    }
    assert made.nodes == (Node("a", "h", 1, 2, 0, "z"), Node("b"))
    assert Topology.from_json(made.to_json()) == made


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_document_in_bytes(kind: Any) -> None:
    topology = ring(["é"])
    assert Topology.from_json(kind(topology.to_json().encode())) == topology


def test_partitions_take_any_iterable_of_ids() -> None:
    made = ring([Node("a", shard_id=0)], partitions={0: range(3)})
    assert made.partitions == {0: [0, 1, 2]}
    assert ring([Node("a", shard_id=0)], partitions=[{"shard_id": 0, "serves": [0, 1, 2]}]) == made


def test_topology_copies_pickles_and_compares() -> None:
    topology = ring({"a": 1, "b": 2}, revision=3)
    assert copy.copy(topology) is topology
    assert copy.deepcopy(topology) is topology
    assert pickle.loads(pickle.dumps(topology)) == topology
    assert topology != ring({"a": 1, "b": 2}, revision=4)
    assert topology != ring({"a": 1, "b": 3}, revision=3)
    assert topology != "topology"
    assert repr(topology) == f"<Topology ring-v1, 2 nodes, revision 3, fingerprint {topology.fingerprint:016x}>"
    assert topology.nodes is topology.nodes


def test_order_is_no_content_of_a_native_topology() -> None:
    assert ring(["a", "b"]).fingerprint == ring(["b", "a"]).fingerprint
    finagle = [Topology(ids, scheme="finagle").fingerprint for ids in (["a", "b"], ["b", "a"])]
    assert finagle[0] != finagle[1]


def test_every_key_hasher_is_taken_by_name() -> None:
    assert len(key_hashers()) == 24
    for name in key_hashers():
        assert ring(["a"], key_hasher=name).key_hasher == name


@pytest.mark.parametrize(
    ("nodes", "options", "place"),
    [
        ([""], {}, "nodes[0].id"),
        (["a", "b", "a"], {}, "nodes[2].id"),
        (["x" * 1025], {}, "nodes[0].id"),
        (["a", "\udfff"], {}, "nodes[1]"),
        (["a", 1], {}, "nodes[1]"),
        ([None], {}, "nodes[0]"),
        ([{}], {}, "nodes[0]"),
        ([{"id": "a", "wieght": 1}], {}, "nodes[0].wieght"),
        ([{"id": "a", 1: 1}], {}, "nodes[0]"),
        ([{"id": "a", "host": None}], {}, "nodes[0].host"),
        ([{"id": "a", "weight": "1"}], {}, "nodes[0].weight"),
        ([{"id": "a", "weight": True}], {}, "nodes[0].weight"),
        ([{"id": "a", "weight": -1}], {}, "nodes[0].weight"),
        ([{"id": "a", "weight": 1.0}], {}, "nodes[0].weight"),
        ([{"id": "a", "weight": 2**80}], {}, "nodes[0].weight"),
        ([{"id": "a", "port": 0}], {}, "nodes[0].port"),
        ({"a": 1, "b": float("nan")}, {}, "nodes[1].weight"),
        ({"a": float("inf")}, {}, "nodes[0].weight"),
        ({"a": "1"}, {}, "nodes[0].weight"),
        ({"a": None}, {}, "nodes[0].weight"),
        ({"a": object()}, {}, "nodes[0].weight"),
        ({1: 1}, {}, "nodes[0].id"),
        (["a"], {"scheme": "ring-v0"}, "scheme.native"),
        (["a"], {"scheme": {"profile": "nobody"}}, "scheme.profile"),
        (["a"], {"scheme": {}}, "scheme"),
        (["a"], {"scheme": {"native": "ring-v1", "thrift_keys": True}}, "scheme.thrift_keys"),
        (["a"], {"key_hasher": "md4"}, "key_hasher"),
        (["a"], {"num_reps": 0}, "num_reps"),
        (["a"], {"num_reps": 65_537}, "num_reps"),
        (["a"], {"num_reps": "many"}, "num_reps"),
        (["a"], {"weight_unit": 0}, "weight_unit"),
        (["a"], {"revision": 0}, "revision"),
        (["a"], {"revision": 2**63}, "revision"),
        (["a"], {"eject_failed_host": 1}, "eject_failed_host"),
        (["a"], {"failure_accrual": {"backoff_min_ms": 0}}, "failure_accrual.backoff_min_ms"),
        (["a"], {"failure_accrual": {"backoff": 1}}, "failure_accrual.backoff"),
        (["a"], {"partitions": {0: "01"}}, "partitions[0].serves"),
        (["a"], {"partitions": {0: [2**31]}}, "partitions[0].serves[0]"),
        (["a"], {"partitions": {"0": [1]}}, "partitions[0].shard_id"),
        (["a"], {"partitions": 5}, "partitions"),
    ],
)
def test_a_broken_rule_is_named_by_its_place(nodes: Any, options: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidTopologyError) as caught:
        Topology(nodes, **{"scheme": "ring-v1", **options})
    assert caught.value.place == place
    assert str(caught.value).startswith(f"{place}: ")


@pytest.mark.parametrize("nodes", ["abc", b"abc", 5, None])
def test_nodes_of_a_wrong_type(nodes: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        ring(nodes)
    assert caught.value.place == "nodes"


@pytest.mark.parametrize("scheme", [None, 1, ["ring-v1"]])
def test_a_scheme_of_a_wrong_type(scheme: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        Topology(["a"], scheme=scheme)
    assert caught.value.place == "scheme"


@pytest.mark.parametrize("policy", [5, "fast", [], [1, 2, 3, 4]])
def test_a_policy_of_a_wrong_type(policy: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        ring(["a"], failure_accrual=policy)
    assert caught.value.place == "failure_accrual"


def test_a_value_that_nests_without_end() -> None:
    endless: dict[str, Any] = {}
    endless["id"] = endless
    with pytest.raises(InvalidTopologyError, match="nested too deep"):
        ring([endless])


def test_an_error_of_the_callers_iterator_is_the_callers() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ring(broken())


def test_a_million_nodes_are_refused_quickly() -> None:
    names = [f"node-{number}" for number in range(1_000_000)]
    for nodes in (names, dict.fromkeys(names, 1), (f"node-{number}" for number in itertools.count())):
        start = time.perf_counter()
        with pytest.raises(InvalidTopologyError, match="100000") as caught:
            ring(nodes)
        assert caught.value.place == "nodes"
        assert time.perf_counter() - start < 2


def test_too_many_points_are_refused_with_the_numbers() -> None:
    with pytest.raises(InvalidTopologyError, match="16777216"):
        ring({"a": 10**9})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", ""),
        ("{", ""),
        ("[]", ""),
        ('{"format": 2, "scheme": {"native": "ring-v1"}, "nodes": []}', "format"),
        ('{"format": 1, "scheme": {"native": "ring-v1"}, "nodes": [], "extra": 1}', "extra"),
        (
            '{"format": 1, "scheme": {"native": "ring-v1"}, "nodes": [{"id": "a", "weight": NaN}]}',
            "nodes[0].weight",
        ),
        (b"\xff", "text"),
    ],
)
def test_a_broken_document(text: str | bytes, place: str) -> None:
    with pytest.raises(InvalidTopologyError) as caught:
        Topology.from_json(text)
    assert caught.value.place == place


@pytest.mark.parametrize("text", [None, 1, {}, ["a"]])
def test_a_document_of_a_wrong_type(text: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        Topology.from_json(text)
    assert caught.value.place == "text"
