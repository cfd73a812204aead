"""A spreadsheet's text file as rows of text: what is in a cell stays what it was, "NA" and "007" too."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cases.importers.csv_table import MAX_COLUMNS, csv_records
from cases.importers.draft import PLAIN_NUMBER
from cases.importers.options import CaseFileError
from cases.importers.source import Source, open_source

DELIMITERS = (",", ";", "\t")

#: The columns a table may have, each with the headers that name it. Spaces and capitals do not matter.
FIELDS: dict[str, tuple[str, ...]] = {
    "case_id": ("case_id", "id"),
    "human": ("human", "human_pass", "human_verdict"),
    "score": ("score",),
    "weight": ("weight", "design_weight"),
    "group": ("group", "group_id", "conversation_id"),
    "metric": ("metric",),
    "stratum": ("stratum",),
    "system": ("system", "model"),
    "language": ("language",),
    "blind": ("blind",),
    "annotator": ("annotator",),
    "label": ("label",),
}


class TableError(ValueError):
    """A table that cannot be read as it is; the message names the flag that reads it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """``rows``: one dict per row from column to text, trimmed; ``fields``: field to column."""

    name: str
    header: tuple[str, ...]
    rows: tuple[dict[str, str], ...]
    lines: tuple[int, ...]
    delimiter: str
    fields: dict[str, str]

    def column(self, field: str) -> list[str] | None:
        """The texts of a field, or None when no column is it."""
        name = self.fields.get(field)
        return None if name is None else [row[name] for row in self.rows]

    def others(self) -> list[str]:
        """The columns that are no known field."""
        return [name for name in self.header if name not in self.fields.values()]


def read_sheet(path: str | Path, mapping: Mapping[str, str] | Sequence[str] | None = None) -> Sheet:
    """Read a CSV or TSV; the delimiter is the one of comma, semicolon and tab that the header has most of.

    ``mapping`` names columns: ``{"verdict": "human"}`` or ``["verdict=human"]``, either way round.
    """
    file = Path(path)
    source = _source(file)
    delimiter = _delimiter(source.head())
    records = _records(source, delimiter)
    header = tuple(unicodedata.normalize("NFC", name.strip()) for name in next(records, (0, []))[1])
    _check_header(file.name, header)
    rows, lines = [], []
    for line, cells in records:
        if any(cell.strip() for cell in cells):
            rows.append(_row(file.name, header, cells, line))
            lines.append(line)
    if not rows:
        raise TableError(f"{file.name} holds no row below its header")
    return Sheet(file.name, header, tuple(rows), tuple(lines), delimiter, _fields(header, _pairs(mapping)))


def _source(file: Path) -> Source:
    """The file as an import reads it, but without a guess at a code page: a table is small enough to save again."""
    try:
        source = open_source(file)
    except CaseFileError as error:
        raise TableError(f"{file.name} cannot be read. {error}") from error
    if source.warning:
        raise TableError(f"{file.name} is not UTF-8: save it as CSV UTF-8")
    return source


def _records(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it starts on.

    Raises TableError at the first that is broken: behind an open quote nobody knows which rows there are.
    """
    name = source.path.name
    try:
        for line, cells in csv_records(source, delimiter):
            if isinstance(cells, str):
                raise TableError(f"{name}, line {line}: {cells}")
            yield line, cells
    except CaseFileError as error:
        raise TableError(f"{name}: {error}") from error


def _delimiter(head: str) -> str:
    # Quoted names may hold any delimiter.
    header = re.sub(r'"[^"]*"', "", head.lstrip().split("\n", 1)[0])
    return max(DELIMITERS, key=header.count)


def _check_header(name: str, header: tuple[str, ...]) -> None:
    if len(header) > MAX_COLUMNS:
        raise TableError(f"{name} has {len(header):,} columns; {MAX_COLUMNS:,} are read")
    twice = {column for column, count in Counter(header).items() if column and count > 1}
    if twice:
        raise TableError(f"{name} has two columns named {', '.join(sorted(twice))}: rename one")


def _row(name: str, header: tuple[str, ...], cells: list[str], line: int) -> dict[str, str]:
    if any(cell.strip() for cell in cells[len(header) :]):
        raise TableError(f"{name}, line {line}: {len(cells)} cells under {len(header)} columns")
    padded = cells + [""] * (len(header) - len(cells))
    return {column: padded[place].strip() for place, column in enumerate(header)}


def _pairs(mapping: Mapping[str, str] | Sequence[str] | None) -> dict[str, str]:
    if mapping is None or isinstance(mapping, Mapping):
        return {key.strip(): value.strip() for key, value in (mapping or {}).items()}
    pairs = {}
    for text in mapping:
        left, equals, right = text.partition("=")
        if not equals or not left.strip() or not right.strip():
            raise TableError(f'--map "{text}" is not COLUMN=FIELD, such as --map verdict=human')
        pairs[left.strip()] = right.strip()
    return pairs


def _fields(header: tuple[str, ...], pairs: dict[str, str]) -> dict[str, str]:
    """Field to column: the mapping first, then the headers that name a field themselves."""
    found = dict(_mapped(header, left, right) for left, right in pairs.items())
    plain = {re.sub(r"[\s-]+", "_", name.casefold()): name for name in reversed(header)}
    for field, names in FIELDS.items():
        spelled = next((plain[name] for name in names if name in plain), None)
        if spelled is not None and spelled not in found.values():
            found.setdefault(field, spelled)
    return found


def _mapped(header: tuple[str, ...], left: str, right: str) -> tuple[str, str]:
    for column, field in ((left, right), (right, left)):
        field = "human" if field == "human_pass" else field
        if column in header and field in FIELDS:
            return field, column
    raise TableError(
        f"--map {left}={right} names no column and field of this table. Columns: {', '.join(header)}. "
        f"Fields: {', '.join(FIELDS)}."
    )


def number(text: str, delimiter: str = ",") -> float | None:
    """The number that a cell spells, or None. A decimal comma is one where commas do not part the cells."""
    if delimiter != "," and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    return float(text) if PLAIN_NUMBER.fullmatch(text) else None
