"""A partition-aware Thrift client at work, with real servers on loopback.

    python tests/demo/demo.py [--keys FILE] [--language python|node|java|cpp]

Five `DeliveryService` servers are started, each a process of its own, and asked for every address of FILE (one a
line; by default the file that ships, which `make_addresses.py` wrote). Everything that is claimed on the way is
checked. Exit code: 0 when all of it was true, 1 when something was not (it is listed), 2 when FILE is of no use, 130
when interrupted. No process is left behind. With another language the client and the servers are that language's, and
the main part is played: hashing, a crash, the return.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import acts
import idl
import in_language
import make_addresses
from acts import Stage
from address_file import UnusableFileError, read_addresses
from claims import Claims
from programs import LANGUAGES, NotBuiltError
from rich.console import Console
from servers import Fleet
from shardway import Router

SERVERS = [f"server-{number}" for number in range(1, 6)]
SIXTH = "server-6"
MOST_SECONDS = 100


def run(names: list[str], console: Console, claims: Claims, language: str) -> None:
    """All acts, in their order."""
    pids: set[int] = set()
    with Fleet(SERVERS, languages=dict.fromkeys(SERVERS, language)) as fleet:
        pids.update(server.pid for server in fleet if server.pid is not None)
        console.print(f"{len(fleet)} servers, each its own process, at ports {', '.join(str(s.port) for s in fleet)}")
        stage = Stage(fleet, idl.load("thriftpy2"), names, console, claims)
        if language == "python":
            play(stage)
        else:
            in_language.play(stage, language)
        pids.update(server.pid for server in fleet if server.pid is not None)
    console.print()
    claims.check("no server process is left", not any(_runs(pid) for pid in pids))


def play(stage: Stage) -> None:
    """The acts of Python's own client."""
    fleet, names = stage.fleet, stage.names
    router = Router(acts.topology(fleet), seed=make_addresses.SEED)
    first = acts.owners(router, names)
    acts.act_hashing(stage, router)
    acts.act_partitions(stage, router)
    victim = acts.act_kill(stage, router)
    acts.act_return(stage, router, victim, first)
    acts.act_sixth(stage, router, SIXTH)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Make a request to end, and too much time, end the demo the way that Ctrl-C does: with everything cleaned up."""

    def stop(number: int, _frame: Any) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    old = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)}
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        for number, handler in old.items():
            signal.signal(number, handler)


def main(arguments: list[str] | None = None) -> int:
    """Run the demo and give its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--keys", type=Path, default=make_addresses.OUTPUT, metavar="FILE", help="addresses, one a line"
    )
    parser.add_argument("--language", choices=LANGUAGES, default="python", help="of the client and the servers")
    options = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another
    logging.getLogger("shardway").setLevel(logging.CRITICAL)  # a killed server is part of the play
    console = Console(highlight=False)
    try:
        found = read_addresses(options.keys)
    except UnusableFileError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    console.print(f"{options.keys}: {len(found.names):,} different addresses", markup=False, soft_wrap=True)
    for remark in found.remarks():
        console.print(remark)
    claims = Claims(console)
    began = time.monotonic()
    try:
        with _signals():
            run(found.names, console, claims, options.language)
    except NotBuiltError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as signalled:
        reason = "it took too long" if str(signalled) == "SIGALRM" else "interrupted"
        print(f"demo: {reason}; all servers were ended", file=sys.stderr)
        return 1 if reason == "it took too long" else 130
    code = claims.conclude()
    console.print(f"It took {time.monotonic() - began:.1f} s.")
    return code


if __name__ == "__main__":
    sys.exit(main())
