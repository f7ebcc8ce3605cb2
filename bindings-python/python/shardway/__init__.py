"""Which instance owns this key, right now: the same answer in every language.

Declare the nodes, route keys:

>>> import shardway
>>> topology = shardway.Topology(["a", "b", "c"], scheme="ring-v1")
>>> router = shardway.Router(topology)
>>> router.route("user:42") in {"a", "b", "c"}
True
>>> sorted(key for keys in router.group(["one", "two", "three"]).values() for key in keys)
['one', 'three', 'two']

Split a request, send the parts, merge the answers:

>>> def get_keys(endpoint, request):
...     return {key: [key] for key in request}
>>> strategy = shardway.HashingStrategy(
...     get_keys,
...     request_mergers=shardway.RequestMergers().add("get", lambda requests: sum(requests, [])),
...     response_mergers=shardway.ResponseMergers().add("get", lambda answers, failures: sum(answers, [])),
... )
>>> def send(node, endpoint, request):
...     return [key.upper() for key in request]
>>> with shardway.PartitionedClient(router, send, strategy=strategy) as client:
...     sorted(client.call("get", ["one", "two", "three"]))
['ONE', 'THREE', 'TWO']
"""

from __future__ import annotations

from ._native import (
    Event,
    Explanation,
    Node,
    PartitionMap,
    Router,
    Snapshot,
    Stats,
    Topology,
    require_version,
)
from ._version import __version__
from .aio import AsyncPartitionedClient
from .client import PartitionedClient
from .errors import (
    ClosedError,
    InternalError,
    InvalidArgumentError,
    InvalidArgumentTypeError,
    InvalidTopologyError,
    NoPartitionError,
    NoPartitioningKeysError,
    NoShardIdError,
    PartitioningStrategyError,
    RevisionConflictError,
    ShardNotAvailableError,
    ShardwayError,
    StaleRevisionError,
    UnknownNodeError,
    UnsupportedError,
)
from .failures import NodeUnavailableError, PartTimeoutError
from .keys import I32, Key
from .mergers import PartFailure, RequestMergers, ResponseMergers
from .options import ClientStats
from .state import State
from .strategy import CustomStrategy, HashingStrategy, MethodStrategies, Strategy, per_endpoint

require_version(__version__)

__all__ = [
    "I32",
    "AsyncPartitionedClient",
    "ClientStats",
    "ClosedError",
    "CustomStrategy",
    "Event",
    "Explanation",
    "HashingStrategy",
    "InternalError",
    "InvalidArgumentError",
    "InvalidArgumentTypeError",
    "InvalidTopologyError",
    "Key",
    "MethodStrategies",
    "NoPartitionError",
    "NoPartitioningKeysError",
    "NoShardIdError",
    "Node",
    "NodeUnavailableError",
    "PartFailure",
    "PartTimeoutError",
    "PartitionMap",
    "PartitionedClient",
    "PartitioningStrategyError",
    "RequestMergers",
    "ResponseMergers",
    "RevisionConflictError",
    "Router",
    "ShardNotAvailableError",
    "ShardwayError",
    "Snapshot",
    "StaleRevisionError",
    "State",
    "Stats",
    "Strategy",
    "Topology",
    "UnknownNodeError",
    "UnsupportedError",
    "__version__",
    "per_endpoint",
]
