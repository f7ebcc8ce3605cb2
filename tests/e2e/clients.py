"""What the end-to-end tests share: mergers as the reference suite has them, strategies by key, and one face for the
sync and the asyncio client."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import idl
from shardway import (
    CustomStrategy,
    HashingStrategy,
    PartFailure,
    RequestMergers,
    ResponseMergers,
    Router,
    Topology,
)
from shardway.thrift import AsyncThriftClient, ThriftClient

MODES = ("sync", "async")


def merge_get_boxes_requests(requests: Sequence[Any]) -> Any:
    """All addresses, and the first one's passcode."""
    addresses = [address for request in requests for address in request.listAddrInfo]
    return dataclasses.replace(requests[0], listAddrInfo=addresses)


def merge_send_boxes_requests(requests: Sequence[Any]) -> Any:
    return dataclasses.replace(requests[0], boxes=[box for request in requests for box in request.boxes])


def merge_get_boxes(successes: list[list[Any]], failures: list[PartFailure]) -> list[Any]:
    """The boxes of all that answered; the first failure when none did."""
    if not successes:
        raise failures[0].error
    return [box for boxes in successes for box in boxes]


def merge_send_boxes(successes: list[str], failures: list[PartFailure]) -> str:
    if not successes:
        raise failures[0].error
    return ";".join(successes)


def request_mergers() -> RequestMergers:
    return RequestMergers().add("getBoxes", merge_get_boxes_requests).add("sendBoxes", merge_send_boxes_requests)


def response_mergers() -> ResponseMergers:
    return ResponseMergers().add("getBoxes", merge_get_boxes).add("sendBoxes", merge_send_boxes)


def by_name(request: Any) -> dict[str, Any]:
    """The addresses of a getBoxes request by their names."""
    parts: dict[str, list[Any]] = {}
    for address in request.listAddrInfo:
        parts.setdefault(address.name, []).append(address)
    return {name: dataclasses.replace(request, listAddrInfo=part) for name, part in parts.items()}


def boxes_by_name(request: Any) -> dict[str, Any]:
    """The boxes of a sendBoxes request by the names of their addresses."""
    parts: dict[str, list[Any]] = {}
    for box in request.boxes:
        parts.setdefault(box.addrInfo.name, []).append(box)
    return {name: dataclasses.replace(request, boxes=part) for name, part in parts.items()}


def hashing(**cases: Callable[[Any], Any]) -> HashingStrategy:
    """A hashing strategy by the address's name, for getBox, getBoxes and sendBoxes, or for the cases given."""
    table = cases or {
        "getBox": lambda request: {request.addrInfo.name: request},
        "getBoxes": by_name,
        "sendBoxes": boxes_by_name,
    }
    return HashingStrategy.per_endpoint(table, request_mergers=request_mergers(), response_mergers=response_mergers())


def custom(get_partitions: Callable[[str, Any], Any], **options: Any) -> CustomStrategy:
    """A custom strategy with the mergers of the reference suite."""
    return CustomStrategy.no_resharding(get_partitions, response_mergers=response_mergers(), **options)


def by_number(numbers: dict[str, int]) -> Callable[[str, Any], Any]:
    """A function for a custom strategy: the addresses of a getBoxes request by the partition of their names."""

    def split(endpoint: str, request: Any) -> dict[int, Any] | None:
        if endpoint != "getBoxes":
            return None
        parts: dict[int, list[Any]] = {}
        for address in request.listAddrInfo:
            parts.setdefault(numbers[address.name], []).append(address)
        return {number: dataclasses.replace(request, listAddrInfo=part) for number, part in parts.items()}

    return split


def sizes(boxes: list[Any]) -> list[tuple[str, str]]:
    """For each box the name of its address and its item."""
    return [(box.addrInfo.name, box.item) for box in boxes]


class Client:
    """A `ThriftClient`, or an `AsyncThriftClient` with an event loop of its own: called in the same way.

    `delivery` has the types of the service for the client's Thrift library.
    """

    def __init__(self, library: str, mode: str, topology: Topology, strategy: Any, **options: Any) -> None:
        self.delivery = idl.load(library)
        self.router = Router(topology, seed=1)
        self._runner = asyncio.Runner() if mode == "async" else None
        kind = ThriftClient if self._runner is None else AsyncThriftClient
        self.thrift: Any = kind(self.delivery.service, self.router, strategy, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any, **named: Any) -> Any:
            if self._runner is None:
                return getattr(self.thrift, name)(*arguments, **named)

            async def run() -> Any:
                return await getattr(self.thrift, name)(*arguments, **named)

            return self._runner.run(run())

        return method

    def all_at_once(self, *calls: tuple[Any, ...]) -> list[Any]:
        """The answers of many calls, each `(method, *arguments)`, made at once by the asyncio client."""
        assert self._runner is not None

        async def run() -> list[Any]:
            return await asyncio.gather(*[self.thrift.call(*call) for call in calls])

        return self._runner.run(run())

    def address(self, name: str, zip_code: int = 0) -> Any:
        return self.delivery.AddrInfo(name=name, zipCode=zip_code)

    def addresses(self, *names: str) -> list[Any]:
        return [self.address(name, index) for index, name in enumerate(names)]

    def box(self, name: str, item: str) -> Any:
        return self.delivery.Box(addrInfo=self.address(name), item=item)

    def get_boxes(self, *names: str) -> list[tuple[str, str]]:
        """The names and items that `getBoxes` answers for these names."""
        return sizes(self.getBoxes(self.addresses(*names), 1))

    def finish(self) -> None:
        """Close the client, and make sure that it holds no connection any more."""
        pools = dict(self.thrift._pools._pools)
        if self._runner is None:
            self.thrift.close()
        else:
            self._runner.run(self.thrift.close())
            self._runner.close()
        assert all(pool.stats().open == 0 for pool in pools.values())
