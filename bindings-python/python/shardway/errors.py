"""The exceptions of shardway: one hierarchy, the same codes as in every other language.

Every exception carries

* ``code``: the number of its kind, the same one that the C ABI returns;
* ``code_name``: the name of its kind, the same in every language (``"InvalidTopology"``);
* ``place``: where in the input the fault lies, for instance ``"nodes[3].weight"`` or ``"keys[17]"``;
  empty when it is about no single place.

The text of the exception names the value that was wrong and what would be right. Where Python has a built-in
exception of the same meaning, the class is a subclass of it too, so ``except ValueError`` and
``except LookupError`` do what a reader expects.
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "ERRORS_BY_CODE",
    "ClosedError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidArgumentTypeError",
    "InvalidTopologyError",
    "NoPartitionError",
    "NoPartitioningKeysError",
    "NoShardIdError",
    "PartitioningStrategyError",
    "RevisionConflictError",
    "ShardNotAvailableError",
    "ShardwayError",
    "StaleRevisionError",
    "UnknownNodeError",
    "UnsupportedError",
]


class ShardwayError(Exception):
    """The base of every error this package raises on purpose; catch it to catch them all.

    It is never raised itself: its subclasses are.

    Args:
        message: the sentence that ``str()`` gives back.
        place: where in the input the fault lies; empty when it is about no single place.
    """

    code: ClassVar[int] = 0
    """The number of the kind, the same in every language."""

    code_name: ClassVar[str] = ""
    """The name of the kind, the same in every language."""

    place: str
    """Where in the input the fault lies; empty when it is about no single place."""

    def __init__(self, message: str = "", *, place: str = "") -> None:
        """Make the error; see the class for the arguments."""
        super().__init__(message)
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy with every attribute, so the error survives a process pool."""
        return (type(self), self.args, self.__dict__)


class InvalidTopologyError(ShardwayError, ValueError):
    """A topology, or the document of one, breaks a rule; ``place`` says where. The one in force stays."""

    code = 10
    code_name = "InvalidTopology"


class InvalidArgumentError(ShardwayError, ValueError):
    """An argument is out of range, of the wrong form or not valid text. Nothing was changed."""

    code = 11
    code_name = "InvalidArgument"


class InvalidArgumentTypeError(InvalidArgumentError, TypeError):
    """An argument has a Python type that is not taken there, for instance a ``float`` as a key."""


class StaleRevisionError(ShardwayError):
    """A topology is older than the one in force; drop it."""

    code = 20
    code_name = "StaleRevision"


class RevisionConflictError(ShardwayError):
    """A topology has the revision of the one in force and other content; the newer one needs a higher one."""

    code = 21
    code_name = "RevisionConflict"


class UnknownNodeError(ShardwayError, LookupError):
    """A node id that the topology in force does not know."""

    code = 30
    code_name = "UnknownNode"


class NoPartitioningKeysError(ShardwayError):
    """A request gave no key to route by: its endpoint has no case in the strategy, or the case gave none."""

    code = 40
    code_name = "NoPartitioningKeys"


class PartitioningStrategyError(ShardwayError):
    """A strategy or merger failed or is missing; the cause, when there is one, is ``__cause__``."""

    code = 41
    code_name = "PartitioningStrategy"


class NoPartitionError(ShardwayError, LookupError):
    """No instance serves the partition that was asked for."""

    code = 50
    code_name = "NoPartition"


class NoShardIdError(ShardwayError):
    """An instance has no shard id, so it cannot serve a logical partition."""

    code = 51
    code_name = "NoShardId"


class ShardNotAvailableError(ShardwayError):
    """No node can own a key: none has weight, or all are ejected. Wait for a revival, or publish."""

    code = 60
    code_name = "ShardNotAvailable"


class UnsupportedError(ShardwayError):
    """The combination that was asked for is not defined."""

    code = 70
    code_name = "Unsupported"


class ClosedError(ShardwayError):
    """The object was closed before the call; make a new one."""

    code = 80
    code_name = "Closed"


class InternalError(ShardwayError):
    """A defect in this library. The call had no effect, the next one works; please report it."""

    code = 90
    code_name = "Internal"


ERRORS_BY_CODE: dict[int, type[ShardwayError]] = {
    kind.code: kind
    for kind in (
        InvalidTopologyError,
        InvalidArgumentError,
        StaleRevisionError,
        RevisionConflictError,
        UnknownNodeError,
        NoPartitioningKeysError,
        PartitioningStrategyError,
        NoPartitionError,
        NoShardIdError,
        ShardNotAvailableError,
        UnsupportedError,
        ClosedError,
        InternalError,
    )
}
"""The exception class of each code. A code has exactly one class here; its subclasses share it."""
