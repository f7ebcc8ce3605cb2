"""A client for the demo, and runs of many requests through it with a progress bar."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from address_file import zip_code
from idl import Delivery
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from shardway import HashingStrategy, PartFailure, RequestMergers, ResponseMergers, Router, ShardNotAvailableError
from shardway.thrift import NodeFailedError, ThriftClient

BATCH = 250
BATCH_CHARACTERS = 200_000
CALLERS = 4
TIMEOUT_MS = 3_000


@dataclasses.dataclass
class Batch:
    """One request and what came of it."""

    asked: list[str]
    answered: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    """Name and item of each box."""
    failed: list[tuple[str | None, list[str]]] = dataclasses.field(default_factory=list)
    """The node and the names of each part that failed."""

    def names_answered(self) -> list[str]:
        return [name for name, _ in self.answered]

    def names_failed(self) -> list[str]:
        return [name for _, names in self.failed for name in names]


@dataclasses.dataclass(frozen=True)
class Merged:
    """What the response merger makes of several answers: all boxes, and all failures."""

    boxes: list[Any]
    failures: list[PartFailure]


def merge_answers(successes: list[list[Any]], failures: list[PartFailure]) -> Merged:
    """Keep everything: no part is lost, whether it answered or not."""
    return Merged([box for boxes in successes for box in boxes], failures)


def merge_requests(requests: Sequence[Any]) -> Any:
    """One request for all addresses that one server owns."""
    addresses = [address for request in requests for address in request.listAddrInfo]
    return dataclasses.replace(requests[0], listAddrInfo=addresses)


def hashing_by_name() -> HashingStrategy:
    """getBox and getBoxes by the name of the address."""
    return HashingStrategy.per_endpoint(
        {
            "getBox": lambda request: {request.addrInfo.name: request},
            "getBoxes": lambda request: {
                address.name: dataclasses.replace(request, listAddrInfo=[address]) for address in request.listAddrInfo
            },
        },
        request_mergers=RequestMergers().add("getBoxes", merge_requests),
        response_mergers=ResponseMergers().add("getBoxes", merge_answers),
    )


class Courier:
    """Sends addresses through a `ThriftClient`; a context manager that closes it."""

    def __init__(self, delivery: Delivery, router: Router, strategy: Any, console: Console) -> None:
        self.delivery = delivery
        self.router = router
        self.client = ThriftClient(delivery.service, router, strategy, timeout_ms=TIMEOUT_MS, connect_timeout_ms=500)
        self._console = console

    def __enter__(self) -> Courier:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def address(self, name: str) -> Any:
        return self.delivery.AddrInfo(name=name, zipCode=zip_code(name))

    def get_box(self, name: str) -> str:
        """The item of the box at one address."""
        return str(self.client.getBox(self.address(name), 1).item)

    def get_boxes(self, names: list[str]) -> Batch:
        """One request for these addresses."""
        batch = Batch(names)
        try:
            answer = self.client.getBoxes([self.address(name) for name in names], 1)
        except ShardNotAvailableError as error:  # it went to one server whole, and that one failed
            node = error.node if isinstance(error, NodeFailedError) else self.router.route(names[0])
            batch.failed.append((node, names))
            return batch
        boxes = answer.boxes if isinstance(answer, Merged) else answer
        batch.answered = [(box.addrInfo.name, box.item) for box in boxes]
        if isinstance(answer, Merged):
            for failure in answer.failures:
                batch.failed.append((failure.node, [address.name for address in failure.request.listAddrInfo]))
        return batch

    def run(
        self, batches: Iterable[list[str]], title: str, after_each: Callable[[int], None] | None = None
    ) -> list[Batch]:
        """Send all batches from a few threads; `after_each` is told how many are done, on the calling thread."""
        batches = list(batches)
        done: list[Batch] = []
        bar = Progress(
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("requests"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        with bar, ThreadPoolExecutor(CALLERS) as threads:
            task = bar.add_task(title, total=len(batches))
            under_way = [threads.submit(self.get_boxes, batch) for batch in batches]
            try:
                for future in as_completed(under_way):
                    done.append(future.result())
                    bar.advance(task)
                    if after_each is not None:
                        after_each(len(done))
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        return done


def in_batches(names: list[str]) -> list[list[str]]:
    """The names in requests of a bounded size, in their order."""
    batches: list[list[str]] = []
    size = 0
    for name in names:
        if not batches or len(batches[-1]) == BATCH or size > BATCH_CHARACTERS:
            batches.append([])
            size = 0
        batches[-1].append(name)
        size += len(name)
    return batches
