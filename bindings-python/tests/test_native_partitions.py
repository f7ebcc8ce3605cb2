"""Logical partitions: of a topology, and of a custom strategy's mapping."""

from __future__ import annotations

from typing import Any

import pytest

from shardway import (
    InvalidArgumentError,
    InvalidArgumentTypeError,
    Node,
    NoPartitionError,
    PartitionMap,
    Router,
    Topology,
    UnknownNodeError,
)


def test_a_map_reads_in_both_directions() -> None:
    made = PartitionMap([("a", 0, [1, 0, 1]), ("b", 1, range(1, 3)), ("c", 7, None)])
    assert made.ids == [0, 1, 2, 7]
    assert len(made) == 4
    assert made.nodes(1) == ["a", "b"]
    assert made.nodes(7) == ["c"]
    assert made.partitions_of("a") == [0, 1]
    assert made.left_out == []
    assert 7 in made
    assert 8 not in made
    assert "7" not in made
    assert repr(made) == "<PartitionMap 4 partitions, 3 instances, 0 left out>"


def test_what_is_wrong_with_one_instance_leaves_out_that_one() -> None:
    made = PartitionMap(
        [
            ("a", 0, None),
            ("b", None, [1]),
            ("c", 2, ValueError("boom")),
            ("d", 3, "late"),
            ("e", 4, KeyError()),
        ]
    )
    assert made.ids == [0]
    assert [(node, code) for node, code, _ in made.left_out] == [
        ("b", "NoShardId"),
        ("c", "PartitioningStrategy"),
        ("d", "PartitioningStrategy"),
        ("e", "PartitioningStrategy"),
    ]
    reasons = [reason for _, _, reason in made.left_out]
    assert "ValueError: boom" in reasons[1]
    assert "late" in reasons[2]
    assert "KeyError" in reasons[3]
    assert made.partitions_of("c") == []


def test_an_exception_whose_text_fails_is_still_told() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise ZeroDivisionError

    assert "Rude" in PartitionMap([("a", 0, Rude())]).left_out[0][2]


def test_an_empty_map() -> None:
    made = PartitionMap([])
    assert (len(made), made.ids) == (0, [])
    with pytest.raises(NoPartitionError, match=r"^No partition: 0 found"):
        made.nodes(0)


def test_unknown_ids() -> None:
    made = PartitionMap([("a", 0, None)])
    with pytest.raises(NoPartitionError, match="99"):
        made.nodes(99)
    with pytest.raises(UnknownNodeError, match='"z"'):
        made.partitions_of("z")
    with pytest.raises(InvalidArgumentError) as caught:
        made.nodes(2**31)
    assert caught.value.place == "partition"


@pytest.mark.parametrize(
    ("instance", "place"),
    [
        (("a", 2**31, None), "instances[1].shard_id"),
        (("a", 0, [0, 2**31]), "instances[1].serves[1]"),
        (("first", 1, None), "instances[1].id"),
        (("\ud800", 1, None), "instances[1].id"),
    ],
)
def test_a_wrong_value_is_named(instance: Any, place: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        PartitionMap([("first", 0, None), instance])
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("instance", "place"),
    [
        (("a", "0", None), "instances[0].shard_id"),
        ((1, 0, None), "instances[0].id"),
        (("a", 0, 5), "instances[0].serves"),
        (("a", 0, {1: 2}), "instances[0].serves"),
        (("a", 0, ["1"]), "instances[0].serves[0]"),
        (("a", 0), "instances[0]"),
        ("abc", "instances[0]"),
        (5, "instances[0]"),
    ],
)
def test_a_wrong_type_is_named(instance: Any, place: str) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        PartitionMap([instance])
    assert caught.value.place == place


def test_what_is_no_list_of_instances() -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        PartitionMap(5)  # type: ignore[arg-type]
    assert caught.value.place == "instances"


def test_partitions_of_a_topology() -> None:
    nodes = [Node(name, shard_id=shard) for shard, name in enumerate("abc")] + [Node("nameless")]
    view = Router(Topology(nodes, scheme="ring-v1", partitions={0: [0, 1], 1: [1]})).snapshot()
    assert view.partition_ids == [0, 1]
    assert view.partition_nodes(1) == ["a", "b"]
    assert view.partitions_of("a") == [0, 1]
    assert view.partitions_of("c") == []
    assert {(node, code) for node, code, _ in view.left_out} >= {("nameless", "NoShardId")}
    with pytest.raises(NoPartitionError) as caught:
        view.partition_nodes(2)
    assert caught.value.code_name == "NoPartition"


def test_each_instance_is_its_own_partition_by_default() -> None:
    view = Router(Topology([Node("a", shard_id=3), Node("b", shard_id=-4)], scheme="ring-v1")).snapshot()
    assert view.partition_ids == [-4, 3]
    assert view.partition_nodes(3) == ["a"]
