"""The schemes by name and by their options."""

from __future__ import annotations

from typing import Any

import pytest

import shardway


@pytest.mark.parametrize(
    "scheme", ["slots-v1", "ring-v1", "rendezvous-v1", {"native": "slots-v1", "slots": 256, "balance": 1.05}]
)
def test_every_native_scheme(scheme: Any) -> None:
    topology = shardway.Topology({"a": 1, "b": 2}, scheme=scheme)
    assert shardway.Topology.from_json(topology.to_json()) == topology
    assert sorted(shardway.Router(topology).replicas("key", 3)) == ["a", "b"]
    with pytest.raises(shardway.InvalidTopologyError) as caught:
        shardway.Topology(["a"], scheme={"native": "slots-v1", "slots": 100})
    assert caught.value.place == "scheme.slots"


def test_profiles_by_name() -> None:
    for profile in ("finagle", "libmemcached-ketama-weighted", "twemproxy-modula", "nginx-consistent"):
        named = shardway.Topology(["a", "b"], scheme=profile)
        assert named == shardway.Topology(["a", "b"], scheme={"profile": profile})
        assert named.scheme == profile
    with pytest.raises(shardway.InvalidTopologyError, match="libmemcached-modula"):
        shardway.Topology(["a"], scheme={"profile": "memcached"})
