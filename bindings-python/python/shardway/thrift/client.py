"""The partition-aware Thrift client: the service's own methods, each request split over the nodes that own its keys."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, Self

from shardway import AsyncPartitionedClient, Node, PartitionedClient, Router, Topology
from shardway.errors import InvalidArgumentError, InvalidArgumentTypeError, ShardwayError
from shardway.thrift.errors import NodeBusyError, NodeFailedError
from shardway.thrift.nodes import NodePools, check_addresses
from shardway.thrift.pool import PoolOptions, PoolStats
from shardway.thrift.service import PROTOCOLS, TRANSPORTS, Endpoint, Reply, Service, describe

__all__ = ["AsyncThriftClient", "ThriftClient", "classify"]

DAY_MS = 86_400_000


def classify(error: BaseException) -> str:
    """What an error of a call says about the node: "success", "failure" or "ignored".

    No usable answer is a failure of the node. An error of the caller's own making (an argument that cannot be
    written, a closed client, too few connections) says nothing about it. Everything else came out of an answer: a
    declared exception, or `TApplicationException`; a node that answers is alive.
    """
    if isinstance(error, NodeFailedError):
        return "ignored" if isinstance(error, NodeBusyError) else "failure"
    if isinstance(error, ShardwayError) or not isinstance(error, Exception):
        return "ignored"
    return "success"


def _options(
    transport: str,
    protocol: str,
    connect_timeout_ms: int,
    timeout_ms: int,
    max_connections: int,
    max_idle: int | None,
    idle_ms: int,
    max_answer_bytes: int,
) -> PoolOptions:
    """Check what the caller gave; see `ThriftClient`."""
    for name, value, choices in (("transport", transport, TRANSPORTS), ("protocol", protocol, PROTOCOLS)):
        if value not in choices:
            raise InvalidArgumentError(f"{name} is {value!r}; it must be one of {', '.join(choices)}", place=name)
    max_idle = max_connections if max_idle is None else max_idle
    for name, number, low, high in (
        ("connect_timeout_ms", connect_timeout_ms, 1, DAY_MS),
        ("timeout_ms", timeout_ms, 1, DAY_MS),
        ("max_connections", max_connections, 1, 10_000),
        ("max_idle", max_idle, 0, 10_000),
        ("idle_ms", idle_ms, 0, DAY_MS),
        ("max_answer_bytes", max_answer_bytes, 64, 0x7FFF_FFFF),
    ):
        if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
            raise InvalidArgumentError(f"{name} is {number!r}; it must be an integer from {low} to {high}", place=name)
    return PoolOptions(
        framed=transport == "framed",
        protocol=protocol,
        connect_timeout_ms=connect_timeout_ms,
        timeout_ms=timeout_ms,
        max_connections=max_connections,
        max_idle=max_idle,
        idle_ms=idle_ms,
        max_answer_bytes=max_answer_bytes,
    )


class _Calls(ABC):
    """What both clients share: the service, the pools, and the service's methods as attributes."""

    _fan_out: ClassVar[Callable[..., Any]]
    """Makes the client of the host layer that splits requests and merges answers."""

    def __init__(
        self,
        service: Any,
        router: Router,
        strategy: Any = None,
        *,
        transport: str = "framed",
        protocol: str = "binary",
        connect_timeout_ms: int = 1_000,
        timeout_ms: int = 5_000,
        max_connections: int = 8,
        max_idle: int | None = None,
        idle_ms: int = 60_000,
        max_answer_bytes: int = 16_777_216,
        **client: Any,
    ) -> None:
        """Make the client; see the class. Nothing is connected before the first call."""
        if not isinstance(router, Router):
            raise InvalidArgumentTypeError(f"router is a {type(router).__name__}; it must be a Router", place="router")
        options = _options(
            transport, protocol, connect_timeout_ms, timeout_ms, max_connections, max_idle, idle_ms, max_answer_bytes
        )
        self._service: Service = describe(service)
        self._router = router
        self._pools = NodePools(router, self._service.wire(protocol), options)
        client.setdefault("classify", classify)
        self._client = self._fan_out(router, self._send, strategy=strategy, **client)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The method of the service with this name."""
        service = self.__dict__.get("_service")  # not there yet while `__init__` fails
        if service is None or name not in service.endpoints:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}, nor has its service such a method")
        return partial(self.call, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._service.endpoints]

    @abstractmethod
    def call(self, endpoint: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a method of the service by its name."""

    def tick(self) -> Any:
        """Let time pass for the router's health checks; call it now and then where calls may stay out for long."""
        return self._client.tick()

    def stats(self) -> Any:
        """The counters of the fan-out, see `PartitionedClient.stats`."""
        return self._client.stats()

    @abstractmethod
    def _send(self, node: Node, endpoint: str, request: Any) -> Any:
        """Send one part to one node."""

    def _endpoint(self, name: str) -> Endpoint:
        found = self._service.endpoints.get(name)
        if found is None:
            known = ", ".join(sorted(self._service.endpoints))
            text = f"{self._service.name} has no method {name!r}; it has {known}"
            raise InvalidArgumentError(text, place="endpoint")
        return found

    @property
    def router(self) -> Router:
        """The router that says which node owns a key."""
        return self._router

    def request_type(self, endpoint: str) -> type[Any]:
        """The frozen dataclass of the arguments of one method, for instance as `request_type` of a strategy."""
        return self._endpoint(endpoint).request

    def publish(self, topology: Topology) -> str:
        """Publish a topology to the router, and open and close connections as it says.

        Returns:
            What `Router.publish` returns: "published", "unchanged" or "kept_old".

        Raises:
            InvalidTopologyError: a node has no host or port. Nothing was published.
            StaleRevisionError, RevisionConflictError: see `Router.publish`.
        """
        check_addresses(topology)
        outcome = self._router.publish(topology)
        self._pools.follow()
        return outcome

    def pools(self) -> dict[str, PoolStats]:
        """The connections to each node by its id: open, idle, and opened since the node joined."""
        return self._pools.stats()


def _result(reply: Reply) -> Any:
    if reply.error is not None:
        raise reply.error
    return reply.value


class ThriftClient(_Calls):
    """A client of a Thrift service whose requests go to the nodes that own their keys.

    It has the service's own methods: `client.getBoxes(addresses, 1)`. A method whose name the client uses itself
    (`call`, `close`, `pools`, `publish`, `request_type`, `router`, `stats`, `tick`) is called as
    `client.call("close", …)`. Any number of threads may call at once. Use it as a context manager, or `close` it.

    A strategy gets each call as a *request*: a frozen dataclass named as the method, with the arguments as
    attributes, so `request.listAddrInfo`. Sub-requests are made by
    `dataclasses.replace(request, listAddrInfo=part)`.

    Args:
        service: what a Thrift library made of the service: for Apache Thrift the generated module (or its `Client`
            class), for thriftpy2 the service class of the loaded `.thrift` file.
        router: says who owns a key. Every node of its topology needs host and port. A topology that is published to
            it later, by whomever, is followed from the next call on.
        strategy: how requests are split; None sends each whole, to the nodes in turn.
        transport: "framed" or "buffered", as the servers speak.
        protocol: "binary" (strict) or "compact", as the servers speak.
        connect_timeout_ms: for making one connection, 1 to 86,400,000.
        timeout_ms: for one call to one node as a whole: waiting for a free connection, connecting, sending, and the
            answer to its last byte; 1 to 86,400,000.
        max_connections: to one node at a time, 1 to 10,000.
        max_idle: of these kept open between calls, 0 to 10,000; None keeps all.
        idle_ms: a connection that has been idle for longer is not used again; 0 to 86,400,000.
        max_answer_bytes: an answer over this is refused and its connection closed; 64 to 2,147,483,647.
        **client: passed on to `PartitionedClient`: `max_workers`, `seed`, `clock_ms`, and so on.

    Raises:
        InvalidArgumentError: an option is out of its range, or `service` is no service.
        InvalidTopologyError: a node has no host or port.
    """

    _fan_out = PartitionedClient

    def call(self, endpoint: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a method of the service by its name: `client.call("getBox", address, 1)`.

        Raises:
            InvalidArgumentError: the service has no such method, or the arguments do not fit it.
            NodeFailedError: one node was asked and gave no usable answer.
            Exception: what the service declares; what the strategy's mergers raise; see `PartitionedClient.call`.
        """
        return self._client.call(endpoint, self._endpoint(endpoint).bind(arguments, named))

    def close(self) -> None:
        """Close all connections, those in use when their calls end. May be called again; calls raise `ClosedError`."""
        self._client.close()
        self._pools.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, node: Node, endpoint: str, request: Any) -> Any:
        described = self._endpoint(endpoint)
        return _result(self._pools.pool(node).call(described, described.values(request)))


class AsyncThriftClient(_Calls):
    """`ThriftClient` for asyncio: `await client.getBoxes(addresses, 1)`.

    The calls run on threads, at most `max_connections` a node, so that a slow node holds up no other; both Thrift
    libraries, transports and protocols work. Use it from one event loop, as an async context manager, or `await
    close()`. A call whose task is cancelled stops waiting at once; what was sent is not taken back, its connection is
    free again when the answer has come or its time is up, and the node's health is not touched.

    Args:
        service: see `ThriftClient`, as for all others.
        router: see there.
        strategy: see there; its functions may be coroutine functions where `AsyncPartitionedClient` says so.
        **client: passed on to `AsyncPartitionedClient`.
    """

    _fan_out = AsyncPartitionedClient

    async def call(self, endpoint: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a method of the service by its name: `await client.call("getBox", address, 1)`; see `ThriftClient`."""
        return await self._client.call(endpoint, self._endpoint(endpoint).bind(arguments, named))

    async def close(self) -> None:
        """Close all connections; see `ThriftClient.close`."""
        await self._client.close()
        self._pools.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, node: Node, endpoint: str, request: Any) -> Any:
        described = self._endpoint(endpoint)
        started = self._pools.pool(node).start(described, described.values(request))
        return _result(await asyncio.wrap_future(started))
