"""Files in, safe text out. Whatever is wrong with a file becomes one sentence."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import unicodedata
from typing import Any


class InputError(Exception):
    """A sentence for whoever set up the build: which file, where in it, what is wrong."""


def read_bytes(path: str, option: str) -> bytes:
    try:
        if is_standard_input(path):
            return _standard_input(option)
        if problem := _unreadable_kind(path):
            raise InputError(f"{path}: {problem}; check the path given to {option}")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        problem = "there is no such file"
    except OSError as error:
        problem = f"cannot be read ({error.strerror or type(error).__name__})"
    except ValueError:
        problem = "this is no file name"
    raise InputError(f"{path}: {problem}; check the path given to {option}")


def is_standard_input(path: str) -> bool:
    return path in ("-", "/dev/stdin")


def _standard_input(option: str) -> bytes:
    if sys.stdin is None:
        raise InputError(f"{option}: the standard input is closed; give a file")
    return sys.stdin.buffer.read()


def _unreadable_kind(path: str) -> str:
    """A pipe that nobody writes to, or a terminal, would keep the build waiting without a word."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return "this is a folder, not a file"
    return "" if stat.S_ISREG(mode) else "this is no regular file; give one, or - and pipe it in"


def as_text(raw: bytes, name: str) -> str:
    """UTF-8, UTF-16 or UTF-32, with or without a byte order mark."""
    encoding = json.detect_encoding(raw)
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start + 1} is not {encoding} text; save the file as UTF-8") from None


def parse_json(text: str, name: str) -> Any:
    """The value, with two equal keys in one object refused: which one was meant is a guess."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name}: {place} is not valid JSON ({error.msg}); write the file again") from None
    except RecursionError:
        raise InputError(f"{name}: nested too deeply to be read; write the file again") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ValueError:  # Python refuses whole numbers of more than 4300 digits
        raise InputError(f"{name}: holds a number with too many digits; write the file again") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"the key '{key}' appears twice in one object; keep one")
        found[key] = value
    return found


def plain(value: object) -> str:
    """For comparing names: trimmed, one Unicode spelling."""
    return unicodedata.normalize("NFC", str(value)).strip()


def printable(value: object, limit: int = 100) -> str:
    """One line that a CI log cannot take for anything but text.

    Control, bidi and other invisible characters are spelled out; ``::`` and ``##``, which start workflow
    commands of CI systems, are broken by a space.

    >>> printable("a\\n::error::b")
    'a\\\\n: :error: :b'
    """
    text = str(value)[: limit + 1]
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    text = re.sub(r"([:#])(?=\1)", r"\1 ", text)
    return text if len(text) <= limit else text[: max(limit - 3, 0)] + "..."


def listed(names: list[str], limit: int = 10) -> str:
    """
    >>> listed(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    shown = ", ".join(printable(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
