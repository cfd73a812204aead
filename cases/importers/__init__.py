"""Reads a file of cases, with the labels and scores in it, row by row.

    imported = open_import(path, ImportOptions(context_separator="|"))
    for item in imported:  # Record, or Refusal of a row or of one field of it
        ...
    imported.report  # what was detected, counted and left out

A format is one file and one line here: a class with ``recognises(head)`` and ``rows(source, ...)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from cases.importers.csv_table import CsvTable
from cases.importers.deepeval import DeepEvalDataset
from cases.importers.fields import FIELDS, Columns
from cases.importers.json_list import JsonList
from cases.importers.jsonl import JsonLines
from cases.importers.options import CaseFileError, ImportOptions, RawRow, parse_mapping, parse_words
from cases.importers.report import ImportReport
from cases.importers.rows import RowReader
from cases.importers.scales import NOTHING_OFF, OffScale
from cases.importers.source import Source, open_source
from cases.records import Record, Refusal

__all__ = [
    "FIELDS",
    "IMPORTERS",
    "CaseFileError",
    "Import",
    "ImportOptions",
    "ImportReport",
    "open_import",
    "parse_mapping",
    "parse_words",
]


class Importer(Protocol):
    """One format. ``aliases`` are column names that mean a field in this format alone."""

    aliases: Mapping[str, str]
    is_table: bool

    @staticmethod
    def recognises(head: str) -> bool: ...

    def rows(self, source: Source, options: ImportOptions, report: ImportReport) -> Iterator[RawRow | Refusal]: ...


#: Asked in this order which of them recognises a file; the table, which takes any text, last.
IMPORTERS: dict[str, type[Importer]] = {
    "jsonl": JsonLines,
    "deepeval": DeepEvalDataset,
    "json": JsonList,
    "csv": CsvTable,
}


class Import:
    """One file being read. Iterate once; the report is complete when the iteration is."""

    def __init__(self, source: Source, name: str, options: ImportOptions, off_scale: OffScale = NOTHING_OFF) -> None:
        self._importer = IMPORTERS[name]()
        self._source, self._options, self._off_scale = source, options, off_scale
        columns = Columns(options.mapping, self._importer.aliases)
        self.report = ImportReport(format=name, encoding=source.encoding, columns_read=columns)
        self.report.decimal, self.report.off_scale = options.decimal, off_scale.scores
        if source.warning:
            self.report.notes.append(source.warning)
        self._items = self._read()

    def __iter__(self) -> Iterator[Record | Refusal]:
        return self._items

    def _read(self) -> Iterator[Record | Refusal]:
        reader = RowReader(self._options, self.report, is_table=self._importer.is_table, off_scale=self._off_scale)
        for row in self._importer.rows(self._source, self._options, self.report):
            if isinstance(row, RawRow):
                yield from reader.read(row)
            else:
                self.report.rows += 1
                self.report.refused_rows += 1
                yield row


def open_import(path: Path, options: ImportOptions | None = None, *, off_scale: OffScale = NOTHING_OFF) -> Import:
    """Detect the encoding and the format and start reading. What is ``off_scale`` is refused, number by number.

    Raises
    ------
    CaseFileError
        Here or while iterating, when the file as a whole cannot be read.
    """
    options = options or ImportOptions()
    source = open_source(Path(path), options.encoding)
    return Import(source, _format(source, options.format), options, off_scale)


def _format(source: Source, asked: str | None) -> str:
    if asked is None:
        head = source.head()
        return next(name for name, importer in IMPORTERS.items() if importer.recognises(head))
    if asked not in IMPORTERS:
        raise CaseFileError(f"{asked!r} is no format.", advice=f"The formats are {', '.join(IMPORTERS)}.")
    return asked
