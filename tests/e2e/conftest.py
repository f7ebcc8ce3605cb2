"""Fixtures of the end-to-end tests: fleets of servers, and clients of both Thrift libraries, sync and asyncio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import idl
import pytest
from clients import MODES, Client
from servers import Fleet
from shardway import Topology

NAMES = ("s0", "s1", "s2", "s3", "s4")


@pytest.fixture(params=idl.LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    """The Thrift library of the client."""
    return str(request.param)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """Whether the client is called from threads or from asyncio."""
    return str(request.param)


@pytest.fixture(scope="session")
def _five() -> Iterator[Fleet]:
    with Fleet(NAMES, library="apache") as fleet:
        yield fleet


@pytest.fixture
def five(_five: Fleet) -> Fleet:
    """Five servers, shared by tests that leave them alive; what they were asked before is forgotten."""
    for server in _five:
        server.forget()
        assert server.pid is not None
    return _five


@pytest.fixture
def own_fleet() -> Iterator[Callable[..., Fleet]]:
    """Makes fleets that belong to the test alone, which may kill their servers."""
    made: list[Fleet] = []

    def make(*names: str, **options: str) -> Fleet:
        made.append(Fleet(names, **options))
        return made[-1].__enter__()

    yield make
    for fleet in made:
        fleet.close()


@pytest.fixture
def make_client(library: str, mode: str) -> Iterator[Callable[..., Client]]:
    """Makes clients of the library and mode at hand, closed afterwards.

    Called with the nodes, a strategy, `topology` options as a mapping, and options of the client.
    """
    made: list[Client] = []

    def make(
        nodes: list[dict[str, Any]], strategy: Any = None, *, topology: dict[str, Any] | None = None, **options: Any
    ) -> Client:
        described = Topology(nodes, **({"scheme": "ring-v1"} | (topology or {})))
        made.append(Client(library, mode, described, strategy, **options))
        return made[-1]

    yield make
    for client in made:
        client.finish()
