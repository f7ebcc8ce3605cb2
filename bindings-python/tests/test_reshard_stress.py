"""Requests while state and topology change under them: each meets one function and the map that belongs to it."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fleet import Fleet

import shardway
from shardway import AsyncPartitionedClient, CustomStrategy, Node, PartitionedClient, Router, State, Topology

SHARDS = 4
CALLS = 150
CHANGES = 20
"""Each worker makes that many calls at least, and goes on until the state has changed that often."""


def topology(count: int) -> Topology:
    return Topology([Node(f"s{shard}", shard_id=shard) for shard in range(count)], scheme="ring-v1")


def strategy(state: State[int]) -> CustomStrategy:
    """Under state n only the partition n exists, so a function of one state and a map of another cannot agree."""
    return CustomStrategy.resharding(
        lambda value: lambda _, request: {value: request},
        logical_partition=lambda value: lambda shard_id: value,
        state=state,
    )


@contextmanager
def changes(router: Router, state: State[int]) -> Iterator[Callable[[], int]]:
    """Change the state on two threads and the topology on a third for as long as the block runs."""
    stop, rounds = threading.Event(), [0]

    def reshard() -> None:
        value = 0
        while not stop.is_set():
            state.update(value := value + 1)
            rounds[0] += 1
            time.sleep(0)

    def publish() -> None:
        count = 0
        while not stop.is_set():
            router.publish(topology(1 + (count := count + 1) % SHARDS))
            time.sleep(0)

    threads = [threading.Thread(target=target) for target in (reshard, reshard, publish)]
    for thread in threads:
        thread.start()
    try:
        yield lambda: rounds[0]
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()


def test_eight_threads_meet_no_mixed_view() -> None:
    router, state = Router(topology(SHARDS)), State(0)
    errors: list[Exception] = []

    def work(rounds: Callable[[], int]) -> None:
        calls = itertools.count()
        try:
            while next(calls) < CALLS or rounds() < CHANGES:
                (answer,) = client.call("get", ["a"])
                assert answer.startswith("a@s")
        except (shardway.ShardwayError, AssertionError) as error:
            errors.append(error)

    with PartitionedClient(router, Fleet().send, strategy=strategy(state)) as client:
        with changes(router, state) as rounds:
            threads = [threading.Thread(target=work, args=(rounds,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
                assert not thread.is_alive()
        assert errors == []
        stats = client.stats()
        assert (stats.nodes, stats.update_failures) == (1, 0)


async def test_a_hundred_tasks_meet_no_mixed_view() -> None:
    router, state = Router(topology(SHARDS)), State(0)
    async with AsyncPartitionedClient(router, Fleet().send_async, strategy=strategy(state)) as client:
        with changes(router, state) as rounds:
            batches = itertools.count()
            while next(batches) < 5 or rounds() < CHANGES:
                async with asyncio.timeout(60):
                    answers = await asyncio.gather(*(client.call("get", ["a"]) for _ in range(100)))
                assert all(answer.startswith("a@s") for (answer,) in answers)
        assert client.stats().update_failures == 0
