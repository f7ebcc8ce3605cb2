"""The fan-out client for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from ._native import Event, Node, Router
from .errors import ClosedError
from .failures import PartTimeoutError
from .gather import Answer, gather
from .options import ClientStats, check_endpoint, check_timeout, client_stats, make_parts
from .scatter import Part, Plan, Question, raise_strategy_failed
from .sender import Classify
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
        self._under_way: set[asyncio.Task[Answer]] = set()
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
        if question.waits:
            try:
                async with asyncio.timeout_at(deadline):
                    answer = await answer
            except Exception as error:
                raise_strategy_failed(endpoint, error)
        plan = question.plan(answer)
        if len(plan.parts) == 1 and deadline is None:
            return gather(plan, [await self._run(plan.parts[0])])
        return gather(plan, await self._fan_out(plan, deadline))

    async def _fan_out(self, plan: Plan, deadline: float | None) -> list[Answer]:
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(self._run(part)) for part in plan.parts]
        for task in tasks:
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        try:
            await asyncio.wait(tasks, timeout=None if deadline is None else max(0.0, deadline - loop.time()))
        except asyncio.CancelledError:
            await _cancel(tasks)
            raise
        return [_delivered(task, part) for task, part in zip(tasks, plan.parts, strict=True)]

    async def _run(self, part: Part) -> Answer:
        """Send one part. A cancellation goes through after its report."""
        try:
            ticket = self._sender.admit(part)
        except Exception as error:
            return Answer(node=_only(part), error=error)
        try:
            value = await self._send(ticket.node, part.endpoint, part.request)
        except BaseException as error:
            self._sender.settle(ticket, error)
            if not isinstance(error, Exception):
                raise
            return Answer(node=ticket.node.id, error=error)
        self._sender.settle(ticket, None)
        return Answer(node=ticket.node.id, value=value)

    def tick(self) -> list[Event]:
        """Let time pass for nodes that are marked dead, and give what changed. Calls do this in passing."""
        return self._sender.tick()

    def stats(self) -> ClientStats:
        """Give counters and gauges."""
        return client_stats(self._router, self._scatter)

    async def close(self) -> None:
        """Refuse new calls and cancel the parts under way. May be called again."""
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


async def _cancel(tasks: list[asyncio.Task[Answer]]) -> None:
    """Cancel tasks and wait until they have ended; a task that closes its own client does not wait for itself."""
    others = [task for task in tasks if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _delivered(task: asyncio.Task[Answer], part: Part) -> Answer:
    if not task.done():
        text = f"{part.endpoint}: no answer in time; it was sent"
        return Answer(node=_only(part), error=PartTimeoutError(text))
    if task.cancelled():
        return Answer(node=_only(part), error=asyncio.CancelledError(f"{part.endpoint}: the part was cancelled"))
    return task.result()


def _only(part: Part) -> str | None:
    return part.candidates[0].id if len(part.candidates) == 1 else None
