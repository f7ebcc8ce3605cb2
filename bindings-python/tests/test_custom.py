"""The custom strategy: logical partitions, their changes, and what is kept when a change fails."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections import Counter
from typing import Any

import pytest
from fleet import Fleet, join_answers

import shardway
from shardway import CustomStrategy, MethodStrategies, Node, PartitionedClient, ResponseMergers, Router, State, Topology

SHARDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4}


def cluster(count: int, **fields: Any) -> Topology:
    return Topology([Node(f"s{shard}", shard_id=shard) for shard in range(count)], scheme="ring-v1", **fields)


def by_number(endpoint: str, request: list[str]) -> dict[int, list[str]]:
    """Each key to the partition of its number."""
    return group(request, SHARDS.__getitem__)


def group(request: list[str], partition_of: Any) -> dict[int, list[str]]:
    parts: dict[int, list[str]] = {}
    for key in request:
        parts.setdefault(partition_of(key), []).append(key)
    return parts


def responses() -> ResponseMergers:
    return ResponseMergers().add("get", join_answers)


def client_of(topology: Topology, fleet: Fleet, strategy: Any, **options: Any) -> PartitionedClient:
    return PartitionedClient(Router(topology), fleet.send, strategy=strategy, **options)


def test_each_shard_a_partition() -> None:
    fleet = Fleet()
    strategy = CustomStrategy.no_resharding(
        lambda _, request: group(request, lambda key: int(key == "one")), response_mergers=responses()
    )
    with client_of(cluster(2), fleet, strategy) as client:
        assert client.call("get", ["zero", "one", "two"]) == ["zero@s0", "two@s0", "one@s1"]


def test_the_same_request_to_five_partitions() -> None:
    fleet, request = Fleet(), ["a", "b", "c"]
    strategy = CustomStrategy.no_resharding(
        lambda _, request: dict.fromkeys(range(5), request), response_mergers=responses()
    )
    with client_of(cluster(5), fleet, strategy) as client:
        answers = client.call("get", request)
    assert len(answers) == 15
    assert Counter(answer.split("@")[0] for answer in answers) == {"a": 5, "b": 5, "c": 5}
    assert all(sent is request for _, _, sent in fleet.sent)


def test_logical_partitions_that_overlap() -> None:
    fleet = Fleet()
    logical = {0: [0], 1: [0, 1], 2: [1], 3: [2], 4: [2]}
    of = {"four": 0, "three": 1, "two": 1, "one": 2, "zero": 2}
    strategy = CustomStrategy.no_resharding(
        lambda _, request: group(request, of.__getitem__),
        logical_partition=logical.__getitem__,
        response_mergers=responses(),
    )
    with client_of(cluster(5), fleet, strategy) as client:
        for _ in range(20):
            assert len(client.call("get", ["four", "three", "two", "one", "zero"])) == 5
        assert client.stats().nodes == 3
    served = {
        node: {key for asked, _, request in fleet.sent if asked == node for key in request} for node, _, _ in fleet.sent
    }
    assert served == {
        "s0": {"four"},
        "s1": {"four", "three", "two"},
        "s2": {"three", "two"},
        "s3": {"one", "zero"},
        "s4": {"one", "zero"},
    }


def test_the_topologys_own_partitions_count_where_there_is_no_mapping() -> None:
    fleet = Fleet()
    strategy = CustomStrategy.no_resharding(lambda _, request: {7: request})
    with client_of(cluster(2, partitions={1: [7]}), fleet, strategy) as client:
        assert client.call("get", ["a"]) == ["a@s1"]
        assert client.stats().left_out == 1


def test_custom_function_throws() -> None:
    cause = ZeroDivisionError("boom")

    def broken(endpoint: str, request: Any) -> Any:
        raise cause

    with client_of(cluster(2), Fleet(), CustomStrategy.no_resharding(broken)) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="boom") as caught:
            client.call("get", ["a"])
        assert caught.value.__cause__ is cause


def test_unknown_logical_partition() -> None:
    with client_of(cluster(2), Fleet(), CustomStrategy.no_resharding(lambda _, request: {9: request})) as client:
        with pytest.raises(shardway.NoPartitionError, match="9"):
            client.call("get", ["a"])
        with pytest.raises(LookupError):
            client.call("get", ["a"])


def test_unknown_partitions_beside_known_ones_enter_the_merger_as_failures() -> None:
    fleet, seen = Fleet(), []

    def merge(successes: Any, failures: Any) -> Any:
        seen.extend(failures)
        return join_answers(successes, failures)

    strategy = CustomStrategy.no_resharding(
        lambda _, request: {9: ["x"], 1: request, 8: ["y"]}, response_mergers=ResponseMergers().add("get", merge)
    )
    with client_of(cluster(2), fleet, strategy) as client:
        assert client.call("get", ["a"]) == ["a@s1"]
    assert [(part.partition, part.node, type(part.error)) for part in seen] == [
        (9, None, shardway.NoPartitionError),
        (8, None, shardway.NoPartitionError),
    ]


def test_endpoint_not_set() -> None:
    strategy = CustomStrategy.no_resharding(shardway.per_endpoint({"get": lambda request: {0: request}}))
    with client_of(cluster(2), Fleet(), strategy) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="put: .*check that it is defined"):
            client.call("put", ["a"])
        assert client.call("get", ["a"]) == ["a@s0"]


@pytest.mark.parametrize("answer", [{}, [1], "x", {"0": 1}, {True: 1}, {1.5: 2}])
def test_an_answer_of_the_wrong_form_is_the_strategys_fault(answer: Any) -> None:
    strategy = CustomStrategy.no_resharding(lambda *_: answer)
    with (
        client_of(cluster(2), Fleet(), strategy) as client,
        pytest.raises(shardway.PartitioningStrategyError, match="get"),
    ):
        client.call("get", ["a"])


def test_a_missing_response_merger_sends_nothing() -> None:
    fleet = Fleet()
    strategy = CustomStrategy.no_resharding(lambda _, request: {0: request, 1: request})
    with client_of(cluster(2), fleet, strategy) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="get: .*response merger"):
            client.call("get", ["a"])
    assert fleet.sent == []


def test_asynchronous_functions_are_run_to_their_end() -> None:
    async def split(endpoint: str, request: Any) -> Any:
        await asyncio.sleep(0)
        return {1: request}

    async def broken(endpoint: str, request: Any) -> Any:
        await asyncio.sleep(0)
        raise LookupError("boom")

    with client_of(cluster(2), Fleet(), CustomStrategy.no_resharding(split)) as client:
        assert client.call("get", ["a"]) == ["a@s1"]

        async def inside_a_loop() -> None:
            with pytest.raises(shardway.PartitioningStrategyError, match="AsyncPartitionedClient"):
                client.call("get", ["a"])

        asyncio.run(inside_a_loop())
    with (
        client_of(cluster(2), Fleet(), CustomStrategy.no_resharding(broken)) as client,
        pytest.raises(shardway.PartitioningStrategyError, match="boom") as caught,
    ):
        client.call("get", ["a"])
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_future_of_another_thread_is_waited_for() -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        strategy = CustomStrategy.no_resharding(lambda _, request: pool.submit(lambda: {1: request}))  # type: ignore[arg-type, return-value]
        with client_of(cluster(2), Fleet(), strategy) as client:
            assert client.call("get", ["a"]) == ["a@s1"]


def test_state_changes_from_0_to_1() -> None:
    fleet, state = Fleet(), State(0)
    strategy = CustomStrategy.resharding(lambda shard: lambda _, request: {shard: request}, state=state)
    with client_of(cluster(2), fleet, strategy) as client:
        client.call("get", ["a"])
        state.update(1)
        client.call("get", ["a"])
        assert fleet.nodes_asked == ["s0", "s1"]
        assert (client.stats().snap_updates, client.stats().partition_updates) == (2, 1)


def test_cluster_grows_from_2_to_5_with_another_mapping() -> None:
    fleet = Fleet()

    def logical(nodes: frozenset[Node]) -> Any:
        small = len(nodes) <= 2
        return lambda shard: shard if small else (1 if shard >= 2 else 0)

    strategy = CustomStrategy.cluster_resharding(
        lambda nodes: lambda _, request: {1: request}, logical_partition=logical, response_mergers=responses()
    )
    with client_of(cluster(2), fleet, strategy) as client:
        client.call("get", ["a"])
        assert fleet.nodes_asked == ["s1"]
        client.router.publish(cluster(5))
        fleet.sent.clear()
        for _ in range(60):
            client.call("get", ["a"])
        assert set(fleet.nodes_asked) == {"s2", "s3", "s4"}


def test_remove_and_add_a_partition() -> None:
    strategy = CustomStrategy.no_resharding(lambda _, request: {int(request[0]): request})
    with client_of(cluster(5), Fleet(), strategy) as client:
        assert client.stats().nodes == 5
        client.router.publish(cluster(4))
        with pytest.raises(shardway.NoPartitionError):
            client.call("get", ["4"])
        client.router.publish(cluster(6))
        assert client.call("get", ["5"]) == ["5@s5"]
        assert client.stats().nodes == 6


def test_a_partition_stays_while_it_has_a_node_and_goes_with_its_last() -> None:
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {7: request}, logical_partition=lambda shard: 7 if shard else 0
    )
    fleet = Fleet()
    with client_of(cluster(3), fleet, strategy) as client:
        client.call("get", ["a"])
        client.router.publish(cluster(2))
        fleet.sent.clear()
        client.call("get", ["a"])
        assert fleet.nodes_asked == ["s1"]
        client.router.publish(cluster(1))
        with pytest.raises(shardway.NoPartitionError):
            client.call("get", ["a"])


def test_a_weight_change_runs_the_mappings_again() -> None:
    calls: list[int] = []

    def logical(shard: int) -> int:
        calls.append(shard)
        return shard

    strategy = CustomStrategy.no_resharding(lambda _, request: {0: request}, logical_partition=logical)
    with client_of(cluster(2), Fleet(), strategy) as client:
        client.call("get", ["a"])
        assert calls == [0, 1]
        heavier = Topology([Node("s0", shard_id=0, weight=2), Node("s1", shard_id=1)], scheme="ring-v1")
        client.router.publish(heavier)
        client.call("get", ["a"])
        client.call("get", ["a"])
        assert calls == [0, 1, 0, 1]


def test_address_set_emptied_keeps_the_old_map() -> None:
    strategy = CustomStrategy.no_resharding(lambda _, request: {1: request})
    with client_of(cluster(2), Fleet(), strategy) as client:
        assert client.router.publish(Topology([], scheme="ring-v1")) == "kept_old"
        assert client.call("get", ["a"]) == ["a@s1"]
        client.router.publish(cluster(3))
        assert client.stats().nodes == 3


def test_mapping_throws_for_some_shards(caplog: pytest.LogCaptureFixture) -> None:
    def logical(shard: int) -> int:
        if shard == 1:
            raise LookupError("shard one is odd")
        return shard

    topology = Topology(
        [Node("s0", shard_id=0), Node("s1", shard_id=1), Node("nameless"), Node("s2", shard_id=2)], scheme="ring-v1"
    )
    strategy = CustomStrategy.no_resharding(lambda _, request: {int(request[0]): request}, logical_partition=logical)
    with client_of(topology, Fleet(), strategy) as client:
        assert client.call("get", ["0"]) == ["0@s0"]
        assert client.call("get", ["2"]) == ["2@s2"]
        with pytest.raises(shardway.NoPartitionError):
            client.call("get", ["1"])
        assert (client.stats().left_out, client.stats().nodes) == (2, 2)
    texts = [record.getMessage() for record in caplog.records]
    assert any("shard one is odd" in text and "s1" in text for text in texts)
    assert any("NoShardId" in text and "nameless" in text for text in texts)


def test_all_mappings_fail_and_the_old_view_stays() -> None:
    state = State("good")

    def logical(value: str) -> Any:
        return (lambda shard: shard) if value == "good" else (lambda shard: 1 // 0)

    strategy = CustomStrategy.resharding(
        lambda value: lambda _, request: {int(value == "good"): request}, state=state, logical_partition=logical
    )
    with client_of(cluster(2), Fleet(), strategy) as client:
        state.update("bad")
        assert client.call("get", ["a"]) == ["a@s1"], "the old function goes with the old map"
        assert client.stats().update_failures == 1


def test_a_failing_state_keeps_the_last_good_view_and_is_counted() -> None:
    state = State(0)

    def split(value: int) -> Any:
        if value == 13:
            raise RuntimeError("unlucky")
        return lambda _, request: {value: request}

    fleet = Fleet()
    with client_of(cluster(3), fleet, CustomStrategy.resharding(split, state=state)) as client:
        state.update(1)
        state.update(13)
        for _ in range(5):
            client.call("get", ["a"])
        assert set(fleet.nodes_asked) == {"s1"}
        assert client.stats().update_failures == 1
        state.update(2)
        client.call("get", ["a"])
        assert fleet.nodes_asked[-1] == "s2"


def test_a_state_that_fails_from_the_start_says_so_and_recovers() -> None:
    state = State(0)

    def split(value: int) -> Any:
        if value == 0:
            raise RuntimeError("not yet")
        return lambda _, request: {value: request}

    with client_of(cluster(3), Fleet(), CustomStrategy.resharding(split, state=state)) as client:
        with pytest.raises(shardway.PartitioningStrategyError, match="not yet"):
            client.call("get", ["a"])
        state.update(1)
        assert client.call("get", ["a"]) == ["a@s1"]


def test_reshard_on_state_a_request_under_way_keeps_its_view() -> None:
    fleet, state = Fleet(), State(0)

    def split(value: int) -> Any:
        def now(endpoint: str, request: Any) -> Any:
            if value == 0 and request == ["switch"]:
                state.update(1)
            return {value: request}

        return now

    with client_of(cluster(2), fleet, CustomStrategy.resharding(split, state=state)) as client:
        assert client.call("get", ["switch"]) == ["switch@s0"]
        assert client.call("get", ["a"]) == ["a@s1"]


def test_empty_server_set_at_the_start() -> None:
    strategy = CustomStrategy.no_resharding(lambda _, request: {0: request})
    with client_of(Topology([], scheme="ring-v1"), Fleet(), strategy) as client:
        with pytest.raises(shardway.NoPartitionError):
            client.call("get", ["a"])
        client.router.publish(cluster(1))
        assert client.call("get", ["a"]) == ["a@s0"]


def test_replicas_in_one_partition_share_its_requests() -> None:
    for pick in ("p2c", "round_robin"):
        fleet = Fleet()
        strategy = CustomStrategy.no_resharding(
            lambda _, request: {7: request},
            logical_partition=lambda shard: 7,
            pick=pick,  # type: ignore[arg-type]
        )
        with client_of(cluster(4), fleet, strategy) as client:
            for _ in range(80):
                client.call("get", ["a"])
        counts = Counter(fleet.nodes_asked)
        assert set(counts) == {"s0", "s1", "s2", "s3"}
        if pick == "round_robin":
            assert set(counts.values()) == {20}


def test_an_instance_that_is_marked_dead_is_passed_over() -> None:
    fleet = Fleet()
    fleet.fail["s1"] = ConnectionError("down")
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {7: request}, logical_partition=lambda shard: 7, pick="round_robin"
    )
    topology = cluster(3, failure_accrual={"consecutive_failures": 1})
    with client_of(topology, fleet, strategy) as client:
        failures = 0
        for _ in range(30):
            try:
                client.call("get", ["a"])
            except ConnectionError:
                failures += 1
        assert failures == 1
        fleet.fail = dict.fromkeys(["s0", "s2"], ConnectionError("down"))
        for _ in range(2):
            with pytest.raises(ConnectionError):
                client.call("get", ["a"])
        with pytest.raises(shardway.NodeUnavailableError) as caught:
            client.call("get", ["a"])
        assert set(caught.value.nodes) == {"s0", "s1", "s2"}


def test_per_endpoint_hashing_custom_errored_and_none() -> None:
    fleet = Fleet()

    def broken(request: Any) -> Any:
        raise LookupError("boom")

    strategies = MethodStrategies(
        {
            "hashed": shardway.HashingStrategy.for_endpoint("hashed", lambda request: {"k": request}),
            "custom": CustomStrategy.no_resharding(lambda _, request: {1: request}),
            "errored": shardway.HashingStrategy.for_endpoint("errored", broken),
        }
    )
    with client_of(cluster(3), fleet, strategies) as client:
        owner = client.router.route("k")
        assert client.call("hashed", ["a"]) == [f"a@{owner}"]
        assert client.call("custom", ["a"]) == ["a@s1"]
        with pytest.raises(shardway.PartitioningStrategyError, match="errored"):
            client.call("errored", ["a"])
        sent = len(fleet.sent)
        assert len(client.call("none", ["a", "b"])) == 2
        assert len(fleet.sent) == sent + 1
