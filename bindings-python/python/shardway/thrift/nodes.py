"""A pool of connections for every node of the topology in force, and none for the nodes that have left it."""

from __future__ import annotations

import threading

from shardway import Node, Router, Topology
from shardway.errors import ClosedError, InvalidTopologyError
from shardway.thrift.pool import Pool, PoolOptions, PoolStats
from shardway.thrift.service import Wire

__all__ = ["NodePools", "check_addresses"]


def check_addresses(topology: Topology) -> None:
    """Raise `InvalidTopologyError` when a node has no host or no port: it could not be called."""
    for index, node in enumerate(topology.nodes):
        _address(node, index)


def _address(node: Node, index: int | None) -> tuple[str, int]:
    if node.host is not None and node.port is not None:
        return node.host, node.port
    field = "host" if node.host is None else "port"
    place = field if index is None else f"nodes[{index}].{field}"
    text = f"{place}: node {node.id!r} has no {field}; a Thrift client connects to host and port of each node"
    raise InvalidTopologyError(text, place=place)


class NodePools:
    """The pools of one client by node id; any number of threads may use it.

    It follows the router: a topology that anyone has published there is in force here from the next call on.
    """

    def __init__(self, router: Router, wire: Wire, options: PoolOptions) -> None:
        """Make a pool for each node of the topology in force; nothing is connected yet."""
        check_addresses(router.topology)
        self._router = router
        self._wire = wire
        self._options = options
        self._lock = threading.Lock()
        self._pools: dict[str, Pool] = {}
        self._revision: int | None = None
        self._closed = False
        self.follow()

    def pool(self, node: Node) -> Pool:
        """The pool of a node, also of one that left, or moved, after the request at hand took its snapshot.

        Raises:
            InvalidTopologyError: the node has no host or no port.
            ClosedError: the client was closed.
        """
        if self._router.revision != self._revision:
            self.follow()
        if self._closed:
            raise ClosedError("the client was closed; make a new one")
        address = _address(node, None)
        found = self._pools.get(node.id)
        if found is not None and found.address == address:
            return found
        late = Pool(node.id, *address, self._wire, self._options)
        late.retire()
        return late

    def follow(self) -> None:
        """Open the pools of nodes that joined or moved; close those of nodes that left or moved.

        Requests under way end on the nodes that they began with; the last connection closes with the last of them.
        """
        with self._lock:
            if self._closed:
                return
            snapshot = self._router.snapshot()
            old, new = self._pools, {}
            for node in snapshot.nodes:
                if node.host is None or node.port is None:
                    continue  # published past this client's own check; a call to it says so
                known = old.get(node.id)
                if known is None or known.address != (node.host, node.port):
                    known = Pool(node.id, node.host, node.port, self._wire, self._options)
                new[node.id] = known
            self._pools = new
            self._revision = snapshot.revision
            gone = [pool for node_id, pool in old.items() if new.get(node_id) is not pool]
        for pool in gone:
            pool.retire()

    def stats(self) -> dict[str, PoolStats]:
        """The connections to each node."""
        return {node: pool.stats() for node, pool in self._pools.items()}

    def close(self) -> None:
        """Close every connection that is idle, and each other one when its call ends. May be called again."""
        with self._lock:
            self._closed = True
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.close()
