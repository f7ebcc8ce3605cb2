"""Many keys at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardway import (
    InvalidArgumentError,
    InvalidArgumentTypeError,
    Router,
    ShardNotAvailableError,
    Snapshot,
    Topology,
)

ROUTER = Router(Topology([f"node-{number}" for number in range(20)], scheme="ring-v1"))


def pack(keys: list[bytes], code: str = "I") -> tuple[bytes, array[int]]:
    offsets = [0]
    for key in keys:
        offsets.append(offsets[-1] + len(key))
    return b"".join(keys), array(code, offsets)


@given(st.lists(st.one_of(st.text(), st.binary(), st.integers(-(2**63), 2**63 - 1))))
def test_group_is_the_map_of_route(keys: list[Any]) -> None:
    expected: dict[str, list[Any]] = {}
    numbers: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        expected.setdefault(ROUTER.route(key), []).append(key)
        numbers.setdefault(ROUTER.route(key), []).append(number)
    for view in (ROUTER, ROUTER.snapshot()):
        # Order counts: nodes in the order of their first key, keys in the order given.
        assert list(view.group(keys).items()) == list(expected.items())
        assert list(view.group_indices(keys).items()) == list(numbers.items())


@pytest.mark.parametrize("count", [3, 511, 512, 5_000])
def test_the_callers_own_objects_come_back(count: int) -> None:
    keys: list[Any] = [f"key:{number}" for number in range(count)]
    keys[1] = keys[0]
    keys[2] = bytearray(keys[0].encode())
    groups = ROUTER.group(keys)
    given = {id(key) for key in keys}
    returned = [key for group in groups.values() for key in group]
    assert len(returned) == count
    assert all(id(key) in given for key in returned)
    assert sum(key is keys[0] for key in returned) == 2
    assert sum(key is keys[2] for key in returned) == 1


def test_any_iterable_of_keys() -> None:
    keys = [f"key:{number}" for number in range(600)]
    expected = ROUTER.group(keys)
    for same in (
        tuple(keys),
        iter(keys),
        (key for key in keys),
        dict.fromkeys(keys),
        dict.fromkeys(keys).keys(),
    ):
        assert ROUTER.group(same) == expected
    assert ROUTER.group([]) == {}
    assert ROUTER.group_indices(iter(())) == {}


@pytest.mark.parametrize("call", [ROUTER.group, ROUTER.group_indices, ROUTER.snapshot().group])
@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (1.5, InvalidArgumentTypeError),
        (None, InvalidArgumentTypeError),
        ("\ud800", InvalidArgumentError),
        (2**63, InvalidArgumentError),
        (True, InvalidArgumentError),
    ],
)
def test_one_invalid_key_is_named_and_nothing_is_answered(call: Any, wrong: Any, kind: type[Exception]) -> None:
    for keys in (["a"] * 17 + [wrong, "b"], ["a"] * 17 + [wrong] + ["b"] * 1_000):
        with pytest.raises(kind, match=r"^keys\[17\]: ") as caught:
            call(keys)
        assert type(caught.value) is kind
        assert caught.value.place == "keys[17]"  # type: ignore[attr-defined]


@pytest.mark.parametrize("keys", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc"), 5, None, 1.5])
def test_what_is_no_batch(keys: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        ROUTER.group(keys)
    assert caught.value.place == "keys"


def test_an_error_of_the_callers_iterator_is_the_callers() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        ROUTER.group(broken())


def test_nobody_can_own_the_keys() -> None:
    empty = Router(Topology([], scheme="ring-v1"))
    assert empty.group([]) == {}
    for call in (empty.group, empty.group_indices):
        with pytest.raises(ShardNotAvailableError):
            call(["a"])
    with pytest.raises(ShardNotAvailableError):
        empty.group_packed(b"a", array("I", [0, 1]))


@given(st.lists(st.binary(max_size=20), max_size=50), st.sampled_from(["I", "Q", "i", "q", "L", "l"]))
def test_a_packed_batch_says_the_same(keys: list[bytes], code: str) -> None:
    data, offsets = pack(keys, code)
    view: Router | Snapshot
    for view in (ROUTER, ROUTER.snapshot()):
        nodes, starts, indices = view.group_packed(data, offsets)
        groups = {node: indices[starts[g] : starts[g + 1]].tolist() for g, node in enumerate(nodes)}
        assert list(groups.items()) == list(ROUTER.group_indices(keys).items())
        assert starts.format == indices.format == "I"
        assert starts.readonly
        assert indices.readonly


def test_packed_data_in_any_buffer() -> None:
    data, offsets = pack([b"one", b"", b"three"])
    expected = ROUTER.group_packed(data, offsets)
    for same in (bytearray(data), memoryview(data), array("B", data)):
        assert ROUTER.group_packed(same, memoryview(offsets)) == expected
    wide = b"." + data
    assert ROUTER.group_packed(wide, array("I", [offset + 1 for offset in offsets])) == expected
    unaligned = memoryview(b"." + offsets.tobytes())[1:].cast("I")
    assert ROUTER.group_packed(data, unaligned) == expected
    with_gaps = memoryview(array("I", [offset for offset in offsets for _ in range(2)]))[::2]
    assert ROUTER.group_packed(data, with_gaps) == expected


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_hashes_of_the_callers_own(hashes: list[int]) -> None:
    expected: dict[str, list[int]] = {}
    for number, value in enumerate(hashes):
        expected.setdefault(ROUTER.route_hash(value), []).append(number)
    for given_as in (hashes, iter(hashes), array("Q", hashes)):
        nodes, starts, indices = ROUTER.group_hashes(given_as)
        groups = {node: indices[starts[g] : starts[g + 1]].tolist() for g, node in enumerate(nodes)}
        assert list(groups.items()) == list(expected.items())


def test_a_hash_is_what_snapshot_hash_gives() -> None:
    view = ROUTER.snapshot()
    for key in ("a", b"b", 3):
        assert ROUTER.route_hash(view.hash(key)) == view.route_hash(view.hash(key)) == ROUTER.route(key)


@pytest.mark.parametrize(
    ("value", "kind"), [(-1, ValueError), (2**64, ValueError), ("a", TypeError), (True, TypeError)]
)
def test_what_is_no_hash(value: Any, kind: type[Exception]) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        ROUTER.route_hash(value)
    assert caught.value.place == "hash"
    with pytest.raises(InvalidArgumentError) as caught:
        ROUTER.group_hashes([0, value])
    assert caught.value.place == "hashes[1]"
    assert isinstance(caught.value, kind)
    assert isinstance(caught.value, TypeError) is (kind is TypeError)


@pytest.mark.parametrize("hashes", ["abc", 5, None, b"12345678"])
def test_what_are_no_hashes(hashes: Any) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        ROUTER.group_hashes(hashes)
    assert caught.value.place == "hashes"


@pytest.mark.parametrize(
    ("data", "offsets", "place"),
    [
        (b"abc", array("I"), "offsets"),
        (b"abc", array("I", [0, 2, 1]), "offsets[2]"),
        (b"abc", array("I", [0, 4]), "offsets[1]"),
        (b"abc", array("Q", [0, 2**64 - 1]), "offsets[1]"),
        (b"abc", array("i", [0, -1]), "offsets[1]"),
        (b"abc", array("q", [-1, 1]), "offsets[0]"),
        (memoryview(b"abcdef")[::2], array("I", [0, 1]), "data"),
    ],
)
def test_a_broken_packed_batch(data: Any, offsets: Any, place: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        ROUTER.group_packed(data, offsets)
    assert caught.value.place == place
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("data", "offsets", "place"),
    [
        ("abc", array("I", [0, 1]), "data"),
        (array("I", [1]), array("I", [0, 1]), "data"),
        (b"abc", [0, 1], "offsets"),
        (b"abc", array("d", [0, 1]), "offsets"),
        (b"abc", array("H", [0, 1]), "offsets"),
        (b"abc", None, "offsets"),
    ],
)
def test_a_packed_batch_of_wrong_types(data: Any, offsets: Any, place: str) -> None:
    with pytest.raises(InvalidArgumentTypeError) as caught:
        ROUTER.group_packed(data, offsets)
    assert caught.value.place == place
