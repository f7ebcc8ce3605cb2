"""The examples of the README run as they stand, one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_of_the_readme_run() -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for example in examples:
        exec(compile(example, str(README), "exec"), names)
    assert len(examples) >= 3
    assert names["router"].revision == 2
