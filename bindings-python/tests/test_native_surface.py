"""What the native module shows: names, docstrings, the panic boundary, the version."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import shardway
from shardway import _native
from shardway._version import __version__

PACKAGE = Path(__file__).parents[1]
WORKSPACE = PACKAGE.parent
STUB = ast.parse((PACKAGE / "python" / "shardway" / "_native.pyi").read_text("utf-8"))
CLASSES = [value for value in vars(_native).values() if inspect.isclass(value)]


def documented() -> list[tuple[str, Any]]:
    """Every public name of the native module, its classes and their members."""
    found: list[tuple[str, Any]] = []
    for name, value in vars(_native).items():
        if name.startswith("_"):
            continue
        found.append((name, value))
        if inspect.isclass(value):
            members = [(member, inner) for member, inner in vars(value).items() if not member.startswith("_")]
            found += [(f"{name}.{member}", inner) for member, inner in members]
    return found


@pytest.mark.parametrize(("name", "value"), documented())
def test_every_public_name_has_a_docstring(name: str, value: Any) -> None:
    text = inspect.getdoc(value)
    assert text
    assert text.splitlines()[0].endswith((".", ":")) or "." in text, f"{name}: no whole sentence"
    if callable(value) and not inspect.isclass(value):
        assert inspect.signature(value) is not None


def test_the_stub_names_what_is_there() -> None:
    assert sorted(_native.__all__) == sorted(name for name in vars(_native) if not name.startswith("_"))
    in_stub = {node.name for node in STUB.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert in_stub == set(_native.__all__)


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_are_final_and_known_by_their_public_place(kind: type) -> None:
    assert kind.__module__ == "shardway"
    assert getattr(shardway, kind.__name__) is kind
    with pytest.raises(TypeError):
        type("Derived", (kind,), {})


@pytest.mark.parametrize("kind", [shardway.Snapshot, shardway.Stats, shardway.Event, shardway.Explanation])
def test_what_only_the_router_makes(kind: Any) -> None:
    with pytest.raises(TypeError):
        kind()


def test_every_export_stands_behind_the_boundary() -> None:
    exports = boundaries = 0
    for path in sorted((PACKAGE / "src").glob("*.rs")):
        text = path.read_text("utf-8")
        parts = re.findall(r"^#\[pymethods\]\nimpl .*?^\}", text, re.MULTILINE | re.DOTALL)
        parts += re.findall(r"^#\[pyfunction\].*?^\}", text, re.MULTILINE | re.DOTALL)
        # The methods of Stats are made by a macro.
        parts += re.findall(r"^ {8}#\[pymethods\]\n.*?^ {8}\}", text, re.MULTILINE | re.DOTALL)
        for part in parts:
            exports += len(re.findall(r"\bfn \w+|\bfn \$name", part))
            boundaries += len(re.findall(r"\bguard\(", part))
    assert exports == boundaries
    assert exports > 80


def test_one_version_everywhere() -> None:
    workspace = tomllib.loads((WORKSPACE / "Cargo.toml").read_text("utf-8"))
    version = workspace["workspace"]["package"]["version"]
    assert __version__ == _native.version() == version


def test_another_version_is_refused_with_both() -> None:
    _native.require_version(_native.version())
    with pytest.raises(ImportError, match=rf"9\.9\.9.*{re.escape(_native.version())}"):
        _native.require_version("9.9.9")


def test_every_operation_has_its_name_here_and_in_c() -> None:
    surface = json.loads((WORKSPACE / "tests" / "surface.json").read_text("utf-8"))
    symbols = set((WORKSPACE / "ffi" / "symbols.txt").read_text("utf-8").split())
    missing = []
    for operation in surface["operations"]:
        if operation["c"] not in symbols | {None}:  # what only a host layer does has no name in C
            missing.append(operation["c"])
        if operation["python"] is None:
            continue
        kind, _, member = operation["python"].partition(".")
        if not hasattr(getattr(shardway, kind, None), member or "__init__"):
            missing.append(operation["python"])
    assert missing == []
    assert len(surface["operations"]) > 30
