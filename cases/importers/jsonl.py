"""The canonical shape, one JSON object a line: a broken line costs that line alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from cases.importers.options import MAX_ROW, ImportOptions, RawRow
from cases.importers.report import ImportReport
from cases.importers.safety import DECODER
from cases.importers.source import Source, lines
from cases.records import Refusal

#: An object around a list, perhaps after a few short keys: all cases on one line, not a case.
_LIST_OF_CASES = re.compile(r'\{[^\[{]{0,1000}"(cases|goldens|testCases|test_cases)"\s*:\s*\[\s*[\]{]')


class JsonLines:
    aliases: Mapping[str, str] = {}
    is_table = False

    @staticmethod
    def recognises(head: str) -> bool:
        """A first line that is a whole object, or an object on the line after it."""
        first, _, rest = head.lstrip("\ufeff \t\r\n").partition("\n")
        if not first.startswith("{") or _LIST_OF_CASES.match(first):
            return False
        try:
            return isinstance(DECODER.decode(first.strip()), dict)
        except (ValueError, RecursionError):
            # Cut by the end of the head, or broken: the next line tells.
            return not rest.strip() or rest.lstrip().startswith("{")

    def rows(self, source: Source, options: ImportOptions, report: ImportReport) -> Iterator[RawRow | Refusal]:
        with source.open() as stream:
            for number, line in enumerate(lines(stream), start=1):
                if line is None:
                    yield Refusal(number, "", f"the line is longer than {MAX_ROW:,} characters")
                elif text := line.strip("\ufeff \t\r\n"):
                    yield _row(number, text)


def _row(number: int, text: str) -> RawRow | Refusal:
    try:
        values = DECODER.decode(text)
    except json.JSONDecodeError as error:
        return Refusal(number, "", f"the line is no JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}")
    except RecursionError:
        return Refusal(number, "", "the line is nested too deeply to be read")
    if not isinstance(values, dict):
        return Refusal(number, "", f"the line is {_kind(values)}, not an object with fields")
    return RawRow(number, values)


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"the value {str(value)[:40]!r}"
