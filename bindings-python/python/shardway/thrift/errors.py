"""What a call to a Thrift server can fail with, beyond the exceptions that the service declares.

All are `ShardNotAvailableError`: the node that was asked gave no usable answer. The exceptions that a service
declares, and `TApplicationException` of the Thrift library, are not here: they are answers, and arrive as they are.
"""

from __future__ import annotations

from shardway.errors import ShardNotAvailableError

__all__ = [
    "CallTimeoutError",
    "ConnectError",
    "ConnectionLostError",
    "GarbageAnswerError",
    "NodeBusyError",
    "NodeFailedError",
]


class NodeFailedError(ShardNotAvailableError):
    """A node gave no usable answer; it is never raised itself, its subclasses are. `__cause__` is what happened.

    Args:
        message: what happened, without the node and the endpoint: the text begins with them.
        node: the id of the node that was asked.
        endpoint: the name of the method that was called.
    """

    node: str
    """The id of the node that was asked."""

    endpoint: str
    """The name of the method that was called."""

    def __init__(self, message: str = "", *, node: str = "", endpoint: str = "") -> None:
        """Make the error; see the class for the arguments."""
        super().__init__(f"node {node!r}, {endpoint}: {message}" if node else message)
        self.node = node
        self.endpoint = endpoint


class ConnectError(NodeFailedError, ConnectionError):
    """No connection could be made: nobody listens, the name is unknown, or it took longer than allowed."""


class CallTimeoutError(NodeFailedError, TimeoutError):
    """The answer did not come in time. The server may still do, or have done, what was asked."""


class ConnectionLostError(NodeFailedError, ConnectionError):
    """The connection broke before the answer was complete. The server may have done what was asked."""


class GarbageAnswerError(NodeFailedError):
    """What came is not an answer of this service: not Thrift, another protocol, another method, or over the bound."""


class NodeBusyError(NodeFailedError, TimeoutError):
    """Every connection to the node stayed in use by this client's own calls until the time was up; nothing was sent.

    It says nothing about the node, so it is not held against its health. Raise `max_connections`, or ask less at once.
    """
