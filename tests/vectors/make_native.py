"""Writes the vectors of shardway's own placement, and of errors and fingerprints.

This is a second implementation, made from the rules in docs/placement.md and docs/topology.md and sharing no
code with the core, so that the core is checked against the text. It needs the `xxhash` package:

    python tests/vectors/make_native.py          # writes the files and manifest.json
    python tests/vectors/make_native.py --check  # fails when a file on disk differs
"""

from __future__ import annotations

import bisect
import hashlib
import json
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import xxhash

HERE = Path(__file__).parent
WORD = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
SOURCE = "tests/vectors/make_native.py, a second implementation made from docs/placement.md and docs/topology.md"

Json = dict[str, Any]


def mix64(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & WORD
    return value ^ (value >> 31)


def fnv1a_64(key: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in key:
        value = ((value ^ byte) * 0x100000001B3) & WORD
    return value


HASHERS = {
    "xxh3-64": lambda key: xxhash.xxh3_64_intdigest(key),
    "xxh64": lambda key: xxhash.xxh64_intdigest(key),
    "fnv1a-64": lambda key: mix64(fnv1a_64(key)),
    "ketama": lambda key: mix64(int.from_bytes(hashlib.md5(key).digest()[:4], "little")),
}


def key_bytes(key: Json) -> bytes:
    if "text" in key:
        return str(key["text"]).encode()
    if "hex" in key:
        return bytes.fromhex(key["hex"])
    return int(key["i64"]).to_bytes(8, "big", signed=True)


class Ring:
    """The ring of a `ring-v1` document without the nodes of `ejected`."""

    def __init__(self, document: Json, ejected: frozenset[str] = frozenset()) -> None:
        reps, unit = document.get("num_reps", 160), document.get("weight_unit", 1)
        points = []
        for node in document["nodes"]:
            weight = node.get("weight", 1)
            if weight == 0 or node["id"] in ejected:
                continue
            name = node["id"].encode()
            state = xxhash.xxh3_64_intdigest(name)
            for _ in range(max(1, (2 * reps * weight + unit) // (2 * unit))):
                state = (state + GAMMA) & WORD
                points.append((mix64(state), name))
        points.sort()
        self.points = [point for point, _ in points]
        self.owners = [name.decode() for _, name in points]
        self.hash = HASHERS[document.get("key_hasher", "xxh3-64")]

    def owner(self, key: Json) -> str:
        return self.replicas(key, 1)[0]

    def replicas(self, key: Json, n: int) -> list[str]:
        place = bisect.bisect_left(self.points, self.hash(key_bytes(key)))
        found: list[str] = []
        for step in range(len(self.points)):
            name = self.owners[(place + step) % len(self.points)]
            if name not in found:
                found.append(name)
                if len(found) == n:
                    break
        return found


TABLE_BITS = 10


def log2_floor(numerator: int) -> int:
    """log2(numerator / 1024) in units of 2^-32, rounded down: by squaring, a bit at a time."""
    value, bits = numerator << (62 - TABLE_BITS), 0
    for _ in range(32):
        value = (value * value) >> 62
        bits <<= 1
        if value >> 63:
            bits |= 1
            value >>= 1
    return bits


LOG2 = [log2_floor(1024 + entry) for entry in range(1024)] + [1 << 32]


def distance(hash_: int) -> int:
    """-log2(hash / 2^64) in units of 2^-32."""
    hash_ = max(hash_, 1)
    exponent = hash_.bit_length() - 1
    rest = hash_ - (1 << exponent)
    # 42 bits of the mantissa: 10 choose the entry, 32 lie between two.
    fraction = (rest << (63 - exponent)) >> 21
    entry, between = fraction >> 32, fraction & 0xFFFFFFFF
    low, high = LOG2[entry], LOG2[entry + 1]
    return (64 << 32) - ((exponent << 32) + low + ((high - low) * between >> 32))


class Rendezvous:
    """Weighted rendezvous without the nodes of `ejected`."""

    def __init__(self, document: Json, ejected: frozenset[str] = frozenset()) -> None:
        self.nodes = sorted(
            (node["id"].encode(), node.get("weight", 1), xxhash.xxh3_64_intdigest(node["id"].encode()))
            for node in document["nodes"]
            if node.get("weight", 1) > 0 and node["id"] not in ejected
        )
        self.hash = HASHERS[document.get("key_hasher", "xxh3-64")]

    def order(self, position: int) -> list[tuple[str, int]]:
        """All nodes in the order of preference, with their hashes. The least distance by weight is first."""
        scored = []
        for name, weight, seed in self.nodes:
            hash_ = mix64(position ^ seed)
            scored.append((Fraction(distance(hash_), weight), -hash_, name))
        return [(name.decode(), -negative) for _, negative, name in sorted(scored)]

    def position(self, key: Json) -> int:
        return self.hash(key_bytes(key))

    def owner(self, key: Json) -> str:
        return self.replicas(key, 1)[0]

    def replicas(self, key: Json, n: int) -> list[str]:
        return [name for name, _ in self.order(self.position(key))][:n]


class Slots(Rendezvous):
    """Slots by weighted rendezvous; with `balance` no node has more than that factor of its share."""

    def __init__(self, document: Json, ejected: frozenset[str] = frozenset()) -> None:
        super().__init__(document)
        self.out = ejected
        self.bits = document["scheme"].get("slots", 65_536).bit_length() - 1
        self.balance = document["scheme"].get("balance")
        self.capped = self.ask() if self.balance else {}

    def slot_order(self, slot: int) -> list[tuple[str, int]]:
        return self.order(mix64((slot + 1) * GAMMA & WORD))

    def ask(self) -> dict[int, str]:
        count, total = 1 << self.bits, sum(weight for _, weight, _ in self.nodes)
        thousandths = round(self.balance * 1000)
        most = {
            name.decode(): max(-(-count * weight // total), count * weight * thousandths // (total * 1000))
            for name, weight, _ in self.nodes
        }
        held: dict[str, list[tuple[int, int]]] = {name: [] for name in most}
        asking = {slot: self.slot_order(slot) for slot in range(count)}
        free = list(asking)
        while free:
            slot = free.pop()
            if not asking[slot]:
                continue
            name, hash_ = asking[slot].pop(0)
            held[name].append((-hash_, slot))
            held[name].sort()
            if len(held[name]) > most[name]:
                free.append(held[name].pop()[1])
        return {slot: name for name, slots in held.items() for _, slot in slots}

    def replicas(self, key: Json, n: int) -> list[str]:
        slot = self.position(key) >> (64 - self.bits)
        order = [name for name, _ in self.slot_order(slot)]
        if slot in self.capped:
            order.sort(key=lambda name: name != self.capped[slot])
        return [name for name in order if name not in self.out][:n]


SCHEMES = {"ring-v1": Ring, "slots-v1": Slots, "rendezvous-v1": Rendezvous}


def placed(document: Json, ejected: frozenset[str] = frozenset()) -> Any:
    return SCHEMES[document["scheme"]["native"]](document, ejected)


def document(nodes: list[Json], **fields: Any) -> Json:
    return {"format": 1, "scheme": {"native": "ring-v1"}, **fields, "nodes": nodes}


def others() -> list[Json]:
    """Topologies of the schemes other than `ring-v1`."""
    weights = [
        {"id": "light"},
        {"id": "heavy", "weight": 9},
        {"id": "idle", "weight": 0},
        {"id": "most", "weight": 10**9},
    ]
    names = [{"id": name} for name in ("é", "订单", "🦀", "a b", "[::1]:11211", "unix:/a:b")]
    nodes = [equal_nodes(1), equal_nodes(5), equal_nodes(40), weights, names, zoned_nodes()]
    found = []
    for scheme in (
        {"native": "rendezvous-v1"},
        {"native": "slots-v1", "slots": 256},
        {"native": "slots-v1", "slots": 1024, "balance": 1.05},
    ):
        found += [document(some, scheme=scheme) for some in nodes]
    found.append(document(equal_nodes(3), scheme={"native": "slots-v1"}))
    found.append(document(equal_nodes(4), scheme={"native": "slots-v1", "slots": 2**20}))
    found.append(document(equal_nodes(5), scheme={"native": "slots-v1", "slots": 512}, key_hasher="fnv1a-64"))
    found.append(document(equal_nodes(5), scheme={"native": "rendezvous-v1"}, key_hasher="ketama"))
    return found


def equal_nodes(count: int) -> list[Json]:
    return [{"id": f"node-{number}"} for number in range(count)]


def zoned_nodes() -> list[Json]:
    zones = ("east", "west", "east", "east", None, "north", "west", "east", None, "east")
    return [{"id": f"node-{number}"} | ({"zone": zone} if zone else {}) for number, zone in enumerate(zones)]


def spread(order: list[str], topology: Json, n: int) -> list[str]:
    """The first `n` of an order of nodes: one of each zone, then the others. No zone is a zone of one's own."""
    zone = {node["id"]: node.get("zone", (node["id"],)) for node in topology["nodes"]}
    first: list[str] = []
    for name in order:
        if zone[name] not in {zone[other] for other in first}:
            first.append(name)
    return (first + [name for name in order if name not in first])[:n]


def topologies() -> list[Json]:
    return [
        document(equal_nodes(1)),
        document(equal_nodes(3)),
        document(equal_nodes(25)),
        document(equal_nodes(100)),
        document([{"id": "light"}, {"id": "heavy", "weight": 9}, {"id": "idle", "weight": 0}]),
        document([{"id": "a", "weight": 150}, {"id": "b", "weight": 33}, {"id": "c"}], weight_unit=100),
        document([{"id": name} for name in ("", "é", "订单", "🦀", "a b", "[::1]:11211", "unix:/a:b") if name]),
        document([{"id": name} for name in ("s1:1", "s1:11", "s2:2", "s2:5")], num_reps=100),
        document(equal_nodes(5), num_reps=1),
        document(equal_nodes(5), key_hasher="xxh64"),
        document(equal_nodes(5), key_hasher="fnv1a-64"),
        document(equal_nodes(5), key_hasher="ketama"),
        document(zoned_nodes()),
    ]


def keys(count: int, seed: int) -> list[Json]:
    draw = random.Random(seed)
    fixed: list[Json] = [
        {"text": ""},
        {"hex": ""},
        {"text": "a"},
        {"hex": "00"},
        {"hex": "fffe00ff"},
        {"text": "订单"},
        {"text": "🦀"},
        {"text": "k" * 1000},
        {"i64": "0"},
        {"i64": "-1"},
        {"i64": "42"},
        {"text": "42"},
        {"i64": str(2**63 - 1)},
        {"i64": str(-(2**63))},
    ]
    rest: list[Json] = []
    for number in range(count - len(fixed)):
        kind = number % 4
        if kind == 0:
            rest.append({"text": f"user:{number}"})
        elif kind == 1:
            rest.append({"hex": draw.randbytes(draw.randrange(1, 40)).hex()})
        elif kind == 2:
            rest.append({"i64": str(draw.randrange(-(2**63), 2**63))})
        else:
            rest.append({"text": f"key:{draw.randrange(10**9)}"})
    return fixed + rest


def routes(of: list[Json]) -> list[Json]:
    cases = []
    for number, topology in enumerate(of):
        ring, asked = placed(topology), keys(120, number)
        cases.append({"topology": topology, "keys": asked, "owners": [ring.owner(key) for key in asked]})
    return cases


def replicas(of: list[Json]) -> list[Json]:
    cases = []
    for number, topology in enumerate(of):
        ring, asked = placed(topology), keys(30, 100 + number)
        for n in (1, 2, 3, 7):
            every = len(topology["nodes"])
            answers = [spread(ring.replicas(key, every), topology, n) for key in asked]
            cases.append({"topology": topology, "n": n, "keys": asked, "owners": answers})
    return cases


def groups(of: list[Json]) -> list[Json]:
    cases = []
    for number, topology in enumerate(of):
        ring, asked = placed(topology), keys(60, 200 + number)
        asked = asked + asked[5:15]
        table: dict[str, list[int]] = {}
        for index, key in enumerate(asked):
            table.setdefault(ring.owner(key), []).append(index)
        answer = [{"node": node, "indices": indices} for node, indices in table.items()]
        cases.append({"topology": topology, "keys": asked, "groups": answer})
    cases.append({"topology": document(equal_nodes(3)), "keys": [], "groups": []})
    return cases


def ejections(of: list[Json]) -> list[Json]:
    cases = []
    for number, topology in enumerate(of):
        draw, asked = random.Random(300 + number), keys(40, 300 + number)
        names = [node["id"] for node in topology["nodes"]]
        weighted = {node["id"] for node in topology["nodes"] if node.get("weight", 1)}
        out: set[str] = set()
        steps = []
        for _ in range(6):
            name = draw.choice(names)
            step = {"revive": name} if name in out else {"eject": name}
            out ^= {name}
            live = weighted - out
            ring = placed(topology, frozenset(out))
            owners = [ring.owner(key) for key in asked] if live else None
            steps.append({**step, "owners": owners})
        cases.append({"topology": topology, "keys": asked, "steps": steps})
    return cases


def text(value: str) -> bytes:
    return number(len(value.encode())) + value.encode()


def number(value: int) -> bytes:
    return (value & WORD).to_bytes(8, "little")


def optional(value: int | None) -> bytes:
    return number(value is not None) + number(value or 0)


def optional_text(value: str | None) -> bytes:
    return number(value is not None) + text(value or "")


def fingerprint(topology: Json) -> str:
    scheme = topology["scheme"]
    finagle = scheme.get("profile") == "finagle"
    out = text("shardway-topology-1") + text(scheme.get("native") or scheme["profile"])
    if scheme.get("native") == "slots-v1":
        out += number(scheme.get("slots", 65_536)) + number(round(scheme.get("balance", 0) * 1000))
    if finagle:
        out += number(scheme.get("old_libmemcached", False)) + number(scheme.get("thrift_keys", False))
    out += text(topology.get("key_hasher", "ketama" if finagle else "xxh3-64"))
    out += number(topology.get("num_reps", 160)) + number(topology.get("weight_unit", 1))
    out += number(topology.get("eject_failed_host", False))
    accrual = topology.get("failure_accrual", {})
    out += number(accrual.get("consecutive_failures", 5)) + number(accrual.get("backoff_min_ms", 5000))
    out += number(accrual.get("backoff_max_ms", 300000)) + number(accrual.get("probe_timeout_ms", 5000))
    nodes = topology["nodes"]
    out += number(len(nodes))
    for node in nodes if finagle else sorted(nodes, key=lambda node: node["id"].encode()):
        out += text(node["id"]) + optional_text(node.get("host")) + optional(node.get("port"))
        out += number(node.get("weight", 1)) + optional(node.get("shard_id")) + optional_text(node.get("zone"))
    partitions = topology.get("partitions")
    out += optional(None if partitions is None else len(partitions))
    for serving in sorted(partitions or [], key=lambda serving: serving["shard_id"]):
        out += number(serving["shard_id"]) + number(len(serving["serves"]))
        out += b"".join(number(partition) for partition in sorted(serving["serves"]))
    return f"{xxhash.xxh3_64_intdigest(out):016x}"


def fingerprints() -> list[Json]:
    full = document(
        [
            {"id": "b", "host": "10.0.0.2", "port": 9090, "weight": 3, "shard_id": 1, "zone": "z1"},
            {"id": "a", "host": "10.0.0.1", "port": 9090, "shard_id": -7},
        ],
        revision=9,
        key_hasher="xxh64",
        num_reps=80,
        weight_unit=2,
        eject_failed_host=True,
        failure_accrual={"consecutive_failures": 3, "backoff_min_ms": 10, "backoff_max_ms": 20},
        partitions=[{"shard_id": 1, "serves": [2, 1]}, {"shard_id": -7, "serves": [1]}],
    )
    turned = {**full, "nodes": full["nodes"][::-1], "partitions": full["partitions"][::-1], "revision": 12}
    finagle = {"format": 1, "scheme": {"profile": "finagle"}, "nodes": equal_nodes(3)}
    turned_finagle = {**finagle, "nodes": finagle["nodes"][::-1]}
    thrift = {**finagle, "scheme": {"profile": "finagle", "thrift_keys": True, "old_libmemcached": False}}
    every = [*topologies(), *others(), full, turned, finagle, turned_finagle, thrift, document([])]
    return [{"topology": topology, "fingerprint": fingerprint(topology)} for topology in every]


def errors() -> list[Json]:
    good = document(equal_nodes(3))

    def broken(place: str, change: Json, drop: str | None = None) -> Json:
        body = {**good, **change}
        body.pop(drop or "", None)
        return {"document": json.dumps(body), "code": "InvalidTopology", "place": place}

    def node(place: str, **fields: Any) -> Json:
        return broken(f"nodes[1].{place}" if place else "nodes[1]", {"nodes": [{"id": "a"}, {"id": "b", **fields}]})

    finagle = {"profile": "finagle"}
    cases = [
        broken("", {}, drop="nodes"),
        broken("", {}, drop="scheme"),
        broken("", {}, drop="format"),
        broken("format", {"format": 2}),
        broken("extra", {"extra": 1}),
        broken("scheme", {"scheme": "ring-v1"}),
        broken("scheme", {"scheme": {}}),
        broken("scheme", {"scheme": {"native": "ring-v1", "profile": "finagle"}}),
        broken("scheme.native", {"scheme": {"native": "ring-v0"}}),
        broken("scheme.profile", {"scheme": {"profile": "memcached"}}),
        broken("scheme.thrift_keys", {"scheme": {"native": "ring-v1", "thrift_keys": False}}),
        broken("scheme.slots", {"scheme": {"native": "slots-v1", "slots": 1000}}),
        broken("scheme.slots", {"scheme": {"native": "slots-v1", "slots": 128}}),
        broken("scheme.slots", {"scheme": {"native": "slots-v1", "slots": 2**21}}),
        broken("scheme.slots", {"scheme": {"native": "rendezvous-v1", "slots": 256}}),
        broken("scheme.balance", {"scheme": {"native": "slots-v1", "balance": 1}}),
        broken("scheme.balance", {"scheme": {"native": "slots-v1", "balance": 1.0505}}),
        broken("scheme.balance", {"scheme": {"native": "ring-v1", "balance": 1.05}}),
        broken("num_reps", {"scheme": {"native": "slots-v1"}, "num_reps": 100}),
        broken("weight_unit", {"scheme": {"native": "rendezvous-v1"}, "weight_unit": 100}),
        broken("key_hasher", {"key_hasher": "md5"}),
        broken("key_hasher", {"key_hasher": None}),
        broken("num_reps", {"num_reps": 0}),
        broken("num_reps", {"num_reps": 65537}),
        broken("num_reps", {"num_reps": "160"}),
        broken("num_reps", {"scheme": finagle, "num_reps": 3}),
        broken("weight_unit", {"weight_unit": 0}),
        broken("weight_unit", {"scheme": finagle, "weight_unit": 2}),
        broken("revision", {"revision": 0}),
        broken("revision", {"revision": 2**63}),
        broken("revision", {"revision": -1}),
        broken("eject_failed_host", {"eject_failed_host": 1}),
        broken("failure_accrual.consecutive_failures", {"failure_accrual": {"consecutive_failures": 0}}),
        broken("failure_accrual.backoff_max_ms", {"failure_accrual": {"backoff_min_ms": 9, "backoff_max_ms": 8}}),
        broken("failure_accrual.jitter", {"failure_accrual": {"jitter": 0}}),
        broken("nodes", {"nodes": {}}),
        node("weight", weight=-300),
        node("weight", weight=1.5),
        node("weight", weight="1"),
        node("weight", weight=None),
        node("weight", weight=1_000_000_001),
        node("weight", weight=True),
        node("id", id=""),
        node("id", id="x" * 1025),
        node("id", id=7),
        node("id", id="a"),
        node("port", port=0),
        node("port", port=65536),
        node("host", host=""),
        node("shard_id", shard_id=2**31),
        node("zone", zone=""),
        node("rack", rack="r1"),
        broken("nodes[1]", {"nodes": [{"id": "a"}, {}]}),
        broken("nodes[1]", {"nodes": [{"id": "a"}, "b"]}),
        broken("nodes[1]", {"scheme": finagle, "nodes": [{"id": "a", "shard_id": 1}, {"id": "b", "shard_id": 1}]}),
        broken("nodes", {"nodes": [{"id": "a", "weight": 1_000_000}, {"id": "b"}]}),
        broken("partitions[1].shard_id", {"partitions": [{"shard_id": 1, "serves": []}] * 2}),
        broken("partitions[0].serves", {"partitions": [{"shard_id": 1, "serves": [3, 3]}]}),
        broken("scheme", {"scheme": ["ring-v1"]}),
        broken("failure_accrual", {"failure_accrual": [1]}),
        broken("failure_accrual", {"failure_accrual": None}),
        broken("nodes[0]", {"nodes": [["a", "h", 80, 1, 0, "z"]]}),
        broken("partitions[0]", {"partitions": [[1, [2]]]}),
        broken("partitions[0].serves[0]", {"partitions": [{"shard_id": 1, "serves": ["x"]}]}),
    ]
    for raw in (
        "",
        "{",
        "nul",
        "[]",
        "[1, 7, {}]",
        '{"format": NaN}',
        json.dumps(good) + "x",
        '{"format": 1, "format": 1}',
    ):
        place = "format" if "NaN" in raw else ""
        cases.append({"document": raw, "code": "InvalidTopology", "place": place})
    return cases


FILES = {
    "ring_v1_routes.json": ("routes", lambda: routes(topologies())),
    "ring_v1_replicas.json": ("replicas", lambda: replicas(topologies())),
    "ring_v1_groups.json": ("groups", lambda: groups(topologies())),
    "ring_v1_ejections.json": ("ejections", lambda: ejections(topologies())),
    "score_routes.json": ("routes", lambda: routes(others())),
    "score_replicas.json": ("replicas", lambda: replicas(others())),
    "score_groups.json": ("groups", lambda: groups(others())),
    "score_ejections.json": ("ejections", lambda: ejections(others())),
    "fingerprints.json": ("fingerprints", fingerprints),
    "errors.json": ("errors", errors),
}


def render(kind: str, cases: list[Json]) -> str:
    rows = ",\n".join("  " + json.dumps(case, ensure_ascii=False) for case in cases)
    return f'{{\n "kind": "{kind}",\n "source": "{SOURCE}",\n "cases": [\n{rows}\n ]\n}}\n'


def count(kind: str, cases: list[Json]) -> int:
    """How many answers a file holds: the number that every runner must report."""
    if kind == "ejections":
        return sum(len(case["keys"]) * len(case["steps"]) for case in cases)
    if kind in ("errors", "fingerprints"):
        return len(cases)
    return sum(max(1, len(case["keys"])) for case in cases)


def main() -> int:
    out = {name: render(kind, make()) for name, (kind, make) in FILES.items()}
    listed = {path.name: path.read_text() for path in HERE.glob("*.json") if path.name != "manifest.json"}
    listed.update(out)
    rows = []
    for name in sorted(listed):
        body = json.loads(listed[name])
        rows.append({"file": name, "kind": body["kind"], "answers": count(body["kind"], body["cases"])})
    out["manifest.json"] = '{"files": [\n' + ",\n".join(" " + json.dumps(row) for row in rows) + "\n]}\n"
    differing = [name for name, body in out.items() if not (HERE / name).exists() or (HERE / name).read_text() != body]
    if "--check" in sys.argv:
        print(f"{len(out)} files, {len(differing)} differ {differing or ''}")
        return 1 if differing else 0
    for name, body in out.items():
        (HERE / name).write_text(body)
    print(f"wrote {len(out)} files, {sum(row['answers'] for row in rows)} answers in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
