"""The rows 'per endpoint' and 'strategy' of the reference suite, against real servers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from clients import (
    Client,
    boxes_by_name,
    by_name,
    by_number,
    custom,
    merge_get_boxes,
    merge_get_boxes_requests,
    merge_send_boxes,
    merge_send_boxes_requests,
)
from servers import Fleet
from shardway import (
    CustomStrategy,
    HashingStrategy,
    MethodStrategies,
    PartitioningStrategyError,
    RequestMergers,
    ResponseMergers,
    per_endpoint,
)

MakeClient = Callable[..., Client]


def apart(client: Client, count: int) -> list[str]:
    """Names of which each is owned by another node."""
    found: dict[str, str] = {}
    for number in range(10_000):
        found.setdefault(client.router.route(f"name {number}"), f"name {number}")
        if len(found) == count:
            return list(found.values())
    raise AssertionError(f"no {count} names on different nodes")


def test_each_endpoint_has_its_own_strategy(five: Fleet, make_client: MakeClient) -> None:
    def errored(request: Any) -> Any:
        raise RuntimeError("broken on purpose")

    strategy = MethodStrategies(
        {
            "getBoxes": HashingStrategy.for_endpoint(
                "getBoxes", by_name, request_merger=merge_get_boxes_requests, response_merger=merge_get_boxes
            ),
            "sendBoxes": custom(lambda endpoint, request: {3: request}),
            "getBox": HashingStrategy.for_endpoint("getBox", errored),
        }
    )
    client = make_client(five.nodes(), strategy)
    first, second = apart(client, 2)
    # hashing
    assert client.get_boxes(first, second) == [(first, "size: 1"), (second, "size: 1")]
    # custom
    assert client.sendBoxes([client.box("a", "x"), client.box("b", "y")]) == "x,y"
    assert [call["endpoint"] for call in five["s3"].calls()].count("sendBoxes") == 1
    # errored
    with pytest.raises(PartitioningStrategyError, match="getBox"):
        client.getBox(client.address("a"), 1)
    # none: unpartitioned, the nodes take turns
    for _ in range(10):
        assert client.sendBox(client.box("a", "x")) == "x"
    turns = [[call["endpoint"] for call in server.calls()].count("sendBox") for server in five]
    assert turns == [2, 2, 2, 2, 2]


def test_a_strategy_bound_to_one_endpoint_leaves_the_others_alone(five: Fleet, make_client: MakeClient) -> None:
    strategy = HashingStrategy.for_endpoint("getBox", lambda request: {request.addrInfo.name: request})
    client = make_client(five.nodes(), strategy)
    for _ in range(3):
        assert client.getBox(client.address("one"), 1).item == "hi"
    assert len(five[client.router.route("one")].calls()) == 3
    assert client.get_boxes("one", "two") == [("one", "size: 2"), ("two", "size: 2")]


def test_a_request_of_the_wrong_type_is_refused_in_words(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes())
    wrong = client.thrift.request_type("sendBox")
    strategy = HashingStrategy.for_endpoint("getBox", lambda request: {"key": request}, request_type=wrong)
    with pytest.raises(
        PartitioningStrategyError, match=r"getBox: a request of type getBox; the strategy takes sendBox"
    ):
        make_client(five.nodes(), strategy).getBox(client.address("one"), 1)


def test_registries_with_several_endpoints(five: Fleet, make_client: MakeClient) -> None:
    """Each endpoint gets its own merger, and the registries are chainable."""
    requests = RequestMergers().add("getBoxes", merge_get_boxes_requests).add("sendBoxes", merge_send_boxes_requests)
    responses = ResponseMergers().add("getBoxes", merge_get_boxes).add("sendBoxes", merge_send_boxes)
    strategy = HashingStrategy.per_endpoint(
        {"getBoxes": by_name, "sendBoxes": boxes_by_name}, request_mergers=requests, response_mergers=responses
    )
    client = make_client(five.nodes(), strategy)
    first, second = apart(client, 2)
    assert client.get_boxes(first, first, second) == [(first, "size: 2"), (first, "size: 2"), (second, "size: 1")]
    boxes = [client.box(first, "a"), client.box(second, "b"), client.box(first, "c")]
    assert client.sendBoxes(boxes) == "a,c;b"


def test_a_missing_merger_names_the_endpoint_and_sends_nothing(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), HashingStrategy.per_endpoint({"getBoxes": by_name}))
    first, second = apart(client, 2)
    with pytest.raises(PartitioningStrategyError, match=r"getBoxes: it needs a response merger"):
        client.get_boxes(first, second)
    assert all(server.calls() == [] for server in five)
    assert client.get_boxes(first) == [(first, "size: 1")]  # where none is needed none is missed


def test_custom_with_one_function_an_endpoint(five: Fleet, make_client: MakeClient) -> None:
    cases = per_endpoint({"getBox": lambda request: {2: request}, "sendBox": lambda request: {4: request}})
    client = make_client(five.nodes(), CustomStrategy.no_resharding(cases))
    assert client.getBox(client.address("one"), 1).item == "hi"
    assert client.sendBox(client.box("one", "x")) == "x"
    assert [len(server.calls()) for server in five] == [0, 0, 1, 0, 1]
    with pytest.raises(PartitioningStrategyError, match="check that it is defined"):
        client.get_boxes("one")


def test_a_merger_that_throws_and_a_request_it_may_not_make(five: Fleet, make_client: MakeClient) -> None:
    def throws(successes: list[Any], failures: list[Any]) -> Any:
        raise ZeroDivisionError

    strategy = CustomStrategy.no_resharding(
        by_number({"one": 0, "two": 1}), response_mergers=ResponseMergers().add("getBoxes", throws)
    )
    client = make_client(five.nodes(), strategy)
    with pytest.raises(PartitioningStrategyError, match="response merger") as caught:
        client.get_boxes("one", "two")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert client.get_boxes("one") == [("one", "size: 1")]  # the next call works


def test_a_custom_strategy_that_waits_for_something(five: Fleet, make_client: MakeClient) -> None:
    async def split(endpoint: str, request: Any) -> dict[int, Any]:
        return {1: dataclasses.replace(request, passcode=2)}

    client = make_client(five.nodes(), custom(split))
    assert client.get_boxes("one") == [("one", "size: 1")]
    assert len(five["s1"].calls()) == 1
