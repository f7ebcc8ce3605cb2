"""The file of addresses: what ships is what the generator writes; what a user gives works or is refused in words."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import address_file
import make_addresses
import pytest
from address_file import UnusableFileError, read_addresses, zip_code


def write(folder: Path, data: bytes) -> Path:
    path = folder / "keys.txt"
    path.write_bytes(data)
    return path


def test_the_generator_reproduces_the_file_byte_for_byte(tmp_path: Path) -> None:
    lines = make_addresses.addresses(make_addresses.COUNT, make_addresses.SEED)
    assert "".join(f"{line}\n" for line in lines).encode() == make_addresses.OUTPUT.read_bytes()
    assert len(set(lines)) == len(lines) >= 10_000
    assert make_addresses.addresses(100, 1) != make_addresses.addresses(100, 2)


def test_the_shipped_file_is_read_whole() -> None:
    found = read_addresses(make_addresses.OUTPUT)
    assert len(found.names) == make_addresses.COUNT
    assert found.remarks() == []
    assert all(zip_code(name) >= 10_000 for name in found.names)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\rc", ["a", "b", "c"]),
        (b"\n\n  a  \n\n", ["a"]),
        (b"a\nb\na\na\n", ["a", "b"]),
        ("Fårösund 1\n地址\n".encode(), ["Fårösund 1", "地址"]),
        (codecs.BOM_UTF8 + b"a\n", ["a"]),
        (codecs.BOM_UTF16_LE + "å\nb\n".encode("utf-16-le"), ["å", "b"]),
        (codecs.BOM_UTF16_BE + "å\nb\n".encode("utf-16-be"), ["å", "b"]),
        (codecs.BOM_UTF32_LE + "å\n".encode("utf-32-le"), ["å"]),
        ("a\u2028b\x85c\x0cd\n".encode(), ["a\u2028b\x85c\x0cd"]),  # no ends of lines to a person
        (b"x" * address_file.MAX_LINE_BYTES, ["x" * address_file.MAX_LINE_BYTES]),
    ],
)
def test_files_that_work(tmp_path: Path, data: bytes, names: list[str]) -> None:
    assert read_addresses(write(tmp_path, data)).names == names


def test_what_is_repeated_is_said(tmp_path: Path) -> None:
    found = read_addresses(write(tmp_path, b"a\nb\na\na\n"))
    assert found.remarks() == ["2 lines repeat an address; each address is asked for once."]


def test_what_is_too_much_is_left_out_and_said(tmp_path: Path) -> None:
    lines = [str(number) for number in range(address_file.MAX_ADDRESSES + 5)]
    found = read_addresses(write(tmp_path, "\n".join([*lines, "7"]).encode()))
    assert found.names == lines[: address_file.MAX_ADDRESSES]
    assert found.left_over == 5
    assert found.repeated == 1
    assert len(found.remarks()) == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "has no address in it"),
        (b"\n \n\r\n\t\n", "has no address in it"),
        (codecs.BOM_UTF8, "has no address in it"),
        (b"good\nbad \xe9\n", r"line 2: byte 0xe9 is not UTF-8 text\. Save the file as UTF-8"),
        (bytes(range(256)) * 10, "line 1: |line 2: "),
        (b"\x7fELF\0\0\0\0", "NUL character; this is not a text file"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00\x00", "not UTF-16-LE text"),
        (b"ok\n" + b"x" * (address_file.MAX_LINE_BYTES + 1), "line 2: 8,193 bytes; an address has at most 8,192"),
    ],
)
def test_files_that_are_refused_in_words(tmp_path: Path, data: bytes, words: str) -> None:
    path = write(tmp_path, data)
    with pytest.raises(UnusableFileError, match=words) as caught:
        read_addresses(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_file, "MAX_FILE_BYTES", 10)
    with pytest.raises(UnusableFileError, match="has more than 10 bytes"):
        read_addresses(write(tmp_path, b"x" * 11))


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match="there is no file"):
        read_addresses(tmp_path / "missing.txt")
    with pytest.raises(UnusableFileError, match="is not a file"):
        read_addresses(tmp_path)
    os.mkfifo(tmp_path / "pipe")  # reading one would wait for ever
    with pytest.raises(UnusableFileError, match="is not a file"):
        read_addresses(tmp_path / "pipe")
    with pytest.raises(UnusableFileError):
        read_addresses(Path("a\0b"))
    with pytest.raises(UnusableFileError, match="cannot be read"):
        read_addresses(tmp_path / ("x" * 300))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("1 Oak Lane, York 40213", 40213),
        ("no number", 0),
        ("a 12 b", 0),
        ("9" * 10, 0),
        ("x ٣", 0),
        ("007", 7),
        ("", 0),
    ],
)
def test_zip_codes(name: str, number: int) -> None:
    assert zip_code(name) == number
