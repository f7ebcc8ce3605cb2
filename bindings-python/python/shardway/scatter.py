"""From a request to its parts: which node gets what. No sending here."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ._native import Node, Router, Snapshot
from .errors import (
    InvalidArgumentError,
    NoPartitionError,
    NoPartitioningKeysError,
    PartitioningStrategyError,
    ShardwayError,
)
from .keys import Key
from .schema import SchemaKeeper, SchemaStats
from .strategy import CustomStrategy, HashingStrategy, Pick, Strategy

__all__ = ["Part", "Plan", "Question", "Scatter"]


@dataclass(frozen=True, slots=True)
class Part:
    """What one node, or one of several equivalent ones, is asked."""

    endpoint: str
    request: Any
    candidates: tuple[Node, ...]
    pick: Pick
    keys: tuple[Key, ...] = ()
    partition: int | None = None
    error: ShardwayError | None = None
    """Set when the part cannot be sent."""

    @property
    def only_node(self) -> str | None:
        """The id of the node when there is just one to ask."""
        return self.candidates[0].id if len(self.candidates) == 1 else None


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of a request, in the order in which their keys first appear, and who merges the answers."""

    endpoint: str
    parts: tuple[Part, ...]
    strategy: Strategy | None


class Question:
    """A request whose strategy function has been asked; its answer may still be awaited."""

    def __init__(self, scatter: Scatter, endpoint: str, request: Any) -> None:
        """Take the snapshot that the request keeps to its end, and ask the strategy."""
        self._endpoint = endpoint
        self._request = request
        self._strategy = scatter.strategy_of(endpoint)
        self._snapshot: Snapshot = scatter.router.snapshot()
        self.answer: Any = None
        try:
            if isinstance(self._strategy, HashingStrategy):
                self.answer = self._strategy.get_keys(endpoint, request)
            elif isinstance(self._strategy, CustomStrategy):
                self._schema = scatter.keeper(self._strategy).current(self._snapshot)
                self.answer = self._schema.split(endpoint, request)
        except Exception as error:
            raise_strategy_failed(endpoint, error)

    @property
    def waits(self) -> bool:
        """Whether the answer has to be awaited."""
        return inspect.isawaitable(self.answer)

    def plan(self, answer: Any) -> Plan:
        """Make the parts of the strategy's answer. Nothing was sent when this raises.

        Raises:
            NoPartitioningKeysError: a hashing strategy gave no key.
            PartitioningStrategyError: the answer is of the wrong form, or a merger is missing or fails.
            ShardNotAvailableError: no node can own a key.
        """
        if isinstance(self._strategy, HashingStrategy):
            parts = self._by_keys(self._strategy, answer)
        elif isinstance(self._strategy, CustomStrategy):
            parts = self._by_partitions(self._strategy, answer)
        else:
            parts = (self._whole(),)
        plan = Plan(self._endpoint, parts, self._strategy)
        if len(parts) > 1 and response_merger(plan) is None:
            raise _missing("response merger", self._endpoint)
        return plan

    def _whole(self) -> Part:
        nodes = self._snapshot.nodes
        live = tuple(node for node in nodes if node.weight > 0 and not self._snapshot.is_ejected(node.id))
        return Part(self._endpoint, self._request, live or nodes, "round_robin")

    def _by_keys(self, strategy: HashingStrategy, answer: Any) -> tuple[Part, ...]:
        endpoint = self._endpoint
        if answer is None:
            raise _no_keys(endpoint, "the hashing strategy has no case for it")
        table = _mapping(endpoint, answer, "hash keys")
        if not table:
            raise _no_keys(endpoint, "the hashing strategy gave no key")
        if None in table:
            raise _no_keys(endpoint, "the hashing strategy gave None as a key")
        keys = list(table)
        try:
            groups = self._snapshot.group_indices(keys)
        except InvalidArgumentError as error:
            raise_strategy_failed(endpoint, error)
        if len(groups) == 1:
            (owner,) = groups
            return (self._part(owner, self._request, keys),)
        parts = []
        for owner, indices in groups.items():
            owned = [keys[index] for index in indices]
            requests = [table[key] for key in owned]
            request = requests[0] if len(requests) == 1 else self._merge(strategy, requests)
            parts.append(self._part(owner, request, owned))
        return tuple(parts)

    def _part(self, owner: str, request: Any, keys: list[Key]) -> Part:
        return Part(self._endpoint, request, (self._snapshot.node(owner),), "round_robin", tuple(keys))

    def _merge(self, strategy: HashingStrategy, requests: list[Any]) -> Any:
        merge = strategy.request_mergers.get(self._endpoint)
        if merge is None:
            raise _missing("request merger", self._endpoint)
        try:
            return merge(requests)
        except Exception as error:
            raise merger_failed("request merger", self._endpoint, error) from error

    def _by_partitions(self, strategy: CustomStrategy, answer: Any) -> tuple[Part, ...]:
        endpoint = self._endpoint
        if answer is None:
            text = f"{endpoint}: the custom strategy has no case for it; check that it is defined"
            raise PartitioningStrategyError(text, place=endpoint)
        table = _mapping(endpoint, answer, "partition ids")
        if not table:
            text = f"{endpoint}: the custom strategy gave no partition; at least one is right"
            raise PartitioningStrategyError(text, place=endpoint)
        for partition in table:
            if not isinstance(partition, int) or isinstance(partition, bool):
                text = f"{endpoint}: {partition!r} is no partition id; an int is right"
                raise PartitioningStrategyError(text, place=endpoint)
        return tuple(self._of_partition(strategy, partition, request) for partition, request in table.items())

    def _of_partition(self, strategy: CustomStrategy, partition: int, request: Any) -> Part:
        try:
            names = self._schema.map.nodes(partition)
        except NoPartitionError as error:
            return Part(self._endpoint, request, (), strategy.pick, partition=partition, error=error)
        except InvalidArgumentError as error:  # an id that no instance can have
            missing = NoPartitionError(f"No partition: {partition} found; {error}", place=self._endpoint)
            return Part(self._endpoint, request, (), strategy.pick, partition=partition, error=missing)
        nodes = tuple(self._schema.nodes[name] for name in names)
        return Part(self._endpoint, request, nodes, strategy.pick, partition=partition)


class Scatter:
    """Asks strategies; shared by both clients, for any number of threads."""

    def __init__(self, router: Router, strategy: Strategy | None) -> None:
        """Freeze the strategy's mergers and begin to keep its views."""
        self.router = router
        self._strategy = strategy
        self._keepers: dict[int, SchemaKeeper] = {}
        self._unwatch: list[Callable[[], None]] = []
        if strategy is None:
            return
        strategy.freeze()
        for part in strategy._parts():
            if isinstance(part, CustomStrategy) and id(part) not in self._keepers:
                self._keepers[id(part)] = SchemaKeeper(part)
                if part.state is not None:
                    unwatch = part.state.watch(_weakly(self._observe))
                    self._unwatch.append(unwatch)
                    weakref.finalize(self, unwatch)  # a client that nobody closes leaves nothing behind
        self._observe()

    def _observe(self) -> None:
        """Renew the views at once: counters then follow a change, and the next request finds it done."""
        snapshot = self.router.snapshot()
        for keeper in self._keepers.values():
            try:
                keeper.current(snapshot)
            except Exception:
                # There is no view at all yet: the first request that needs one says why.
                continue

    def strategy_of(self, endpoint: str) -> Strategy | None:
        """Give the strategy that splits requests of an endpoint."""
        return None if self._strategy is None else self._strategy.for_method(endpoint)

    def keeper(self, strategy: CustomStrategy) -> SchemaKeeper:
        """Give the keeper of a strategy's views."""
        return self._keepers[id(strategy)]

    def stats(self) -> SchemaStats:
        """Give the sums over all custom strategies, for the topology in force."""
        self._observe()
        sums = [0] * 5
        for keeper in self._keepers.values():
            one = keeper.stats()
            counts = (one.partition_updates, one.snap_updates, one.update_failures, one.nodes, one.left_out)
            sums = [total + count for total, count in zip(sums, counts, strict=True)]
        return SchemaStats(*sums)

    @property
    def is_custom(self) -> bool:
        """Whether there are logical partitions of the user's."""
        return bool(self._keepers)

    def close(self) -> None:
        """Stop watching states. May be called again."""
        while self._unwatch:
            self._unwatch.pop()()


def _weakly(method: Callable[[], None]) -> Callable[[], None]:
    """Call a method without keeping its object: a state outlives the clients that watch it."""
    reference = weakref.WeakMethod(method)

    def call() -> None:
        alive = reference()
        if alive is not None:
            alive()

    return call


def response_merger(plan: Plan) -> Any:
    """Give the function that merges the answers of a plan; ``None`` when there is none."""
    if isinstance(plan.strategy, HashingStrategy | CustomStrategy):
        return plan.strategy.response_mergers.get(plan.endpoint)
    return None


def raise_strategy_failed(endpoint: str, error: BaseException) -> NoReturn:
    """Raise what becomes of an error of the user's strategy function; the cause is kept."""
    if isinstance(error, PartitioningStrategyError) and error.place == endpoint:
        raise error
    text = f"{endpoint}: the partitioning strategy failed: {type(error).__name__}: {error}"
    raise PartitioningStrategyError(text, place=endpoint) from error


def merger_failed(role: str, endpoint: str, error: BaseException) -> PartitioningStrategyError:
    """What becomes of an error of a merger."""
    text = f"{endpoint}: the {role} failed: {type(error).__name__}: {error}"
    return PartitioningStrategyError(text, place=endpoint)


def _missing(role: str, endpoint: str) -> PartitioningStrategyError:
    text = f"{endpoint}: it needs a {role} and has none; add one to the strategy. Nothing was sent"
    return PartitioningStrategyError(text, place=endpoint)


def _no_keys(endpoint: str, why: str) -> NoPartitioningKeysError:
    return NoPartitioningKeysError(f"{endpoint}: no partitioning keys: {why}", place=endpoint)


def _mapping(endpoint: str, answer: Any, what: str) -> Mapping[Any, Any]:
    if isinstance(answer, Mapping):
        return answer
    text = f"{endpoint}: the strategy gave a {type(answer).__name__}; a mapping of {what} to requests is right"
    raise PartitioningStrategyError(text, place=endpoint)
