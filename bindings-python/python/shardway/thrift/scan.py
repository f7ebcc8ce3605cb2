"""Where does one message end, and is its outer form sound: a walk over the bytes that decodes nothing.

Two needs meet here. Without frames only the message itself says where it ends. And a decoder that trusts the sizes in
an answer can be kept busy for minutes by thirty bytes (a list that claims two thousand million elements of a type
that takes no bytes), with every thread of the process waiting for it. After this walk each element a decoder will
loop over is known to be there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

__all__ = ["MalformedMessage", "message_end"]

MAX_DEPTH = 64  # what the libraries themselves allow

# The type `uuid` (number 16 in binary, 13 in compact) is refused: thriftpy2 does not know it and would lose its place
# in the bytes, and the widespread releases of Apache Thrift for Python do not either.
BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST = 2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15
FIXED = {BOOL: 1, BYTE: 1, DOUBLE: 8, I16: 2, I32: 4, I64: 8}

# The types as the compact protocol numbers them.
C_TRUE, C_FALSE, C_BYTE, C_I16, C_I32, C_I64, C_DOUBLE, C_BINARY, C_LIST, C_SET, C_MAP, C_STRUCT = range(1, 13)


class MalformedMessage(ValueError):
    """The bytes are not a message of the protocol."""


def message_end(protocol: str, data: bytearray, fill: Callable[[int], bytes], limit: int) -> int:
    """The number of bytes of the message at the beginning of `data`.

    Args:
        protocol: "binary" (its strict form) or "compact".
        data: what has been read so far; more is added at its end as it is needed.
        fill: gives at least one and at most so many bytes more, or raises.
        limit: the most bytes that a message may take.

    Raises:
        MalformedMessage: it is no message, or a longer one. Whatever `fill` raises passes through.
    """
    walk = _Binary(data, fill, limit) if protocol == "binary" else _Compact(data, fill, limit)
    end = walk.message()
    walk.need(end)
    return end


class _Walk(ABC):
    """The bytes, and more of them on demand."""

    def __init__(self, data: bytearray, fill: Callable[[int], bytes], limit: int) -> None:
        self.data = data
        self.have = len(data)
        self.fill = fill
        self.limit = limit

    @abstractmethod
    def message(self) -> int:
        """Where the message ends; every byte that was looked at is there, those stepped over need not be."""

    def need(self, end: int) -> None:
        """Make sure that the bytes before `end` are there."""
        if end > self.limit:
            raise MalformedMessage(f"a message of {end} bytes or more; {self.limit} are allowed")
        while self.have < end:
            self.data += self.fill(end - self.have)
            self.have = len(self.data)

    def byte(self, at: int) -> int:
        if at >= self.have:
            self.need(at + 1)
        return self.data[at]

    def deeper(self, depth: int) -> int:
        if depth >= MAX_DEPTH:
            raise MalformedMessage(f"structures nest deeper than {MAX_DEPTH}")
        return depth + 1


class _Binary(_Walk):
    """The binary protocol. Each method takes where a thing begins and gives back where it ends."""

    def message(self) -> int:
        if self.size(0, signed=True) >> 16 != -32767:  # 0x8001, the version
            raise MalformedMessage("it does not begin as a message of the strict binary protocol")
        name_end = 8 + self.size(4)
        return self.struct(name_end + 4, 0)

    def size(self, at: int, *, signed: bool = False) -> int:
        if at + 4 > self.have:
            self.need(at + 4)
        size = int.from_bytes(self.data[at : at + 4], "big", signed=True)
        if size < 0 and not signed:
            raise MalformedMessage(f"a size of {size} at byte {at}")
        return size

    def struct(self, at: int, depth: int) -> int:
        depth = self.deeper(depth)
        while kind := self.byte(at):
            at += 3  # the type and the number of the field
            width = FIXED.get(kind)
            if width is not None:
                at += width
            elif kind == STRING:
                at += 4 + self.size(at)
            else:
                at = self.value(kind, at, depth)
        return at + 1

    def value(self, kind: int, at: int, depth: int) -> int:
        if kind == STRUCT:
            return self.struct(at, depth)
        if kind == STRING:
            return at + 4 + self.size(at)
        if kind in (LIST, SET):
            return self.elements((self.byte(at),), self.size(at + 1), at + 5, self.deeper(depth))
        if kind == MAP:
            return self.elements((self.byte(at), self.byte(at + 1)), self.size(at + 2), at + 6, self.deeper(depth))
        if kind in FIXED:
            return at + FIXED[kind]
        raise MalformedMessage(f"a value of unknown type {kind} before byte {at}")

    def elements(self, kinds: tuple[int, ...], count: int, at: int, depth: int) -> int:
        widths = [FIXED.get(kind) for kind in kinds]
        if None not in widths:
            end = at + count * sum(width for width in widths if width is not None)
            self.need(end)
            return end
        if count > self.limit:
            raise MalformedMessage(f"a container of {count} elements at byte {at}")
        for _ in range(count):
            for kind in kinds:
                at = self.struct(at, depth) if kind == STRUCT else self.value(kind, at, depth)
        return at


class _Compact(_Walk):
    """The compact protocol. Each method takes where a thing begins and gives back where it ends."""

    def message(self) -> int:
        if self.byte(0) != 0x82 or self.byte(1) & 0x1F != 1:
            raise MalformedMessage("it does not begin as a message of the compact protocol")
        _, at = self.varint(2)
        return self.struct(self.blob(at), 0)

    def varint(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self.byte(at)
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
            shift += 7
            if shift >= 70:
                raise MalformedMessage(f"an integer of more than ten bytes before byte {at}")

    def blob(self, at: int) -> int:
        size, at = self.varint(at)
        if size > self.limit:
            raise MalformedMessage(f"a size of {size} before byte {at}")
        return at + size

    def struct(self, at: int, depth: int) -> int:
        depth = self.deeper(depth)
        while head := self.byte(at):
            at += 1
            if not head >> 4:  # the number of the field is written in full
                _, at = self.varint(at)
            kind = head & 0x0F
            if kind not in (C_TRUE, C_FALSE):  # a boolean field is its own type
                at = self.value(kind, at, depth)
        return at + 1

    def value(self, kind: int, at: int, depth: int) -> int:
        if kind in (C_I16, C_I32, C_I64):
            return self.varint(at)[1]
        if kind == C_BINARY:
            return self.blob(at)
        if kind == C_STRUCT:
            return self.struct(at, depth)
        if kind in (C_TRUE, C_FALSE, C_BYTE):
            return at + 1
        if kind == C_DOUBLE:
            return at + 8
        if kind in (C_LIST, C_SET):
            head = self.byte(at)
            count, at = (head >> 4, at + 1) if head < 0xF0 else self.varint(at + 1)
            return self.elements((head & 0x0F,), count, at, self.deeper(depth))
        if kind == C_MAP:
            count, at = self.varint(at)
            if count == 0:
                return at
            kinds = self.byte(at)
            return self.elements((kinds >> 4, kinds & 0x0F), count, at + 1, self.deeper(depth))
        raise MalformedMessage(f"a value of unknown type {kind} before byte {at}")

    def elements(self, kinds: tuple[int, ...], count: int, at: int, depth: int) -> int:
        if at + count > self.limit:  # each takes a byte at least
            raise MalformedMessage(f"a container of {count} elements at byte {at}")
        for _ in range(count):
            for kind in kinds:
                at = self.value(kind, at, depth)
            if at > self.have:  # what has no size of its own (a byte, a double) was stepped over, not looked at
                self.need(at)
        return at
