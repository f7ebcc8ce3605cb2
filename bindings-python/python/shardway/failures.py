"""How a part of a request can fail on this side of the wire."""

from __future__ import annotations

from .errors import ShardNotAvailableError

__all__ = ["NodeUnavailableError", "PartTimeoutError"]


class NodeUnavailableError(ShardNotAvailableError):
    """Nothing was sent: every node that could answer is marked dead, or its one probe is under way.

    Args:
        message: the text.
        nodes: the ids of the nodes that were considered.
    """

    nodes: tuple[str, ...]
    """The ids of the nodes that were considered."""

    def __init__(self, message: str = "", *, nodes: tuple[str, ...] = (), place: str = "") -> None:
        """Make the error; see the class."""
        super().__init__(message, place=place)
        self.nodes = nodes


class PartTimeoutError(ShardNotAvailableError, TimeoutError):
    """A part had no answer when the time of the request was up. Its node may still do what was asked."""
