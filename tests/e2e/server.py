"""One `DeliveryService` server, a process of its own on loopback; started by `servers.Server`.

    python server.py --library thriftpy2 --folder DIR [--port N] [--transport framed] [--protocol binary]

It prints one line `PORT n` when it listens. It ends when its standard input closes, that is when its parent is gone,
or by a signal. In DIR it writes `calls.jsonl`, one line a call (the endpoint and the names it was asked for), and
reads `behaviour.json` before each answer: `{"delay_ms": n}` makes it slow, `{"error_code": n}` makes it answer with
the declared exception, `{"crash": true}` makes its handler fail in a way that the service does not declare.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from idl import LIBRARIES, Delivery, load

TRANSPORTS = ("framed", "buffered")
PROTOCOLS = ("binary", "compact")


class Handler:
    """What every server of the service answers; see the comments in the `.thrift` file."""

    def __init__(self, delivery: Delivery, folder: Path) -> None:
        self._delivery = delivery
        self._behaviour = folder / "behaviour.json"
        self._log = open(folder / "calls.jsonl", "a", encoding="utf-8")  # noqa: SIM115 (open for the process's life)
        self._lock = threading.Lock()

    def getBox(self, addrInfo: Any, passcode: int) -> Any:
        self._enter("getBox", [addrInfo.name])
        return self._delivery.Box(addrInfo=addrInfo, item="hi")

    def getBoxes(self, listAddrInfo: list[Any], passcode: int) -> list[Any]:
        self._enter("getBoxes", [address.name for address in listAddrInfo])
        item = f"size: {len(listAddrInfo)}"
        return [self._delivery.Box(addrInfo=address, item=item) for address in listAddrInfo]

    def sendBox(self, box: Any) -> str:
        self._enter("sendBox", [box.addrInfo.name])
        return str(box.item)

    def sendBoxes(self, boxes: list[Any]) -> str:
        self._enter("sendBoxes", [box.addrInfo.name for box in boxes])
        return ",".join(box.item for box in boxes)

    def _enter(self, endpoint: str, names: list[str]) -> None:
        line = json.dumps({"endpoint": endpoint, "names": names})
        with self._lock:
            self._log.write(line + "\n")
            self._log.flush()
        try:
            behaviour = json.loads(self._behaviour.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        time.sleep(min(float(behaviour.get("delay_ms", 0)), 60_000.0) / 1000)
        if behaviour.get("crash"):
            raise RuntimeError("told to crash")
        if "error_code" in behaviour:
            raise self._delivery.AException(errorCode=int(behaviour["error_code"]))


def announce(port: int) -> None:
    """Tell the parent the port; it waits for this line."""
    print(f"PORT {port}", flush=True)


def apache(delivery: Delivery, handler: Handler, options: argparse.Namespace) -> Callable[[], None]:
    """A threaded server of Apache Thrift; the answer serves until the process ends."""
    sockets = import_module("thrift.transport.TSocket")
    transports = import_module("thrift.transport.TTransport")
    servers = import_module("thrift.server.TServer")
    binary = import_module("thrift.protocol.TBinaryProtocol")
    compact = import_module("thrift.protocol.TCompactProtocol")

    class Listening(sockets.TServerSocket):  # type: ignore[misc,name-defined]
        def listen(self) -> None:
            super().listen()
            announce(self.handle.getsockname()[1])

    transport = {"framed": transports.TFramedTransportFactory, "buffered": transports.TBufferedTransportFactory}
    protocol = {"binary": binary.TBinaryProtocolAcceleratedFactory, "compact": compact.TCompactProtocolFactory}
    server = servers.TThreadedServer(
        delivery.service.Processor(handler),
        Listening(host="127.0.0.1", port=options.port),
        transport[options.transport](),
        protocol[options.protocol](),
        daemon=True,
    )
    serve: Callable[[], None] = server.serve
    return serve


def thriftpy2(delivery: Delivery, handler: Handler, options: argparse.Namespace) -> Callable[[], None]:
    """A threaded server of thriftpy2; the answer serves until the process ends."""
    transports = import_module("thriftpy2.transport")
    protocols = import_module("thriftpy2.protocol")
    processor = import_module("thriftpy2.thrift").TProcessor(delivery.service, handler)
    servers = import_module("thriftpy2.server")

    class Listening(transports.TServerSocket):  # type: ignore[misc,name-defined]
        def listen(self) -> None:
            super().listen()
            announce(self.sock.getsockname()[1])

    transport = {"framed": transports.TFramedTransportFactory, "buffered": transports.TBufferedTransportFactory}
    protocol = {"binary": protocols.TBinaryProtocolFactory, "compact": protocols.TCompactProtocolFactory}
    server = servers.TThreadedServer(
        processor,
        Listening(host="127.0.0.1", port=options.port, client_timeout=None),
        itrans_factory=transport[options.transport](),
        iprot_factory=protocol[options.protocol](),
        daemon=True,
    )
    serve: Callable[[], None] = server.serve
    return serve


def leave_with_parent() -> None:
    """End this process when standard input closes; the parent holds the other end for as long as it lives."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=LIBRARIES, default="thriftpy2")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--transport", choices=TRANSPORTS, default="framed")
    parser.add_argument("--protocol", choices=PROTOCOLS, default="binary")
    options = parser.parse_args()
    threading.Thread(target=leave_with_parent, daemon=True).start()
    delivery = load(options.library)
    build = apache if options.library == "apache" else thriftpy2
    build(delivery, Handler(delivery, options.folder), options)()


if __name__ == "__main__":
    main()
