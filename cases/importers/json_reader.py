"""Reads JSON piece by piece, so that a list of a million items is never held at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cases.importers.options import MAX_ROW
from cases.importers.safety import DECODER

_BLOCK = 64 * 1024
_SPACE = " \t\r\n\ufeff"
_NEAR_END = 16  # the longest token that a block may cut: "-Infinity", "\uXXXX"


class JsonError(Exception):
    """The JSON cannot be followed further from here."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line}: {reason}")


class JsonReader:
    def __init__(self, read: Callable[[int], str]) -> None:
        self._read, self._text, self._at, self._ended = read, "", 0, False
        self._line, self._counted = 1, 0

    @property
    def line(self) -> int:
        """The line of the next character."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def peek(self) -> str:
        """The next character that is not space, or "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more(_BLOCK):
                return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> bool:
        """Step over one character if it is the next."""
        if self.peek() != wanted:
            return False
        self._at += 1
        return True

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            found = self.peek()
            raise JsonError(self.line, f"{wanted!r} was expected, not {found!r}" if found else "the file ends early")

    def value(self) -> Any:
        """The next value, whole."""
        if not self.peek():
            raise JsonError(self.line, "the file ends early")
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise JsonError(self.line, "nested too deeply to be read") from None
            except json.JSONDecodeError as error:
                if self._is_broken(error) or not self._grow():
                    raise JsonError(self.line, f"no JSON: {error.msg.removesuffix(' at')}") from None
            else:
                # A number at the end of a block may go on in the next one.
                if end < len(self._text) or not self._grow():
                    self._at = end
                    return value

    def _is_broken(self, error: json.JSONDecodeError) -> bool:
        """Whether more text could not mend it."""
        return not error.msg.startswith("Unterminated string") and error.pos < len(self._text) - _NEAR_END

    def _grow(self) -> bool:
        held = len(self._text) - self._at
        if held > MAX_ROW:
            raise JsonError(self.line, f"one item is longer than {MAX_ROW:,} characters")
        return self._more(max(_BLOCK, held))  # doubling: a long item is parsed anew only a few times

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        block = self._read(size)
        self._ended = not block
        line = self.line
        self._text, self._at, self._counted, self._line = self._text[self._at :] + block, 0, 0, line
        return not self._ended
