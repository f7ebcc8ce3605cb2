"""Start, watch and end `DeliveryService` servers: each a process of its own, ended by its own process id.

A `Fleet` is a context manager that leaves no process behind, whatever happens inside it. Even when this process is
killed with no chance to clean up, a server ends by itself, because its standard input closes.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import programs

MAX_SERVERS = 16
START_SECONDS = 20.0
STOP_SECONDS = 5.0


class Server:
    """One server process.

    `start` returns when it listens; `port` is then set and stays the same over `kill` and `start`, so that a server
    can come back where it was.
    """

    host = "127.0.0.1"

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        library: str = "thriftpy2",
        transport: str = "framed",
        protocol: str = "binary",
        language: str = "python",
    ) -> None:
        self.name = name
        self.port = 0
        self._folder = folder
        self._command = programs.command(language, "server")
        if language == "python":  # those of other languages speak framed and binary only
            self._command += ["--library", library, "--transport", transport, "--protocol", protocol]
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._skip = 0
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def pid(self) -> int | None:
        """The process id while it runs, else None."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    def launch(self) -> None:
        """Start the process without waiting for it; `wait_ready` does that. Nothing happens if it runs already."""
        if self.pid is not None:
            return
        command = [*self._command, "--folder", str(self._folder), "--port", str(self.port)]
        self._ready = False
        with open(self._folder / "stderr.txt", "ab") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # a Ctrl-C in the terminal is for the program that started us to handle
            )

    def wait_ready(self) -> None:
        """Wait until it listens; raises RuntimeError, with what it wrote, when it ends first or takes too long."""
        if self._ready:
            return
        process = self._process
        if process is None or process.stdout is None:
            raise RuntimeError(f"server {self.name} was not started")
        readable, _, _ = select.select([process.stdout], [], [], START_SECONDS)
        words = process.stdout.readline().split() if readable else []
        if len(words) != 2 or words[0] != b"PORT":
            self.kill()
            raise RuntimeError(f"server {self.name} did not start: {self.errors()[-2000:] or 'no word from it'}")
        self.port = int(words[1])
        self._ready = True

    def start(self) -> None:
        """`launch` and `wait_ready`."""
        self.launch()
        self.wait_ready()

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash of its host would; returns when it is gone."""
        if self._process is not None:
            self._process.kill()
            self._reap(self._process)

    def stop(self) -> None:
        """Ask it to end (SIGTERM), and kill it if it does not in a few seconds."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        self._reap(process)

    def behave(self, **behaviour: Any) -> None:
        """Set how it answers from now on, see `server.py`; without arguments as usual again."""
        draft = self._folder / "behaviour.json.new"
        draft.write_text(json.dumps(behaviour), encoding="utf-8")
        os.replace(draft, self._folder / "behaviour.json")

    def calls(self) -> list[dict[str, Any]]:
        """Every call since `forget`, over all its lives: `{"endpoint": ..., "names": [...]}`."""
        return [json.loads(line) for line in self._log()[self._skip :]]

    def names(self) -> list[str]:
        """The names of all addresses it was asked for, in the order of the calls."""
        return [name for call in self.calls() for name in call["names"]]

    def forget(self) -> None:
        """Begin `calls` anew, and behave as usual again."""
        self.behave()
        self._skip = len(self._log())

    def errors(self) -> str:
        """What it wrote to its standard error."""
        with contextlib.suppress(FileNotFoundError):
            return (self._folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")
        return ""

    def _log(self) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            return (self._folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()
        return []

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        process.wait(STOP_SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process = None
        self._ready = False


class Fleet:
    """A bounded number of servers by name, all ended on leaving.

    Args:
        names: the names to start with; more come with `add`. At most `MAX_SERVERS` at a time.
        library, transport, protocol: what they all speak, see `server.py`.
        languages: for names that are not Python's: the language of their server.
    """

    def __init__(
        self,
        names: Iterable[str],
        *,
        library: str = "thriftpy2",
        transport: str = "framed",
        protocol: str = "binary",
        languages: Mapping[str, str] | None = None,
    ) -> None:
        self._languages = dict(languages or {})
        self._speak = {"library": library, "transport": transport, "protocol": protocol}
        self._scratch = tempfile.TemporaryDirectory(prefix="shardway-fleet-")
        self._servers: dict[str, Server] = {}
        self._names = list(names)

    def __enter__(self) -> Fleet:
        try:
            for name in self._names:
                self._make(name).launch()
            for server in self._servers.values():
                server.wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getitem__(self, name: str) -> Server:
        return self._servers[name]

    def __iter__(self) -> Iterator[Server]:
        return iter(self._servers.values())

    def __len__(self) -> int:
        return len(self._servers)

    def add(self, name: str) -> Server:
        """Start one more; returns when it listens."""
        server = self._make(name)
        server.start()
        return server

    def nodes(self, *names: str) -> list[dict[str, Any]]:
        """The servers (all, or those named) as nodes of a topology; the shard id is the place in the fleet."""
        order = list(self._servers)
        return [
            {"id": name, "host": Server.host, "port": self._servers[name].port, "shard_id": order.index(name)}
            for name in (names or order)
        ]

    def close(self) -> None:
        """End every server. May be called again."""
        deadline = time.monotonic() + STOP_SECONDS
        for server in self._servers.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                if time.monotonic() < deadline:
                    server.stop()
                else:
                    server.kill()
        self._scratch.cleanup()

    def _make(self, name: str) -> Server:
        if name in self._servers:
            raise ValueError(f"there is a server {name} already")
        if len(self._servers) >= MAX_SERVERS:
            raise ValueError(f"a fleet has at most {MAX_SERVERS} servers")
        server = Server(
            name, Path(self._scratch.name) / name, language=self._languages.get(name, "python"), **self._speak
        )
        self._servers[name] = server
        return server
