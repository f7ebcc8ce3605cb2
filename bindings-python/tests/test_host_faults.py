"""Faults of what the user hands in, and ends that come at a bad time: a typed error, and the next call works."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gc
import logging
import threading
import weakref
from collections import Counter
from typing import Any

import pytest
from fleet import Clock, Fleet, hashing, join_answers, router, spread

import shardway
from shardway import (
    AsyncPartitionedClient,
    CustomStrategy,
    HashingStrategy,
    Node,
    PartFailure,
    PartitionedClient,
    ResponseMergers,
    Router,
    State,
    Topology,
)


def shards(count: int, **fields: Any) -> Router:
    return Router(Topology([Node(f"s{shard}", shard_id=shard) for shard in range(count)], scheme="ring-v1", **fields))


@pytest.mark.parametrize("bad", ["x", ["x"], 2**40, [True], [1, 2.5], None, [-(2**31) - 1]])
def test_a_mapping_of_the_wrong_form_leaves_out_its_instance_only(bad: Any) -> None:
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {1: request}, logical_partition=lambda shard: bad if shard == 0 else 1
    )
    with PartitionedClient(shards(2), Fleet().send, strategy=strategy) as client:
        assert client.call("get", ["a"]) == ["a@s1"]
        assert (client.stats().left_out, client.stats().update_failures) == (1, 0)


def test_a_partition_id_that_cannot_be_is_no_partition() -> None:
    strategy = CustomStrategy.no_resharding(lambda *_: {2**40: ["a"]})
    with PartitionedClient(shards(2), Fleet().send, strategy=strategy) as client:
        with pytest.raises(shardway.NoPartitionError, match=str(2**40)):
            client.call("get", ["a"])


def test_partitions_take_turns_each_for_themselves() -> None:
    fleet = Fleet()
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {0: request, 1: request},
        logical_partition=lambda shard: shard % 2,
        response_mergers=ResponseMergers().add("get", join_answers),
        pick="round_robin",
    )
    with PartitionedClient(shards(4), fleet.send, strategy=strategy) as client:
        for _ in range(10):
            client.call("get", ["a"])
    assert Counter(fleet.nodes_asked) == {"s0": 5, "s1": 5, "s2": 5, "s3": 5}


def test_p2c_prefers_the_instance_with_less_under_way() -> None:
    fleet, started = Fleet(), threading.Event()
    fleet.wait["s0"] = threading.Event()
    fleet.hooks["s0"] = started.set
    strategy = CustomStrategy.no_resharding(lambda _, request: {7: request}, logical_partition=lambda shard: 7)
    with PartitionedClient(shards(2), fleet.send, strategy=strategy) as client:
        while "s0" not in fleet.nodes_asked:  # one call hangs on s0 ...
            thread = threading.Thread(target=client.call, args=("get", ["a"]))
            thread.start()
            thread.join(0.2)
        fleet.sent.clear()
        for _ in range(20):  # ... so none of these goes there
            assert client.call("get", ["b"]) == ["b@s1"]
        fleet.wait["s0"].set()
        thread.join(10)


def test_an_update_that_fails_without_a_view_is_counted_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    strategy = CustomStrategy.no_resharding(lambda _, request: {0: request})
    with PartitionedClient(Router(Topology(["plain"], scheme="ring-v1")), Fleet().send, strategy=strategy) as client:
        for _ in range(5):
            with pytest.raises(shardway.NoPartitionError):
                client.call("get", ["a"])
        assert client.stats().update_failures == 1
    assert len([record for record in caplog.records if "plain" in record.getMessage()]) == 1


@pytest.mark.parametrize("verdict", ["fine", None, 1, []])
def test_a_verdict_that_is_none_counts_as_a_failure(verdict: Any, caplog: pytest.LogCaptureFixture) -> None:
    fleet, ring = Fleet(), router(1, failure_accrual={"consecutive_failures": 1})
    fleet.fail["node-0"] = LookupError("declared")
    with PartitionedClient(
        ring, fleet.send, strategy=hashing(), classify=lambda _: verdict, clock_ms=Clock()
    ) as client:
        with pytest.raises(LookupError):
            client.call("get", ["a"])
    assert ring.admit("node-0", 1_000) == "fail_fast"
    assert "is right" in caplog.text


def test_a_clock_that_fails_after_the_send_does_not_cost_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    readings = iter([1_000])
    with PartitionedClient(router(1), Fleet().send, strategy=hashing(), clock_ms=lambda: next(readings)) as client:
        assert client.call("get", ["a"]) == ["a@node-0"]
        with pytest.raises(StopIteration):
            client.call("get", ["a"])
    assert "was not reported" in caplog.text


def test_events_of_nodes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    fleet, ring, clock = Fleet(), router(1, failure_accrual={"consecutive_failures": 1}), Clock()
    fleet.fail["node-0"] = ConnectionError("down")
    with caplog.at_level(logging.WARNING, logger="shardway"):
        with PartitionedClient(ring, fleet.send, strategy=hashing(), clock_ms=clock) as client:
            with pytest.raises(ConnectionError):
                client.call("get", ["a"])
    assert "node node-0 ejected" in caplog.text


def test_a_coroutine_function_is_no_send_for_threads() -> None:
    with pytest.raises(shardway.InvalidArgumentError, match="send: a coroutine function"):
        PartitionedClient(router(), Fleet().send_async)


async def test_a_plain_function_is_no_send_for_asyncio_and_blames_no_node() -> None:
    ring = router(1, failure_accrual={"consecutive_failures": 1})
    async with AsyncPartitionedClient(ring, Fleet().send, strategy=hashing(), clock_ms=Clock()) as client:
        with pytest.raises(shardway.InvalidArgumentError, match="send: it gave a list"):
            await client.call("get", ["a"])
    assert ring.admit("node-0", 1_000) == "send"


def test_custom_for_one_endpoint_leaves_the_others_whole_and_checks_the_type() -> None:
    fleet = Fleet()
    strategy = CustomStrategy.for_endpoint(
        "get",
        lambda request: {0: request, 1: request},
        request_type=list,
        response_merger=join_answers,
    )
    with PartitionedClient(shards(2), fleet.send, strategy=strategy) as client:
        assert client.call("get", ["a"]) == ["a@s0", "a@s1"]
        fleet.sent.clear()
        client.call("put", ["a"])
        assert len(fleet.sent) == 1
        with pytest.raises(shardway.PartitioningStrategyError, match="type tuple; the strategy takes list"):
            client.call("get", ("a",))
        with pytest.raises(shardway.InvalidArgumentError, match="too late"):
            strategy.response_mergers.add("put", join_answers)


@pytest.mark.parametrize("kind", [HashingStrategy, CustomStrategy])
def test_a_strategy_for_one_endpoint_checks_what_it_is_made_of(kind: Any) -> None:
    with pytest.raises(shardway.InvalidArgumentError, match="endpoint: None"):
        kind.for_endpoint(None, lambda request: {})
    with pytest.raises(shardway.InvalidArgumentError, match="request_type"):
        kind.for_endpoint("get", lambda request: {}, request_type="list")
    with pytest.raises(shardway.InvalidArgumentError, match="a NoneType; a function"):
        kind.for_endpoint("get", None)


def test_a_late_part_of_a_partition_says_which_instance_it_was_sent_to() -> None:
    fleet, seen = Fleet(), []
    fleet.wait = {name: threading.Event() for name in ("s0", "s1")}

    def merge(successes: Any, failures: list[PartFailure]) -> Any:
        seen.extend(failures)
        return join_answers(successes, failures)

    strategy = CustomStrategy.no_resharding(
        lambda _, request: {0: request, 1: request},
        logical_partition=lambda shard: 0 if shard < 2 else 1,
        response_mergers=ResponseMergers().add("get", merge),
    )
    with PartitionedClient(shards(3), fleet.send, strategy=strategy) as client:
        assert client.call("get", ["a"], timeout_ms=300) == ["a@s2"]
        (late,) = seen
        assert (late.partition, type(late.error)) == (0, shardway.PartTimeoutError)
        assert late.node in fleet.nodes_asked
        assert late.node != "s2"
        for event in fleet.wait.values():
            event.set()


async def test_a_late_part_of_a_partition_says_so_on_asyncio_too() -> None:
    fleet, seen = Fleet(), []
    fleet.wait = {name: threading.Event() for name in ("s0", "s1")}
    strategy = CustomStrategy.no_resharding(
        lambda _, request: {0: request, 1: request},
        logical_partition=lambda shard: 0 if shard < 2 else 1,
        response_mergers=ResponseMergers().add("get", lambda _, failures: seen.extend(failures)),
    )
    async with AsyncPartitionedClient(shards(3), fleet.send_async, strategy=strategy) as client:
        await client.call("get", ["a"], timeout_ms=100)
    (late,) = seen
    assert (late.partition, type(late.error)) == (0, shardway.PartTimeoutError)
    assert late.node in ("s0", "s1")


def test_an_asynchronous_strategy_that_hangs_ends_with_the_request() -> None:
    async def forever(endpoint: str, request: Any) -> Any:
        await asyncio.sleep(60)

    pending: concurrent.futures.Future[Any] = concurrent.futures.Future()
    splits: list[Any] = [forever, lambda *_: pending]
    for split in splits:
        with PartitionedClient(shards(2), Fleet().send, strategy=CustomStrategy.no_resharding(split)) as client:
            with pytest.raises(shardway.PartitioningStrategyError) as caught:
                client.call("get", ["a"], timeout_ms=50)
            assert isinstance(caught.value.__cause__, TimeoutError)


async def test_a_future_of_another_thread_is_awaited() -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        strategy = CustomStrategy.no_resharding(lambda _, request: pool.submit(lambda: {1: request}))  # type: ignore[arg-type, return-value]
        async with AsyncPartitionedClient(shards(2), Fleet().send_async, strategy=strategy) as client:
            assert await client.call("get", ["a"]) == ["a@s1"]


async def test_close_ends_a_request_of_one_part_too() -> None:
    fleet, ring = Fleet(), router(1, failure_accrual={"consecutive_failures": 1})
    fleet.wait["node-0"] = threading.Event()
    client = AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing(), clock_ms=Clock())
    call = asyncio.create_task(client.call("get", ["a"]))
    while not fleet.sent:
        await asyncio.sleep(0)
    await client.close()
    with pytest.raises(shardway.ClosedError):
        await call
    assert ring.admit("node-0", 1_000) == "send"


async def test_close_while_the_strategy_is_awaited_sends_nothing() -> None:
    fleet, go = Fleet(), asyncio.Event()

    async def split(endpoint: str, request: Any) -> Any:
        await go.wait()
        return {0: request}

    client = AsyncPartitionedClient(shards(1), fleet.send_async, strategy=CustomStrategy.no_resharding(split))
    call = asyncio.create_task(client.call("get", ["a"]))
    await asyncio.sleep(0)
    await client.close()
    go.set()
    with pytest.raises(shardway.ClosedError):
        await call
    assert fleet.sent == []


async def test_a_merger_and_a_send_may_call_the_client_on_asyncio() -> None:
    ring = router()

    async def send(node: Node, endpoint: str, request: Any) -> Any:
        return await client.call("get", request) if endpoint == "outer" else request

    async with AsyncPartitionedClient(ring, send, strategy=hashing("outer", "get")) as client:
        async with asyncio.timeout(20):
            results = await asyncio.gather(*(client.call("outer", spread(ring)) for _ in range(8)))
    assert all(sorted(result) == sorted(spread(ring)) for result in results)


def test_a_merger_may_call_the_client() -> None:
    ring, fleet = router(), Fleet()
    keys = spread(ring)
    strategy = hashing("get")
    strategy.request_mergers.add("outer", lambda requests: [key for request in requests for key in request])
    strategy.response_mergers.add("outer", lambda successes, failures: client.call("get", keys, timeout_ms=20_000))
    with PartitionedClient(ring, fleet.send, strategy=strategy, max_workers=1) as client:
        assert len(client.call("outer", keys)) == len(keys)


def test_the_error_of_a_single_part_does_not_keep_its_request_alive() -> None:
    class Request(list[str]):
        """A list that can be watched."""

    fleet = Fleet()
    fleet.fail["node-0"] = ConnectionError("down")
    request = Request(["a"])
    gone = weakref.ref(request)
    gc.collect()
    gc.disable()  # so that only what nothing holds is freed
    try:
        with PartitionedClient(router(1), fleet.send, strategy=hashing()) as client:
            with contextlib.suppress(ConnectionError):
                client.call("get", request)
            fleet.sent.clear()
            fleet.fail.clear()
            del request
            assert gone() is None
    finally:
        gc.enable()


def test_a_state_forgets_the_watchers_of_clients_that_nobody_closed() -> None:
    state = State(0)
    for _ in range(10):
        strategy = CustomStrategy.resharding(lambda _: lambda _, request: {0: request}, state=state)
        PartitionedClient(shards(1), Fleet().send, strategy=strategy)
    gc.collect()
    assert len(state._watchers) == 0


def test_a_client_may_be_closed_from_its_own_send_and_from_a_merger() -> None:
    ring = router()

    def send(node: Node, endpoint: str, request: Any) -> Any:
        client.close()
        return request

    client = PartitionedClient(ring, send, strategy=hashing())
    result: list[Any] = []
    thread = threading.Thread(target=lambda: result.append(client.call("get", spread(ring))))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert len(result[0]) == 40
    with pytest.raises(shardway.ClosedError):
        client.call("get", ["a"])


async def test_a_client_may_be_closed_from_its_own_send_on_asyncio() -> None:
    async def send(node: Node, endpoint: str, request: Any) -> Any:
        await client.close()
        return request

    client = AsyncPartitionedClient(router(1), send, strategy=hashing())
    async with asyncio.timeout(20):
        assert await client.call("get", ["a"]) == ["a"]
        with pytest.raises(shardway.ClosedError):
            await client.call("get", ["a"])
