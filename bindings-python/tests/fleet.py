"""A fleet without sockets for the tests of the host layer: nodes that answer, record, fail or wait as they are told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import shardway

Request = list[str]


class Fleet:
    """Each node answers a list of keys with ``key@node``; `fail`, `wait` and `hooks` change that by node."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, Any]] = []
        self.fail: dict[str, BaseException] = {}
        self.wait: dict[str, threading.Event] = {}
        self.hooks: dict[str, Callable[[], None]] = {}
        self._lock = threading.Lock()

    def send(self, node: shardway.Node, endpoint: str, request: Any) -> Any:
        with self._lock:
            self.sent.append((node.id, endpoint, request))
        if node.id in self.wait:
            assert self.wait[node.id].wait(20)
        if node.id in self.hooks:
            self.hooks[node.id]()
        if node.id in self.fail:
            raise self.fail[node.id]
        return [f"{key}@{node.id}" for key in request]

    async def send_async(self, node: shardway.Node, endpoint: str, request: Any) -> Any:
        import asyncio

        if node.id in self.wait:
            with self._lock:
                self.sent.append((node.id, endpoint, request))
            while not self.wait[node.id].is_set():
                await asyncio.sleep(0.001)
            if node.id in self.fail:
                raise self.fail[node.id]
            return [f"{key}@{node.id}" for key in request]
        return self.send(node, endpoint, request)

    @property
    def nodes_asked(self) -> list[str]:
        return [node for node, _, _ in self.sent]


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_ms = 1_000

    def __call__(self) -> int:
        return self.now_ms


def names(count: int) -> list[str]:
    return [f"node-{number}" for number in range(count)]


def router(count: int = 3, **fields: Any) -> shardway.Router:
    return shardway.Router(shardway.Topology(names(count), scheme="ring-v1", **fields))


def by_key(endpoint: str, request: Request) -> Mapping[str, Request]:
    return {key: [key] for key in request}


def join_requests(requests: Any) -> Request:
    return [key for request in requests for key in request]


def join_answers(successes: list[Any], failures: list[shardway.PartFailure]) -> Any:
    """The merger of the reference tests: what succeeded, or the first failure when nothing did."""
    if not successes and failures:
        raise failures[0].error
    return [answer for success in successes for answer in success]


def hashing(*endpoints: str) -> shardway.HashingStrategy:
    requests, responses = shardway.RequestMergers(), shardway.ResponseMergers()
    for endpoint in endpoints or ("get",):
        requests.add(endpoint, join_requests)
        responses.add(endpoint, join_answers)
    return shardway.HashingStrategy(by_key, request_mergers=requests, response_mergers=responses)


def owners(of: shardway.Router, keys: list[str]) -> dict[str, str]:
    return {key: of.route(key) for key in keys}


def spread(of: shardway.Router, count: int = 40) -> list[str]:
    """Keys of which every node of a small ring owns several."""
    return [f"key:{number}" for number in range(count)]
