"""The observable state of a resharding strategy."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from fleet import Fleet, by_key, router

import shardway
from shardway import State


def test_watchers_see_each_change_and_none_after_they_left() -> None:
    state, seen = State(0), []
    unwatch = state.watch(lambda: seen.append(state.value))
    state.update(1)
    state.update(2)
    unwatch()
    unwatch()
    state.update(3)
    assert (seen, state.value, state.version) == ([1, 2], 3, 3)


def test_a_watcher_may_watch_and_update_from_inside_its_call() -> None:
    state, seen = State(0), []

    def watcher() -> None:
        seen.append(state.value)
        if state.value < 3:
            state.watch(lambda: None)()
            state.update(state.value + 1)

    state.watch(watcher)
    state.update(1)
    assert seen == [1, 2, 3]


def test_one_watcher_that_fails_does_not_silence_the_rest() -> None:
    state, seen = State(0), []

    def broken() -> None:
        raise RuntimeError("boom")

    state.watch(broken)
    state.watch(lambda: seen.append(state.value))
    with pytest.raises(RuntimeError, match="boom"):
        state.update(1)
    assert seen == [1]


def test_updates_of_many_threads_are_all_counted() -> None:
    state, seen = State(0), []
    state.watch(lambda: seen.append(state.value))
    threads = [threading.Thread(target=lambda: [state.update(1) for _ in range(200)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.version == 1_600
    assert seen


def test_a_state_does_not_keep_clients_that_nobody_closed() -> None:
    state = State(0)
    strategy = shardway.CustomStrategy.resharding(lambda _: by_key, state=state)
    client = shardway.PartitionedClient(router(), Fleet().send, strategy=strategy)
    gone = weakref.ref(client._scatter)
    del client, strategy
    gc.collect()
    assert gone() is None
    state.update(1)
