"""`shardway.thrift`: the client itself, apart from how it splits requests."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import idl
import pytest
import raw
import thriftpy2
from clients import Client, hashing
from raw import RawServer
from servers import Fleet
from shardway import (
    ClosedError,
    InvalidArgumentError,
    InvalidArgumentTypeError,
    InvalidTopologyError,
    NoPartitioningKeysError,
    Router,
    StaleRevisionError,
    Topology,
)
from shardway.thrift import (
    AsyncThriftClient,
    CallTimeoutError,
    ConnectError,
    ConnectionLostError,
    GarbageAnswerError,
    NodeBusyError,
    ThriftClient,
    classify,
)

MakeClient = Callable[..., Client]


def router_of(nodes: list[dict[str, Any]]) -> Router:
    return Router(Topology(nodes, scheme="ring-v1"))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_service_given_as_module_client_or_interface(five: Fleet) -> None:
    apache = idl.load("apache")
    for service in (apache.service, apache.service.Client, apache.service.Iface):
        with ThriftClient(service, router_of(five.nodes())) as client:
            assert client.getBox(apache.AddrInfo(name="a", zipCode=1), 1).item == "hi"
    with pytest.raises(InvalidArgumentTypeError, match="service is"):
        ThriftClient(apache.AddrInfo, router_of(five.nodes()))


def test_methods_by_name_position_and_keyword(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(five.nodes())
    address = client.address("a")
    assert client.getBox(address, passcode=1) == client.call("getBox", addrInfo=address, passcode=1)
    assert {"getBox", "getBoxes", "sendBox", "sendBoxes", "close"} <= set(dir(client.thrift))
    with pytest.raises(AttributeError, match="getPost"):
        client.getPost(1)
    with pytest.raises(InvalidArgumentError, match=r"has no method 'getPost'; it has getBox, getBoxes, sendBox"):
        client.call("getPost", 1)
    for arguments, named in [((address,), {}), ((address, 1, 2), {}), ((address,), {"code": 1})]:
        with pytest.raises(InvalidArgumentTypeError, match=r"getBox takes \(addrInfo, passcode\)"):
            client.getBox(*arguments, **named)


def test_a_request_is_what_the_strategy_sees(five: Fleet, make_client: MakeClient) -> None:
    seen: list[Any] = []

    def split(request: Any) -> dict[str, Any]:
        seen.append(request)
        return {request.addrInfo.name: dataclasses.replace(request, passcode=3)}

    client = make_client(five.nodes(), hashing(getBox=split))
    client.getBox(client.address("a"), 1)
    assert isinstance(seen[0], client.thrift.request_type("getBox"))
    assert (seen[0].addrInfo, seen[0].passcode) == (client.address("a"), 1)


def test_a_sub_request_of_the_wrong_kind_is_no_fault_of_the_node(five: Fleet, make_client: MakeClient) -> None:
    client = make_client(
        five.nodes(),
        hashing(getBox=lambda request: {"key": "nonsense"}),
        topology={"failure_accrual": {"consecutive_failures": 1}},
    )
    key = client.router.route("key")
    # One part: the original request goes out, whatever the strategy made of it.
    assert client.getBox(client.address("a"), 1).item == "hi"
    for wrong in ((client.address("a"), "text"), (client.address("a"), 1 << 40), ("text", 1)):
        with pytest.raises(InvalidArgumentError, match="getBox cannot be written"):
            client.getBox(*wrong)
    assert client.getBox(client.address("a"), 1).item == "hi"
    assert client.router.stats().dead_nodes == 0
    assert client.thrift.pools()[key].opened == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("transport", "http"),
        ("protocol", "json"),
        ("connect_timeout_ms", 0),
        ("timeout_ms", -1),
        ("timeout_ms", True),
        ("timeout_ms", 86_400_001),
        ("timeout_ms", float("nan")),
        ("max_connections", 0),
        ("max_connections", 10_001),
        ("max_idle", -1),
        ("idle_ms", -1),
        ("idle_ms", "1"),
        ("max_answer_bytes", 63),
    ],
)
def test_options_out_of_range(five: Fleet, library: str, option: str, value: Any) -> None:
    for kind in (ThriftClient, AsyncThriftClient):
        with pytest.raises(InvalidArgumentError, match=f"^{option} is ") as caught:
            kind(idl.load(library).service, router_of(five.nodes()), **{option: value})
        assert caught.value.place == option


def test_nodes_without_an_address(five: Fleet, library: str) -> None:
    service = idl.load(library).service
    with pytest.raises(InvalidTopologyError, match=r"nodes\[1\].port: node 'b' has no port") as caught:
        ThriftClient(service, router_of([*five.nodes("s0"), {"id": "b", "host": "127.0.0.1"}]))
    assert caught.value.place == "nodes[1].port"
    with pytest.raises(InvalidArgumentTypeError, match="router is a str"):
        ThriftClient(service, "router")  # type: ignore[arg-type]
    with ThriftClient(service, router_of(five.nodes("s0", "s1"))) as client:
        with pytest.raises(InvalidTopologyError, match="has no host"):
            client.publish(Topology(["a"], scheme="ring-v1"))
        assert set(client.pools()) == {"s0", "s1"}
        # Published past the client: a call that meets the node says what is wrong with it.
        client.router.publish(Topology(["a"], scheme="ring-v1"))
        with pytest.raises(InvalidTopologyError, match="node 'a' has no host"):
            client.getBox(None, 1)
        client.publish(Topology(five.nodes("s2"), scheme="ring-v1"))
        assert set(client.pools()) == {"s2"}


def test_publishing_opens_and_closes_connections(library: str) -> None:
    delivery = idl.load(library)
    with Fleet(["a", "b"], library=library) as fleet, RawServer(raw.silence) as gone:
        leaving = {"id": "gone", "host": gone.host, "port": gone.port}
        router = router_of([*fleet.nodes("a"), leaving])
        with ThriftClient(delivery.service, router, timeout_ms=200) as client:
            address = delivery.AddrInfo(name="x", zipCode=1)
            for _ in range(2):  # without a strategy the nodes take turns
                try:
                    client.getBox(address, 1)
                except CallTimeoutError:
                    assert gone.accepted == 1
            assert client.pools()["a"].open == 1
            first = client.pools()["a"].opened
            assert client.publish(Topology(fleet.nodes(), scheme="ring-v1")) == "published"
            assert set(client.pools()) == {"a", "b"}
            assert gone.open_connections() == 0
            for _ in range(4):
                client.getBox(address, 1)
            assert client.pools()["a"].opened == first  # a node that stays keeps its connections
            assert client.pools()["b"].opened == 1
            # By another road: whoever publishes to the router is followed at the next call.
            router.publish(Topology(fleet.nodes("b"), scheme="ring-v1"))
            client.getBox(address, 1)
            assert set(client.pools()) == {"b"}
            # The same id at another address is another server.
            moved = [fleet.nodes("a")[0] | {"id": "b"}]
            client.publish(Topology(moved, scheme="ring-v1"))
            client.getBox(address, 1)
            assert len(fleet["a"].calls()) > 0
            with pytest.raises(StaleRevisionError):
                client.publish(Topology(fleet.nodes(), scheme="ring-v1", revision=1))


def test_a_request_ends_on_the_node_it_began_with(library: str) -> None:
    delivery = idl.load(library)
    with Fleet(["a", "b"], library=library) as fleet:
        fleet["a"].behave(delay_ms=300)
        with ThriftClient(delivery.service, router_of(fleet.nodes("a"))) as client:
            answers: list[Any] = []
            address = delivery.AddrInfo(name="x", zipCode=1)
            caller = threading.Thread(target=lambda: answers.append(client.getBox(address, 1).item))
            caller.start()
            wait_for(lambda: len(fleet["a"].calls()) == 1)
            client.publish(Topology(fleet.nodes("b"), scheme="ring-v1"))
            assert client.getBox(address, 1).item == "hi"
            caller.join(5)
            assert answers == ["hi"]
            assert len(fleet["b"].calls()) == 1


def test_close_closes_every_connection(five: Fleet, library: str) -> None:
    delivery = idl.load(library)
    address = delivery.AddrInfo(name="x", zipCode=1)
    with RawServer(raw.silence) as watched:
        nodes = [{"id": "w", "host": watched.host, "port": watched.port}, *five.nodes()]
        client = ThriftClient(delivery.service, router_of(nodes), timeout_ms=300)
        for _ in range(6):
            try:
                client.getBox(address, 1)
            except CallTimeoutError:
                continue
        pools = dict(client._pools._pools)
        assert sum(pool.stats().open for pool in pools.values()) == 5
        client.close()
        client.close()
        assert watched.open_connections() == 0
        assert all(pool.stats().open == 0 for pool in pools.values())
        with pytest.raises(ClosedError):
            client.getBox(address, 1)
        assert client.pools() == {}


def test_close_of_the_asyncio_client(five: Fleet, library: str) -> None:
    delivery = idl.load(library)
    address = delivery.AddrInfo(name="x", zipCode=1)

    async def run() -> None:
        async with AsyncThriftClient(delivery.service, router_of(five.nodes())) as client:
            await asyncio.gather(*[client.getBox(address, 1) for _ in range(20)])
            pools = dict(client._pools._pools)
            assert sum(pool.stats().open for pool in pools.values()) >= 5
        assert all(pool.stats().open == 0 for pool in pools.values())
        with pytest.raises(ClosedError):
            await client.getBox(address, 1)
        await client.close()

    asyncio.run(run())
    wait_for(lambda: not [each for each in threading.enumerate() if each.name.startswith("shardway-thrift")])


def test_a_cancelled_call_leaves_no_trace_on_the_node(five: Fleet, library: str) -> None:
    delivery = idl.load(library)
    address = delivery.AddrInfo(name="x", zipCode=1)
    accrual = {"consecutive_failures": 1}
    router = Router(Topology(five.nodes("s0"), scheme="ring-v1", failure_accrual=accrual))

    async def run() -> None:
        async with AsyncThriftClient(delivery.service, router) as client:
            five["s0"].behave(delay_ms=300)
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.getBox(address, 1), 0.05)
            assert time.monotonic() - began < 0.25
            five["s0"].behave()
            assert (await client.getBox(address, 1)).item == "hi"
            assert router.stats().dead_nodes == 0

    asyncio.run(run())


def test_undeclared_failures_of_a_handler(five: Fleet, make_client: MakeClient) -> None:
    """Apache servers answer with TApplicationException, an answer of a live server; the next call works."""
    client = make_client(five.nodes(), hashing(), topology={"failure_accrual": {"consecutive_failures": 1}})
    for server in five:
        server.behave(crash=True)
    with pytest.raises(client.delivery.TApplicationException):
        client.getBox(client.address("a"), 1)
    for server in five:
        server.behave()
    assert client.getBox(client.address("a"), 1).item == "hi"
    assert client.router.stats().dead_nodes == 0


def test_what_an_error_says_of_the_node() -> None:
    failures = (ConnectError, CallTimeoutError, ConnectionLostError, GarbageAnswerError)
    assert {classify(kind("x", node="n", endpoint="e")) for kind in failures} == {"failure"}
    for error in (
        NodeBusyError("x"),
        InvalidArgumentError("x"),
        ClosedError("x"),
        NoPartitioningKeysError("x"),
        asyncio.CancelledError(),
        KeyboardInterrupt(),
    ):
        assert classify(error) == "ignored"
    assert classify(idl.load("apache").AException(errorCode=1)) == "success"


def test_a_service_with_a_method_called_close(five: Fleet) -> None:
    shut = thriftpy2.load_fp(io.StringIO("service Door { void close(1: string why) }"), "door_thrift")
    unknown_method = idl.load("thriftpy2").TApplicationException
    with ThriftClient(shut.Door, router_of(five.nodes())) as client, pytest.raises(unknown_method):
        client.call("close", "draught")  # reaches a server, which has no such method
