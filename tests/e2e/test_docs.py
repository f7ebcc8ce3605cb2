"""The Python examples of `docs/thrift.md` run as they stand, one after the other, against real servers."""

from __future__ import annotations

import re
from inspect import signature
from typing import Any

import idl
import pytest
from servers import Fleet
from shardway.thrift import ThriftClient


def test_the_guide_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (idl.ROOT / "docs" / "thrift.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(examples) == 3
    monkeypatch.chdir(idl.ROOT)
    names: dict[str, Any] = {}
    with Fleet(["node-0", "node-1", "node-2"]) as fleet:
        ports = [server.port for server in fleet]
        for example in examples:
            exec(compile(example.replace("9090 + number", f"{ports}[number]"), "docs/thrift.md", "exec"), names)
        assert all(server.calls() for server in fleet)


def test_the_guide_names_every_option_with_its_default() -> None:
    text = (idl.ROOT / "docs" / "thrift.md").read_text(encoding="utf-8")
    for name, parameter in signature(ThriftClient).parameters.items():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        default = f"{parameter.default:,}" if isinstance(parameter.default, int) else f'`"{parameter.default}"`'
        assert f"| `{name}` | {'all' if parameter.default is None else default} |" in text
