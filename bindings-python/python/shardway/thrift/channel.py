"""One TCP connection with a deadline over a whole call, and a bound on how much one answer may take.

The sockets of the Thrift libraries bound each read on its own, so a server that trickles bytes can hold a caller for
ever, and some allocate whatever length a broken answer names. Here the clock runs over the call as a whole, and no
more is read, or set aside, than the bound allows.
"""

from __future__ import annotations

import socket
import time

__all__ = ["AnswerTooLarge", "Channel", "DeadlinePassed", "PeerClosed"]

CHUNK = 65_536


class DeadlinePassed(Exception):
    """The time of the call is up."""


class PeerClosed(Exception):
    """The other side closed the connection, or it broke."""


class AnswerTooLarge(Exception):
    """One answer takes more bytes than allowed."""


class Channel:
    """An open connection; one call at a time may use it.

    Args:
        host, port: where to connect; every address of the name is tried.
        timeout: seconds for connecting.

    Raises:
        OSError: no connection could be made (`TimeoutError` when the time was up).
    """

    def __init__(self, host: str, port: int, timeout: float) -> None:
        """Connect; see the class."""
        self._socket = socket.create_connection((host, port), max(timeout, 0.001))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._deadline = 0.0
        self._budget = 0

    def begin(self, deadline: float, budget: int) -> None:
        """Start a call that ends by `deadline` (of `time.monotonic`) and whose answer takes at most `budget` bytes."""
        self._deadline = deadline
        self._budget = budget

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._socket.settimeout(self._left())
            self._socket.sendall(data)
        except TimeoutError as error:
            raise DeadlinePassed from error
        except OSError as error:
            raise PeerClosed(str(error)) from error

    def read(self, size: int) -> bytes:
        """Between 1 and `size` bytes, as they come; `size` is at least 1."""
        if self._budget <= 0:
            raise AnswerTooLarge
        try:
            self._socket.settimeout(self._left())
            data = self._socket.recv(min(size, CHUNK, self._budget))
        except TimeoutError as error:
            raise DeadlinePassed from error
        except OSError as error:
            raise PeerClosed(str(error)) from error
        if not data:
            raise PeerClosed("the server closed the connection")
        self._budget -= len(data)
        return data

    def read_exactly(self, size: int) -> bytearray:
        """Exactly `size` bytes."""
        if size > self._budget:
            raise AnswerTooLarge
        data = bytearray()
        while len(data) < size:
            data += self.read(size - len(data))
        return data

    def is_stale(self) -> bool:
        """Whether an idle connection can no longer be used: closed by the server, or with bytes nobody asked for."""
        try:
            self._socket.setblocking(False)
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close it; harmless when it is closed."""
        self._socket.close()

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise DeadlinePassed
        return left
