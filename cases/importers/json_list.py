"""A JSON list of cases, alone or as ``{"cases": [...]}``, read item by item."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping

from cases.importers.json_reader import JsonError, JsonReader
from cases.importers.options import CaseFileError, ImportOptions, RawRow
from cases.importers.report import ImportReport
from cases.importers.safety import printable
from cases.importers.source import Source
from cases.records import Refusal

_Rows = Generator[RawRow | Refusal, None, bool]


class JsonList:
    keys: tuple[str, ...] = ("cases",)
    aliases: Mapping[str, str] = {}
    is_table = False

    @staticmethod
    def recognises(head: str) -> bool:
        return re.match(r"[\ufeff\s]*[\[{]", head) is not None

    def rows(self, source: Source, options: ImportOptions, report: ImportReport) -> Iterator[RawRow | Refusal]:
        with source.open() as stream:
            reader = JsonReader(stream.read)
            whole = yield from _items(reader) if reader.peek() == "[" else self._in_object(reader, report)
            if whole and reader.peek():
                yield Refusal(reader.line, "", "there is text after the end of the list; it was not read")

    def _in_object(self, reader: JsonReader, report: ImportReport) -> _Rows:
        """Walk the object's keys; the list is streamed, what stands beside it is named as not read."""
        beside, found, whole = [], False, True
        try:
            for key in _keys(reader):
                if key in self.keys and reader.peek() == "[":
                    found = True
                    whole = yield from _items(reader)
                    if not whole:
                        break
                else:
                    reader.value()
                    beside.append(printable(key))
        except JsonError as error:
            if not found:
                raise CaseFileError(f"The file is no JSON: {error.reason}.", line=error.line) from error
            yield Refusal(error.line, "", f"{error.reason}; nothing after it was read")
            return False
        if not found:
            raise CaseFileError(
                f"The file is one JSON object without a list {self.keys[0]!r}.",
                advice='Put the cases in a list: {"cases": [{"input": ..., "actual_output": ...}]}.',
            )
        if beside:
            report.notes.append(f"Beside the list, not read: {', '.join(beside[:20])}")
        return whole


def _keys(reader: JsonReader) -> Iterator[str]:
    """Each key of an object, the reader standing at its value."""
    reader.expect("{")
    while not reader.take("}"):
        key = str(reader.value())
        reader.expect(":")
        yield key
        if reader.peek() != "}":
            reader.expect(",")


def _items(reader: JsonReader) -> _Rows:
    """Each item of the list; returns whether it was whole."""
    reader.expect("[")
    number = 0
    try:
        while not reader.take("]"):
            number += 1
            yield _item(reader, number)
            if reader.peek() != "]":
                reader.expect(",")
    except JsonError as error:
        # Where a list breaks, nobody knows where its next item starts.
        yield Refusal(error.line, "", f"item {number}: {error.reason}; nothing after it was read")
        return False
    return True


def _item(reader: JsonReader, number: int) -> RawRow | Refusal:
    reader.peek()
    line = reader.line
    values = reader.value()
    if isinstance(values, dict):
        return RawRow(line, values, where=f"item {number}")
    return Refusal(line, "", f"item {number}: is no object with fields")
