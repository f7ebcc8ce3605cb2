"""`shardway.thrift.scan`: where a message ends, and the answers it refuses to walk over."""

from __future__ import annotations

import io
import random
import time
from typing import Any

import pytest
import thriftpy2
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.transport import TMemoryBuffer

from shardway.thrift.scan import MalformedMessage, message_end

IDL = """
struct Leaf { 1: string name, 2: i32 number, 300: bool yes }
struct Tree {
  1: bool a, 2: i8 b, 3: i16 c, 4: i32 d, 5: i64 e, 6: double f, 7: string g, 8: binary h,
  9: list<Leaf> i, 10: set<i16> j, 11: map<string, list<double>> k, 12: list<bool> l, 13: list<list<string>> m,
  14: map<i32, i32> n, 15: Leaf o, 16: list<i64> p, 17: map<bool, double> q
}
service S { Tree t() }
"""
PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol}
HEADS = {"binary": b"\x80\x01\x00\x02\0\0\0\x01t\0\0\0\x01", "compact": b"\x82\x41\x01\x01t"}
LIMIT = 1 << 20


@pytest.fixture(scope="module")
def idl() -> Any:
    return thriftpy2.load_fp(io.StringIO(IDL), "scan_thrift")


def message(idl: Any, protocol: str, *, items: int) -> bytes:
    leaf = idl.Leaf(name="n" * 40, number=-7, yes=True)
    tree = idl.Tree(
        a=False,
        b=-1,
        c=-300,
        d=1 << 30,
        e=-(1 << 60),
        f=0.5,
        g="text",
        h=b"\0\xff",
        i=[leaf] * items,
        j=[1, 2, 3],
        k={"x": [1.0] * items, "": []},
        l=[True, False] * items,
        m=[["a"], [], ["b", "c"]],
        n={index: -index for index in range(items)},
        o=leaf,
        p=[1 << 40] * items,
        q={True: 1.5},
    )
    buffer = TMemoryBuffer()
    writer = PROTOCOLS[protocol](buffer)
    writer.write_message_begin("t", 2, 1)
    idl.S.t_result(success=tree).write(writer)
    writer.write_message_end()
    return bytes(buffer.getvalue())


def no_more(needed: int) -> bytes:
    raise MalformedMessage(f"{needed} bytes too early")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("items", [0, 1, 14, 15, 16, 200])
def test_the_end_of_every_type_of_value(idl: Any, protocol: str, items: int) -> None:
    data = message(idl, protocol, items=items)
    assert message_end(protocol, bytearray(data), no_more, LIMIT) == len(data)
    assert message_end(protocol, bytearray(data + b"more"), no_more, LIMIT) == len(data)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("step", [1, 7, 4096])
def test_bytes_that_trickle_in(idl: Any, protocol: str, step: int) -> None:
    data = message(idl, protocol, items=20)
    source = io.BytesIO(data)
    read = bytearray()
    assert message_end(protocol, read, lambda _needed: source.read(step) or no_more(1), LIMIT) == len(data)
    assert bytes(read) == data


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cut_is_noticed(idl: Any, protocol: str) -> None:
    data = message(idl, protocol, items=1)
    for cut in range(len(data)):
        with pytest.raises(MalformedMessage, match="too early"):
            message_end(protocol, bytearray(data[:cut]), no_more, LIMIT)


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("binary", b"\x0f\0\0\x01\x7f\xff\xff\xff"),  # elements of a type that takes no bytes
        ("binary", b"\x0f\0\0\x00\x7f\xff\xff\xff"),
        ("binary", b"\x0f\0\0\x0c\x7f\xff\xff\xff"),
        ("binary", b"\x0f\0\0\x08\x7f\xff\xff\xff"),
        ("binary", b"\x0f\0\0\x08\xff\xff\xff\xff"),  # a negative size
        ("binary", b"\x0b\0\0\x7f\xff\xff\xff"),
        ("binary", b"\x0d\0\0\x00\x00\x7f\xff\xff\xff"),
        ("binary", b"\x0c\0\x63" * 1000),  # nesting without end
        ("binary", b"\x0f\0\x63" + b"\x0f\0\0\0\x01" * 1000),
        ("binary", b"\x07\0\0"),
        ("compact", b"\x19\xf0\xff\xff\xff\xff\x07"),
        ("compact", b"\x19\xf1\xff\xff\xff\xff\x07"),
        ("compact", b"\x1b\xff\xff\xff\xff\x07\x00"),
        ("compact", b"\x18\xff\xff\xff\xff\x0f"),
        ("compact", b"\x15" + b"\xff" * 11),
        ("compact", b"\x1c" * 1000),
        ("compact", b"\x19" * 1000),
        ("compact", b"\x1e"),
    ],
)
def test_sizes_and_nesting_that_a_decoder_would_choke_on(protocol: str, body: bytes) -> None:
    began = time.monotonic()
    with pytest.raises(MalformedMessage):
        message_end(protocol, bytearray(HEADS[protocol] + body), no_more, LIMIT)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_not_thrift(protocol: str) -> None:
    for data in (
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\0" * 64,
        b"\xff" * 64,
        HEADS["compact" if protocol == "binary" else "binary"],
    ):
        with pytest.raises(MalformedMessage):
            message_end(protocol, bytearray(data), no_more, LIMIT)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_message_over_the_limit(idl: Any, protocol: str) -> None:
    data = message(idl, protocol, items=100)
    with pytest.raises(MalformedMessage):
        message_end(protocol, bytearray(data), no_more, len(data) - 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_damaged_answers_end_soon_and_never_decode_past_their_end(idl: Any, protocol: str) -> None:
    source = random.Random(7)
    good = message(idl, protocol, items=2)
    began = time.monotonic()
    refused = 0
    for _ in range(3000):
        data = bytearray(good)
        for _ in range(source.randint(1, 4)):
            data[source.randrange(len(data))] = source.randrange(256)
        try:
            assert message_end(protocol, data, no_more, LIMIT) <= len(data)
        except MalformedMessage:
            refused += 1
    assert refused > 500
    assert time.monotonic() - began < 30
