"""Keys: which Python objects are keys, what they count as, and what is refused."""

from __future__ import annotations

import enum
import time
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardway import I32, InvalidArgumentError, InvalidArgumentTypeError, Router, Topology

ROUTER = Router(Topology([f"node-{number}" for number in range(50)], scheme="ring-v1"))
VIEW = ROUTER.snapshot()
JVM = Router(
    Topology([f"node-{number}" for number in range(50)], scheme={"profile": "finagle", "thrift_keys": True})
).snapshot()


class Text(str):
    """A str of the user's."""


class Number(enum.IntEnum):
    """An int of the user's."""

    SEVEN = 7


@given(st.text())
def test_text_is_its_utf8(text: str) -> None:
    raw = text.encode()
    assert VIEW.hash(text) == VIEW.hash(raw) == VIEW.hash(bytearray(raw)) == VIEW.hash(memoryview(raw))
    assert ROUTER.route(text) == ROUTER.route(raw)


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_int_is_eight_bytes(number: int) -> None:
    assert VIEW.hash(number) == VIEW.hash(number.to_bytes(8, "big", signed=True))


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_narrow_int_differs_for_the_jvm_only(number: int) -> None:
    assert VIEW.hash(I32(number)) == VIEW.hash(number)
    # The JVM's Long folds its halves together; for 0 and up the upper half is 0.
    assert (JVM.hash(I32(number)) == JVM.hash(number)) == (number >= 0)


def test_subclasses_are_what_they_derive_from() -> None:
    assert VIEW.hash(Text("key")) == VIEW.hash("key")
    assert VIEW.hash(Number.SEVEN) == VIEW.hash(7)


def test_buffers_of_other_forms() -> None:
    raw = bytes(range(100))
    assert VIEW.hash(memoryview(raw)[::2]) == VIEW.hash(raw[::2])
    assert VIEW.hash(memoryview(raw).cast("b")) == VIEW.hash(raw)
    assert VIEW.hash(memoryview(raw).cast("c")) == VIEW.hash(raw)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="wider than a byte"):
        VIEW.hash(memoryview(array("I", [1])))


def test_an_empty_key_and_a_long_one() -> None:
    assert ROUTER.route("") == ROUTER.route(b"")
    text = "x" * 10_000_000
    start = time.perf_counter()
    assert ROUTER.route(text) == ROUTER.route(text.encode()) == ROUTER.route(bytearray(text.encode()))
    assert ROUTER.group([text, ""])
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("text", "unit", "character"),
    [("\ud800", "U+D800", 0), ("ab\udfffc", "U+DFFF", 2), ("é" * 1000 + "\udc00", "U+DC00", 1000)],
)
def test_a_lone_surrogate_is_named(text: str, unit: str, character: int) -> None:
    for call in (ROUTER.route, VIEW.route, VIEW.hash, ROUTER.explain, VIEW.explain):
        with pytest.raises(InvalidArgumentError, match=f"U\\{unit[1:]} at character {character}") as caught:
            call(text)
        assert caught.value.place == "key"
        assert not isinstance(caught.value, TypeError)
    assert ROUTER.route("the next call works")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, pytest.param(10**10_000, id="huge")])
def test_an_int_out_of_range(number: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"an int of \d+ bits; from -2\*\*63") as caught:
        ROUTER.route(number)
    assert caught.value.place == "key"


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1])
def test_a_narrow_int_out_of_range(number: int) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        I32(number)
    assert caught.value.place == "value"


def test_a_narrow_int_is_an_int() -> None:
    assert I32(5) == 5
    assert repr(I32(-5)) == "I32(-5)"
    assert isinstance(I32(5), int)


@pytest.mark.parametrize("value", [True, False])
def test_a_bool_is_a_key_for_the_jvm_only(value: bool) -> None:
    assert JVM.hash(value)
    with pytest.raises(InvalidArgumentError, match="thrift_keys") as caught:
        ROUTER.route(value)
    assert caught.value.place == "key"


def test_bytes_are_text_for_the_jvm_or_refused() -> None:
    assert JVM.hash("é".encode()) == JVM.hash("é")
    with pytest.raises(InvalidArgumentError, match="UTF-8"):
        JVM.hash(b"\xff")


@pytest.mark.parametrize("key", [None, 1.5, float("nan"), ["a"], ("a",), {"a": 1}, {"a"}, object(), Text, array("B")])
def test_a_key_of_another_type(key: Any) -> None:
    for call in (ROUTER.route, VIEW.route, VIEW.hash, ROUTER.explain):
        with pytest.raises(InvalidArgumentTypeError) as caught:
            call(key)
        error = caught.value
        assert isinstance(error, TypeError)
        assert isinstance(error, ValueError)
        assert error.place == "key"
        assert type(key).__name__ in str(error)
        assert "bytearray" in str(error)


def test_an_object_whose_repr_fails_is_still_told() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    with pytest.raises(InvalidArgumentTypeError, match="Rude"):
        ROUTER.route(Rude())  # type: ignore[arg-type]
