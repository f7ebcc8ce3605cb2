"""Which of several equivalent instances gets a request."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from .strategy import Pick

__all__ = ["InFlight", "Picker"]


class InFlight:
    """Requests under way by node, for any number of threads."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, node: str) -> None:
        """Count a request that begins."""
        with self._lock:
            self._counts[node] += 1

    def leave(self, node: str) -> None:
        """Count a request that ended. Nodes without any are forgotten."""
        with self._lock:
            left = self._counts[node] - 1
            if left > 0:
                self._counts[node] = left
            else:
                del self._counts[node]

    def of(self, node: str) -> int:
        """Give the requests under way to a node."""
        return self._counts.get(node, 0)


class Picker:
    """Orders candidates: the chosen one first, then those to fall back to when it must not be sent to.

    Args:
        in_flight: what `p2c` compares.
        seed: of the draws; the same seed and calls give the same choices.
    """

    def __init__(self, in_flight: InFlight, seed: int) -> None:
        """Begin the sequence of draws."""
        self._in_flight = in_flight
        self._random = random.Random(seed)
        self._turns: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def order(self, pick: Pick, nodes: Sequence[str], lane: Hashable) -> Iterator[str]:
        """Give every node once.

        Args:
            pick: how the first is chosen.
            nodes: the candidates.
            lane: whose turns are counted together. Partitions take turns each for themselves: with one count for all,
                a request to two partitions of two nodes would meet the same two nodes for ever.
        """
        if len(nodes) < 2:
            yield from nodes
            return
        with self._lock:
            if pick == "round_robin":
                first, second = self._turns[lane] % len(nodes), None
                self._turns[lane] += 1
            else:
                first, second = self._random.sample(range(len(nodes)), 2)
        if second is not None and self._in_flight.of(nodes[second]) < self._in_flight.of(nodes[first]):
            first = second
        yield nodes[first]
        yield from (nodes[(first + step) % len(nodes)] for step in range(1, len(nodes)))
