"""Every shape a method of a service can have, through the code that the libraries make of it: inherited, without
arguments, without a result, one-way, with defaults, with a false or empty result, with a declared exception."""

from __future__ import annotations

import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import idl
import pytest
import raw
import thriftpy2
from raw import RawServer
from shardway import InvalidArgumentTypeError, Router, Topology
from shardway.thrift import ThriftClient
from shardway.thrift.service import Reply, Service, describe

IDL = """
namespace py shapes
exception Oops { 1: string why }
service Base {
  void ping()
  oneway void forget(1: string what)
}
service Shapes extends Base {
  i32 buy(7: string item, 2: i32 count = 3, 5: list<i32> sizes = [1, 2])
  void risky(1: bool fail) throws (4: Oops oops)
  bool flag(1: bool value) throws (1: Oops oops)
  list<string> none()
  string missing()
}
"""


class Handler:
    """What the server side of the service answers."""

    def __init__(self, oops: Any) -> None:
        self.forgotten: list[str] = []
        self._oops = oops

    def ping(self) -> None:
        return None

    def forget(self, what: str) -> None:
        self.forgotten.append(what)

    def buy(self, item: str, count: int, sizes: list[int]) -> int:
        return len(item) * 1000 + count * 10 + len(sizes)

    def risky(self, fail: bool) -> None:
        if fail:
            raise self._oops(why="asked to")

    def flag(self, value: bool) -> bool:
        return value

    def none(self) -> list[str]:
        return []

    def missing(self) -> None:
        return None


class Loop:
    """Calls that go through the bytes of both directions, without a network."""

    def __init__(self, library: str, protocol: str, folder: Path) -> None:
        self._protocol = protocol
        if library == "apache":
            path = folder / "shapes.thrift"
            path.write_text(IDL, encoding="utf-8")
            compiler = shutil.which("thrift")
            assert compiler is not None, "the thrift compiler is missing, see scripts/apt.sh"
            subprocess.run([compiler, "--gen", "py", "-out", str(folder), str(path)], check=True, timeout=60)
            module = import_module("shapes.Shapes")
            self.oops = import_module("shapes.ttypes").Oops
            self.handler = Handler(self.oops)
            self._process = module.Processor(self.handler).process
            self.service: Service = describe(module)
        else:
            path = folder / "shapes2.thrift"
            path.write_text(IDL, encoding="utf-8")
            loaded = thriftpy2.load(str(path), module_name=f"shapes_{abs(hash(str(path)))}_thrift")
            self.oops = loaded.Oops
            self.handler = Handler(self.oops)
            self._process = import_module("thriftpy2.thrift").TProcessor(loaded.Shapes, self.handler).process
            self.service = describe(loaded.Shapes)
        self._wire = self.service.wire(protocol)
        self._library = library

    def call(self, name: str, *arguments: Any, **named: Any) -> Reply:
        endpoint = self.service.endpoints[name]
        call = self._wire.encode(endpoint, endpoint.values(endpoint.bind(arguments, named)), 7)
        answer = self._serve(call)
        if endpoint.oneway:
            assert answer == b""
            return Reply()
        return self._wire.decode(endpoint, answer, 7)

    def _serve(self, call: bytes) -> bytes:
        package = "thrift" if self._library == "apache" else "thriftpy2"
        if package == "thrift":
            buffers = import_module("thrift.transport.TTransport")
            name = "TBinaryProtocol" if self._protocol == "binary" else "TCompactProtocol"
            protocol = getattr(import_module(f"thrift.protocol.{name}"), name)
        else:
            buffers = import_module("thriftpy2.transport")
            name = "TBinaryProtocol" if self._protocol == "binary" else "TCompactProtocol"
            protocol = getattr(import_module("thriftpy2.protocol"), name)
        written = buffers.TMemoryBuffer()
        self._process(protocol(buffers.TMemoryBuffer(call)), protocol(written))
        return bytes(written.getvalue())


@pytest.fixture(params=["binary", "compact"])
def loop(request: pytest.FixtureRequest, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("shapes", "shapes.ttypes", "shapes.Base", "shapes.Shapes", "shapes.constants"):
        monkeypatch.delitem(import_module("sys").modules, name, raising=False)
    return Loop(library, request.param, tmp_path)


def test_every_shape(loop: Loop) -> None:
    assert set(loop.service.endpoints) == {"ping", "forget", "buy", "risky", "flag", "none", "missing"}
    assert loop.call("ping") == Reply()
    assert loop.call("forget", "it") == Reply()
    assert loop.handler.forgotten == ["it"]
    assert loop.call("buy", "tea", 2, [4]).value == 3021
    assert loop.call("buy", "tea").value == 3032  # the defaults of the .thrift file
    assert loop.call("buy", sizes=[], item="tea").value == 3030
    assert loop.call("risky", False) == Reply()
    assert loop.call("flag", True).value is True
    assert loop.call("flag", False).value is False
    assert loop.call("none").value == []


def test_a_declared_exception_and_a_missing_result_are_answers(loop: Loop) -> None:
    error = loop.call("risky", True).error
    assert isinstance(error, loop.oops)
    assert error.why == "asked to"
    missing = loop.call("missing").error
    assert type(missing).__name__ == "TApplicationException"
    assert "missing failed: unknown result" in str(missing)


def test_the_order_of_arguments_is_that_of_the_file(loop: Loop) -> None:
    assert loop.service.endpoints["buy"].arguments == ("item", "count", "sizes")
    with pytest.raises(InvalidArgumentTypeError, match=r"buy takes \(item, count, sizes\)"):
        loop.call("buy")


@pytest.mark.parametrize("transport", ["framed", "buffered"])
def test_a_one_way_call_waits_for_nothing(tmp_path: Path, transport: str) -> None:
    path = tmp_path / "oneway.thrift"
    path.write_text("service Log { oneway void add(1: string line) }", encoding="utf-8")
    log = thriftpy2.load(str(path), module_name=f"oneway_{transport}_thrift").Log
    with RawServer(raw.silence) as silent:
        router = Router(Topology([{"id": "n", "host": silent.host, "port": silent.port}], scheme="ring-v1"))
        with ThriftClient(log, router, transport=transport, timeout_ms=300) as client:
            for _ in range(3):
                assert client.add("x") is None
            assert client.pools()["n"].opened == 1


def test_the_helper_names_what_is_wrong_with_a_library() -> None:
    with pytest.raises(ValueError, match="must be one of apache, thriftpy2"):
        idl.load("thrift3")
