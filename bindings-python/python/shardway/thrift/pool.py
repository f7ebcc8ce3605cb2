"""The connections to one node: at most so many, kept open between calls, replaced when they break."""

from __future__ import annotations

import struct
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from shardway.errors import ClosedError, InvalidArgumentError
from shardway.thrift.channel import CHUNK, AnswerTooLarge, Channel, DeadlinePassed, PeerClosed
from shardway.thrift.errors import (
    CallTimeoutError,
    ConnectError,
    ConnectionLostError,
    GarbageAnswerError,
    NodeBusyError,
)
from shardway.thrift.scan import MalformedMessage, message_end
from shardway.thrift.service import Endpoint, Reply, Wire

__all__ = ["Connection", "Pool", "PoolOptions", "PoolStats"]


@dataclass(frozen=True)
class PoolOptions:
    """How the connections to each node are made and kept; see `ThriftClient` for the meaning and the ranges."""

    framed: bool
    protocol: str
    connect_timeout_ms: int
    timeout_ms: int
    max_connections: int
    max_idle: int
    idle_ms: int
    max_answer_bytes: int


@dataclass(frozen=True)
class PoolStats:
    """The connections to one node: open now, of these idle, and how many were opened since the pool exists."""

    open: int
    idle: int
    opened: int


class Connection:
    """One connection and the calls over it, one at a time."""

    def __init__(self, node: str, channel: Channel, wire: Wire, options: PoolOptions) -> None:
        """Take over an open channel."""
        self._node = node
        self._channel = channel
        self._wire = wire
        self._options = options
        self._sequence = 0
        self.idle_since = 0.0

    def call(self, endpoint: Endpoint, values: Mapping[str, Any], deadline: float) -> Reply:
        """Call and wait for the answer until `deadline`.

        Raises:
            InvalidArgumentError: an argument has no form on the wire; nothing was sent, the connection is as before.
            NodeFailedError: no usable answer; the connection is of no more use.
        """
        self._sequence = (self._sequence + 1) & 0x7FFF_FFFF
        try:
            data = self._wire.encode(endpoint, values, self._sequence)
        except Exception as error:  # the libraries raise whatever their encoding meets
            text = f"an argument of {endpoint.name} cannot be written as its Thrift type: {error!r}"
            raise InvalidArgumentError(text, place=endpoint.name) from error
        self._channel.begin(deadline, self._options.max_answer_bytes)
        try:
            self._channel.write(struct.pack("!i", len(data)) + data if self._options.framed else data)
            return Reply() if endpoint.oneway else self._answer(endpoint)
        except DeadlinePassed as error:
            text = f"no answer within {self._options.timeout_ms} ms"
            raise CallTimeoutError(text, node=self._node, endpoint=endpoint.name) from error
        except PeerClosed as error:
            raise ConnectionLostError(str(error), node=self._node, endpoint=endpoint.name) from error
        except AnswerTooLarge as error:
            text = f"the answer takes more than max_answer_bytes, {self._options.max_answer_bytes}"
            raise GarbageAnswerError(text, node=self._node, endpoint=endpoint.name) from error
        except Exception as error:  # whatever a decoder meets in bytes that are not an answer
            text = f"what came is not an answer: {error!r}"
            raise GarbageAnswerError(text, node=self._node, endpoint=endpoint.name) from error

    def is_stale(self) -> bool:
        """Whether it broke while it was idle."""
        return self._channel.is_stale()

    def close(self) -> None:
        """Close it; harmless when it is closed."""
        self._channel.close()

    def _answer(self, endpoint: Endpoint) -> Reply:
        limit = self._options.max_answer_bytes
        if self._options.framed:
            (size,) = struct.unpack("!i", self._channel.read_exactly(4))
            if size <= 0:
                raise MalformedMessage(f"a frame of {size} bytes")
            data = self._channel.read_exactly(size)
            end = message_end(self._options.protocol, data, _no_more, limit)
        else:
            data = bytearray()
            end = message_end(self._options.protocol, data, self._read_some, limit)
        if end != len(data):
            raise MalformedMessage(f"a message of {end} bytes with {len(data) - end} more after it")
        return self._wire.decode(endpoint, bytes(data), self._sequence)

    def _read_some(self, _needed: int) -> bytes:
        """What the connection has ready, however little is needed now: the rest is wanted soon."""
        return self._channel.read(CHUNK)


def _no_more(needed: int) -> bytes:
    raise MalformedMessage(f"a message that ends {needed} bytes too early")


class Pool:
    """The connections to one node. Any number of threads may call at once.

    Args:
        node: the id of the node, for messages.
        host, port: where it listens.
        wire: how calls are written.
        options: the bounds.
    """

    def __init__(self, node: str, host: str, port: int, wire: Wire, options: PoolOptions) -> None:
        """Make an empty pool; nothing is opened before the first call."""
        self.address = (host, port)
        self._node = node
        self._wire = wire
        self._options = options
        self._changed = threading.Condition()
        self._idle: deque[Connection] = deque()  # the right end was used last
        self._open = 0
        self._opened = 0
        self._retired = False
        self._closed = False
        self._threads: ThreadPoolExecutor | None = None

    def call(self, endpoint: Endpoint, values: Mapping[str, Any]) -> Reply:
        """Call on a free connection, a new one if there is none; within `timeout_ms` in all.

        Raises:
            InvalidArgumentError, NodeFailedError: see `Connection.call`.
            ClosedError: the pool was closed.
        """
        return self._call_by(self._deadline(), endpoint, values)

    def start(self, endpoint: Endpoint, values: Mapping[str, Any]) -> Future[Reply]:
        """`call` on a thread of this pool, of which there are as many as connections; raises `ClosedError` at once.

        While all threads are at work further calls wait their turn; their time runs already.
        """
        with self._changed:
            if self._closed:
                raise self._closed_error()
            if self._threads is None:
                name = f"shardway-thrift-{self._node}"
                self._threads = ThreadPoolExecutor(self._options.max_connections, thread_name_prefix=name)
            return self._threads.submit(self._call_by, self._deadline(), endpoint, values)

    def stats(self) -> PoolStats:
        """How many connections there are."""
        with self._changed:
            return PoolStats(self._open, len(self._idle), self._opened)

    def retire(self) -> None:
        """Close what is idle, and keep no connection from now on; calls still work. May be called again."""
        with self._changed:
            self._retired = True
            idle = self._empty()
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close what is idle now, what is in use when its call ends; refuse new calls. May be called again."""
        with self._changed:
            self._closed = self._retired = True
            idle = self._empty()
            self._changed.notify_all()
            threads = self._threads
        for connection in idle:
            connection.close()
        if threads is not None:
            threads.shutdown(wait=False)

    def _empty(self) -> list[Connection]:
        """Take out what is idle; the lock is held, closing is for afterwards."""
        idle, self._idle = list(self._idle), deque()
        self._open -= len(idle)
        return idle

    def _deadline(self) -> float:
        return time.monotonic() + self._options.timeout_ms / 1000

    def _call_by(self, deadline: float, endpoint: Endpoint, values: Mapping[str, Any]) -> Reply:
        connection = self._take(endpoint, deadline)
        healthy = False
        try:
            reply = connection.call(endpoint, values, deadline)
            healthy = True
            return reply
        except InvalidArgumentError:
            healthy = True
            raise
        finally:
            self._give_back(connection, healthy)

    def _closed_error(self) -> ClosedError:
        return ClosedError(f"the connections to node {self._node!r} were closed")

    def _take(self, endpoint: Endpoint, deadline: float) -> Connection:
        dropped: list[Connection] = []
        try:
            with self._changed:
                while True:
                    if self._closed:
                        raise self._closed_error()
                    self._drop_old(dropped)
                    while self._idle:
                        connection = self._idle.pop()
                        if not connection.is_stale():
                            return connection
                        self._open -= 1
                        dropped.append(connection)
                    left = deadline - time.monotonic()
                    if left <= 0:
                        text = f"all {self._options.max_connections} connections were in use for the whole time"
                        raise NodeBusyError(text, node=self._node, endpoint=endpoint.name)
                    if self._open < self._options.max_connections:
                        self._open += 1
                        break
                    self._changed.wait(left)
        finally:
            for connection in dropped:
                connection.close()
        return self._connect(endpoint, deadline)

    def _connect(self, endpoint: Endpoint, deadline: float) -> Connection:
        """Open the connection that `_take` has counted already; its place is given up again when that fails."""
        allowed = min(self._options.connect_timeout_ms / 1000, deadline - time.monotonic())
        try:
            channel = Channel(*self.address, allowed)
        except BaseException as error:
            with self._changed:
                self._open -= 1
                self._changed.notify()
            if not isinstance(error, (OSError, UnicodeError)):  # an impossible host name is a UnicodeError
                raise
            host, port = self.address
            text = f"no connection to {host}:{port} within {round(allowed * 1000)} ms: {error}"
            raise ConnectError(text, node=self._node, endpoint=endpoint.name) from error
        with self._changed:
            self._opened += 1
        return Connection(self._node, channel, self._wire, self._options)

    def _give_back(self, connection: Connection, healthy: bool) -> None:
        dropped: list[Connection] = []
        with self._changed:
            if healthy and not self._retired and len(self._idle) < self._options.max_idle:
                connection.idle_since = time.monotonic()
                self._idle.append(connection)
            else:
                self._open -= 1
                dropped.append(connection)
            self._drop_old(dropped)
            self._changed.notify()
        for old in dropped:
            old.close()

    def _drop_old(self, dropped: list[Connection]) -> None:
        """Move what has been idle for too long to `dropped`; the lock is held, closing is for afterwards."""
        oldest_allowed = time.monotonic() - self._options.idle_ms / 1000
        while self._idle and self._idle[0].idle_since < oldest_allowed:
            self._open -= 1
            dropped.append(self._idle.popleft())
