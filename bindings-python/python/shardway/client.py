"""The fan-out client for threads."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from ._native import Event, Node, Router
from .errors import ClosedError, InvalidArgumentTypeError, PartitioningStrategyError
from .gather import Answer, gather, late
from .options import ClientStats, check_count, check_endpoint, check_timeout, client_stats, make_parts
from .scatter import Part, Plan, Question, raise_strategy_failed
from .sender import Classify, Sender
from .strategy import Strategy

__all__ = ["PartitionedClient"]

MAX_WORKERS = 4_096


class PartitionedClient:
    """Splits requests by a strategy, sends the parts at once, merges the answers. For any number of threads.

    A request takes one snapshot of the ring and of the logical partitions and holds it to its end. A request of one
    part and without a timeout is sent on the caller's thread. All other parts go out on threads of the client and,
    without a timeout, on the caller's where those are all busy: calls from inside `send` never wait for each other.
    With a timeout such calls need free threads, or end when their time is up.

    Args:
        router: who routes, and what failures are reported to. Several clients may share it.
        send: ``(node, endpoint, request)`` to the answer; called on several threads at once. What it raises counts as
            the failure of its part.
        strategy: how requests are split. Without one each goes whole to the nodes in turn.
        classify: what an exception of `send` says of the node's health. By default cancellations are ignored and
            every other exception is a failure.
        clock_ms: the time in ms; by default the monotonic clock of the system.
        max_workers: threads at most, 1 to 4,096. They are started as they are needed.
        timeout_ms: for each request that is not given its own; ``None`` for no bound.
        seed: of the draws among equivalent instances.

    Raises:
        InvalidArgumentError: an argument is out of range or of the wrong type.
    """

    def __init__(
        self,
        router: Router,
        send: Callable[[Node, str, Any], Any],
        *,
        strategy: Strategy | None = None,
        classify: Classify | None = None,
        clock_ms: Callable[[], int] | None = None,
        max_workers: int = 32,
        timeout_ms: float | None = None,
        seed: int = 0,
    ) -> None:
        """Make a client; see the class. Nothing is sent and no thread started yet."""
        if inspect.iscoroutinefunction(send):
            text = "send: a coroutine function; a plain one is right, or an AsyncPartitionedClient"
            raise InvalidArgumentTypeError(text, place="send")
        workers = check_count("max_workers", max_workers, MAX_WORKERS)
        self._timeout = check_timeout("timeout_ms", timeout_ms)
        self._scatter, self._sender = make_parts(router, send, strategy, classify, clock_ms, seed)
        self._router = router
        self._send = send
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="shardway")
        self._here = threading.local()
        self._closed = False

    @property
    def router(self) -> Router:
        """The router."""
        return self._router

    def call(self, endpoint: str, request: Any, *, timeout_ms: float | None = None) -> Any:
        """Send a request and give its result.

        Args:
            endpoint: the method's name.
            request: what the strategy and `send` understand.
            timeout_ms: how long to wait for all parts, above 0 and up to a day; by default the client's. A part that
                is late counts as a failure, with a `PartTimeoutError`; its end still counts for its node's health.

        Raises:
            NoPartitioningKeysError: the strategy gave no key.
            PartitioningStrategyError: the strategy or a merger failed or is missing; the cause is kept.
            NoPartitionError: the one partition that was asked for is not served.
            ShardNotAvailableError: no node can own the keys, or the one node may not be sent to, or is late.
            ClosedError: the client was closed.
            BaseException: what `send` raised, when there was one part; what the response merger decided.
        """
        check_endpoint(endpoint)
        seconds = self._timeout if timeout_ms is None else check_timeout("timeout_ms", timeout_ms)
        deadline = None if seconds is None else time.monotonic() + seconds
        if self._closed:
            raise ClosedError("the client was closed; make a new one")
        self._sender.tick_if_due()
        question = Question(self._scatter, endpoint, request)
        plan = question.plan(self._await(endpoint, question, deadline))
        if len(plan.parts) == 1 and deadline is None:
            return gather(plan, [_run(self._sender, self._send, plan.parts[0], [])])
        return gather(plan, self._fan_out(plan, deadline))

    def _await(self, endpoint: str, question: Question, deadline: float | None) -> Any:
        """Run an asynchronous strategy function to its end on this thread."""
        answer = question.answer
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            if isinstance(answer, concurrent.futures.Future):
                return answer.result(left)
            if not question.waits:
                return answer
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return asyncio.run(_awaited(answer, left))
            if inspect.iscoroutine(answer):
                answer.close()
        except Exception as error:
            raise_strategy_failed(endpoint, error)
        text = f"{endpoint}: an asynchronous strategy inside an event loop needs an AsyncPartitionedClient"
        raise PartitioningStrategyError(text, place=endpoint)

    def _fan_out(self, plan: Plan, deadline: float | None) -> list[Answer]:
        jobs = [_Job(self._sender, self._send, part) for part in plan.parts]
        for job in jobs:
            try:
                self._pool.submit(self._work, job)
            except RuntimeError:  # closed meanwhile: what was begun is ended, on this thread
                job.run()
        if deadline is None:
            for job in jobs:
                job.run()  # does nothing where a worker has begun
        for job in jobs:
            job.done.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return [job.take() for job in jobs]

    def _work(self, job: _Job) -> None:
        self._here.is_worker = True
        job.run()

    def tick(self) -> list[Event]:
        """Let time pass for nodes that are marked dead, and give what changed. Calls do this in passing."""
        return self._sender.tick()

    def stats(self) -> ClientStats:
        """Give counters and gauges."""
        return client_stats(self._router, self._scatter)

    def close(self) -> None:
        """Refuse new calls, wait for the parts under way, end the threads. May be called again, from any thread."""
        self._closed = True
        self._scatter.close()
        # A worker that closes its own client cannot wait for itself.
        self._pool.shutdown(wait=not getattr(self._here, "is_worker", False))

    def __enter__(self) -> Self:
        """Give the client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


class _Job:
    """A part that is run once, by whoever comes first, and delivered once."""

    def __init__(self, sender: Sender, send: Callable[[Node, str, Any], Any], part: Part) -> None:
        self._sender = sender
        self._send = send
        self._part = part
        self._claim = threading.Lock()
        self._answer: Answer | None = None
        self._sent_to: list[str] = []
        self.done = threading.Event()

    def run(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._answer = _run(self._sender, self._send, self._part, self._sent_to)
        except BaseException as error:
            self._answer = Answer(node=self._node(), error=error)
            raise
        finally:
            self.done.set()

    def take(self) -> Answer:
        answer = self._answer
        if answer is not None:
            return answer
        # Not begun yet: it is too late to begin, and a worker that comes to it finds it claimed.
        begun = not self._claim.acquire(blocking=False)
        return late(self._part, self._node(), sent=begun)

    def _node(self) -> str | None:
        return self._sent_to[0] if self._sent_to else None


def _run(sender: Sender, send: Callable[[Node, str, Any], Any], part: Part, sent_to: list[str]) -> Answer:
    """Send one part on this thread; `sent_to` gets the id of the node before anything is sent.

    What is no `Exception` (an interrupt) goes through after its report.
    """
    try:
        ticket = sender.admit(part)
    except Exception as error:
        return Answer(node=part.only_node, error=error)
    sent_to.append(ticket.node.id)
    try:
        value = send(ticket.node, part.endpoint, part.request)
    except BaseException as error:
        sender.settle(ticket, error)
        if not isinstance(error, Exception):
            raise
        return Answer(node=ticket.node.id, error=error)
    sender.settle(ticket, None)
    return Answer(node=ticket.node.id, value=value)


async def _awaited(answer: Any, seconds: float | None) -> Any:
    async with asyncio.timeout(seconds):
        return await answer
