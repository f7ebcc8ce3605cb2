"""The rows 'hashing service' of the reference suite on real servers. Time is a number that the tests set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from clients import Client, hashing
from servers import Fleet
from shardway import NoPartitioningKeysError, ShardNotAvailableError, Topology

MakeClient = Callable[..., Client]
MakeFleet = Callable[..., Fleet]

KEYS = [f"key {number}" for number in range(200)]
ACCRUAL = {"consecutive_failures": 2, "backoff_min_ms": 10_000, "backoff_max_ms": 10_000, "probe_timeout_ms": 5_000}
EJECTING = {"eject_failed_host": True, "failure_accrual": ACCRUAL}


class Clock:
    """The time in ms, as far as the client knows."""

    def __init__(self) -> None:
        self.now_ms = 1_000

    def __call__(self) -> int:
        return self.now_ms


def owners(client: Client) -> dict[str, str]:
    return {key: client.router.route(key) for key in KEYS}


def get_box(client: Client, key: str) -> str:
    return str(client.getBox(client.address(key), 1).item)


def fail_until_dead(client: Client, key: str) -> None:
    for _ in range(ACCRUAL["consecutive_failures"]):
        with pytest.raises(ShardNotAvailableError):
            get_box(client, key)


def test_grouping(five: Fleet, make_client: MakeClient) -> None:
    """Single and batched requests stick to a node; the merger is used only where it must be."""
    client = make_client(five.nodes(), hashing())
    for key in KEYS[:20]:
        assert get_box(client, key) == "hi"
        assert get_box(client, key) == "hi"
    client.get_boxes(*KEYS[:20])
    for server in five:
        singles = [call["names"][0] for call in server.calls() if call["endpoint"] == "getBox"]
        batches = [call["names"] for call in server.calls() if call["endpoint"] == "getBoxes"]
        mine = [key for key in KEYS[:20] if client.router.route(key) == server.name]
        assert sorted(singles) == sorted(mine * 2)
        assert batches == ([mine] if mine else [])


def test_add_2_nodes_to_3_then_drop_1(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes("s0", "s1", "s2"), hashing())
    at_3 = owners(client)
    assert client.router.stats().redistributes == 1
    client.thrift.publish(Topology(five.nodes(), scheme="ring-v1"))
    at_5 = owners(client)
    stats = client.router.stats()
    assert (stats.redistributes, stats.joins, stats.leaves) == (2, 5, 0)
    assert {at_5[key] for key in KEYS if at_5[key] != at_3[key]} == {"s3", "s4"}  # towards the new ones only
    client.thrift.publish(Topology(five.nodes("s0", "s2", "s3", "s4"), scheme="ring-v1"))
    at_4 = owners(client)
    stats = client.router.stats()
    assert (stats.redistributes, stats.joins, stats.leaves, stats.live_nodes) == (3, 5, 1, 4)
    assert {key for key in KEYS if at_4[key] != at_5[key]} == {key for key in KEYS if at_5[key] == "s1"}
    client.get_boxes(*KEYS)
    assert five["s1"].calls() == []
    assert sorted(name for server in five for name in server.names()) == sorted(KEYS)
    for server in five:
        assert server.names() == [key for key in KEYS if at_4[key] == server.name]
    assert set(client.thrift.pools()) == {"s0", "s2", "s3", "s4"}


def test_a_host_dies_with_ejection_on(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    fleet = own_fleet("s0", "s1", "s2")
    client = make_client(fleet.nodes(), hashing(), topology=EJECTING, clock_ms=Clock())
    before = owners(client)
    victim = before[KEYS[0]]
    assert get_box(client, KEYS[0]) == "hi"
    fleet[victim].kill()
    fail_until_dead(client, KEYS[0])
    stats = client.router.stats()
    assert (stats.ejections, stats.redistributes, stats.live_nodes, stats.dead_nodes) == (1, 2, 2, 1)
    after = owners(client)
    assert {key for key in KEYS if after[key] != before[key]} == {key for key in KEYS if before[key] == victim}
    boxes = client.get_boxes(*KEYS)
    assert sorted(name for name, _ in boxes) == sorted(KEYS)
    for server in fleet:
        if server.name != victim:
            assert sorted(set(server.names())) == sorted(key for key in KEYS if after[key] == server.name)


def test_revival_of_one_of_5_hosts(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    fleet = own_fleet("s0", "s1", "s2", "s3", "s4")
    clock = Clock()
    client = make_client(fleet.nodes(), hashing(), topology=EJECTING, clock_ms=clock)
    first = owners(client)
    victim = first[KEYS[0]]
    fleet[victim].kill()
    fail_until_dead(client, KEYS[0])
    assert client.router.route(KEYS[0]) != victim
    assert get_box(client, KEYS[0]) == "hi"
    fleet[victim].start()
    clock.now_ms += ACCRUAL["backoff_max_ms"] + 1
    assert get_box(client, KEYS[0]) == "hi"  # the probe
    assert fleet[victim].names() == [KEYS[0]]
    assert owners(client) == first
    stats = client.router.stats()
    assert (stats.ejections, stats.revivals, stats.live_nodes, stats.dead_nodes) == (1, 1, 5, 0)


def test_revival_of_the_only_host(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    fleet = own_fleet("s0")
    clock = Clock()
    client = make_client(fleet.nodes(), hashing(), topology=EJECTING, clock_ms=clock)
    fleet["s0"].kill()
    fail_until_dead(client, KEYS[0])
    fleet["s0"].start()
    for _ in range(3):
        with pytest.raises(ShardNotAvailableError):
            get_box(client, KEYS[0])
    assert fleet["s0"].calls() == []  # nothing was sent before its time is up
    clock.now_ms += ACCRUAL["backoff_max_ms"] + 1
    assert get_box(client, KEYS[0]) == "hi"
    assert client.router.stats().revivals == 1


def test_a_probe_that_fails_keeps_the_host_out(own_fleet: MakeFleet, make_client: MakeClient) -> None:
    fleet = own_fleet("s0", "s1")
    clock = Clock()
    client = make_client(fleet.nodes(), hashing(), topology=EJECTING, clock_ms=clock)
    victim = client.router.route(KEYS[0])
    fleet[victim].kill()
    fail_until_dead(client, KEYS[0])
    clock.now_ms += ACCRUAL["backoff_max_ms"] + 1
    with pytest.raises(ShardNotAvailableError):
        get_box(client, KEYS[0])  # the probe
    assert client.router.stats().dead_nodes == 1
    assert get_box(client, KEYS[0]) == "hi"  # by the other


def test_without_ejection_a_dead_host_fails_fast_and_no_key_moves(
    own_fleet: MakeFleet, make_client: MakeClient
) -> None:
    fleet = own_fleet("s0", "s1", "s2")
    client = make_client(fleet.nodes(), hashing(), topology={"failure_accrual": ACCRUAL}, clock_ms=Clock())
    before = owners(client)
    victim = before[KEYS[0]]
    fleet[victim].kill()
    fail_until_dead(client, KEYS[0])
    fleet[victim].start()
    with pytest.raises(ShardNotAvailableError, match="nothing was sent"):
        get_box(client, KEYS[0])
    assert fleet[victim].calls() == []
    assert owners(client) == before
    assert client.router.stats().ejections == 0


@pytest.mark.parametrize("nothing", [None, {}])
def test_empty_key_list(five: Fleet, make_client: MakeClient, nothing: Any) -> None:
    client = make_client(five.nodes(), hashing(getBoxes=lambda request: nothing))
    with pytest.raises(NoPartitioningKeysError, match="getBoxes"):
        client.get_boxes("one")
    assert all(server.calls() == [] for server in five)
