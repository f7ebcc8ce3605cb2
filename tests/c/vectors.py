#!/usr/bin/env python3
"""Runs every conformance vector through the C ABI, from outside Rust: `vectors.py path/to/libshardway.so`.

Prints how many answers were compared, file by file; exit code 1 on the first difference, on a kind it does not
know, and on a count that is not the manifest's.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from itertools import accumulate
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
OK, SHARD_NOT_AVAILABLE = 0, 60
EXPLAIN_JSON = 1


class Error(ctypes.Structure):
    """shardway_error_t."""

    _fields_ = (
        ("struct_size", c_size_t),
        ("code", c_int32),
        ("reserved", c_int32),
        ("message_length", c_size_t),
        ("place_length", c_size_t),
        ("message", ctypes.c_char * 512),
        ("place", ctypes.c_char * 128),
    )


class Key(ctypes.Structure):
    """shardway_key_t."""

    _fields_ = (
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("reserved", c_int32),
        ("integer", c_int64),
        ("data", c_char_p),
        ("length", c_size_t),
    )


class Library:
    """The functions of libshardway; a status other than OK is given back, not raised."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.error = Error(struct_size=ctypes.sizeof(Error))

    def call(self, name: str, *arguments: Any) -> int:
        """A function that answers a status; the error is appended."""
        status: int = self.library[f"shardway_{name}"](*arguments, byref(self.error))
        return status

    def must(self, name: str, *arguments: Any) -> None:
        """A call that has to succeed."""
        if self.call(name, *arguments) != OK:
            raise AssertionError(f"shardway_{name}: {self.error.message.decode()}")

    def value(self, name: str, kind: Any, *arguments: Any) -> Any:
        """A function that answers its value."""
        function = self.library[f"shardway_{name}"]
        function.restype = kind
        return function(*arguments)

    def free(self, name: str, handle: c_void_p) -> None:
        self.library[f"shardway_{name}_free"](handle)


def key_bytes(key: dict[str, Any]) -> bytes:
    """The bytes of a key, where the scheme has no say: text, bytes, integers of native schemes."""
    (form, value) = next(iter(key.items()))
    if form in ("i64", "i32"):
        return int(value).to_bytes(8, "big", signed=True)
    return value.encode() if form == "text" else bytes.fromhex(value)


def typed(key: dict[str, Any]) -> Key:
    """A key as shardway_key_t."""
    (form, value), size = next(iter(key.items())), ctypes.sizeof(Key)
    if form in ("text", "hex"):
        data = key_bytes(key)
        return Key(size, 1 if form == "text" else 0, 0, 0, data, len(data))
    return Key(size, {"i64": 2, "i32": 3, "bool": 4}[form], 0, int(value), None, 0)


class Ring:
    """A router of one topology."""

    def __init__(self, library: Library, topology: dict[str, Any]) -> None:
        self.library = library
        self.names = [node["id"] for node in topology["nodes"]]
        document = json.dumps(topology).encode()
        handle, self.router, self.snapshot = c_void_p(), c_void_p(), c_void_p()
        library.must("topology_from_json", document, c_size_t(len(document)), byref(handle))
        library.must("router_new", handle, c_uint64(1), byref(self.router))
        library.must("router_snapshot", self.router, byref(self.snapshot))
        self.fingerprint: int = library.value("topology_fingerprint", c_uint64, handle)
        library.free("topology", handle)

    def close(self) -> None:
        self.library.free("snapshot", self.snapshot)
        self.library.free("router", self.router)

    def owner(self, key: dict[str, Any]) -> str | None:
        """The owner's name; None for ShardNotAvailable. Every way to ask that fits the key must agree."""
        node, length = c_uint32(), c_size_t()
        name = ctypes.create_string_buffer(1028)
        if "hash" in key:
            status = self.library.call("router_route_hash", self.router, c_uint64(int(key["hash"])), byref(node), None)
        else:
            status = self.library.call("router_route_typed", self.router, byref(typed(key)), byref(node), None)
        if "text" in key or "hex" in key:
            data = key_bytes(key)
            plain = self.library.call(
                "router_route_id", self.router, data, c_size_t(len(data)), name, c_size_t(1028), byref(length), None
            )
            same = plain == status and (status != OK or name.raw[: length.value].decode() == self.names[node.value])
            assert same, f"{key}: route_id and route_typed differ"
        if status == SHARD_NOT_AVAILABLE:
            return None
        assert status == OK, self.library.error.message.decode()
        owner: str = self.names[node.value]
        return owner

    def hash(self, key: dict[str, Any]) -> int:
        answer = c_uint64()
        self.library.must("snapshot_hash_typed", self.snapshot, byref(typed(key)), byref(answer))
        return answer.value

    def replicas(self, key: dict[str, Any], wanted: int) -> list[str]:
        nodes, count = (c_uint32 * wanted)(), c_size_t()
        arguments = (self.router, byref(typed(key)), nodes, c_size_t(wanted), byref(count), None)
        self.library.must("router_replicas_typed", *arguments)
        return [self.names[node] for node in nodes[: count.value]]

    def explain(self, key: dict[str, Any]) -> Any:
        text = c_void_p()
        self.library.must("router_explain_typed", self.router, byref(typed(key)), c_int32(EXPLAIN_JSON), byref(text))
        document = json.loads(self.library.value("text_data", c_char_p, text))
        self.library.free("text", text)
        return document

    def group(self, keys: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The groups of a packed batch, which those of the hashes must equal."""
        pieces = [key_bytes(key) for key in keys]
        data = b"".join(pieces)
        offsets = (c_uint32 * (len(keys) + 1))(0, *accumulate(map(len, pieces)))
        hashes = (c_uint64 * len(keys))(*map(self.hash, keys))
        packed, hashed = c_void_p(), c_void_p()
        arguments = (self.router, data, c_size_t(len(data)), offsets, c_size_t(len(keys)), byref(packed))
        self.library.must("router_group", *arguments)
        self.library.must("snapshot_group_hashes", self.snapshot, hashes, c_size_t(len(keys)), byref(hashed))
        groups = self.read_groups(packed)
        assert groups == self.read_groups(hashed), "group and group_hashes differ"
        return groups

    def read_groups(self, groups: c_void_p) -> list[dict[str, Any]]:
        read = []
        for number in range(self.library.value("groups_count", c_size_t, groups)):
            node, indices, count = c_uint32(), POINTER(c_uint32)(), c_size_t()
            arguments = (groups, c_size_t(number), byref(node), byref(indices), byref(count))
            self.library.must("groups_get", *arguments)
            read.append({"node": self.names[node.value], "indices": indices[: count.value]})
        self.library.free("groups", groups)
        return read


def differ(what: str, got: Any, wanted: Any) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, but {wanted!r} is right")


def hashes(library: Library, case: dict[str, Any]) -> int:
    nodes = [{"id": "any"}]
    ring = Ring(
        library, {"format": 1, "scheme": {"native": "ring-v1"}, "key_hasher": case["key_hasher"], "nodes": nodes}
    )
    for key, wanted in zip(case["keys"], case["hashes"], strict=True):
        differ(f"{case['key_hasher']} of {key}", ring.hash(key), int(wanted))
    ring.close()
    return len(case["keys"])


def routes(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    for key, wanted in zip(case["keys"], case["owners"], strict=True):
        differ(f"owner of {key}", ring.owner(key), wanted)
    ring.close()
    return len(case["keys"])


def explain(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    for number, key in enumerate(case["keys"]):
        told = ring.explain(key)
        got = (str(told["hash"]), str(told["point"]), told["owner"], ring.owner(key))
        owner = case["owners"][number]
        differ(f"explanation of {key}", got, (case["hashes"][number], case["points"][number], owner, owner))
    ring.close()
    return len(case["keys"])


def replicas(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    for key, wanted in zip(case["keys"], case["owners"], strict=True):
        differ(f"replicas of {key}", ring.replicas(key, case["n"]), wanted)
    ring.close()
    return len(case["keys"])


def groups(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    differ(f"groups of {len(case['keys'])} keys", ring.group(case["keys"]), case["groups"])
    ring.close()
    return max(1, len(case["keys"]))


def ejections(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    for step in case["steps"]:
        verb = "eject" if "eject" in step else "revive"
        name = step[verb].encode()
        library.must(f"router_{verb}", ring.router, name, c_size_t(len(name)), None)
        # No list: there is no owner for any key.
        owners = step["owners"] or [None] * len(case["keys"])
        for key, wanted in zip(case["keys"], owners, strict=True):
            differ(f"owner of {key} after {verb} {step[verb]}", ring.owner(key), wanted)
    ring.close()
    return len(case["keys"]) * len(case["steps"])


def fingerprints(library: Library, case: dict[str, Any]) -> int:
    ring = Ring(library, case["topology"])
    differ("fingerprint", f"{ring.fingerprint:016x}", case["fingerprint"])
    ring.close()
    return 1


def errors(library: Library, case: dict[str, Any]) -> int:
    document = case["document"].encode()
    status = library.call("topology_from_json", document, c_size_t(len(document)), byref(c_void_p()))
    name = library.value("status_name", c_char_p, c_int32(status)).decode()
    differ(f"error of {document[:200]!r}", (name, library.error.place.decode()), (case["code"], case["place"]))
    return 1


KINDS: dict[str, Callable[[Library, dict[str, Any]], int]] = {
    function.__name__: function
    for function in (hashes, routes, explain, replicas, groups, ejections, fingerprints, errors)
}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    library, total = Library(sys.argv[1]), 0
    listed = json.loads((VECTORS / "manifest.json").read_text())["files"]
    present = {path.name for path in VECTORS.glob("*.json")} - {"manifest.json"}
    differ("files of the manifest", {entry["file"] for entry in listed}, present)
    for entry in listed:
        vectors = json.loads((VECTORS / entry["file"]).read_text())
        compared = 0
        for number, case in enumerate(vectors["cases"]):
            try:
                compared += KINDS[vectors["kind"]](library, case)
            except AssertionError as why:
                print(f"{entry['file']}, case {number}: {why}")
                return 1
        differ(f"answers of {entry['file']}", compared, entry["answers"])
        print(f"{entry['file']}: {compared}")
        total += compared
    print(f"{total} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
