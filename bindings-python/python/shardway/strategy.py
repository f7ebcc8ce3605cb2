"""How a request is split: by keys on the ring, or by logical partitions of the user's own.

A strategy is a description. It is given to a client, which does the splitting; one strategy may serve several clients
and any number of threads. The user's functions are called on the thread of the call and must be pure: same input, same
answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from ._native import Node
from .errors import InvalidArgumentError, InvalidArgumentTypeError, PartitioningStrategyError
from .mergers import RequestMerger, RequestMergers, ResponseMerger, ResponseMergers
from .state import State

__all__ = [
    "CustomStrategy",
    "GetKeys",
    "GetPartitions",
    "HashingStrategy",
    "LogicalPartition",
    "MethodStrategies",
    "Pick",
    "Strategy",
    "per_endpoint",
]

GetKeys: TypeAlias = Callable[[str, Any], Mapping[Any, Any] | None]
"""``(endpoint, request)`` to sub-requests by key. ``None``, no entry or a ``None`` key: the request has no key."""

GetPartitions: TypeAlias = Callable[[str, Any], Mapping[int, Any] | Awaitable[Mapping[int, Any] | None] | None]
"""``(endpoint, request)`` to sub-requests by partition id, or an awaitable of that. ``None``: no case."""

LogicalPartition: TypeAlias = Callable[[int], int | Iterable[int]]
"""The shard id of an instance to the partition, or the partitions, that it serves."""

Pick: TypeAlias = Literal["p2c", "round_robin"]
"""How an instance of a partition is chosen: of two drawn at random the one with less under way, or in turn."""


def _callable(place: str, value: object) -> None:
    if not callable(value):
        raise InvalidArgumentTypeError(f"{place}: a {type(value).__name__}; a function is right", place=place)


def per_endpoint(cases: Mapping[str, Callable[[Any], Any]]) -> Callable[[str, Any], Any]:
    """Make one strategy function of one function an endpoint; an endpoint without one gives ``None``.

    Args:
        cases: functions of the request, by method name.
    """
    for endpoint, case in cases.items():
        _callable(f"cases[{endpoint!r}]", case)
    table = dict(cases)

    def choose(endpoint: str, request: Any) -> Any:
        case = table.get(endpoint)
        return None if case is None else case(request)

    return choose


def _typed(endpoint: str, split: Callable[[Any], Any], request_type: type | None) -> Callable[[str, Any], Any]:
    """Make a strategy function of the function of one endpoint, which takes that endpoint's request type only."""
    if not isinstance(endpoint, str) or not endpoint:
        text = f"endpoint: {endpoint!r}; the name of a method is right"
        raise InvalidArgumentTypeError(text, place="endpoint")
    if request_type is not None and not isinstance(request_type, type):
        text = f"request_type: a {type(request_type).__name__}; a class is right"
        raise InvalidArgumentTypeError(text, place="request_type")

    def checked(method: str, request: Any) -> Any:
        if request_type is not None and not isinstance(request, request_type):
            got, right = type(request).__name__, request_type.__name__
            text = f"{method}: a request of type {got}; the strategy takes {right}"
            raise PartitioningStrategyError(text, place=method)
        return split(request)

    return checked


class Strategy:
    """The base of all strategies; not made itself."""

    _only: str | None = None
    """The one endpoint that it is bound to."""

    def for_method(self, endpoint: str) -> Strategy | None:
        """Give the strategy that splits requests of `endpoint`; ``None`` when they are not split."""
        return self if self._only in (None, endpoint) else None

    def freeze(self) -> None:
        """Refuse further mergers. A client that is built with the strategy does this."""

    def _parts(self) -> Iterable[Strategy]:
        """Give the strategies that split, this one or those inside it."""
        return (self,)


class HashingStrategy(Strategy):
    """Keys to nodes by the ring of the router; each node is a partition.

    Args:
        get_keys: ``(endpoint, request)`` to a mapping of hash keys to sub-requests.
        request_mergers: by endpoint, for sub-requests whose keys one node owns.
        response_mergers: by endpoint, for requests that went to more than one node.
    """

    def __init__(
        self,
        get_keys: GetKeys,
        *,
        request_mergers: RequestMergers | None = None,
        response_mergers: ResponseMergers | None = None,
    ) -> None:
        """Describe the strategy; see the class."""
        _callable("get_keys", get_keys)
        self.get_keys = get_keys
        self.request_mergers = request_mergers if request_mergers is not None else RequestMergers()
        self.response_mergers = response_mergers if response_mergers is not None else ResponseMergers()

    @classmethod
    def per_endpoint(
        cls,
        cases: Mapping[str, Callable[[Any], Mapping[Any, Any] | None]],
        *,
        request_mergers: RequestMergers | None = None,
        response_mergers: ResponseMergers | None = None,
    ) -> HashingStrategy:
        """Make a strategy of one function an endpoint. An endpoint without one has no key."""
        choose = per_endpoint(cases)
        return cls(choose, request_mergers=request_mergers, response_mergers=response_mergers)

    @classmethod
    def for_endpoint(
        cls,
        endpoint: str,
        get_keys: Callable[[Any], Mapping[Any, Any] | None],
        *,
        request_type: type | None = None,
        request_merger: RequestMerger | None = None,
        response_merger: ResponseMerger | None = None,
    ) -> HashingStrategy:
        """Make a strategy for one endpoint; requests of all others are not split.

        Args:
            endpoint: the method's name.
            get_keys: its request to sub-requests by key.
            request_type: when given, a request of another type is a `PartitioningStrategyError`.
            request_merger: for sub-requests whose keys one node owns.
            response_merger: for requests that went to more than one node.
        """
        _callable("get_keys", get_keys)
        typed = _typed(endpoint, get_keys, request_type)
        requests, responses = RequestMergers(), ResponseMergers()
        if request_merger is not None:
            requests.add(endpoint, request_merger)
        if response_merger is not None:
            responses.add(endpoint, response_merger)
        strategy = cls(typed, request_mergers=requests, response_mergers=responses)
        strategy._only = endpoint
        return strategy

    def freeze(self) -> None:
        """Refuse further mergers."""
        self.request_mergers.freeze()
        self.response_mergers.freeze()


class CustomStrategy(Strategy):
    """Requests to logical partitions, and logical partitions to instances, by functions of the user's.

    Made by `no_resharding`, `resharding`, `cluster_resharding`, `for_endpoint`. Both functions come together from
    one observed state: a request never meets an old function with a new map.
    """

    def __init__(
        self,
        partitions_at: Callable[[Any], GetPartitions],
        logical_at: Callable[[Any], LogicalPartition] | None,
        *,
        state: State[Any] | None,
        observes_cluster: bool,
        response_mergers: ResponseMergers | None,
        pick: Pick,
    ) -> None:
        """Use the class methods instead."""
        if pick not in get_args(Pick):
            raise InvalidArgumentError(f"pick: {pick!r}; one of {', '.join(get_args(Pick))} is right", place="pick")
        self.partitions_at = partitions_at
        self.logical_at = logical_at
        self.state = state
        self.observes_cluster = observes_cluster
        self.response_mergers = response_mergers if response_mergers is not None else ResponseMergers()
        self.pick: Pick = pick

    @classmethod
    def no_resharding(
        cls,
        get_partitions: GetPartitions,
        *,
        logical_partition: LogicalPartition | None = None,
        response_mergers: ResponseMergers | None = None,
        pick: Pick = "p2c",
    ) -> CustomStrategy:
        """Make a strategy whose functions never change.

        Args:
            get_partitions: ``(endpoint, request)`` to sub-requests by partition id. The same request may go to many.
            logical_partition: an instance's shard id to the partitions it serves; without it the topology's
                ``partitions`` count, and where those are missing each instance is its own partition.
            response_mergers: by endpoint, for requests to more than one partition.
            pick: how an instance of a partition is chosen.
        """
        _callable("get_partitions", get_partitions)
        if logical_partition is not None:
            _callable("logical_partition", logical_partition)
        return cls(
            lambda _state: get_partitions,
            None if logical_partition is None else (lambda _state: logical_partition),
            state=None,
            observes_cluster=False,
            response_mergers=response_mergers,
            pick=pick,
        )

    @classmethod
    def resharding(
        cls,
        get_partitions: Callable[[Any], GetPartitions],
        *,
        state: State[Any],
        logical_partition: Callable[[Any], LogicalPartition] | None = None,
        response_mergers: ResponseMergers | None = None,
        pick: Pick = "p2c",
    ) -> CustomStrategy:
        """Make a strategy whose functions follow a state.

        Both functions are pure functions of the state's value and are evaluated anew at each change; the next request
        sees the result. An evaluation that fails keeps the last good one and counts in ``update_failures``.

        Args:
            get_partitions: a value of the state to the function that splits requests.
            state: what is observed.
            logical_partition: a value of the state to the function from shard id to partitions.
            response_mergers: by endpoint, for requests to more than one partition.
            pick: how an instance of a partition is chosen.
        """
        _callable("get_partitions", get_partitions)
        if logical_partition is not None:
            _callable("logical_partition", logical_partition)
        if not isinstance(state, State):
            raise InvalidArgumentTypeError(f"state: a {type(state).__name__}; a State is right", place="state")
        return cls(
            get_partitions,
            logical_partition,
            state=state,
            observes_cluster=False,
            response_mergers=response_mergers,
            pick=pick,
        )

    @classmethod
    def cluster_resharding(
        cls,
        get_partitions: Callable[[frozenset[Node]], GetPartitions],
        *,
        logical_partition: Callable[[frozenset[Node]], LogicalPartition] | None = None,
        response_mergers: ResponseMergers | None = None,
        pick: Pick = "p2c",
    ) -> CustomStrategy:
        """Make a strategy whose functions follow the set of nodes of the topology in force.

        Args:
            get_partitions: the set of nodes to the function that splits requests.
            logical_partition: the set of nodes to the function from shard id to partitions.
            response_mergers: by endpoint, for requests to more than one partition.
            pick: how an instance of a partition is chosen.
        """
        _callable("get_partitions", get_partitions)
        if logical_partition is not None:
            _callable("logical_partition", logical_partition)
        return cls(
            get_partitions,
            logical_partition,
            state=None,
            observes_cluster=True,
            response_mergers=response_mergers,
            pick=pick,
        )

    @classmethod
    def for_endpoint(
        cls,
        endpoint: str,
        get_partitions: Callable[[Any], Mapping[int, Any] | Awaitable[Mapping[int, Any] | None] | None],
        *,
        request_type: type | None = None,
        logical_partition: LogicalPartition | None = None,
        response_merger: ResponseMerger | None = None,
        pick: Pick = "p2c",
    ) -> CustomStrategy:
        """Make a strategy for one endpoint whose functions never change; requests of all others are not split.

        Args:
            endpoint: the method's name.
            get_partitions: its request to sub-requests by partition id.
            request_type: when given, a request of another type is a `PartitioningStrategyError`.
            logical_partition: see `no_resharding`.
            response_merger: for requests to more than one partition.
            pick: how an instance of a partition is chosen.
        """
        _callable("get_partitions", get_partitions)
        typed = _typed(endpoint, get_partitions, request_type)
        responses = ResponseMergers()
        if response_merger is not None:
            responses.add(endpoint, response_merger)
        strategy = cls.no_resharding(typed, logical_partition=logical_partition, response_mergers=responses, pick=pick)
        strategy._only = endpoint
        return strategy

    def freeze(self) -> None:
        """Refuse further mergers."""
        self.response_mergers.freeze()


class MethodStrategies(Strategy):
    """A strategy of its own for each endpoint; requests of an endpoint without one are not split.

    Args:
        strategies: by method name.
    """

    def __init__(self, strategies: Mapping[str, Strategy]) -> None:
        """Describe the strategies; see the class."""
        for endpoint, strategy in strategies.items():
            if not isinstance(strategy, HashingStrategy | CustomStrategy):
                place = f"strategies[{endpoint!r}]"
                text = f"{place}: a {type(strategy).__name__}; a HashingStrategy or CustomStrategy is right"
                raise InvalidArgumentTypeError(text, place=place)
        self.strategies = dict(strategies)

    def for_method(self, endpoint: str) -> Strategy | None:
        """Give the endpoint's own strategy."""
        strategy = self.strategies.get(endpoint)
        return None if strategy is None else strategy.for_method(endpoint)

    def freeze(self) -> None:
        """Refuse further mergers in all of them."""
        for strategy in self.strategies.values():
            strategy.freeze()

    def _parts(self) -> Iterable[Strategy]:
        return self.strategies.values()
