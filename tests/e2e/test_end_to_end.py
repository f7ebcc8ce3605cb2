"""The end-to-end rows of the reference suite, each against real servers: see 'Reference test cases'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from clients import Client, by_name, by_number, custom, hashing, response_mergers, sizes
from servers import Fleet
from shardway import (
    CustomStrategy,
    NoPartitionError,
    NoPartitioningKeysError,
    PartitioningStrategyError,
    State,
    Topology,
)

MakeClient = Callable[..., Client]


def asked(fleet: Fleet) -> dict[str, list[list[str]]]:
    """The names of each call by server; servers without a call are left out."""
    found = {server.name: [call["names"] for call in server.calls()] for server in fleet}
    return {name: calls for name, calls in found.items() if calls}


def test_no_strategy(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes())
    for _ in range(3):
        assert client.get_boxes("one", "two", "one") == [("one", "size: 3"), ("two", "size: 3"), ("one", "size: 3")]
    assert client.sendBox(client.box("one", "item")) == "item"
    assert client.sendBoxes([client.box("one", "a"), client.box("two", "b")]) == "a,b"
    assert client.getBox(client.address("one"), 1).item == "hi"
    assert all(len(names) in (1, 2, 3) for calls in asked(five).values() for names in calls)


def test_hashing(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing())
    boxes = client.get_boxes("one", "two", "one")
    if client.router.route("one") == client.router.route("two"):
        assert boxes == [("one", "size: 3"), ("two", "size: 3"), ("one", "size: 3")]
    else:
        assert boxes == [("one", "size: 2"), ("one", "size: 2"), ("two", "size: 1")]
    assert client.getBox(client.address("one"), 1).item == "hi"


def test_hashing_keys_on_two_nodes_and_keys_that_meet_on_one(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing())
    home = client.router.route("one")
    names = [f"key {number}" for number in range(1000)]
    apart = next(name for name in names if client.router.route(name) != home)
    together = next(name for name in names if client.router.route(name) == home)
    assert client.get_boxes("one", apart, "one") == [("one", "size: 2"), ("one", "size: 2"), (apart, "size: 1")]
    assert asked(five) == {home: [["one", "one"]], client.router.route(apart): [[apart]]}
    for server in five:
        server.forget()
    # All on one node: the original request goes out, in its own order.
    assert client.get_boxes("one", together, "one") == [("one", "size: 3"), (together, "size: 3"), ("one", "size: 3")]
    assert asked(five) == {home: [["one", together, "one"]]}


def test_hashing_endpoint_not_specified(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing(getBoxes=by_name))
    with pytest.raises(NoPartitioningKeysError, match="sendBox"):
        client.sendBox(client.box("one", "item"))
    assert asked(five) == {}
    assert client.get_boxes("one") == [("one", "size: 1")]


def test_hashing_function_throws(five: Fleet, make_client: MakeClient) -> None:
    def fail(request: Any) -> Any:
        raise ArithmeticError("no luck")

    client = make_client(five.nodes(), hashing(getBoxes=fail))
    with pytest.raises(PartitioningStrategyError, match="getBoxes") as caught:
        client.get_boxes("one")
    assert isinstance(caught.value.__cause__, ArithmeticError)
    assert asked(five) == {}


def test_custom_each_shard_a_partition(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), custom(by_number({"zero": 0, "one": 1, "two": 0})))
    assert client.get_boxes("zero", "one", "two") == [("zero", "size: 2"), ("two", "size: 2"), ("one", "size: 1")]
    assert asked(five) == {"s0": [["zero", "two"]], "s1": [["one"]]}


def test_custom_same_request_to_5_partitions(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), custom(lambda endpoint, request: dict.fromkeys(range(5), request)))
    boxes = client.get_boxes("zero", "one", "two")
    assert len(boxes) == 15
    assert sorted(boxes) == sorted([("zero", "size: 3"), ("one", "size: 3"), ("two", "size: 3")] * 5)
    assert asked(five) == {name: [["zero", "one", "two"]] for name in ("s0", "s1", "s2", "s3", "s4")}


LOGICAL = {0: [0], 1: [0, 1], 2: [1], 3: [2], 4: [2]}
"""Partition 0 is served by instances 0 and 1, partition 1 by 1 and 2, partition 2 by 3 and 4."""


@pytest.mark.parametrize("declared", ["by a function", "in the topology"])
def test_custom_logical_partitions(five: Fleet, make_client: MakeClient, declared: str) -> None:
    split = by_number({"four": 0, "three": 1, "two": 1, "one": 2, "zero": 2})
    if declared == "by a function":
        client = make_client(five.nodes(), custom(split, logical_partition=LOGICAL.__getitem__))
    else:
        client = make_client(five.nodes(), custom(split), topology={"partitions": LOGICAL})
    for _ in range(8):
        assert client.get_boxes("four", "three", "two", "one", "zero") == [
            ("four", "size: 1"),
            ("three", "size: 2"),
            ("two", "size: 2"),
            ("one", "size: 2"),
            ("zero", "size: 2"),
        ]
    calls = asked(five)
    for servers, names in ((("s0", "s1"), ["four"]), (("s1", "s2"), ["three", "two"]), (("s3", "s4"), ["one", "zero"])):
        assert sum(calls.get(server, []).count(names) for server in servers) == 8


def test_custom_function_throws(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), custom(by_number({})))  # no number for any name: KeyError
    with pytest.raises(PartitioningStrategyError, match="getBoxes") as caught:
        client.get_boxes("one")
    assert isinstance(caught.value.__cause__, KeyError)


def test_custom_unknown_logical_partition(five: Fleet, make_client: MakeClient) -> None:
    split = by_number({"one": 9, "two": 0})
    client = make_client(five.nodes(), custom(split, logical_partition=LOGICAL.__getitem__))
    with pytest.raises(NoPartitionError, match="9"):
        client.get_boxes("one")
    # With another part that was sent the merger decides: the reference one keeps what succeeded.
    assert client.get_boxes("one", "two") == [("two", "size: 1")]


def test_custom_endpoint_not_set(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), custom(by_number({"one": 0})))
    with pytest.raises(PartitioningStrategyError, match="sendBox"):
        client.sendBox(client.box("one", "item"))


def test_state_changes_0_to_1(five: Fleet, make_client: MakeClient) -> None:
    state = State(0)

    def split_at(value: int) -> Callable[[str, Any], Any]:
        return lambda endpoint, request: {value: request}

    strategy = CustomStrategy.resharding(split_at, state=state, response_mergers=response_mergers())
    client = make_client(five.nodes(), strategy)
    client.get_boxes("one")
    assert asked(five) == {"s0": [["one"]]}
    before = {node: stats.opened for node, stats in client.thrift.pools().items()}
    state.update(1)
    client.get_boxes("two")
    assert asked(five) == {"s0": [["one"]], "s1": [["two"]]}
    after = {node: stats.opened for node, stats in client.thrift.pools().items()}
    # The same pools as before: only the server that was asked for the first time has a connection more.
    assert after == before | {"s1": 1}
    state.update(0)
    client.get_boxes("three")
    assert {node: stats.opened for node, stats in client.thrift.pools().items()} == after


def test_cluster_grows_2_to_5_with_another_mapping(five: Fleet, make_client: MakeClient) -> None:
    def logical_for(nodes: frozenset[Any]) -> Callable[[int], list[int]]:
        few = {0: [0], 1: [1]}
        many = {0: [0], 1: [0], 2: [1], 3: [1], 4: [1]}
        return (few if len(nodes) == 2 else many).__getitem__

    strategy = CustomStrategy.cluster_resharding(
        lambda nodes: lambda endpoint, request: {1: request},
        logical_partition=logical_for,
        response_mergers=response_mergers(),
    )
    client = make_client(five.nodes("s0", "s1"), strategy)
    assert client.get_boxes("before") == [("before", "size: 1")]
    assert asked(five) == {"s1": [["before"]]}
    assert client.thrift.publish(Topology(five.nodes(), scheme="ring-v1")) == "published"
    for _ in range(12):
        client.get_boxes("after")
    calls = asked(five)
    assert calls["s1"] == [["before"]]  # sees no further request
    assert sum(len(calls.get(name, [])) for name in ("s2", "s3", "s4")) == 12
    assert set(calls) <= {"s1", "s2", "s3", "s4"}


def test_successes_arrive_in_the_order_of_their_keys(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing())
    names = [f"name {number}" for number in range(60)]
    five[client.router.route(names[0])].behave(delay_ms=150)  # the first part is the last to answer
    boxes = client.getBoxes(client.addresses(*names), 1)
    groups = client.router.group(names)
    assert [name for name, _ in sizes(boxes)] == [name for group in groups.values() for name in group]
