"""What both clients are told when they are made, checked in one place; and what they count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._native import Router, Stats
from .errors import InvalidArgumentError, InvalidArgumentTypeError
from .scatter import Scatter
from .schema import SchemaStats
from .sender import Classify, Sender, default_classify, monotonic_ms
from .strategy import Strategy

__all__ = [
    "MAX_TIMEOUT_MS",
    "ClientStats",
    "check_count",
    "check_endpoint",
    "check_timeout",
    "client_stats",
    "make_parts",
]

MAX_TIMEOUT_MS = 86_400_000
"""The longest time a request may be given: a day."""


@dataclass(frozen=True, slots=True)
class ClientStats:
    """Counters and gauges of a client, under Finagle's names."""

    router: Stats
    """Those of the router, which other clients may share."""
    partition_updates: int
    """Changes of the logical partitions."""
    snap_updates: int
    """Views of the logical partitions put in force, changed or not."""
    update_failures: int
    """Updates that could not be used, so that the old view was kept."""
    nodes: int
    """Logical partitions with a custom strategy, else nodes."""
    left_out: int
    """Instances that serve no partition because something is wrong with them."""


def make_parts(
    router: Router,
    send: Callable[..., Any],
    strategy: Strategy | None,
    classify: Classify | None,
    clock_ms: Callable[[], int] | None,
    seed: int,
) -> tuple[Scatter, Sender]:
    """Check what a client is made of and put it together."""
    if not isinstance(router, Router):
        raise InvalidArgumentTypeError(f"router: a {type(router).__name__}; a Router is right", place="router")
    if strategy is not None and not isinstance(strategy, Strategy):
        text = f"strategy: a {type(strategy).__name__}; a HashingStrategy, CustomStrategy or MethodStrategies is right"
        raise InvalidArgumentTypeError(text, place="strategy")
    for place, value in (("send", send), ("classify", classify), ("clock_ms", clock_ms)):
        if value is not None and not callable(value):
            raise InvalidArgumentTypeError(f"{place}: a {type(value).__name__}; a function is right", place=place)
    if send is None:
        raise InvalidArgumentTypeError("send: None; a function of node, endpoint and request is right", place="send")
    sender = Sender(router, classify or default_classify, clock_ms or monotonic_ms, seed)
    return Scatter(router, strategy), sender


def check_timeout(place: str, timeout_ms: float | None) -> float | None:
    """Give the time in seconds, ``None`` for no bound."""
    if timeout_ms is None:
        return None
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int | float):
        text = f"{place}: a {type(timeout_ms).__name__}; a number of ms is right"
        raise InvalidArgumentTypeError(text, place=place)
    if not 0 < timeout_ms <= MAX_TIMEOUT_MS:  # also refuses what is no number
        raise InvalidArgumentError(f"{place}: {timeout_ms}; above 0 and up to {MAX_TIMEOUT_MS} is right", place=place)
    return timeout_ms / 1000


def check_count(place: str, value: int, most: int) -> int:
    """Give a count from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgumentTypeError(f"{place}: a {type(value).__name__}; an int is right", place=place)
    if not 1 <= value <= most:
        raise InvalidArgumentError(f"{place}: {value}; 1 to {most} is right", place=place)
    return value


def check_endpoint(endpoint: object) -> str:
    """Give the name of a method."""
    if not isinstance(endpoint, str) or not endpoint:
        text = f"endpoint: {endpoint!r}; the name of a method is right"
        raise InvalidArgumentTypeError(text, place="endpoint")
    return endpoint


def client_stats(router: Router, scatter: Scatter) -> ClientStats:
    """Put the counts together."""
    of_router = router.stats()
    if not scatter.is_custom:
        left_out = len(router.snapshot().left_out)
        return _stats(of_router, of_router, of_router.nodes, left_out)
    of_schema = scatter.stats()
    return _stats(of_router, of_schema, of_schema.nodes, of_schema.left_out)


def _stats(router: Stats, counts: Stats | SchemaStats, nodes: int, left_out: int) -> ClientStats:
    return ClientStats(router, counts.partition_updates, counts.snap_updates, counts.update_failures, nodes, left_out)
