"""Calls and answers as bytes, by the Apache Thrift library (package `thrift`)."""

# mypy: disable-error-code="import-untyped, import-not-found"
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TCompactProtocol import TCompactProtocolAccelerated
from thrift.Thrift import TApplicationException, TMessageType
from thrift.transport.TTransport import TMemoryBuffer

from shardway.thrift.service import Endpoint, Reply

__all__ = ["ApacheWire"]


class ApacheWire:
    """The wire of Apache Thrift in "binary" (strict, both ways) or "compact"."""

    def __init__(self, protocol: str) -> None:
        """Choose the protocol; it has been checked."""
        self._binary = protocol == "binary"

    def encode(self, endpoint: Endpoint, values: Mapping[str, Any], sequence: int) -> bytes:
        """The bytes of one call."""
        buffer = TMemoryBuffer()
        protocol = self._protocol(buffer)
        kind = TMessageType.ONEWAY if endpoint.oneway else TMessageType.CALL
        protocol.writeMessageBegin(endpoint.name, kind, sequence)
        endpoint.args_type(**values).write(protocol)
        protocol.writeMessageEnd()
        return bytes(buffer.getvalue())

    def decode(self, endpoint: Endpoint, message: bytes, sequence: int) -> Reply:
        """The answer in one message."""
        protocol = self._protocol(TMemoryBuffer(message))
        name, kind, number = protocol.readMessageBegin()
        if name != endpoint.name or number != sequence:
            raise ValueError(f"it answers call {number} of {name!r}, asked was call {sequence}")
        if kind == TMessageType.EXCEPTION:
            error = TApplicationException()
            error.read(protocol)
            protocol.readMessageEnd()
            return Reply(error=error)
        if kind != TMessageType.REPLY or endpoint.result_type is None:
            raise ValueError(f"a message of kind {kind} is not an answer")
        result = endpoint.result_type()
        result.read(protocol)
        protocol.readMessageEnd()
        return self._reply(endpoint, result)

    def _protocol(self, transport: Any) -> Any:
        if self._binary:
            return TBinaryProtocolAccelerated(transport, fallback=True, strictRead=True)
        return TCompactProtocolAccelerated(transport, fallback=True)

    @staticmethod
    def _reply(endpoint: Endpoint, result: Any) -> Reply:
        value = getattr(result, "success", None)
        if value is not None:
            return Reply(value)
        # Field 0 is the value; where there is none the list of fields begins with a gap, or is empty.
        specs = [spec for spec in result.thrift_spec if spec is not None]
        for spec in specs:
            error = getattr(result, spec[2])
            if spec[0] != 0 and error is not None:
                return Reply(error=error)
        if any(spec[0] == 0 for spec in specs):
            text = f"{endpoint.name} failed: unknown result"
            return Reply(error=TApplicationException(TApplicationException.MISSING_RESULT, text))
        return Reply()
