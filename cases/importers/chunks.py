"""A context cell as chunks, and the shape it was recognised by. Nothing in a cell is ever evaluated."""

from __future__ import annotations

import re
from typing import Any

from cases.importers.safety import cell_json, text_flaw

Chunks = tuple[str, ...]

JSON_LIST = "json list"
PYTHON_LIST = "python list"
SEPARATED = "separated"
PLAIN_TEXT = "plain text"
EMPTY = "empty"

_LITERAL = re.compile(r"'[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'|\"[^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*\"")
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b"}
_LETTERS |= {"f": "\f", "v": "\v"}


def read_cell(text: str, separator: str | None = None) -> tuple[Chunks | None, str]:
    r"""Chunks and shape of a context given as text.

    Split only by a separator that was declared; a list only when every item is plain text.

    >>> read_cell('["one", "two"]')
    (('one', 'two'), 'json list')
    >>> read_cell("['x', open('never_opened')]")
    (("['x', open('never_opened')]",), 'plain text')
    >>> read_cell("one|two"), read_cell("one|two", "|")
    ((('one|two',), 'plain text'), (('one', 'two'), 'separated'))
    """
    if not text.strip():
        return None, EMPTY
    if (items := as_chunks(cell_json(text))) is not None:
        return items, JSON_LIST
    if (items := python_list(text)) is not None:
        return items, PYTHON_LIST
    wanted = _spelled_out(separator)
    if wanted and wanted in text:
        return tuple(piece for piece in text.split(wanted) if piece.strip()), SEPARATED
    return (text,), PLAIN_TEXT


def python_list(text: str) -> Chunks | None:
    """The strings of a Python list written out, or None when it is anything else. Parsed, not evaluated."""
    body = text.strip()
    if not (body.startswith("[") and body.endswith("]")):
        return None
    items, at, end = [], _skip(body, 1), len(body) - 1
    while at < end:
        literal = _LITERAL.match(body, at, end)
        if literal is None:
            return None
        items.append(_unescape(literal.group()[1:-1]))
        if text_flaw(items[-1]):
            return None
        at = _skip(body, literal.end())
        if at < end:
            if body[at] != ",":
                return None
            at = _skip(body, at + 1)
    return tuple(items)


def as_chunks(items: Any) -> Chunks | None:
    """A list of texts as chunks. A null keeps its rank as an empty chunk; anything else gives None."""
    if not isinstance(items, list) or not all(item is None or isinstance(item, str) for item in items):
        return None
    return tuple(item or "" for item in items)


def _spelled_out(separator: str | None) -> str:
    r"""``\n---\n`` as typed in a shell means line breaks."""
    return (separator or "").replace("\\n", "\n").replace("\\t", "\t")


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _unescape(body: str) -> str:
    return _ESCAPE.sub(_character, body) if "\\" in body else body


def _character(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2) or match.group(3)
    if code is None:
        return _LETTERS.get(match.group(4), match.group())
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else match.group()
