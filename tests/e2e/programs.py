"""The server and driver programs of each language: see `README.md`."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILDS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ANSWER_SECONDS = 60.0

LANGUAGES = ("python", "node", "java", "cpp")


class NotBuiltError(RuntimeError):
    """A program of a language is asked for that was not built; `make test` builds it."""


def command(language: str, program: str) -> list[str]:
    """The command of `program`, "server" or "driver"."""
    if language == "python":
        return [sys.executable, str(HERE / f"{program}.py")]
    if language == "node":
        node = shutil.which("node")
        if node is None or not (ROOT / "bindings-node" / "dist" / "index.js").is_file():
            raise NotBuiltError("bindings-node is not built: make .built-node")
        return [node, str(HERE / "node" / f"{program}.mjs")]
    if language == "java":
        built = ROOT / "bindings-java" / "target"
        if not (built / "dependencies.txt").is_file():
            raise NotBuiltError(f"{built / 'dependencies.txt'} is missing: mvn -f bindings-java/pom.xml verify")
        dependencies = (built / "dependencies.txt").read_text("utf-8").strip()
        classpath = os.pathsep.join([str(built / "classes"), str(built / "test-classes"), dependencies])
        name = f"io.shardway.e2e.{program.capitalize()}"
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
        return [str(java), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classpath, name]
    assert language == "cpp", language
    built = BUILDS / "cpp-thrift" / program
    if not built.is_file():
        raise NotBuiltError(f"{built} is missing: tests/cpp/thrift/run.sh")
    return [str(built)]


class Driver:
    """A client of a language, in a process of its own that ends with this object."""

    def __init__(self, language: str, topology: Any, strategy: Any, *, quiet: bool = False, **more: Any) -> None:
        self.language = language
        self._process = subprocess.Popen(
            command(language, "driver"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,  # what its log says of nodes that die and come back
            start_new_session=True,
        )
        try:
            ready = self.ask(topology=topology, strategy=strategy, **more)
            assert ready == {"ready": True, "language": language}, ready
        except BaseException:
            self._process.kill()
            raise

    def ask(self, **step: Any) -> Any:
        """The answer to one step."""
        sent, told = self._process.stdin, self._process.stdout
        assert sent is not None
        assert told is not None
        sent.write(json.dumps(step).encode() + b"\n")
        sent.flush()
        readable, _, _ = select.select([told], [], [], ANSWER_SECONDS)
        line = told.readline() if readable else b""
        if not line:
            raise RuntimeError(f"the {self.language} driver gave no answer to {json.dumps(step)[:300]}")
        return json.loads(line)

    def call(self, endpoint: str, *names: str) -> Any:
        """The result of a call; its error is an AssertionError."""
        answer = self.ask(call=endpoint, request=list(names))
        assert "result" in answer, answer
        return answer["result"]

    def error(self, endpoint: str, *names: str) -> Any:
        """The error of a call that must fail."""
        answer = self.ask(call=endpoint, request=list(names))
        assert "error" in answer, answer
        return answer["error"]

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        if kind is None:
            assert process.returncode == 0, f"the {self.language} driver ended with {process.returncode}"
