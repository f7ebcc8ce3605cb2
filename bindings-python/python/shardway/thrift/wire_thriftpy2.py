"""Calls and answers as bytes, by the thriftpy2 library."""

# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-call"
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TMessageType
from thriftpy2.transport import TBufferedTransport, TMemoryBuffer

from shardway.thrift.service import Endpoint, Reply

__all__ = ["Thriftpy2Wire"]


class _Bytes:
    """The bytes of one message, read from the front; at the end the library's buffer reports an end of file."""

    def __init__(self, message: bytes) -> None:
        self._left = memoryview(message)

    def read(self, size: int) -> bytes:
        data, self._left = self._left[:size], self._left[size:]
        return bytes(data)


class Thriftpy2Wire:
    """The wire of thriftpy2 in "binary" or "compact"; text that is not UTF-8 is refused, not handed on as bytes."""

    def __init__(self, protocol: str) -> None:
        """Choose the protocol; it has been checked."""
        self._protocol: Any = TBinaryProtocol if protocol == "binary" else TCompactProtocol

    def encode(self, endpoint: Endpoint, values: Mapping[str, Any], sequence: int) -> bytes:
        """The bytes of one call."""
        buffer = TMemoryBuffer()
        protocol = self._protocol(buffer)
        kind = TMessageType.ONEWAY if endpoint.oneway else TMessageType.CALL
        protocol.write_message_begin(endpoint.name, kind, sequence)
        endpoint.args_type(**values).write(protocol)
        protocol.write_message_end()
        return bytes(buffer.getvalue())

    def decode(self, endpoint: Endpoint, message: bytes, sequence: int) -> Reply:
        """The answer in one message."""
        # Not the library's memory buffer: at its end that one gives undefined bytes instead of an error.
        protocol = self._protocol(TBufferedTransport(_Bytes(message)), strict_decode=True)
        name, kind, number = protocol.read_message_begin()
        if name != endpoint.name or number != sequence:
            raise ValueError(f"it answers call {number} of {name!r}, asked was call {sequence}")
        if kind == TMessageType.EXCEPTION:
            error = TApplicationException()
            error.read(protocol)
            protocol.read_message_end()
            return Reply(error=error)
        if kind != TMessageType.REPLY or endpoint.result_type is None:
            raise ValueError(f"a message of kind {kind} is not an answer")
        result = endpoint.result_type()
        result.read(protocol)
        protocol.read_message_end()
        return self._reply(endpoint, result)

    @staticmethod
    def _reply(endpoint: Endpoint, result: Any) -> Reply:
        value = getattr(result, "success", None)
        if value is not None:
            return Reply(value)
        for number, spec in sorted(result.thrift_spec.items()):
            error = getattr(result, spec[1])
            if number != 0 and error is not None:
                return Reply(error=error)
        if 0 in result.thrift_spec:
            text = f"{endpoint.name} failed: unknown result"
            return Reply(error=TApplicationException(TApplicationException.MISSING_RESULT, text))
        return Reply()
