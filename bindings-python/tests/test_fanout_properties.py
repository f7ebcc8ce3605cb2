"""Laws of the fan-out that hold for every request, topology and pattern of failure, on both clients."""

from __future__ import annotations

import asyncio
from typing import Any

from fleet import Fleet, by_key, join_requests, names, router
from hypothesis import given
from hypothesis import strategies as st

import shardway
from shardway import (
    AsyncPartitionedClient,
    CustomStrategy,
    HashingStrategy,
    Node,
    PartFailure,
    PartitionedClient,
    RequestMergers,
    ResponseMergers,
    Router,
    Topology,
)

KEYS = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8"), max_size=6), st.binary(max_size=6), st.integers(-(2**63), 2**63 - 1)
    ),
    min_size=1,
    max_size=30,
    unique=True,
)


def call_both(router: Router, fail: dict[str, BaseException], strategy: Any, request: Any) -> list[Any]:
    """What the client for threads and the one for asyncio give: a result, or an error."""

    async def on_asyncio() -> Any:
        fleet = Fleet()
        fleet.fail = fail
        async with AsyncPartitionedClient(router, fleet.send_async, strategy=strategy) as client:
            return await client.call("get", request)

    def on_threads() -> Any:
        fleet = Fleet()
        fleet.fail = fail
        with PartitionedClient(router, fleet.send, strategy=strategy) as client:
            return client.call("get", request)

    results = []
    for run in (on_threads, lambda: asyncio.run(on_asyncio())):
        try:
            results.append(run())
        except (ConnectionError, shardway.ShardwayError) as error:
            results.append(error)
    return results


def keep_all(successes: list[Any], failures: list[PartFailure]) -> Any:
    return successes, failures


@given(keys=KEYS, nodes=st.integers(1, 6), failing=st.sets(st.integers(0, 5)))
def test_a_merged_answer_is_the_map_over_the_parts(keys: list[Any], nodes: int, failing: set[int]) -> None:
    ring = router(nodes)
    fail: dict[str, BaseException] = {f"node-{number}": ConnectionError(f"node-{number}") for number in failing}
    strategy = HashingStrategy(
        by_key,
        request_mergers=RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add("get", keep_all),
    )
    groups = ring.group(keys)
    for result in call_both(ring, fail, strategy, keys):
        if len(groups) == 1:
            ((node, owned),) = groups.items()
            expected = fail.get(node, [f"{key}@{node}" for key in owned])
            assert result is expected or result == expected
            continue
        successes, failures = result
        assert successes == [[f"{key}@{node}" for key in owned] for node, owned in groups.items() if node not in fail]
        assert [(one.node, list(one.keys), one.request) for one in failures] == [
            (node, owned, owned) for node, owned in groups.items() if node in fail
        ]
        assert all(one.error is fail[one.node] and one.partition is None for one in failures)


@given(
    serves=st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=5),
    asked=st.lists(st.integers(0, 7), min_size=1, max_size=8, unique=True),
    failing=st.sets(st.integers(0, 4)),
)
def test_every_partition_asked_for_is_answered_by_one_that_serves_it_or_is_a_failure(
    serves: list[list[int]], asked: list[int], failing: set[int]
) -> None:
    instances = [Node(f"s{shard}", shard_id=shard) for shard in range(len(serves))]
    patient = {"consecutive_failures": 1_000}  # or a node with many partitions would be marked dead in mid-request
    ring = Router(Topology(instances, scheme="ring-v1", failure_accrual=patient))
    fail: dict[str, BaseException] = {f"s{number}": ConnectionError(f"s{number}") for number in failing}
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {partition: [str(partition)] for partition in request},
        logical_partition=serves.__getitem__,
        response_mergers=ResponseMergers().add("get", keep_all),
    )
    who = {part: {f"s{shard}" for shard, of in enumerate(serves) if part in of} for part in asked}
    for result in call_both(ring, fail, strategy, asked):
        if len(asked) == 1:
            if isinstance(result, shardway.NoPartitionError):
                assert not who[asked[0]]
            elif isinstance(result, ConnectionError):
                assert str(result) in who[asked[0]] & set(fail)
            else:
                assert result[0].split("@")[1] in who[asked[0]] - set(fail)
            continue
        successes, failures = result
        answered = [answer.split("@") for (answer,) in successes]
        failed = [one.partition for one in failures]
        assert sorted([int(part) for part, _ in answered] + failed) == sorted(asked)
        assert [int(part) for part, _ in answered] == [part for part in asked if part not in failed]
        assert failed == [part for part in asked if part in failed]
        assert all(node in who[int(part)] - set(fail) for part, node in answered)
        for one in failures:
            if not who[one.partition]:
                assert (one.node, type(one.error)) == (None, shardway.NoPartitionError)
            else:
                assert one.node in who[one.partition]
                assert one.error is fail[one.node]


@given(st.permutations(names(6)))
def test_the_order_of_the_nodes_in_the_topology_changes_no_request(order: list[str]) -> None:
    strategy = HashingStrategy(
        by_key,
        request_mergers=RequestMergers().add("get", join_requests),
        response_mergers=ResponseMergers().add("get", keep_all),
    )
    keys = [f"key:{number}" for number in range(30)]
    other = Router(Topology(order, scheme="ring-v1"))
    assert call_both(other, {}, strategy, keys) == call_both(router(6), {}, strategy, keys)
