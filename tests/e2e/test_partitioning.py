"""The rows 'partitioning' of the reference suite on real servers, and what real networks add: garbage, servers that
are killed in the middle of a run, many callers at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import raw
from clients import Client, by_name, hashing, merge_get_boxes_requests
from raw import RawServer
from servers import Fleet
from shardway import HashingStrategy, PartFailure, RequestMergers, ResponseMergers, ShardNotAvailableError
from shardway.thrift import CallTimeoutError, ConnectError, GarbageAnswerError, NodeFailedError

MakeClient = Callable[..., Client]
MakeFleet = Callable[..., Fleet]

NAMES = [f"name {number}" for number in range(50)]


def keep_all(successes: list[list[Any]], failures: list[PartFailure]) -> tuple[list[Any], list[PartFailure]]:
    """The boxes of all parts that answered, and every failure."""
    return [box for boxes in successes for box in boxes], failures


def telling() -> HashingStrategy:
    """Hashing by name, with a merger that tells all failures."""
    return HashingStrategy.per_endpoint(
        {"getBoxes": by_name, "getBox": lambda request: {request.addrInfo.name: request}},
        request_mergers=RequestMergers().add("getBoxes", merge_get_boxes_requests),
        response_mergers=ResponseMergers().add("getBoxes", keep_all),
    )


def ask(client: Client, names: list[str]) -> tuple[list[str], list[PartFailure]]:
    boxes, failures = client.getBoxes(client.addresses(*names), 1)
    return [box.addrInfo.name for box in boxes], failures


def test_batch_with_failing_hosts(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    """The good parts answer, and the merger sees the failures: a dead host, and one that answers with an exception."""
    fleet = own_fleet("s0", "s1", "s2", "s3")
    client = make_client(fleet.nodes(), telling())
    groups = client.router.group(NAMES)
    assert len(groups) == 4
    fleet["s1"].kill()
    fleet["s2"].behave(error_code=42)
    answered, failures = ask(client, NAMES)
    assert answered == [name for node, names in groups.items() if node in ("s0", "s3") for name in names]
    by_node = {failure.node: failure for failure in failures}
    assert [failure.node for failure in failures] == [node for node in groups if node in ("s1", "s2")]
    assert isinstance(by_node["s1"].error, NodeFailedError)
    assert by_node["s1"].error.node == "s1"
    declared: Any = by_node["s2"].error
    assert isinstance(declared, client.delivery.AException)
    assert declared.errorCode == 42
    for node, failure in by_node.items():
        assert list(failure.keys) == groups[str(node)]
        assert [address.name for address in failure.request.listAddrInfo] == groups[str(node)]
        assert failure.endpoint == "getBoxes"


def test_a_declared_exception_as_the_only_answer_is_the_error(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing(), topology={"failure_accrual": {"consecutive_failures": 1}})
    for server in five:
        server.behave(error_code=9)
    for _ in range(3):
        with pytest.raises(client.delivery.AException) as caught:
            client.getBox(client.address("one"), 1)
        assert caught.value.errorCode == 9
    assert client.router.stats().dead_nodes == 0  # a live server answered


def test_all_hosts_fail_and_the_reference_merger_raises_the_first_failure(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), hashing())
    for index, server in enumerate(five):
        server.behave(error_code=index)
    first = int(client.router.route(NAMES[0])[1:])
    with pytest.raises(client.delivery.AException) as caught:
        client.get_boxes(*NAMES)
    assert caught.value.errorCode == first


def test_batch_with_slow_hosts(five: Fleet, make_client: MakeClient) -> None:
    """Parts run at once, and a part of other hosts does not wait for a slow one; the merge waits for all."""
    client = make_client(five.nodes(), telling())
    groups = client.router.group(NAMES)
    for server in five:
        server.behave(delay_ms=300)
    began = time.monotonic()
    answered, failures = ask(client, NAMES)
    took = time.monotonic() - began
    assert 0.3 <= took < 5 * 0.3 * 0.8  # not one after the other
    assert failures == []
    assert answered == [name for names in groups.values() for name in names]
    for server in five:
        server.behave()
    five["s0"].behave(delay_ms=1500)
    others = next(names for node, names in groups.items() if node != "s0")
    began = time.monotonic()
    assert client.getBox(client.address(others[0]), 1).item == "hi"
    assert time.monotonic() - began < 1


def test_slow_server_with_timeout(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes(), telling(), timeout_ms=300)
    groups = client.router.group(NAMES)
    five["s4"].behave(delay_ms=2_000)
    began = time.monotonic()
    answered, failures = ask(client, NAMES)
    assert time.monotonic() - began < 1.8
    assert [failure.node for failure in failures] == ["s4"]
    assert isinstance(failures[0].error, CallTimeoutError)
    assert list(failures[0].keys) == groups["s4"]
    assert sorted(answered + groups["s4"]) == sorted(NAMES)
    five["s4"].behave()
    assert client.getBox(client.address(groups["s4"][0]), 1).item == "hi"  # on a new connection


def test_server_that_answers_garbage(five: Fleet, make_client: MakeClient) -> None:
    """A typed error, its connection dropped, counted against the node; the next calls work."""
    with RawServer(raw.answer(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as broken:
        nodes = [*five.nodes("s0", "s1"), {"id": "broken", "host": broken.host, "port": broken.port}]
        accrual = {"consecutive_failures": 2, "backoff_min_ms": 60_000}
        client = make_client(nodes, telling(), topology={"failure_accrual": accrual, "eject_failed_host": True})
        groups = client.router.group(NAMES)
        for _ in range(2):
            answered, failures = ask(client, NAMES)
            assert [failure.node for failure in failures] == ["broken"]
            assert isinstance(failures[0].error, GarbageAnswerError)
            assert sorted(answered + groups["broken"]) == sorted(NAMES)
        assert broken.open_connections() == 0
        assert client.router.stats().ejections == 1
        answered, failures = ask(client, NAMES)
        assert failures == []
        assert sorted(answered) == sorted(NAMES)


def test_nobody_at_the_address(five: Fleet, make_client: MakeClient) -> None:
    with RawServer(raw.silence) as once:
        gone = {"id": "gone", "host": once.host, "port": once.port}
    client = make_client([*five.nodes("s0"), gone], telling())
    key = next(name for name in NAMES if client.router.route(name) == "gone")
    with pytest.raises(ConnectError, match=r"node 'gone', getBox: no connection to 127\.0\.0\.1"):
        client.getBox(client.address(key), 1)
    assert isinstance(ConnectError("x"), ShardNotAvailableError)


def test_server_killed_in_mid_run(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    """Every batch, before, during and after: what is answered and what is named as failed is all that was asked."""
    fleet = own_fleet("s0", "s1", "s2")
    accrual = {"consecutive_failures": 3, "backoff_min_ms": 60_000}
    client = make_client(fleet.nodes(), telling(), topology={"failure_accrual": accrual, "eject_failed_host": True})
    before = {name: client.router.route(name) for name in NAMES}
    victim = before[NAMES[0]]
    failed: list[PartFailure] = []
    for turn in range(30):
        if turn == 10:
            fleet[victim].kill()
        answered, failures = ask(client, NAMES)
        assert sorted([*answered, *(str(key) for failure in failures for key in failure.keys)]) == sorted(NAMES)
        failed += failures
    assert {failure.node for failure in failed} == {victim}
    assert len(failed) == 3  # then it was ejected
    after = {name: client.router.route(name) for name in NAMES}
    assert {name for name in NAMES if after[name] != before[name]} == {n for n in NAMES if before[n] == victim}


def test_8_threads_at_once(five: Fleet, make_client: MakeClient, mode: str) -> None:
    """From 8 threads, or as many tasks, each answer is the one to its own question."""
    client = make_client(five.nodes(), telling(), max_connections=3)

    def work(number: int) -> int:
        for turn in range(25):
            names = [f"{number}.{turn}.{index}" for index in range(12)]
            answered, failures = client.thrift.getBoxes(client.addresses(*names), number)
            assert failures == []
            assert sorted(box.addrInfo.name for box in answered) == sorted(names)
            assert client.thrift.getBox(client.address(names[0]), 1).addrInfo.name == names[0]
        return number

    if mode == "sync":
        with ThreadPoolExecutor(8) as threads:
            assert sorted(threads.map(work, range(8), timeout=60)) == list(range(8))
    else:
        asked = [[f"{number}.{index}" for index in range(12)] for number in range(100)]
        answers = client.all_at_once(*[("getBoxes", client.addresses(*names), 1) for names in asked])
        for names, (boxes, failures) in zip(asked, answers, strict=True):
            assert failures == []
            assert sorted(box.addrInfo.name for box in boxes) == sorted(names)
    for stats in client.thrift.pools().values():
        assert 1 <= stats.opened <= 3
        assert stats.open == stats.idle
