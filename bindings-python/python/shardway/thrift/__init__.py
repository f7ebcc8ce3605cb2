"""A partition-aware client for Thrift services of Apache Thrift and of thriftpy2.

Install it as `shardway[thrift]`. `ThriftClient` has the methods of the service it is given; `AsyncThriftClient` the
same for asyncio. The guide is `docs/thrift.md`.
"""

from __future__ import annotations

from shardway.thrift.client import AsyncThriftClient, ThriftClient, classify
from shardway.thrift.errors import (
    CallTimeoutError,
    ConnectError,
    ConnectionLostError,
    GarbageAnswerError,
    NodeBusyError,
    NodeFailedError,
)
from shardway.thrift.pool import PoolStats

__all__ = [
    "AsyncThriftClient",
    "CallTimeoutError",
    "ConnectError",
    "ConnectionLostError",
    "GarbageAnswerError",
    "NodeBusyError",
    "NodeFailedError",
    "PoolStats",
    "ThriftClient",
    "classify",
]
