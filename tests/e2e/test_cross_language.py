"""Every client language against a ring with one server of each language: the same answers, the same servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from programs import LANGUAGES, Driver
from servers import Fleet
from shardway import Router, Topology

FIVE = dict(zip(("s0", "s1", "s2", "s3", "s4"), (*LANGUAGES, "python"), strict=True))
"""The servers, and the language of each."""

CONCAT = {"request_merger": "concat", "response_merger": "concat"}
BY_NAME = {"split": {"each": "key"}, **CONCAT}
HASHING = {"kind": "hashing", "endpoints": dict.fromkeys(("getBox", "getBoxes", "sendBox", "sendBoxes"), BY_NAME)}

Start = Callable[..., Driver]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """The language of the client."""
    return str(request.param)


@pytest.fixture(scope="module")
def _mixed() -> Iterator[Fleet]:
    with Fleet(FIVE, languages=FIVE) as fleet:
        yield fleet


@pytest.fixture
def mixed(_mixed: Fleet) -> Fleet:
    """One server of each language, and a second one of Python; what they were asked before is forgotten."""
    for server in _mixed:
        server.forget()
        assert server.pid is not None
    return _mixed


@pytest.fixture
def start(language: str, mixed: Fleet) -> Iterator[Start]:
    """Starts clients of the language at hand, over all servers or those named; they end with the test."""
    made: list[Driver] = []

    def driver(strategy: Any, *names: str, document: dict[str, Any] | None = None, **more: Any) -> Driver:
        made.append(Driver(language, topology(mixed, *names, **(document or {})), strategy, **more))
        return made[-1].__enter__()

    yield driver
    for one in made:
        one.__exit__(None, None, None)


def topology(fleet: Fleet, *names: str, **more: Any) -> dict[str, Any]:
    return {"format": 1, "scheme": {"native": "ring-v1"}, "nodes": fleet.nodes(*names), **more}


def custom(split: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "custom", "endpoints": {"getBoxes": {"split": split, "response_merger": "concat"}}, **more}


def asked(fleet: Fleet) -> dict[str, list[list[str]]]:
    """The names of each call by server; servers without a call are left out."""
    found = {server.name: [call["names"] for call in server.calls()] for server in fleet}
    return {name: calls for name, calls in found.items() if calls}


def sizes(*pairs: tuple[str, int]) -> list[list[str]]:
    return [[name, f"size: {size}"] for name, size in pairs]


KEYS = [
    *(f"key {number}" for number in range(200)),
    "",
    " ",
    "k" * 3000,
    "Straße 5",
    "地址",
    "🦀",
    "a\tb\u0000c",
    "e\u0301",
    "\u00e9",
    "\ufffd",
]


def test_every_client_sends_each_key_to_the_same_server(mixed: Fleet) -> None:
    router = Router(Topology(mixed.nodes(), scheme="ring-v1"))
    expected = {node: sorted(keys) for node, keys in router.group(KEYS).items()}
    assert set(expected) == set(FIVE), "a server without a key would be compared with nothing"
    got = {}
    for language in LANGUAGES:
        for server in mixed:
            server.forget()
        with Driver(language, topology(mixed), HASHING) as client:
            assert client.ask(owners=KEYS)["owners"] == [router.route(key) for key in KEYS]
            assert sorted(name for name, _ in client.call("getBoxes", *KEYS)) == sorted(KEYS)
            for key in KEYS[::20]:
                assert client.call("getBox", key) == [[key, "hi"]]
                assert client.call("sendBox", key) == key
        got[language] = {
            server.name: sorted(
                name for call in server.calls() if call["endpoint"] == "getBoxes" for name in call["names"]
            )
            for server in mixed
        }
        alone = {server.name: sorted({name for call in server.calls() for name in call["names"]}) for server in mixed}
        assert alone == expected, language
    assert got == dict.fromkeys(LANGUAGES, expected)


def test_no_strategy(mixed: Fleet, start: Start) -> None:
    client = start(None)
    for _ in range(5):
        assert client.call("getBoxes", "one", "two", "one") == sizes(("one", 3), ("two", 3), ("one", 3))
    assert client.call("sendBox", "one") == "one"
    assert client.call("sendBoxes", "one", "two") == "one,two"
    assert client.call("getBox", "one") == [["one", "hi"]]
    assert set(asked(mixed)) == set(FIVE), "whole requests go to the nodes in turn"


def test_hashing(mixed: Fleet, start: Start) -> None:
    client = start(HASHING)
    home = client.ask(owners=["one"])["owners"][0]
    owners = dict(zip(KEYS, client.ask(owners=KEYS)["owners"], strict=True))
    apart = next(key for key, owner in owners.items() if owner != home)
    together = next(key for key, owner in owners.items() if owner == home)
    assert client.call("getBoxes", "one", apart, "one") == sizes(("one", 2), ("one", 2), (apart, 1))
    assert asked(mixed) == {home: [["one", "one"]], owners[apart]: [[apart]]}
    for server in mixed:
        server.forget()
    # All on one node: the original request goes out, in its own order.
    assert client.call("getBoxes", "one", together, "one") == sizes(("one", 3), (together, 3), ("one", 3))
    assert asked(mixed) == {home: [["one", together, "one"]]}
    assert client.call("sendBoxes", "one", apart) == f"one,{apart}"


def test_hashing_endpoint_not_specified_or_without_keys(mixed: Fleet, start: Start) -> None:
    empty = {"split": {"pairs": []}}
    client = start({"kind": "hashing", "endpoints": {"getBoxes": BY_NAME, "sendBoxes": empty}})
    for endpoint in ("sendBox", "sendBoxes"):
        error = client.error(endpoint, "one")
        assert error["code"] == "NoPartitioningKeys"
        assert endpoint in error["text"]
    assert asked(mixed) == {}


def test_hashing_function_throws(mixed: Fleet, start: Start) -> None:
    client = start({"kind": "hashing", "endpoints": {"getBoxes": {"split": {"throws": "no luck"}}}})
    error = client.error("getBoxes", "one")
    assert (error["code"], error["cause"]) == ("PartitioningStrategy", "no luck")
    assert asked(mixed) == {}


def test_custom_each_shard_a_partition(mixed: Fleet, start: Start) -> None:
    client = start(custom({"table": {"zero": 0, "one": 1, "two": 0}}))
    assert client.call("getBoxes", "zero", "one", "two") == sizes(("zero", 2), ("two", 2), ("one", 1))
    assert asked(mixed) == {"s0": [["zero", "two"]], "s1": [["one"]]}


def test_custom_same_request_to_five_partitions(mixed: Fleet, start: Start) -> None:
    client = start(custom({"all": [0, 1, 2, 3, 4]}))
    boxes = client.call("getBoxes", "zero", "one", "two")
    assert boxes == sizes(("zero", 3), ("one", 3), ("two", 3)) * 5
    assert asked(mixed) == {name: [["zero", "one", "two"]] for name in FIVE}


LOGICAL = {"0": [0], "1": [0, 1], "2": [1], "3": [2], "4": [2]}
"""Partition 0 is served by instances 0 and 1, partition 1 by 1 and 2, partition 2 by 3 and 4."""


@pytest.mark.parametrize("declared", ["by a function", "in the topology"])
def test_custom_logical_partitions(mixed: Fleet, start: Start, declared: str) -> None:
    split = {"table": {"four": 0, "three": 1, "two": 1, "one": 2, "zero": 2}}
    if declared == "by a function":
        client = start(custom(split, logical=LOGICAL))
    else:
        partitions = [{"shard_id": int(shard), "serves": serves} for shard, serves in LOGICAL.items()]
        client = start(custom(split), document={"partitions": partitions})
    for _ in range(8):
        boxes = client.call("getBoxes", "four", "three", "two", "one", "zero")
        assert boxes == sizes(("four", 1), ("three", 2), ("two", 2), ("one", 2), ("zero", 2))
    calls = asked(mixed)
    for servers, names in ((("s0", "s1"), ["four"]), (("s1", "s2"), ["three", "two"]), (("s3", "s4"), ["one", "zero"])):
        assert sum(calls.get(server, []).count(names) for server in servers) == 8


def test_custom_function_throws_and_endpoint_not_set(mixed: Fleet, start: Start) -> None:
    client = start(custom({"throws": "no luck"}))
    error = client.error("getBoxes", "one")
    assert (error["code"], error["cause"]) == ("PartitioningStrategy", "no luck")
    error = client.error("sendBox", "one")
    assert error["code"] == "PartitioningStrategy"
    assert "sendBox" in error["text"]
    assert asked(mixed) == {}


def test_custom_unknown_logical_partition(mixed: Fleet, start: Start) -> None:
    client = start(custom({"table": {"one": 9, "two": 0}}, logical=LOGICAL))
    error = client.error("getBoxes", "one")
    assert error["code"] == "NoPartition"
    assert "9" in error["text"]
    # With another part that was sent the merger decides: this one keeps what succeeded.
    assert client.call("getBoxes", "one", "two") == sizes(("two", 1))


def test_state_changes(mixed: Fleet, start: Start) -> None:
    by_state = {state: {"endpoints": {"getBoxes": {"split": {"all": [int(state)]}}}} for state in ("0", "1")}
    client = start({"kind": "custom", "by_state": by_state}, state="0")
    assert client.call("getBoxes", "a") == sizes(("a", 1))
    before = client.ask(stats=True)["stats"]["nodes"]
    assert client.ask(state="1") == {"ok": True}
    assert client.call("getBoxes", "a") == sizes(("a", 1))
    assert asked(mixed) == {"s0": [["a"]], "s1": [["a"]]}
    assert client.ask(stats=True)["stats"]["nodes"] == before


def test_cluster_grows_with_another_mapping(mixed: Fleet, start: Start) -> None:
    def case(logical: dict[str, list[int]]) -> dict[str, Any]:
        return {"endpoints": {"getBoxes": {"split": {"all": [1]}}}, "logical": logical}

    grown = {"0": [0], "1": [0], "2": [1], "3": [1], "4": [1]}
    by_size = {"2": case({"0": [0], "1": [1]}), "5": case(grown)}
    client = start({"kind": "custom", "by_cluster_size": by_size}, "s0", "s1")
    client.call("getBoxes", "a")
    assert asked(mixed) == {"s1": [["a"]]}
    assert client.ask(publish=topology(mixed))["outcome"] == "published"
    for _ in range(12):
        assert client.call("getBoxes", "b") == sizes(("b", 1))
    calls = asked(mixed)
    assert calls.pop("s1") == [["a"]]
    assert sum(map(len, calls.values())) == 12
    assert set(calls) <= {"s2", "s3", "s4"}


def test_each_endpoint_its_own_strategy(mixed: Fleet, start: Start) -> None:
    strategies = {
        "getBox": {"kind": "hashing", "endpoints": {"getBox": BY_NAME}},
        "getBoxes": custom({"all": [0, 1]}),
        "sendBox": {"kind": "hashing", "endpoints": {"sendBox": {"split": {"throws": "errored"}}}},
    }
    client = start({"kind": "by_endpoint", "strategies": strategies})
    assert client.call("getBox", "one") == [["one", "hi"]]
    assert client.call("getBoxes", "one") == sizes(("one", 1), ("one", 1))
    assert client.error("sendBox", "one")["cause"] == "errored"
    assert client.call("sendBoxes", "one", "two") == "one,two"


def test_a_declared_exception_arrives_as_it_is(mixed: Fleet, start: Start) -> None:
    client = start(HASHING, document={"failure_accrual": {"consecutive_failures": 1}})
    for server in mixed:
        server.behave(error_code=7)
    for _ in range(3):
        assert client.error("getBox", "one") == {"declared": 7}
    assert client.error("getBoxes", *KEYS) == {"declared": 7}
    for server in mixed:
        server.behave()
    assert client.call("getBox", "one") == [["one", "hi"]], "a declared exception is no failure of the node"


def test_the_good_parts_answer(mixed: Fleet, start: Start) -> None:
    client = start(HASHING)
    owners = dict(zip(KEYS, client.ask(owners=KEYS)["owners"], strict=True))
    for server in mixed:
        if server.name != "s2":
            server.behave(crash=True)
    boxes = client.call("getBoxes", *KEYS)
    assert {name for name, _ in boxes} == {key for key, owner in owners.items() if owner == "s2"}


def test_a_host_that_is_taken_out_and_comes_back(mixed: Fleet, start: Start) -> None:
    client = start(HASHING)
    before = client.ask(owners=KEYS)["owners"]
    assert client.ask(eject="s1") == {"changed": True}
    after = client.ask(owners=KEYS)["owners"]
    assert all(new == old for new, old in zip(after, before, strict=True) if old != "s1")
    assert "s1" not in after
    client.call("getBoxes", *KEYS)
    assert "s1" not in asked(mixed)
    stats = client.ask(stats=True)["stats"]
    assert (stats["ejections"], stats["redistributes"], stats["live_nodes"]) == (1, 2, 4)
    assert client.ask(revive="s1") == {"changed": True}
    assert client.ask(owners=KEYS)["owners"] == before


def test_nodes_join_and_leave(mixed: Fleet, start: Start) -> None:
    client = start(HASHING, "s0", "s1", "s2")
    first = client.ask(owners=KEYS)["owners"]
    assert client.ask(publish=topology(mixed))["outcome"] == "published"
    assert client.ask(publish=topology(mixed))["outcome"] == "unchanged"
    second = client.ask(owners=KEYS)["owners"]
    assert all(new in (old, "s3", "s4") for old, new in zip(first, second, strict=True))
    assert client.ask(publish=topology(mixed, "s0", "s1", "s2", "s4"))["outcome"] == "published"
    third = client.ask(owners=KEYS)["owners"]
    assert all(new == old for old, new in zip(second, third, strict=True) if old != "s3")
    stats = client.ask(stats=True)["stats"]
    assert (stats["redistributes"], stats["joins"], stats["leaves"], stats["nodes"]) == (3, 5, 1, 4)
    assert client.ask(publish={"format": 1, "scheme": {"native": "ring-v1"}, "nodes": []})["outcome"] == "kept_old"
    assert client.ask(owners=KEYS)["owners"] == third
