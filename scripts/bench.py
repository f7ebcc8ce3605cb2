#!/usr/bin/env python3
"""Runs the bench runners, one after the other, and prints one table with the peers' ratios.

    scripts/bench.py COMMAND [-- COMMAND]...

Each runner prints lines of five tab-separated fields: what, shardway's ns, peer, the peer's ns, the
target (``share X`` of the peer's time at most, ``ns X`` below, or empty). A missed target is shown
and fails nothing: the exit code is 1 only if a runner itself fails.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison."""

    what: str
    ours: float
    peer: str
    theirs: float | None
    target: str

    @classmethod
    def parse(cls, line: str) -> Row:
        what, ours, peer, theirs, target = line.rstrip("\n").split("\t")
        return cls(what, float(ours), peer, float(theirs) if theirs else None, target)

    @property
    def share(self) -> float | None:
        """shardway's time as a share of the peer's."""
        return None if self.theirs is None else self.ours / self.theirs

    def verdict(self) -> tuple[str, str]:
        """The target as a reader writes it, and whether this run reached it."""
        kind, _, limit_text = self.target.partition(" ")
        if not kind:
            return "", ""
        limit = float(limit_text)
        if kind == "share":
            reached = self.share is not None and self.share <= limit
            return f"<= {limit:g} of it", "yes" if reached else "NO"
        return f"< {duration(limit)}", "yes" if self.ours < limit else "NO"

    def cells(self) -> list[str]:
        theirs = "" if self.theirs is None else duration(self.theirs)
        share = "" if self.share is None else f"{self.share:.3f}"
        return [self.what, duration(self.ours), self.peer, theirs, share, *self.verdict()]


def duration(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


# A load average above this at the start: others want the cores too.
BUSY = 0.8

HEAD = ["what", "shardway", "peer", "its time", "share", "target", "reached"]


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table, its columns aligned."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def run(command: list[str]) -> list[Row]:
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [Row.parse(line) for line in process.stdout.splitlines()]


def main(arguments: list[str]) -> int:
    commands: list[list[str]] = [[]]
    for argument in arguments:
        if argument == "--":
            commands.append([])
        else:
            commands[-1].append(argument)
    load, _, _ = os.getloadavg()
    rows: list[Row] = []
    try:
        for command in commands:
            rows += run(command)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"\n{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print("16-byte keys, 160 points a node, medians of interleaved runs")
    if load > BUSY:
        print(f"The machine was busy (load {load:.1f}): ratios stand, absolute times are too long.")
    print()
    print(table(rows))
    missed = [row.what for row in rows if row.verdict()[1] == "NO"]
    with_target = sum(1 for row in rows if row.target)
    print(f"\n{with_target - len(missed)} of {with_target} targets reached" + (":" if missed else ""))
    for what in missed:
        print(f"  missed: {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
