"""The text of a file: which encoding it is in, its first part, and its lines, never the whole of it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO

from cases.importers.options import MAX_ROW, CaseFileError

HEAD = 64 * 1024
_BLOCK = 1024 * 1024
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_KINDS = (
    (b"PK\x03\x04", "a zip file or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"%PDF", "a PDF"),
    (b"SQLite format 3", "a database file"),
)
#: A vowel and a combining mark after it, as Windows-1258 writes Vietnamese; rare in Windows-1252.
_VIETNAMESE_PAIR = re.compile(rb"[AEIOUYaeiouy\xc2\xca\xd4\xc3\xd5\xdd\xe2\xea\xf4\xe3\xf5\xfd][\xcc\xd2\xde\xec\xf2]")
_ESCAPED = re.compile("[\udc80-\udcff]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Source:
    """A file whose encoding is known."""

    path: Path
    encoding: str
    errors: str = "strict"
    warning: str = ""

    def open(self) -> TextIO:
        """The text, line ends as they are."""
        return self.path.open("r", encoding=self.encoding, errors=self.errors, newline="")

    def head(self) -> str:
        with self.open() as stream:
            return stream.read(HEAD)


def open_source(path: Path, encoding: str | None = None) -> Source:
    """Find the encoding by the file's mark, else UTF-8 if it is, else a Windows code page, said in a warning."""
    if path.exists() and not path.is_file() and not path.is_dir():
        # A pipe that nobody writes to would be waited for without a word, and a file is read more than once.
        raise CaseFileError("This is no regular file.", advice="Save what comes out of it to a file first.")
    try:
        with path.open("rb") as stream:
            return _source(path, stream, encoding)
    except OSError as error:
        raise CaseFileError(f"The file cannot be opened: {error.strerror}.") from error


def _source(path: Path, stream: IO[bytes], encoding: str | None) -> Source:
    head = stream.read(HEAD)
    _refuse_other_kinds(head)
    if encoding:
        return _asked(path, stream, encoding)
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked:
        # Checked to the end: a mark is a promise that the rest may break.
        if marked == "utf-8-sig" or _decodes(stream, marked):
            return _utf8(path, stream, marked) if marked == "utf-8-sig" else Source(path, marked)
        raise CaseFileError(f"The file says it is {marked.upper()} but is not, to its end.", advice=_SAVE_AS)
    return _utf8(path, stream, "utf-8")


_SAVE_AS = "Save it as UTF-8 and import it again."


def _refuse_other_kinds(head: bytes) -> None:
    if not head.strip():
        raise CaseFileError("The file is empty.", advice="Choose a file with at least one row.")
    for magic, kind in _OTHER_KINDS:
        if head.startswith(magic):
            raise CaseFileError(f"This is {kind}, not text.", advice="Export it as CSV or JSONL in UTF-8.")
    marked = any(head.startswith(mark) for mark, _ in _MARKS)
    if not marked and head.count(0) > len(head) // 20:
        raise CaseFileError("The file is binary, or UTF-16 without its mark.", advice=_SAVE_AS)


def _asked(path: Path, stream: IO[bytes], encoding: str) -> Source:
    try:
        codecs.lookup(encoding)
        fits = _decodes(stream, encoding)
    except LookupError as error:
        raise CaseFileError(f"{encoding!r} is no known encoding.", advice="Try utf-8 or cp1258.") from error
    if not fits:
        raise CaseFileError(f"The file is not in the encoding {encoding}.", advice="Leave it to be detected.")
    return Source(path, encoding)


def _utf8(path: Path, stream: IO[bytes], name: str) -> Source:
    if _decodes(stream, name):
        return Source(path, name)
    good, bad = _weigh_utf8(stream)
    if good >= bad or name == "utf-8-sig":
        # One torn row must not cost the others: its bytes stay visible as lone surrogates, refused by row.
        return Source(path, name, "surrogateescape", "Some bytes are not UTF-8; the rows that hold them are refused.")
    page = "cp1258" if _looks_vietnamese(stream) else "cp1252"
    if not _decodes(stream, page):
        raise CaseFileError("The file is neither UTF-8 nor a Windows code page.", advice=_SAVE_AS)
    named = f"Windows-{page[2:]}"
    return Source(path, page, warning=f"The file is not UTF-8; it was read as {named}. Check the accents below.")


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    stream.seek(0)
    while block := stream.read(_BLOCK):
        yield block


def _decodes(stream: IO[bytes], encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in _blocks(stream):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _weigh_utf8(stream: IO[bytes]) -> tuple[int, int]:
    """How many letters beyond ASCII are good UTF-8, and how many bytes are not."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    for block in _blocks(stream):
        text = decoder.decode(block)
        broken = len(_ESCAPED.findall(text))
        bad += broken
        good += len(_NOT_ASCII.findall(text)) - broken
    return good, bad + len(decoder.decode(b"", final=True))


def _looks_vietnamese(stream: IO[bytes]) -> bool:
    pairs = high = 0
    for block in _blocks(stream):
        pairs += len(_VIETNAMESE_PAIR.findall(block))
        high += sum(byte > 127 for byte in block)
    return pairs > 0 and pairs >= high / 10


def lines(stream: TextIO, limit: int = MAX_ROW) -> Iterator[str | None]:
    """The lines with their ends; None for one longer than the limit, passed over without being held."""
    while line := stream.readline(limit):
        if len(line) < limit or line.endswith(("\n", "\r")):
            yield line
            continue
        yield None
        while (rest := stream.readline(limit)) and not rest.endswith(("\n", "\r")):
            pass
