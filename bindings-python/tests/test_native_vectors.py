"""The conformance vectors that every language runs: tests/vectors, its layout is in the README there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shardway import I32, Key, Router, ShardNotAvailableError, ShardwayError, Snapshot, Topology

VECTORS = Path(__file__).parents[2] / "tests" / "vectors"
MANIFEST: list[dict[str, Any]] = json.loads((VECTORS / "manifest.json").read_text("utf-8"))["files"]


def key_of(form: dict[str, Any]) -> Key:
    ((kind, value),) = form.items()
    match kind:
        case "text":
            return str(value)
        case "hex":
            return bytes.fromhex(value)
        case "i64":
            return int(value)
        case "i32":
            return I32(value)
        case "bool":
            return bool(value)
        case _:
            raise AssertionError(f"unknown form of a key: {kind}")


def topology_of(case: dict[str, Any]) -> Topology:
    return Topology.from_json(json.dumps(case["topology"]))


def router_of(case: dict[str, Any]) -> Router:
    return Router(topology_of(case))


def owner_of(view: Router | Snapshot, form: dict[str, Any]) -> str:
    return view.route_hash(int(form["hash"])) if "hash" in form else view.route(key_of(form))


def run_hashes(case: dict[str, Any]) -> int:
    view = Router(Topology(["a"], scheme="ring-v1", key_hasher=case["key_hasher"])).snapshot()
    assert [view.hash(key_of(key)) for key in case["keys"]] == [int(value) for value in case["hashes"]]
    return len(case["keys"])


def run_routes(case: dict[str, Any]) -> int:
    router = router_of(case)
    for view in (router, router.snapshot()):
        assert [owner_of(view, key) for key in case["keys"]] == case["owners"]
    return len(case["keys"])


def run_explain(case: dict[str, Any]) -> int:
    router = router_of(case)
    for form, key_hash, point, owner in zip(case["keys"], case["hashes"], case["points"], case["owners"], strict=True):
        why = router.explain(key_of(form))
        assert (why.hash, why.point, why.owner) == (int(key_hash), int(point), owner)
        assert router.route(key_of(form)) == owner
    return len(case["keys"])


def run_replicas(case: dict[str, Any]) -> int:
    router = router_of(case)
    for view in (router, router.snapshot()):
        assert [view.replicas(key_of(key), case["n"]) for key in case["keys"]] == case["owners"]
    return len(case["keys"])


def run_groups(case: dict[str, Any]) -> int:
    router = router_of(case)
    keys = [key_of(key) for key in case["keys"]]
    expected = [(group["node"], group["indices"]) for group in case["groups"]]
    for view in (router, router.snapshot()):
        assert list(view.group_indices(keys).items()) == expected
        own = [(node, [id(key) for key in group]) for node, group in view.group(keys).items()]
        assert own == [(node, [id(keys[index]) for index in indices]) for node, indices in expected]
        nodes, offsets, indices = view.group_hashes([router.snapshot().hash(key) for key in keys])
        parts = [indices[offsets[g] : offsets[g + 1]].tolist() for g in range(len(nodes))]
        assert list(zip(nodes, parts, strict=True)) == expected
    return max(len(keys), 1)


def run_ejections(case: dict[str, Any]) -> int:
    router = router_of(case)
    keys = [key_of(key) for key in case["keys"]]
    answers = 0
    for step in case["steps"]:
        if "eject" in step:
            router.eject(step["eject"])
        else:
            router.revive(step["revive"])
        # null instead of a list: nobody can own any key.
        for key, owner in zip(keys, step["owners"] or [None] * len(keys), strict=True):
            if owner is None:
                with pytest.raises(ShardNotAvailableError):
                    router.route(key)
            else:
                assert router.route(key) == owner
            answers += 1
    return answers


def run_fingerprints(case: dict[str, Any]) -> int:
    assert f"{topology_of(case).fingerprint:016x}" == case["fingerprint"]
    return 1


def run_errors(case: dict[str, Any]) -> int:
    with pytest.raises(ShardwayError) as caught:
        Topology.from_json(case["document"])
    assert (caught.value.code_name, caught.value.place) == (case["code"], case["place"])
    return 1


RUNNERS: dict[str, Callable[[dict[str, Any]], int]] = {
    "hashes": run_hashes,
    "routes": run_routes,
    "explain": run_explain,
    "replicas": run_replicas,
    "groups": run_groups,
    "ejections": run_ejections,
    "fingerprints": run_fingerprints,
    "errors": run_errors,
}


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: str(entry["file"]))
def test_vectors(entry: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    vectors = json.loads((VECTORS / entry["file"]).read_text("utf-8"))
    assert vectors["kind"] == entry["kind"]
    assert entry["kind"] in RUNNERS, f"unknown kind {entry['kind']}: teach it to this runner"
    answers = sum(RUNNERS[entry["kind"]](case) for case in vectors["cases"])
    with capsys.disabled():
        print(f"\n{entry['file']}: {answers} answers compared", end="")
    assert answers == entry["answers"]


def test_every_file_of_vectors_is_in_the_manifest() -> None:
    files = {path.name for path in VECTORS.glob("*.json")} - {"manifest.json"}
    assert files == {entry["file"] for entry in MANIFEST}
