"""Whether a part may go out, to which node, and what its end says of that node's health."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import time
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from ._native import Event, Node, Router
from .errors import UnknownNodeError
from .failures import NodeUnavailableError
from .pick import InFlight, Picker
from .scatter import Part

__all__ = ["Classify", "Outcome", "Sender", "Ticket", "default_classify", "monotonic_ms"]

log = logging.getLogger("shardway")

Outcome: TypeAlias = Literal["success", "failure", "ignored"]

Classify: TypeAlias = Callable[[BaseException], Outcome]
"""What an exception of the transport says of the node: ``"success"`` when it is the answer of a live server (a
declared exception), ``"ignored"`` when it is the caller's own doing, else ``"failure"``."""


def monotonic_ms() -> int:
    """Give the time in ms of a clock that never goes back."""
    return time.monotonic_ns() // 1_000_000


def default_classify(error: BaseException) -> Outcome:
    """Ignore cancellations and what is no `Exception` (an interrupt); every other exception is a failure."""
    cancelled = isinstance(error, asyncio.CancelledError | concurrent.futures.CancelledError)
    return "ignored" if cancelled or not isinstance(error, Exception) else "failure"


class Ticket:
    """One send that was allowed: to which node, and since when."""

    __slots__ = ("node", "sent_ms")

    def __init__(self, node: Node, sent_ms: int) -> None:
        """Begin."""
        self.node = node
        self.sent_ms = sent_ms


class Sender:
    """Admits sends and reports their ends; shared by both clients, for any number of threads."""

    def __init__(self, router: Router, classify: Classify, clock_ms: Callable[[], int], seed: int) -> None:
        """Begin with nothing under way."""
        self._router = router
        self._classify = classify
        self._clock_ms = clock_ms
        self._in_flight = InFlight()
        self._picker = Picker(self._in_flight, seed)

    def admit(self, part: Part) -> Ticket:
        """Choose the node of a part and ask whether it may be sent to. What is admitted must be settled.

        Raises:
            NodeUnavailableError: no candidate may be sent to now.
        """
        if part.error is not None:
            raise part.error
        names = [node.id for node in part.candidates]
        for node_id in self._picker.order(part.pick, names, (part.endpoint, part.partition)):
            now_ms = self._clock_ms()
            if self._admission(node_id, now_ms) != "fail_fast":
                node = next(node for node in part.candidates if node.id == node_id)
                self._in_flight.enter(node_id)
                return Ticket(node, now_ms)
        nodes = tuple(node.id for node in part.candidates)
        if not nodes:
            raise NodeUnavailableError(f"{part.endpoint}: the topology has no node to send to", nodes=nodes)
        text = f"{part.endpoint}: nothing was sent: {', '.join(nodes)} marked dead or being probed"
        raise NodeUnavailableError(text, nodes=nodes)

    def _admission(self, node_id: str, now_ms: int) -> str:
        try:
            return self._router.admit(node_id, now_ms)
        except UnknownNodeError:
            return "send"  # it left while the request was under way, which still ends on its old snapshot

    def settle(self, ticket: Ticket, error: BaseException | None) -> None:
        """Report how a send ended. Never raises: the answer is there and must reach the caller."""
        self._end(ticket, "success" if error is None else self._outcome(error))

    def drop(self, ticket: Ticket) -> None:
        """Give up a send that says nothing of its node. Never raises."""
        self._end(ticket, "ignored")

    def _end(self, ticket: Ticket, outcome: Outcome) -> None:
        self._in_flight.leave(ticket.node.id)
        try:
            now_ms = self._clock_ms()
            event = self._router.report(ticket.node.id, outcome, sent_ms=ticket.sent_ms, now_ms=now_ms)
        except UnknownNodeError:
            return  # it left while the request was under way
        except Exception as broken:  # a clock that fails
            log.error("the end of a call to node %s was not reported: %s", ticket.node.id, broken, exc_info=broken)
            return
        if event is not None:
            _log(event)

    def _outcome(self, error: BaseException) -> Outcome:
        try:
            outcome = self._classify(error)
        except Exception as broken:
            log.error("classify failed, so the answer counts as a failure of its node: %s", broken, exc_info=broken)
            return "failure"
        if outcome not in get_args(Outcome):
            expected = ", ".join(get_args(Outcome))
            log.error("classify gave %r, which counts as a failure of the node; one of %s is right", outcome, expected)
            return "failure"
        return outcome

    def tick(self) -> list[Event]:
        """Let time pass: nodes whose time is up may be probed. Gives what changed."""
        now_ms = self._clock_ms()
        events = self._router.tick(now_ms)
        for event in events:
            _log(event)
        return events

    def tick_if_due(self) -> None:
        """Tick when something waits for it."""
        due_ms = self._router.next_tick_ms()
        if due_ms is not None and due_ms <= self._clock_ms():
            self.tick()


def _log(event: Event) -> None:
    log.warning("node %s %s at %d ms, until %d ms", event.node, event.kind, event.at_ms, event.until_ms)
