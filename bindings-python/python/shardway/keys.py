"""What may be a key.

A key is bytes. ``str`` is its UTF-8, ``int`` its 8-byte big-endian two's complement (so from ``-2**63`` to
``2**63 - 1``), and ``bytes``, ``bytearray`` and ``memoryview`` of bytes are themselves. The ``finagle``
profile with ``thrift_keys`` takes the JVM ``hashCode`` of the key instead; there an ``int`` counts as a JVM
``Long``, an :class:`I32` as an ``Integer``, and ``bool`` is a key too.
"""

from __future__ import annotations

from typing import SupportsIndex, TypeAlias

from .errors import InvalidArgumentError

__all__ = ["I32", "Key"]

Key: TypeAlias = str | bytes | bytearray | memoryview | int
"""The types that are keys."""


class I32(int):
    """An ``int`` that counts as a 32-bit integer where the width matters.

    It matters for keys of Thrift fields of type ``i32`` in the ``finagle`` profile with ``thrift_keys``: the
    JVM's ``Integer`` and ``Long`` of one negative number have different hash codes. Elsewhere it is an int.

    Args:
        value: from ``-2**31`` to ``2**31 - 1``.

    Raises:
        InvalidArgumentError: the value is out of range.
    """

    __slots__ = ()

    def __new__(cls, value: SupportsIndex = 0) -> I32:
        """Make the integer; see the class."""
        number = super().__new__(cls, value)
        if not -(2**31) <= number < 2**31:
            message = f"value: an int of {number.bit_length()} bits; from -2**31 to 2**31 - 1 is right"
            raise InvalidArgumentError(message, place="value")
        return number

    def __repr__(self) -> str:
        """Give the expression that makes this value."""
        return f"I32({int(self)})"
