"""Read the file of addresses that the demo is given, and say in plain words why it is of no use when it is not."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_LINE_BYTES = 8_192
MAX_ADDRESSES = 60_000  # more would take the demo past the time that a reader likes to wait

# UTF-32 before UTF-16: the mark of the one begins with the mark of the other.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ZIP_CODE = re.compile(r"(?<!\d)(\d{1,9})\s*$", re.ASCII)


class UnusableFileError(Exception):
    """The file cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Addresses:
    """The different addresses of a file in their order, and what was left out of it."""

    names: list[str]
    repeated: int
    left_over: int

    def remarks(self) -> list[str]:
        """Sentences about what was left out; none when nothing was."""
        said = []
        if self.repeated:
            said.append(f"{self.repeated:,} lines repeat an address; each address is asked for once.")
        if self.left_over:
            said.append(f"The file has more than {MAX_ADDRESSES:,} addresses; the first {MAX_ADDRESSES:,} are used.")
        return said


def zip_code(name: str) -> int:
    """The number an address ends with, of at most nine digits; 0 when it ends with none."""
    found = ZIP_CODE.search(name)
    return int(found.group(1)) if found else 0


def read_addresses(path: Path) -> Addresses:
    """The addresses of a text file, one a line; empty lines do not count.

    The text is UTF-8, or any Unicode form that begins with its mark. Raises `UnusableFileError`.
    """
    text = _decode(path, _read(path))
    seen: dict[str, None] = {}
    lines = left_over = 0
    # Not splitlines(): that one also splits at characters that an address may well have in it.
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        name = line.strip()
        if not name:
            continue
        size = len(name.encode("utf-8"))
        if size > MAX_LINE_BYTES:
            raise UnusableFileError(
                f"{path}, line {number}: {size:,} bytes; an address has at most {MAX_LINE_BYTES:,}. "
                "Is it a file with one address a line?"
            )
        lines += 1
        if name not in seen and len(seen) >= MAX_ADDRESSES:
            left_over += 1
        else:
            seen[name] = None
    if not seen:
        raise UnusableFileError(f"{path} has no address in it; write one address a line")
    return Addresses(list(seen), lines - left_over - len(seen), left_over)


def _read(path: Path) -> bytes:
    try:
        if not path.exists():
            raise UnusableFileError(f"there is no file {path}; give one with KEYS=path")
        if not path.is_file():
            raise UnusableFileError(f"{path} is not a file; give a text file with KEYS=path")
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnusableFileError(f"{path} cannot be read: {reason}") from error
    if len(data) > MAX_FILE_BYTES:
        raise UnusableFileError(f"{path} has more than {MAX_FILE_BYTES:,} bytes; give a smaller file")
    return data


def _decode(path: Path, data: bytes) -> str:
    encoding, skip = "utf-8", 0
    for mark, name in MARKS:
        if data.startswith(mark):
            encoding, skip = name, len(mark)
            break
    try:
        text = data[skip:].decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, skip + error.start) + 1
        raise UnusableFileError(
            f"{path}, line {line}: byte 0x{data[skip + error.start]:02x} is not {encoding.upper()} text. "
            "Save the file as UTF-8 (for instance: iconv -f latin1 -t utf-8)"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnusableFileError(f"{path}, line {line}: there is a NUL character; this is not a text file")
    return text
