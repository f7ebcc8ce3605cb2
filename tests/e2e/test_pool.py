"""`shardway.thrift.pool`: connections to one node, against servers that behave and servers that do not."""

from __future__ import annotations

import pickle
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import idl
import pytest
import raw
from raw import RawServer
from servers import Fleet, Server
from shardway import ClosedError, InvalidArgumentError, ShardNotAvailableError, ShardwayError
from shardway.thrift import (
    CallTimeoutError,
    ConnectError,
    ConnectionLostError,
    GarbageAnswerError,
    NodeBusyError,
    NodeFailedError,
)
from shardway.thrift.pool import Pool, PoolOptions, PoolStats
from shardway.thrift.service import Reply, describe

PROTOCOLS = ("binary", "compact")
TRANSPORTS = ("framed", "buffered")


class Caller:
    """A pool to one port, and calls over it."""

    def __init__(
        self, library: str, port: int, *, transport: str = "framed", protocol: str = "binary", **changes: int
    ) -> None:
        self.delivery = idl.load(library)
        self.address = self.delivery.AddrInfo(name="here", zipCode=1)
        self._service = describe(self.delivery.service)
        bounds: dict[str, int] = {
            "connect_timeout_ms": 1000,
            "timeout_ms": 5000,
            "max_connections": 4,
            "max_idle": 4,
            "idle_ms": 60_000,
            "max_answer_bytes": 1 << 20,
        }
        options = PoolOptions(framed=transport == "framed", protocol=protocol, **(bounds | changes))
        self.pool = Pool("n1", "127.0.0.1", port, self._service.wire(protocol), options)

    def call(self, name: str, *arguments: Any) -> Reply:
        endpoint = self._service.endpoints[name]
        return self.pool.call(endpoint, endpoint.values(endpoint.bind(arguments, {})))

    def get_box(self) -> Reply:
        return self.call("getBox", self.address, 1)

    @contextmanager
    def hold_connection(self) -> Iterator[None]:
        """Keep one connection in use, as a call that takes long would."""
        connection = self.pool._take(self._service.endpoints["getBox"], time.monotonic() + 5)
        try:
            yield
        finally:
            self.pool._give_back(connection, healthy=True)


@pytest.fixture(params=idl.LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def caller(library: str) -> Iterator[Callable[..., Caller]]:
    made: list[Caller] = []

    def make(port: int, **options: Any) -> Caller:
        made.append(Caller(library, port, **options))
        return made[-1]

    yield make
    for each in made:
        each.pool.close()
        assert each.pool.stats().open == 0


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Fleet(["n1"]) as fleet:
        yield fleet["n1"]


@pytest.fixture(autouse=True)
def _as_usual(server: Server) -> Iterator[None]:
    yield
    server.behave()


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("server_library", idl.LIBRARIES)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_transport_and_protocol(
    caller: Callable[..., Caller], server_library: str, transport: str, protocol: str
) -> None:
    with Fleet(["n1"], library=server_library, transport=transport, protocol=protocol) as fleet:
        client = caller(fleet["n1"].port, transport=transport, protocol=protocol)
        box = client.get_box().value
        assert (box.item, box.addrInfo.name, box.addrInfo.zipCode) == ("hi", "here", 1)
        many = [client.delivery.AddrInfo(name=f"ü{index}", zipCode=-index) for index in range(1000)]
        boxes = client.call("getBoxes", many, 1).value
        assert [(each.addrInfo.name, each.addrInfo.zipCode) for each in boxes] == [(a.name, a.zipCode) for a in many]
        assert {each.item for each in boxes} == {"size: 1000"}
        assert client.call("getBoxes", [], 1).value == []
        sent = [client.delivery.Box(addrInfo=client.address, item=item) for item in ("a", "b")]
        assert client.call("sendBox", sent[0]).value == "a"
        assert client.call("sendBoxes", sent).value == "a,b"
        fleet["n1"].behave(error_code=7)
        declared = client.get_box().error
        assert isinstance(declared, client.delivery.AException)
        assert declared.errorCode == 7
        assert client.pool.stats().opened == 1


def test_garbage_then_the_next_call_works(caller: Callable[..., Caller], library: str, server: Server) -> None:
    def framed(kind: int, method: bytes, sequence: int, body: bytes) -> bytes:
        head = b"\x80\x01\0" + bytes([kind]) + len(method).to_bytes(4, "big") + method + sequence.to_bytes(4, "big")
        return (len(head) + len(body)).to_bytes(4, "big") + head + body

    answers = {
        "http": b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4,
        "zeros": b"\0" * 64,
        "empty frame": b"\0\0\0\0",
        "negative frame": b"\xff\xff\xff\xf0" + b"x" * 64,
        "another method": framed(2, b"other", 1, b"\0"),
        "another call": framed(2, b"getBox", 99, b"\0"),
        "a call": framed(1, b"getBox", 1, b"\0"),
        "cut short": framed(2, b"getBox", 1, b"\x0c\0\0"),
        "more after it": framed(2, b"getBox", 1, b"\0\0\0"),
        "a list of two thousand million": framed(2, b"getBox", 1, b"\x0f\0\x63\x01\x7f\xff\xff\xff\0"),
    }
    if library == "thriftpy2":  # Apache Thrift itself puts U+FFFD in place of such bytes
        answers["not utf-8"] = framed(2, b"getBox", 1, b"\x0c\0\0\x0b\0\x02\0\0\0\x01\xff\0\0")
    with RawServer(raw.silence) as broken:
        client = caller(broken.port)
        for name, data in answers.items():
            broken.talk = raw.answer(data)
            with pytest.raises(GarbageAnswerError, match=r"^node 'n1', getBox: ") as caught:
                client.get_box()
            assert caught.value.__cause__ is not None, name
            assert client.pool.stats().open == 0, name
        assert broken.open_connections() == 0
    assert caller(server.port).get_box().value.item == "hi"


def test_an_answer_over_the_bound(caller: Callable[..., Caller], server: Server) -> None:
    for transport in TRANSPORTS:
        with Fleet(["n1"], transport=transport) as fleet:
            client = caller(fleet["n1"].port, transport=transport, max_answer_bytes=10_000)
            many = [client.delivery.AddrInfo(name="x" * 50, zipCode=1)] * 1000
            with pytest.raises(GarbageAnswerError, match="10000"):
                client.call("getBoxes", many, 1)
            assert client.get_box().value.item == "hi"


@pytest.mark.parametrize("talk", [raw.silence, raw.trickle(b"\0\0\x10\0" + b"x" * 4096, 0.02)])
def test_the_time_is_for_the_whole_call(caller: Callable[..., Caller], talk: raw.Talk) -> None:
    with RawServer(talk) as slow:
        client = caller(slow.port, timeout_ms=200)
        began = time.monotonic()
        with pytest.raises(CallTimeoutError, match="no answer within 200 ms") as caught:
            client.get_box()
        assert 0.15 < time.monotonic() - began < 2
        assert isinstance(caught.value, TimeoutError)
        assert client.pool.stats().open == 0


@pytest.mark.parametrize("talk", [raw.hang_up, raw.reset])
def test_a_connection_that_breaks(caller: Callable[..., Caller], talk: raw.Talk) -> None:
    with RawServer(talk) as broken:
        client = caller(broken.port)
        with pytest.raises(ConnectionLostError) as caught:
            client.get_box()
        assert isinstance(caught.value, ConnectionError)
        assert client.pool.stats().open == 0


def test_nobody_listens(caller: Callable[..., Caller]) -> None:
    port = unused_port()
    with pytest.raises(ConnectError, match=f"no connection to 127.0.0.1:{port} within") as caught:
        caller(port).get_box()
    error = caught.value
    assert (error.node, error.endpoint, error.code_name) == ("n1", "getBox", "ShardNotAvailable")
    assert isinstance(error, (ShardNotAvailableError, ShardwayError))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.node, again.endpoint) == (str(error), "n1", "getBox")


def test_a_server_that_comes_back_is_connected_anew(caller: Callable[..., Caller], library: str) -> None:
    with Fleet(["n1"], library=library) as fleet:
        client = caller(fleet["n1"].port)
        assert client.get_box().value.item == "hi"
        fleet["n1"].kill()
        with pytest.raises(NodeFailedError):
            client.get_box()
        fleet["n1"].start()
        assert client.get_box().value.item == "hi"
        assert client.pool.stats() == PoolStats(open=1, idle=1, opened=2)


def test_an_idle_connection_that_the_server_closed_is_not_used(caller: Callable[..., Caller]) -> None:
    with Fleet(["n1"]) as fleet:
        client = caller(fleet["n1"].port)
        client.get_box()
        fleet["n1"].kill()
        fleet["n1"].start()
        assert client.get_box().value.item == "hi"  # without an error first


def test_no_more_connections_than_allowed(caller: Callable[..., Caller], server: Server) -> None:
    client = caller(server.port, max_connections=2, max_idle=1)
    server.behave(delay_ms=50)
    with ThreadPoolExecutor(8) as threads:
        replies = [each.result(10) for each in [threads.submit(client.get_box) for _ in range(8)]]
        assert [reply.value.item for reply in replies] == ["hi"] * 8
    stats = client.pool.stats()
    assert (stats.open, stats.idle) == (1, 1)
    assert stats.opened <= 8


def test_all_connections_in_use_for_too_long(caller: Callable[..., Caller], server: Server) -> None:
    client = caller(server.port, max_connections=1, timeout_ms=100)
    with client.hold_connection(), pytest.raises(NodeBusyError, match="all 1 connections were in use"):
        client.get_box()
    assert client.get_box().value.item == "hi"


def test_connections_idle_for_too_long_are_closed(caller: Callable[..., Caller], server: Server) -> None:
    client = caller(server.port, idle_ms=100)
    client.get_box()
    client.get_box()
    assert client.pool.stats().opened == 1
    time.sleep(0.15)
    client.get_box()
    assert client.pool.stats().opened == 2
    assert client.pool.stats().open == 1


def test_an_argument_that_cannot_be_written_costs_no_connection(caller: Callable[..., Caller], server: Server) -> None:
    client = caller(server.port)
    client.get_box()
    for arguments in [(client.address, "x"), (3, 1), (client.address, 1 << 40)]:
        with pytest.raises(InvalidArgumentError, match="an argument of getBox cannot be written"):
            client.call("getBox", *arguments)
    assert client.get_box().value.item == "hi"
    assert client.pool.stats().opened == 1


def test_closing_while_calls_are_under_way(caller: Callable[..., Caller], server: Server) -> None:
    client = caller(server.port, max_connections=1)
    server.behave(delay_ms=300)
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(client.get_box().value.item)
        except ClosedError as error:
            results.append(type(error))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    client.pool.close()
    for thread in threads:
        thread.join(5)
    assert sorted(results, key=str) == [ClosedError, ClosedError, "hi"]  # what had begun ended, nothing began after
    assert client.pool.stats().open == 0
    with pytest.raises(ClosedError):
        client.get_box()
