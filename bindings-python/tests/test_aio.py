"""The fan-out client for asyncio: the same rules, and cancellation."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from fleet import Clock, Fleet, hashing, join_answers, names, owners, router, spread

import shardway
from shardway import AsyncPartitionedClient, CustomStrategy, HashingStrategy, Node, ResponseMergers, Router, Topology


async def test_hashing_splits_sends_and_merges() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing()) as client:
        answers = await client.call("get", keys)
        assert sorted(answers) == sorted(f"{key}@{owner}" for key, owner in owners(ring, keys).items())
        assert client.stats().router.redistributes == 1
    assert len(fleet.sent) == 3


async def test_all_parts_are_under_way_at_once_and_merge_in_key_order() -> None:
    fleet, ring = Fleet(), router()
    keys = spread(ring)
    fleet.wait = {node: threading.Event() for node in names(3)}
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing()) as client:
        call = asyncio.create_task(client.call("get", keys))
        async with asyncio.timeout(10):
            while len(fleet.sent) < 3:
                await asyncio.sleep(0.001)
        for node in reversed(names(3)):
            fleet.wait[node].set()
            await asyncio.sleep(0.005)
        answers = await call
    order = list(dict.fromkeys(ring.route(key) for key in keys))
    assert list(dict.fromkeys(answer.split("@")[1] for answer in answers)) == order


async def test_an_asynchronous_strategy_is_awaited() -> None:
    async def split(endpoint: str, request: Any) -> Any:
        await asyncio.sleep(0)
        if request == ["bad"]:
            raise LookupError("boom")
        return {0: request, 1: request}

    topology = Topology([Node("s0", shard_id=0), Node("s1", shard_id=1)], scheme="ring-v1")
    strategy = CustomStrategy.no_resharding(split, response_mergers=ResponseMergers().add("get", join_answers))
    async with AsyncPartitionedClient(Router(topology), Fleet().send_async, strategy=strategy) as client:
        assert await client.call("get", ["a"]) == ["a@s0", "a@s1"]
        with pytest.raises(shardway.PartitioningStrategyError, match="boom") as caught:
            await client.call("get", ["bad"])
        assert isinstance(caught.value.__cause__, LookupError)


async def test_errors_are_those_of_the_threaded_client() -> None:
    async with AsyncPartitionedClient(
        router(), Fleet().send_async, strategy=HashingStrategy(lambda *_: None)
    ) as client:
        with pytest.raises(shardway.NoPartitioningKeysError, match="get"):
            await client.call("get", ["a"])
        with pytest.raises(TypeError, match="endpoint"):
            await client.call("", ["a"])
        with pytest.raises(shardway.InvalidArgumentError, match="timeout_ms"):
            await client.call("get", ["a"], timeout_ms=-1)
    with pytest.raises(shardway.ClosedError):
        await client.call("get", ["a"])
    await client.close()


async def test_a_part_that_fails_reaches_the_merger_and_its_node_is_ejected() -> None:
    clock, fleet = Clock(), Fleet()
    ring = router(3, eject_failed_host=True, failure_accrual={"consecutive_failures": 1})
    keys = spread(ring)
    victim = ring.route(keys[0])
    fleet.fail[victim] = ConnectionError("down")
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing(), clock_ms=clock) as client:
        answers = await client.call("get", keys)
        assert 0 < len(answers) < len(keys)
        assert len(await client.call("get", keys)) == len(keys)
    assert ring.stats().ejections == 1


async def test_a_late_part_is_a_failure_and_its_end_still_counts() -> None:
    fleet, ring = Fleet(), router(3, failure_accrual={"consecutive_failures": 1})
    slow = ring.route("key:0")
    fleet.wait[slow], fleet.fail[slow] = threading.Event(), ConnectionError("late")
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing(), timeout_ms=100) as client:
        answers = await client.call("get", spread(ring))
        assert answers
        assert not any(answer.endswith(slow) for answer in answers)
        fleet.wait[slow].set()
        async with asyncio.timeout(10):
            while ring.next_tick_ms() is None:
                await asyncio.sleep(0.001)
    assert ring.admit(slow, 0) == "fail_fast"


async def test_a_call_that_is_cancelled_cancels_its_parts_and_blames_no_node() -> None:
    fleet, ring = Fleet(), router(3, failure_accrual={"consecutive_failures": 1})
    fleet.wait = {node: threading.Event() for node in names(3)}
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing()) as client:
        for request in (spread(ring), ["a"]):
            call = asyncio.create_task(client.call("get", request))
            await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        assert len(asyncio.all_tasks()) == 1
    assert ring.next_tick_ms() is None


async def test_close_cancels_what_is_under_way() -> None:
    fleet, ring = Fleet(), router()
    fleet.wait = {node: threading.Event() for node in names(3)}
    client = AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing())
    call = asyncio.create_task(client.call("get", spread(ring)))
    await asyncio.sleep(0.01)
    await client.close()
    with pytest.raises(shardway.ClosedError):
        await call
    assert len(asyncio.all_tasks()) == 1


async def test_a_hundred_calls_at_once() -> None:
    fleet, ring = Fleet(), router(5)
    keys = spread(ring)
    async with AsyncPartitionedClient(ring, fleet.send_async, strategy=hashing()) as client:
        for answers in await asyncio.gather(*(client.call("get", keys) for _ in range(100))):
            assert len(answers) == len(keys)
    assert len(fleet.sent) == 500
