"""A value that others watch: what a resharding strategy depends on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["State"]

T = TypeVar("T")


class State(Generic[T]):
    """An observable value, for any number of threads.

    Watchers are called one change after the other, on the thread that updates, and see changes in their order. A
    watcher may watch and unwatch from inside its call, and may update the value: that change is told when the one
    under way has been told to everyone.

    Args:
        value: the first value.
    """

    def __init__(self, value: T) -> None:
        """Begin with a value."""
        self._value = value
        self._version = 0
        self._watchers: list[Callable[[], None]] = []
        self._lock = threading.RLock()  # a collected watcher may leave while this thread holds it
        self._telling = threading.RLock()
        self._nested = False

    @property
    def value(self) -> T:
        """The value now."""
        return self._value

    @property
    def version(self) -> int:
        """How often the value was set; two equal values in a row count twice."""
        return self._version

    def read(self) -> tuple[int, T]:
        """Give version and value as they belong together."""
        with self._lock:
            return self._version, self._value

    def update(self, value: T) -> None:
        """Set the value and tell the watchers, which have all been called when this returns.

        An exception of a watcher does not keep the others from being told; the first one is raised at the end.
        """
        with self._lock:
            self._value = value
            self._version += 1
        with self._telling:
            if self._nested:
                return  # the round under way goes around once more
            self._nested = True
            first: BaseException | None = None
            told = -1
            try:
                while told != self._version:
                    told = self._version
                    for watcher in list(self._watchers):
                        try:
                            watcher()
                        except Exception as error:  # one watcher must not silence the rest
                            first = first or error
            finally:
                self._nested = False
        if first is not None:
            raise first

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` after each change; gives a function that ends it, which may be called again."""
        with self._lock:
            self._watchers.append(watcher)

        def unwatch() -> None:
            with self._lock:
                if watcher in self._watchers:
                    self._watchers.remove(watcher)

        return unwatch
