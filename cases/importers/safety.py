"""What no row may hold, because no database or page could keep it; checked without recursion."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

#: Deeper rows are refused: hashing and storing walk them by recursion.
MAX_DEPTH = 50

_SURROGATE = re.compile("[\ud800-\udfff]")


class TwiceNamed(dict[str, Any]):
    """A JSON object in which a key stands twice: one of the two values would be lost in silence."""

    twice: str = ""


def flaw(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first column that cannot be kept and why, or None."""
    if isinstance(values, TwiceNamed):
        return printable(values.twice), f"the key {values.twice!r} stands twice in this row"
    for column, value in values.items():
        if reason := text_flaw(column) or value_flaw(value):
            return printable(column), reason
    return None


def printable(text: str) -> str:
    """The text with a ? for what cannot be kept, for messages."""
    return text.encode("utf-8", "replace").decode().replace("\0", "?")


def value_flaw(value: Any) -> str | None:
    stack = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, str):
            if reason := text_flaw(item):
                return reason
        elif isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                return f"nested more than {MAX_DEPTH} deep"
            if isinstance(item, TwiceNamed):
                return f"the key {item.twice!r} stands twice"
            stack.extend((part, depth + 1) for part in _parts(item))
    return None


def text_flaw(text: str) -> str | None:
    if "\0" in text:
        return "holds a NUL character, which databases cannot keep"
    # Pure ASCII is told apart in no time; only the rest is searched.
    if not text.isascii() and _SURROGATE.search(text):
        return "holds half a character (a lone surrogate, or bytes that are not in the file's encoding)"
    return None


def _parts(item: dict[str, Any] | list[Any]) -> Iterator[Any]:
    if isinstance(item, dict):
        yield from item.keys()
        yield from item.values()
    else:
        yield from item


def cell_json(text: str) -> Any:
    """The JSON list or object written in a cell; None where the cell is any other text, to be kept as it is."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        value = DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return None if value_flaw(value) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) == len(pairs):
        return values
    odd = TwiceNamed(values)
    counts = Counter(name for name, _ in pairs)
    odd.twice = next(name for name, count in counts.items() if count > 1)
    return odd


def _integer(text: str) -> int | str:
    # Python refuses to read thousands of digits as one number; as text nothing is lost.
    return int(text) if len(text) < 4000 else text


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


#: JSON as this product reads it: NaN, the infinities and 1e999 stay text, for JSON has no such numbers.
DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=str, parse_float=_float, parse_int=_integer)
