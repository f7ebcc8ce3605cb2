"""The fan-out client for asyncio."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Any, Self

from ._native import Event, Node, Router
from .errors import ClosedError, InvalidArgumentTypeError
from .gather import Answer, gather, late
from .options import ClientStats, check_endpoint, check_timeout, client_stats, make_parts
from .scatter import Part, Plan, Question, raise_strategy_failed
from .sender import Classify, Sender
from .strategy import Strategy

__all__ = ["AsyncPartitionedClient"]


class AsyncPartitionedClient:
    """Splits requests by a strategy, sends the parts at once, merges the answers. For one event loop.

    The rules are those of `PartitionedClient`. A call that is cancelled cancels its parts, which then say nothing of
    their nodes' health.

    Args:
        router: who routes, and what failures are reported to. Several clients may share it.
        send: ``(node, endpoint, request)`` to an awaitable of the answer. What it raises counts as the failure of its
            part.
        strategy: how requests are split. Without one each goes whole to the nodes in turn.
        classify: what an exception of `send` says of the node's health. By default cancellations are ignored and
            every other exception is a failure.
        clock_ms: the time in ms; by default the monotonic clock of the system.
        timeout_ms: for each request that is not given its own; ``None`` for no bound.
        seed: of the draws among equivalent instances.

    Raises:
        InvalidArgumentError: an argument is out of range or of the wrong type.
    """

    def __init__(
        self,
        router: Router,
        send: Callable[[Node, str, Any], Awaitable[Any]],
        *,
        strategy: Strategy | None = None,
        classify: Classify | None = None,
        clock_ms: Callable[[], int] | None = None,
        timeout_ms: float | None = None,
        seed: int = 0,
    ) -> None:
        """Make a client; see the class. Nothing is sent yet; no event loop is needed."""
        self._timeout = check_timeout("timeout_ms", timeout_ms)
        self._scatter, self._sender = make_parts(router, send, strategy, classify, clock_ms, seed)
        self._router = router
        self._send = send
        self._under_way: set[_Sending] = set()
        self._closed = False

    @property
    def router(self) -> Router:
        """The router."""
        return self._router

    async def call(self, endpoint: str, request: Any, *, timeout_ms: float | None = None) -> Any:
        """Send a request and give its result. Arguments and errors are those of `PartitionedClient.call`."""
        check_endpoint(endpoint)
        seconds = self._timeout if timeout_ms is None else check_timeout("timeout_ms", timeout_ms)
        loop = asyncio.get_running_loop()
        deadline = None if seconds is None else loop.time() + seconds
        if self._closed:
            raise ClosedError("the client was closed; make a new one")
        self._sender.tick_if_due()
        question = Question(self._scatter, endpoint, request)
        answer = question.answer
        if isinstance(answer, concurrent.futures.Future):
            answer = asyncio.wrap_future(answer)
        if inspect.isawaitable(answer):
            try:
                async with asyncio.timeout_at(deadline):
                    answer = await answer
            except Exception as error:
                raise_strategy_failed(endpoint, error)
        if self._closed:  # while the strategy was awaited
            raise ClosedError("the client was closed meanwhile; nothing was sent")
        plan = question.plan(answer)
        return gather(plan, await self._fan_out(plan, deadline))

    async def _fan_out(self, plan: Plan, deadline: float | None) -> list[Answer]:
        loop = asyncio.get_running_loop()
        sendings = [_Sending(self._sender, self._send, part) for part in plan.parts]
        for sending in sendings:
            self._under_way.add(sending)
            sending.task.add_done_callback(partial(_ended, self._under_way, sending))
        timeout = None if deadline is None else max(0.0, deadline - loop.time())
        try:
            await asyncio.wait([sending.task for sending in sendings], timeout=timeout)
        except asyncio.CancelledError:
            await _cancel(sendings)
            raise
        return [sending.take(closed=self._closed) for sending in sendings]

    def tick(self) -> list[Event]:
        """Let time pass for nodes that are marked dead, and give what changed. Calls do this in passing."""
        return self._sender.tick()

    def stats(self) -> ClientStats:
        """Give counters and gauges."""
        return client_stats(self._router, self._scatter)

    async def close(self) -> None:
        """Refuse new calls and cancel the parts under way, which fail with a `ClosedError`. May be called again."""
        self._closed = True
        self._scatter.close()
        await _cancel(list(self._under_way))

    async def __aenter__(self) -> Self:
        """Give the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()


class _Sending:
    """One part and the task that sends it."""

    def __init__(self, sender: Sender, send: Callable[[Node, str, Any], Awaitable[Any]], part: Part) -> None:
        self._part = part
        self._sent_to: list[str] = []
        self.task = asyncio.get_running_loop().create_task(_run(sender, send, part, self._sent_to))

    def take(self, *, closed: bool) -> Answer:
        """Give what came of it, or that nothing has come."""
        part, node = self._part, self._sent_to[0] if self._sent_to else None
        if not self.task.done():
            return late(part, node, sent=node is not None)
        if not self.task.cancelled():
            return self.task.result()
        if closed:
            text = f"{part.endpoint}: the client was closed before the answer came"
            return Answer(node=node, error=ClosedError(text))
        return Answer(node=node, error=asyncio.CancelledError(f"{part.endpoint}: the transport cancelled the part"))


def _ended(under_way: set[_Sending], sending: _Sending, task: asyncio.Task[Answer]) -> None:
    under_way.discard(sending)


async def _run(
    sender: Sender, send: Callable[[Node, str, Any], Awaitable[Any]], part: Part, sent_to: list[str]
) -> Answer:
    """Send one part; `sent_to` gets the id of the node before anything is sent.

    A cancellation goes through after its report.
    """
    try:
        ticket = sender.admit(part)
    except Exception as error:
        return Answer(node=part.only_node, error=error)
    sent_to.append(ticket.node.id)
    try:
        pending = send(ticket.node, part.endpoint, part.request)
        if not inspect.isawaitable(pending):
            sender.drop(ticket)
            text = f"send: it gave a {type(pending).__name__}; an awaitable is right, or a PartitionedClient"
            return Answer(node=ticket.node.id, error=InvalidArgumentTypeError(text, place="send"))
        value = await pending
    except BaseException as error:
        sender.settle(ticket, error)
        if not isinstance(error, Exception):
            raise
        return Answer(node=ticket.node.id, error=error)
    sender.settle(ticket, None)
    return Answer(node=ticket.node.id, value=value)


async def _cancel(sendings: list[_Sending]) -> None:
    """Cancel parts and wait until they have ended; a part that closes its own client does not wait for itself."""
    others = [sending.task for sending in sendings if sending.task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
