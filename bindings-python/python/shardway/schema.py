"""Logical partitions of a custom strategy: the function and the map that belong together, and how they change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._native import Node, PartitionMap, Snapshot
from .errors import InvalidArgumentError, InvalidArgumentTypeError
from .strategy import CustomStrategy, GetPartitions

__all__ = ["Schema", "SchemaKeeper", "SchemaStats"]

log = logging.getLogger("shardway")

MIN_PARTITION, MAX_PARTITION = -(2**31), 2**31 - 1


@dataclass(frozen=True, slots=True)
class Schema:
    """One view of a custom strategy; a request holds it from start to end."""

    split: GetPartitions
    map: PartitionMap
    nodes: Mapping[str, Node]


@dataclass(frozen=True, slots=True)
class SchemaStats:
    """Counts of a custom strategy, under Finagle's names."""

    partition_updates: int = 0
    """Views put in force whose partitions or instances differ from those before."""
    snap_updates: int = 0
    """Views put in force."""
    update_failures: int = 0
    """Updates that could not be used: a function failed, or no partition was left."""
    nodes: int = 0
    """Logical partitions in force."""
    left_out: int = 0
    """Instances that serve nothing now because something is wrong with them."""


class SchemaKeeper:
    """Keeps the view of one custom strategy in force, for any number of threads.

    A new view is made when the topology's revision or the observed state changes. What fails keeps the old one.
    """

    def __init__(self, strategy: CustomStrategy) -> None:
        """Begin without a view; the first `current` makes one."""
        self._strategy = strategy
        self._lock = threading.RLock()
        self._seen: tuple[int, int] | None = None
        self._failed: tuple[int, int] | None = None
        self._schema: Schema | None = None
        self._stats = SchemaStats()

    def current(self, snapshot: Snapshot) -> Schema:
        """Give the view for a snapshot of the router.

        Raises:
            Exception: whatever the user's functions raise, when there is no view yet that could stay in force.
        """
        state = self._strategy.state
        version = 0 if state is None else state.version
        schema = self._schema
        if schema is not None and self._seen == (snapshot.revision, version):
            return schema
        return self._renew(snapshot)

    def _renew(self, snapshot: Snapshot) -> Schema:
        with self._lock:
            version, value = self._observe(snapshot)
            if self._schema is not None and self._seen is not None:
                seen_revision, seen_version = self._seen
                if snapshot.revision < seen_revision or version < seen_version:
                    return self._schema  # another thread has seen something newer
                if self._seen == (snapshot.revision, version):
                    return self._schema
            seen = (snapshot.revision, version)
            try:
                schema = self._evaluate(snapshot, value)
            except Exception as error:
                self._count_failure(seen)
                if self._schema is None:
                    raise
                self._seen = seen
                log.error("the last good partitions stay in force: %s", error, exc_info=error)
                return self._schema
            schema = self._put(schema, seen)
            self._seen = seen
            return schema

    def _observe(self, snapshot: Snapshot) -> tuple[int, Any]:
        if self._strategy.state is not None:
            return self._strategy.state.read()
        return 0, frozenset(snapshot.nodes) if self._strategy.observes_cluster else None

    def _evaluate(self, snapshot: Snapshot, value: Any) -> Schema:
        split = self._strategy.partitions_at(value)
        if not callable(split):
            text = f"get_partitions gave a {type(split).__name__} for the state; a function is right"
            raise InvalidArgumentTypeError(text, place="get_partitions")
        return Schema(split, self._map(snapshot, value), {node.id: node for node in snapshot.nodes})

    def _map(self, snapshot: Snapshot, value: Any) -> PartitionMap:
        if self._strategy.logical_at is None:
            declared = snapshot.topology.partitions
            if declared is None:
                return PartitionMap((node.id, node.shard_id, None) for node in snapshot.nodes)

            def logical(shard_id: int) -> Iterable[int]:
                if shard_id not in declared:
                    raise LookupError(f"shard id {shard_id} is not listed in partitions")
                return declared[shard_id]
        else:
            logical = self._strategy.logical_at(value)  # type: ignore[assignment]
        return PartitionMap((node.id, node.shard_id, _served(logical, node.shard_id)) for node in snapshot.nodes)

    def _put(self, schema: Schema, seen: tuple[int, int]) -> Schema:
        if self._failed != seen:  # said already, when this update was tried before
            for node, code, reason in schema.map.left_out:
                log.warning("%s: instance %s is left out: %s", code, node, reason)
        if len(schema.map) == 0:
            self._count_failure(seen)
            if self._schema is not None:
                log.error("the last good partitions stay in force: the new ones would be empty")
                return self._schema
            return schema  # nothing to keep: asking it says which partition is missing
        changed = self._schema is None or _content(self._schema.map) != _content(schema.map)
        self._count(snap_updates=1, partition_updates=int(changed))
        self._schema = schema
        return schema

    def _count_failure(self, seen: tuple[int, int]) -> None:
        """Count an update that cannot be used, once: without a view each request tries anew."""
        if self._failed != seen:
            self._failed = seen
            self._count(update_failures=1)

    def _count(self, *, partition_updates: int = 0, snap_updates: int = 0, update_failures: int = 0) -> None:
        old = self._stats
        self._stats = SchemaStats(
            old.partition_updates + partition_updates,
            old.snap_updates + snap_updates,
            old.update_failures + update_failures,
        )

    def stats(self) -> SchemaStats:
        """Give the counts."""
        with self._lock:
            counts, schema = self._stats, self._schema
        if schema is None:
            return counts
        return SchemaStats(
            counts.partition_updates,
            counts.snap_updates,
            counts.update_failures,
            len(schema.map),
            len(schema.map.left_out),
        )


def _served(logical: Any, shard_id: int | None) -> list[int] | BaseException | None:
    """What the user's mapping gives for one instance; its failure is that instance's alone."""
    if shard_id is None:
        return None
    try:
        answer = logical(shard_id)
        serves = [answer] if isinstance(answer, int) else list(answer)
        for partition in serves:
            _check_partition(partition)
    except Exception as error:
        return error
    return serves


def _check_partition(partition: object) -> None:
    """Refuse what the native map would refuse, for all instances at once."""
    if not isinstance(partition, int) or isinstance(partition, bool):
        text = f"logical_partition: {partition!r} is no partition id; an int is right"
        raise InvalidArgumentTypeError(text, place="logical_partition")
    if not MIN_PARTITION <= partition <= MAX_PARTITION:
        text = f"logical_partition: {partition}; {MIN_PARTITION} to {MAX_PARTITION} is right"
        raise InvalidArgumentError(text, place="logical_partition")


def _content(partitions: PartitionMap) -> dict[int, list[str]]:
    return {partition: partitions.nodes(partition) for partition in partitions.ids}
