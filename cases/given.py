"""What comes in by address, form or JSON, held to what the database can hold."""

from __future__ import annotations

import json
import re
from typing import Any

#: More digits than this could leave the 64 bits of a database's whole numbers.
MOST_DIGITS = 18
#: From the least to the greatest seed that can be kept.
SEEDS = (0, 2**63 - 1)
#: Characters that are no text: NUL, which PostgreSQL refuses, and halves of a surrogate pair, which are no UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def small_int(text: str | None) -> int | None:
    """The whole number written in plain digits; None for anything else, and for one that no row can have.

    >>> small_int("7"), small_int("²"), small_int("-1"), small_int("9" * 30), small_int(None)
    (7, None, None, None, None)
    """
    if not text or len(text) > MOST_DIGITS or not (text.isascii() and text.isdecimal()):
        return None
    return int(text)


def storable(text: str) -> str:
    """The text with a replacement character for each one that cannot be stored."""
    return _UNSTORABLE.sub("\ufffd", text)


def read_json(body: bytes | str) -> Any:
    """Any JSON value; ValueError for what is none, has NaN or Infinity, or is nested too deeply to be read."""
    try:
        return json.loads(body, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def require_storable(value: Any) -> Any:
    """The value of a JSON document; ValueError where a text in it, key or value, cannot be stored."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, str) and _UNSTORABLE.search(each):
            raise ValueError("a text holds NUL or half a surrogate pair, which is no text")
    return value


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number in JSON")
