"""Threads, the GIL and processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator

import pytest

from shardway import Router, Topology

SHORT = [f"key:{number}" for number in range(200)]


def ring(count: int, revision: int | None = None) -> Topology:
    return Topology([f"node-{number}" for number in range(count)], scheme="ring-v1", revision=revision)


@pytest.fixture
def no_forced_switches() -> Iterator[None]:
    """Leave the GIL with the thread that has it until that thread gives it up."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1_000)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Let threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


def progress_during(call: Callable[[], object]) -> int:
    """How many rounds another thread goes while `call` runs; 0 unless the call gives up the GIL."""
    rounds = 0
    stop = False

    def other() -> None:
        nonlocal rounds
        while not stop:
            rounds += 1
            time.sleep(0)  # gives up the GIL

    thread = threading.Thread(target=other)
    thread.start()
    try:
        while rounds == 0:
            time.sleep(0.001)
        before = rounds
        call()
        return rounds - before
    finally:
        stop = True
        thread.join()


@pytest.mark.usefixtures("no_forced_switches")
def test_the_gil_is_released_for_batches() -> None:
    router = Router(ring(100))
    keys = [f"key:{number}" for number in range(200_000)]
    data = "".join(keys).encode()
    offsets = array("I", [0])
    for key in keys:
        offsets.append(offsets[-1] + len(key))
    document = ring(20_000).to_json()

    # The measure itself: a call into C that keeps the GIL leaves the other thread where it was.
    assert progress_during(lambda: sorted(keys)) == 0
    assert progress_during(lambda: router.group(SHORT)) == 0

    hashes = array("Q", range(len(keys)))
    calls: list[Callable[[], object]] = [
        lambda: router.group(keys),
        lambda: router.group_indices(keys),
        lambda: router.group_packed(data, offsets),
        lambda: router.group_packed(bytearray(data), offsets),
        lambda: router.group_hashes(hashes),
        lambda: Topology.from_json(document),
        lambda: router.publish(ring(2_000)),
    ]
    for call in calls:
        # On a busy machine the other thread may wake up too late once, not every time.
        assert any(progress_during(call) for _ in range(100))


def test_a_list_that_changes_during_a_batch() -> None:
    """Another thread empties the list while the GIL is released: the batch has its own references."""
    router = Router(ring(100))
    for _ in range(5):
        keys = [f"key:{number}" for number in range(100_000)]
        expected = len(keys)
        stop = threading.Event()

        def empty(keys: list[str] = keys, stop: threading.Event = stop) -> None:
            stop.wait()
            keys.clear()

        thread = threading.Thread(target=empty)
        thread.start()
        stop.set()
        groups = router.group(keys)
        thread.join()
        assert sum(map(len, groups.values())) in {0, expected}


@pytest.mark.usefixtures("many_switches")
def test_eight_threads_route_while_one_publishes() -> None:
    """Every answer of a call is that of one topology, whole."""
    sizes = {revision: 50 + revision % 7 for revision in range(1, 101)}
    answers = {count: [Router(ring(count)).route(key) for key in SHORT] for count in set(sizes.values())}
    groups = {count: Router(ring(count)).group(SHORT) for count in answers}
    router = Router(ring(sizes[1], 1))
    failures: list[object] = []
    done = threading.Event()
    routed = [0] * 8

    def route(number: int) -> None:
        try:
            while not done.is_set():
                view = router.snapshot()
                right = answers[sizes[view.revision]]
                if [view.route(key) for key in SHORT] != right:
                    failures.append(("snapshot", view.revision))
                place = routed[number] % len(SHORT)
                if router.route(SHORT[place]) not in {right[place] for right in answers.values()}:
                    failures.append(("route", SHORT[place]))
                if router.group(SHORT) not in groups.values():
                    failures.append("group")
                if len(set(router.replicas(SHORT[place], 3))) != 3:
                    failures.append("replicas")
                routed[number] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=route, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for revision in range(2, 101):
        assert router.publish(ring(sizes[revision], revision)) == "published"
    while not all(routed):
        assert not failures
        time.sleep(0.001)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert router.revision == 100


@pytest.mark.usefixtures("many_switches")
def test_four_threads_group_while_one_ejects() -> None:
    """Every batch sees the node ejected or not, never half of it."""
    router = Router(ring(20))
    keys = SHORT * 5
    answers = [router.group(keys)]
    router.eject("node-3")
    answers.append(router.group(keys))
    seen = [0, 0]
    failures: list[object] = []
    done = threading.Event()

    def group() -> None:
        while not done.is_set():
            answer = router.group(keys)
            if answer in answers:
                seen[answers.index(answer)] += 1
            else:
                failures.append(answer)

    threads = [threading.Thread(target=group) for _ in range(4)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while not (all(seen) or failures) and time.monotonic() < deadline:
        router.revive("node-3")
        time.sleep(0.001)
        router.eject("node-3")
        time.sleep(0.001)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(seen)


def _route_in_child(router: Router, keys: list[str]) -> list[str]:
    return [router.route(key) for key in keys]


def test_a_child_routes_after_a_fork() -> None:
    router = Router(ring(10))
    expected = [router.route(key) for key in SHORT]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of pytest may run here, whatever happens.
        status = 1
        try:
            router.publish(ring(11))
            router.eject("node-10")
            same = [router.route(key) for key in SHORT] == expected
            grouped = sum(map(len, router.group(SHORT * 10).values())) == len(SHORT) * 10
            os.write(write, b"same" if same and grouped else b"other")
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as answers:
        assert answers.read() == b"same"
    assert os.waitpid(child, 0)[1] == 0
    assert router.revision == 1


def test_a_topology_goes_to_a_spawned_process() -> None:
    topology = ring(10)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        fingerprint = pool.apply(getattr, (topology, "fingerprint"))
    assert fingerprint == topology.fingerprint
