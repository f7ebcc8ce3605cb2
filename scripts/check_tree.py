#!/usr/bin/env python3
"""Rules of the tree that no compiler or linter knows. Prints every breach; exit code 1 if any.

- A source file has at most 700 lines, unless ``long-files.txt`` gives the reason.
- A front door (``lib.rs``, ``mod.rs``, ``__init__.py``, ``index.ts``) has at most 120.
- The crates that promise it turn their lints on in ``lib.rs``: the core has no IO and never panics,
  the C ABI never panics. Every workspace crate takes the workspace's lints.
- Text files end with one newline, have no trailing blanks and no marks of an unfinished merge.
- Shell scripts and ``.ci/run`` are executable.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOW_LIST = "scripts/long-files.txt"

MAX_LINES = 700
MAX_FRONT_DOOR_LINES = 120
FRONT_DOORS = {"lib.rs", "mod.rs", "__init__.py", "index.ts"}
CODE_SUFFIXES = {
    ".rs", ".py", ".pyi", ".ts", ".js", ".java", ".c", ".h", ".hpp", ".cc", ".cpp", ".sh",
}  # fmt: skip
TEXT_SUFFIXES = CODE_SUFFIXES | {".toml", ".md", ".yml", ".yaml", ".thrift", ".txt", ".mk"}

NO_PANIC = {"clippy::unwrap_used", "clippy::expect_used", "clippy::panic"}
NO_IO = {"clippy::disallowed_methods", "clippy::disallowed_types", "clippy::disallowed_macros"}
REQUIRED_DENIALS = {"core/src/lib.rs": NO_PANIC | NO_IO, "ffi/src/lib.rs": NO_PANIC}

UNFINISHED_MERGE = re.compile(r"^(<{7} |={7}$|>{7} )")


def tracked_files() -> list[Path]:
    """The files git knows or would take; in a tree without git, all but what the build makes."""
    git = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = git.stdout.split("\0") if git.returncode == 0 else walked_files()
    return sorted(path for name in names if name and (path := ROOT / name).is_file())


def walked_files() -> Iterator[str]:
    skip = {".git", ".venv", ".tools", "target", "__pycache__"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skip and not name.endswith("_cache")]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def allowed_long_files() -> tuple[set[str], list[str]]:
    """The allow list's paths, and what is wrong with the list itself."""
    paths: set[str] = set()
    breaches = []
    for number, line in enumerate((ROOT / ALLOW_LIST).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        path, _, reason = line.partition(" ")
        if not reason.strip():
            breaches.append(f"{ALLOW_LIST}:{number}: {path} has no reason")
        if not (ROOT / path).is_file():
            breaches.append(f"{ALLOW_LIST}:{number}: {path} does not exist: take the line out")
        paths.add(path)
    return paths, breaches


def size_breaches(name: str, lines: int, allowed: set[str]) -> Iterator[str]:
    path = Path(name)
    if path.suffix not in CODE_SUFFIXES:
        return
    if path.name in FRONT_DOORS and lines > MAX_FRONT_DOOR_LINES:
        yield f"{name}: {lines} lines; a {path.name} is a table of contents of at most 120"
    elif lines > MAX_LINES and name not in allowed:
        yield f"{name}: {lines} lines; split it in two, or give a reason in {ALLOW_LIST}"
    elif lines <= MAX_LINES and name in allowed:
        yield f"{ALLOW_LIST}: {name} has only {lines} lines: take it out"


def text_breaches(name: str, text: str) -> Iterator[str]:
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield f"{name}: must end with exactly one newline"
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield f"{name}:{number}: blanks at the end of the line"
        if UNFINISHED_MERGE.match(line):
            yield f"{name}:{number}: a mark of an unfinished merge"


def lint_breaches() -> Iterator[str]:
    for name, required in REQUIRED_DENIALS.items():
        text = (ROOT / name).read_text()
        attributes = re.findall(r"#!\[(?:cfg_attr\(\s*not\(test\),\s*)?(?:deny|forbid)\((.*?)\)", text, re.S)
        denied = {lint.strip() for group in attributes for lint in group.split(",")}
        for lint in sorted(required - denied):
            yield f"{name}: must deny {lint} outside tests: #![cfg_attr(not(test), deny({lint}))]"
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    for member in members:
        manifest = tomllib.loads((ROOT / member / "Cargo.toml").read_text())
        if manifest.get("lints") != {"workspace": True}:
            yield f"{member}/Cargo.toml: needs [lints] workspace = true"


def main() -> int:
    allowed, breaches = allowed_long_files()
    files = tracked_files()
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        script = path.suffix == ".sh" or name == ".ci/run"
        if script and not os.access(path, os.X_OK):
            breaches.append(f"{name}: must be executable")
        if path.suffix not in TEXT_SUFFIXES and path.name != "Makefile" and not script:
            continue
        text = path.read_text(encoding="utf-8")
        breaches += size_breaches(name, text.count("\n"), allowed)
        breaches += text_breaches(name, text)
    breaches += lint_breaches()
    for breach in breaches:
        print(breach)
    print(f"{len(files)} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
