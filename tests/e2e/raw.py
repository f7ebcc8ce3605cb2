"""Servers that do not speak as they should, inside the test's own process: raw sockets on loopback."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import TracebackType

Talk = Callable[[socket.socket, threading.Event], None]
"""What to do with one connection; it is closed afterwards. The event says that the server is to end."""


def answer(data: bytes) -> Talk:
    """Answer every packet with `data`, whatever it was."""

    def talk(connection: socket.socket, ended: threading.Event) -> None:
        while connection.recv(65_536):
            connection.sendall(data)

    return talk


def trickle(data: bytes, pause: float) -> Talk:
    """Answer the first packet with one byte at a time, and a pause after each."""

    def talk(connection: socket.socket, ended: threading.Event) -> None:
        connection.recv(65_536)
        for index in range(len(data)):
            connection.sendall(data[index : index + 1])
            if ended.wait(pause):
                return

    return talk


def silence(connection: socket.socket, ended: threading.Event) -> None:
    """Read until the other side closes, and never say a word."""
    while connection.recv(65_536):
        pass


def hang_up(connection: socket.socket, ended: threading.Event) -> None:
    """Close the connection on the first packet."""
    connection.recv(65_536)


def reset(connection: socket.socket, ended: threading.Event) -> None:
    """Break the connection on the first packet, with a reset."""
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class RawServer:
    """A listening socket whose connections all get `talk`; a context manager that closes and joins everything."""

    host = "127.0.0.1"

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.accepted = 0
        self._ended = threading.Event()
        self._listener = socket.create_server((self.host, 0))
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]

    def __enter__(self) -> RawServer:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._threads[0].join(5)
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join(5)
        self._listener.close()

    def open_connections(self, *, settle: float = 2.0) -> int:
        """How many connections are open; waits up to `settle` seconds for none."""
        deadline = time.monotonic() + settle
        while self._connections and time.monotonic() < deadline:
            time.sleep(0.01)
        return len(self._connections)

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            connection.settimeout(60)
            with self._lock:
                self.accepted += 1
                self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            self.talk(connection, self._ended)
        with self._lock:
            self._connections.remove(connection)
        connection.close()
