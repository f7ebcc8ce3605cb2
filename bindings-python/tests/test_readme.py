"""The Python in the documents runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "docs/python.md"]


def snippets() -> list[tuple[str, str]]:
    found = []
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
        found += [(f"{name} {number}", block) for number, block in enumerate(blocks, start=1)]
    return found


def test_the_documents_have_snippets() -> None:
    assert {name.split()[0] for name, _ in snippets()} == set(DOCUMENTS)


@pytest.mark.parametrize(("name", "block"), snippets(), ids=[name for name, _ in snippets()])
def test_a_snippet_runs(name: str, block: str) -> None:
    exec(compile(block, name, "exec"), {"__name__": "snippet"})
