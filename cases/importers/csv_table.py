"""CSV as spreadsheets and tools write it: the delimiter is found and shown, quoting is RFC 4180."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterator, Mapping

from cases.importers.fields import Columns
from cases.importers.options import CaseFileError, ImportOptions, RawRow
from cases.importers.report import ImportReport
from cases.importers.safety import text_flaw
from cases.importers.source import HEAD, Source, lines
from cases.records import Hint, Refusal

DELIMITERS = (",", ";", "\t", "|")
#: Python's limit of 131,072 characters a cell is less than one long context.
MAX_CELL = 16 * 1024 * 1024
#: More are no table that anyone made on purpose.
MAX_COLUMNS = 2000
_NAMED_IN_ADVICE = 60
_SEP_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # Excel's first line that names the delimiter


class CsvTable:
    aliases: Mapping[str, str] = {}
    is_table = True

    @staticmethod
    def recognises(head: str) -> bool:
        return True  # any text is a table of at least one column; its header must then name a field

    def rows(self, source: Source, options: ImportOptions, report: ImportReport) -> Iterator[RawRow | Refusal]:
        report.delimiter = options.delimiter or sniff_delimiter(source.head())
        if len(report.delimiter) != 1 or report.delimiter in '"\r\n':
            raise CaseFileError(f"{report.delimiter!r} cannot divide columns.", advice="Use one of , ; | or tab.")
        records = csv_records(source, report.delimiter)
        header = _header(records)
        _check_header(header, report.columns_read, options)
        report.columns_read.assign(dict.fromkeys(header, ""))
        for line, cells in records:
            if isinstance(cells, str):
                yield Refusal(line, "", cells)
            elif any(cell.strip() for cell in cells):
                yield from _row(line, cells, header, report)


def sniff_delimiter(head: str) -> str:
    """The delimiter under which the first rows are most even, those that give known columns first."""
    if named := _SEP_LINE.match(head):
        return named.group(1)
    return max(DELIMITERS, key=lambda delimiter: _fit(head, delimiter))


def _fit(head: str, delimiter: str) -> tuple[int, float, int]:
    try:
        rows = [row for row in csv.reader(head.splitlines(keepends=True), delimiter=delimiter) if row][:30]
    except csv.Error:
        return (0, 0.0, 0)
    if not rows:
        return (0, 0.0, 0)
    if len(head) >= HEAD and len(rows) > 1:
        rows.pop()  # cut by the end of the head
    width = len(rows[0])
    known = len(Columns({}).assign(dict.fromkeys(rows[0], ""))[0])
    even = sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0
    return (known, even, width)


def csv_records(source: Source, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each record with the line it starts on; a text instead of cells where it is broken, saying how."""
    csv.field_size_limit(MAX_CELL)
    with source.open() as stream:
        reader = csv.reader(_bounded(lines(stream)), delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, _said_plainly(str(error), reader.line_num)
            else:
                if not (line == 1 and _SEP_LINE.fullmatch(delimiter.join(cells))):
                    yield line, cells


def _bounded(texts: Iterator[str | None]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        if text is None:
            raise CaseFileError("The line is too long to be a row of a table.", line=number)
        yield text


def _said_plainly(error: str, last_line: int) -> str:
    if "unexpected end of data" in error:
        return f"a quote that opens in this row is never closed; the lines up to {last_line} went into it"
    if "field larger" in error:
        return f"a cell is longer than {MAX_CELL:,} characters: is a quote left open?"
    if "expected after" in error:
        return "text follows a closing quote: a quote inside a cell must be doubled"
    return f"no CSV: {error}"


def _header(records: Iterator[tuple[int, list[str] | str]]) -> list[str]:
    for line, cells in records:
        if isinstance(cells, str):
            raise CaseFileError(f"The header cannot be read: {cells}.", line=line)
        if reason := next(filter(None, map(text_flaw, cells)), None):
            raise CaseFileError(f"The header {reason}.", line=line, advice="Is this a table in UTF-8?")
        if any(cell.strip() for cell in cells):
            return _named(cells)
    raise CaseFileError("The file has no header.", advice="Its first row must name the columns.")


def _named(cells: list[str]) -> list[str]:
    if len(cells) > MAX_COLUMNS:
        problem = f"The header has {len(cells):,} columns; {MAX_COLUMNS:,} are read."
        raise CaseFileError(problem, advice="Is this a table with one row a case?")
    names: dict[str, None] = {}
    for place, cell in enumerate(cells, start=1):
        name = cell.strip(" \t\r\n\ufeff\xa0") or f"column {place}"
        while name in names:
            name = f"{name} ({place})"
        names[name] = None
    return list(names)


def _check_header(header: list[str], columns: Columns, options: ImportOptions) -> None:
    listed = ", ".join(repr(name[:_NAMED_IN_ADVICE]) for name in header[:30])
    fields, _ = Columns(options.mapping).assign(dict.fromkeys(header, ""))
    plain = {name.strip() for name in header}
    if missing := [column for column in options.mapping if column.strip() not in plain]:
        raise CaseFileError(f"There is no column {missing[0]!r}.", advice=f"The columns are {listed}.")
    wanted = ("input", "actual_output") if options.needs_case else ("id",)
    if not any(name in fields for name in wanted):
        problem = f"No column is {' or '.join(wanted)}. The columns are {listed}."
        raise CaseFileError(problem, hint=_without_cases(fields) or _name_one(header, fields, wanted[0]))


def _without_cases(fields: Mapping[str, str]) -> Hint | None:
    """Where a table of verdicts, scores or both belongs, which has no question and no answer."""
    has_labels = "human" in fields or "grade" in fields
    if has_labels and "score" in fields:
        return Hint("verdicts", "A table of verdicts and scores is read as it is by: workbench calibrate FILE")
    if has_labels and "id" in fields:
        return Hint("labels", "If it holds labels of stored cases: workbench labels import FILE")
    return None


def _name_one(header: list[str], fields: Mapping[str, str], wanted: str) -> Hint:
    free = next((name for name in header if name not in fields.values() and len(name) <= _NAMED_IN_ADVICE), "COLUMN")
    fill = f"{free}={wanted}"
    return Hint("columns", f"Name one: --map {shlex.quote(fill)}", fill)


def _row(line: int, cells: list[str], header: list[str], report: ImportReport) -> Iterator[RawRow | Refusal]:
    if [cell.strip() for cell in cells] == header:
        report.repeated_headers += 1
    elif any(cell.strip() for cell in cells[len(header) :]):
        yield Refusal(line, "", f"{len(cells)} cells, but the header has {len(header)}: is a quote missing?")
    else:
        if len(cells) < len(header):
            report.oddities["with fewer cells than the header"] += 1
        yield RawRow(line, dict(zip(header, cells, strict=False)))
