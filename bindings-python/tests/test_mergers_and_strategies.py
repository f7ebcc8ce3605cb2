"""What strategies and registries take, and how they refuse the rest."""

from __future__ import annotations

import pytest
from fleet import Fleet, by_key, hashing, join_answers, join_requests, router

import shardway
from shardway import PartitionedClient, RequestMergers, ResponseMergers


def test_strategy_registries_with_several_endpoints_are_chainable_and_give_each_its_own() -> None:
    def first(requests: object) -> str:
        return "first"

    def second(requests: object) -> str:
        return "second"

    registry = RequestMergers().add("a", first).add("b", second)
    assert (registry.get("a"), registry.get("b"), registry.get("c")) == (first, second, None)


def test_a_registry_is_frozen_by_the_client_that_is_built_with_it() -> None:
    requests, responses = RequestMergers(), ResponseMergers()
    strategy = shardway.HashingStrategy(by_key, request_mergers=requests, response_mergers=responses)
    with PartitionedClient(router(), Fleet().send, strategy=strategy):
        with pytest.raises(shardway.InvalidArgumentError, match="too late"):
            requests.add("get", join_requests)
        with pytest.raises(shardway.InvalidArgumentError, match="too late"):
            responses.add("get", join_answers)


def test_registries_refuse_what_is_no_merger() -> None:
    with pytest.raises(TypeError, match="endpoint"):
        RequestMergers().add(7, join_requests)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="merge"):
        RequestMergers().add("get", "join")  # type: ignore[arg-type]
    with pytest.raises(shardway.InvalidArgumentError, match="already"):
        ResponseMergers().add("get", join_answers).add("get", join_answers)


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda: shardway.HashingStrategy(None), "get_keys"),
        (lambda: shardway.HashingStrategy.per_endpoint({"get": 1}), "cases['get']"),
        (lambda: shardway.CustomStrategy.no_resharding(1), "get_partitions"),
        (lambda: shardway.CustomStrategy.no_resharding(by_key, logical_partition=1), "logical_partition"),
        (lambda: shardway.CustomStrategy.no_resharding(by_key, pick="best"), "pick"),
        (lambda: shardway.CustomStrategy.resharding(by_key, state=1), "state"),
        (lambda: shardway.CustomStrategy.cluster_resharding("x"), "get_partitions"),
        (lambda: shardway.MethodStrategies({"get": by_key}), "strategies['get']"),
        (lambda: PartitionedClient("router", Fleet().send), "router"),
        (lambda: PartitionedClient(router(), None), "send"),
        (lambda: PartitionedClient(router(), Fleet().send, strategy=by_key), "strategy"),
        (lambda: PartitionedClient(router(), Fleet().send, classify=3), "classify"),
        (lambda: PartitionedClient(router(), Fleet().send, max_workers=0), "max_workers"),
        (lambda: PartitionedClient(router(), Fleet().send, max_workers=True), "max_workers"),
        (lambda: PartitionedClient(router(), Fleet().send, timeout_ms=0), "timeout_ms"),
        (lambda: PartitionedClient(router(), Fleet().send, timeout_ms=float("nan")), "timeout_ms"),
        (lambda: PartitionedClient(router(), Fleet().send, timeout_ms="1"), "timeout_ms"),
    ],
)
def test_wrong_arguments_name_their_place(make: object, place: str) -> None:
    with pytest.raises(shardway.InvalidArgumentError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.place == place
    assert place in str(caught.value)


def test_a_strategy_may_serve_several_clients() -> None:
    strategy, fleet = hashing(), Fleet()
    for _ in range(2):
        with PartitionedClient(router(), fleet.send, strategy=strategy) as client:
            assert len(client.call("get", ["a", "b", "c"])) == 3
