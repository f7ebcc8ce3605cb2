"""The demo as a user runs it: how it ends, what it says, and that nothing of it stays behind."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import make_addresses
import pytest
from claims import Claims
from rich.console import Console

HERE = Path(__file__).resolve().parent
DEMO = HERE / "demo.py"
MOST_SECONDS = 100


class Run:
    """One run of the demo. Its processes carry a mark in their environment, by which they are found."""

    def __init__(self, *arguments: str, command: list[str] | None = None) -> None:
        self._mark = f"SHARDWAY_DEMO_TEST={uuid.uuid4()}"
        name, _, value = self._mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, *(command or [str(DEMO)]), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=os.environ | {name: value, "PYTHONIOENCODING": "utf-8"},
        )

    def finish(self) -> tuple[int, str, str]:
        """Exit code, output and error output."""
        out, errors = self.process.communicate(timeout=MOST_SECONDS)
        return self.process.returncode, out, errors

    def wait_for(self, words: str) -> None:
        """Read the output up to a line that has these words."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if words in line:
                return
        raise AssertionError(f"no line with {words!r}")

    def processes(self) -> list[int]:
        """The processes of this run that are alive, the demo itself included."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit() and self._mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:  # it ended while we looked
                continue
        return found

    def nothing_left(self) -> bool:
        deadline = time.monotonic() + 10
        while self.processes():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


@pytest.fixture
def runs() -> Iterator[list[Run]]:
    """Runs of a test; whatever it leaves alive is killed by its process id."""
    started: list[Run] = []
    yield started
    for run in started:
        for pid in run.processes():
            os.kill(pid, signal.SIGKILL)
        run.process.communicate(timeout=10)


def keys_file(folder: Path, count: int) -> str:
    path = folder / "keys.txt"
    path.write_text("\n".join(make_addresses.addresses(count, 5)), encoding="utf-8")
    return str(path)


def changed(change: str) -> list[str]:
    """The demo with one thing about it changed."""
    return [
        "-c",
        f"import sys; sys.path.insert(0, {str(HERE)!r}); import demo; {change}; sys.exit(demo.main(sys.argv[1:]))",
    ]


@pytest.mark.parametrize("count", [1, 40, 1500])
def test_all_claims_are_true_and_no_process_is_left(tmp_path: Path, runs: list[Run], count: int) -> None:
    run = Run("--keys", keys_file(tmp_path, count))
    runs.append(run)
    code, out, errors = run.finish()
    assert code == 0, out + errors
    assert run.processes() == []
    assert errors == ""
    assert "✗" not in out
    assert "\x1b" not in out  # no colours, no progress bar: this is no terminal
    for words in (
        "1. Hashing",
        "2. The same request",
        "is killed in mid-run",
        "comes back",
        "A sixth server joins",
        "no server process is left",
        "claims were true",
    ):
        assert words in out


def test_a_claim_that_is_untrue_is_listed_and_gives_1(tmp_path: Path, runs: list[Run]) -> None:
    """Here the kill is a sham: the server lives on, so nothing fails and nothing moves."""
    change = "import servers; servers.Server.kill = lambda self: None"
    run = Run("--keys", keys_file(tmp_path, 40), command=changed(change))
    runs.append(run)
    code, out, _ = run.finish()
    assert code == 1
    assert "claims were not true:" in out
    end = out[out.index("claims were not true:") :]
    assert "the kill was noticed: parts failed" in end
    assert "was ejected" in end
    assert run.nothing_left()


def test_a_measure_that_is_missed_gives_1(tmp_path: Path, runs: list[Run]) -> None:
    run = Run("--keys", keys_file(tmp_path, 1000), command=changed("demo.acts.UNEVEN = 1.0"))
    runs.append(run)
    code, out, _ = run.finish()
    assert code == 1
    assert "1 of " in out
    assert "  - max/mean is below 1.0" in out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("moment", ["at ports", "is killed in mid-run"])
def test_interrupted_it_leaves_nothing_behind(
    tmp_path: Path, runs: list[Run], number: signal.Signals, code: int, moment: str
) -> None:
    run = Run("--keys", keys_file(tmp_path, 2000))
    runs.append(run)
    run.wait_for(moment)
    assert len(run.processes()) >= 5
    run.process.send_signal(number)
    assert run.finish()[0] == code
    assert run.nothing_left()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "there is no file"),
        (b"", "has no address in it"),
        (b"\xff\xfe\x00", "is not UTF-16-LE text"),
        (b"\x00\x01\x02\x03", "this is not a text file"),
        (b"caf\xe9", "is not UTF-8 text"),
    ],
)
def test_a_file_of_no_use_is_refused_in_one_line(
    tmp_path: Path, runs: list[Run], data: bytes | None, words: str
) -> None:
    path = tmp_path / "keys.txt"
    if data is not None:
        path.write_bytes(data)
    run = Run("--keys", str(path))
    runs.append(run)
    code, out, errors = run.finish()
    assert (code, out) == (2, "")
    assert errors.startswith("demo: ")
    assert errors.count("\n") == 1
    assert words in errors


def test_claims_conclude() -> None:
    page = io.StringIO()
    claims = Claims(Console(file=page))
    assert claims.conclude() == 1  # nothing tried is nothing shown
    claims.check("the first", True)
    assert claims.conclude() == 0
    claims.same("the second", 1, 2)
    claims.check("the third", False)
    assert claims.conclude() == 1
    assert claims.untrue == ["the second - found: 1, expected 2", "the third"]
    assert "2 of 3 claims were not true:" in page.getvalue()


@pytest.mark.parametrize("language", ["node", "java", "cpp"])
def test_the_main_part_in_another_language(tmp_path: Path, runs: list[Run], language: str) -> None:
    run = Run("--language", language, "--keys", keys_file(tmp_path, 1500))
    runs.append(run)
    code, out, errors = run.finish()
    assert (code, errors) == (0, ""), out
    assert "✗" not in out
    assert "All 11 claims were true." in out
    assert run.processes() == []
