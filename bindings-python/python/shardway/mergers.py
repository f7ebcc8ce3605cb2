"""How sub-requests become one request a node, and how answers become one result.

A registry holds one function an endpoint. It is filled before a client is built with it and frozen by that, so calls
read it without a lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeAlias, TypeVar

from .errors import InvalidArgumentError, InvalidArgumentTypeError
from .keys import Key

__all__ = ["PartFailure", "RequestMerger", "RequestMergers", "ResponseMerger", "ResponseMergers"]


@dataclass(frozen=True, slots=True)
class PartFailure:
    """A part of a request that got no answer, or a declared exception as one: what a response merger gets."""

    error: BaseException
    """What happened."""
    endpoint: str
    """The method that was called."""
    node: str | None
    """The id of the node that was asked; ``None`` when none was."""
    partition: int | None
    """The logical partition that was asked; ``None`` with a hashing strategy."""
    keys: tuple[Key, ...]
    """The keys of the part, in their order; empty with a custom strategy."""
    request: Any
    """The request of the part, as it was sent or would have been."""


RequestMerger: TypeAlias = Callable[[Sequence[Any]], Any]
"""Makes one request of several that go to one node, given in the order of their keys."""

ResponseMerger: TypeAlias = Callable[[list[Any], list[PartFailure]], Any]
"""Makes one result of all answers: ``(successes, failures)``, each in the order in which their keys first appear.

To answer with an error it raises the ``error`` of one of the failures, or returns an exception, which is raised as it
is. Anything else that it raises counts as the merger's own failure.
"""

_F = TypeVar("_F", bound=Callable[..., Any])


class _Registry(Generic[_F]):
    """Functions by endpoint, frozen by the client that is built with them."""

    _role = ""

    def __init__(self) -> None:
        self._by_endpoint: dict[str, _F] = {}
        self._frozen = False

    def add(self, endpoint: str, merge: _F) -> Self:
        """Set the merger of an endpoint and give back the registry, so that calls can be chained.

        Args:
            endpoint: the method's name.
            merge: the function.

        Raises:
            InvalidArgumentTypeError: `endpoint` is no text or `merge` cannot be called.
            InvalidArgumentError: the registry is frozen, or has a merger for the endpoint already.
        """
        if not isinstance(endpoint, str):
            text = f"endpoint: a {type(endpoint).__name__}; the method's name as a str is right"
            raise InvalidArgumentTypeError(text, place="endpoint")
        if not callable(merge):
            raise InvalidArgumentTypeError(f"merge: a {type(merge).__name__}; a function is right", place="merge")
        if self._frozen:
            text = f"endpoint: {endpoint!r} comes too late; a {self._role} registry is frozen once a client has it"
            raise InvalidArgumentError(text, place="endpoint")
        if endpoint in self._by_endpoint:
            text = f"endpoint: {endpoint!r} has a {self._role} already; one an endpoint is right"
            raise InvalidArgumentError(text, place="endpoint")
        self._by_endpoint[endpoint] = merge
        return self

    def get(self, endpoint: str) -> _F | None:
        """Give the merger of an endpoint, ``None`` when it has none."""
        return self._by_endpoint.get(endpoint)

    def freeze(self) -> None:
        """Refuse further additions. A client that is built with the registry does this."""
        self._frozen = True


class RequestMergers(_Registry[RequestMerger]):
    """Request mergers by endpoint. Filled by one thread, then read by any number."""

    _role = "request merger"


class ResponseMergers(_Registry[ResponseMerger]):
    """Response mergers by endpoint. Filled by one thread, then read by any number."""

    _role = "response merger"
