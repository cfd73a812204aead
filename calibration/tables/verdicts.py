"""Tables of verdicts and scores, read without a database: one row a case, or one row a label."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.statistics.sentences import CONTRADICTION, NO_CASE_IDS, REPEATED_ROWS, counted, tell
from calibration.tables.labels import (
    carried,
    case_ids,
    cases_from_labels,
    is_long,
    label_entries,
    normalised,
    score_cells,
)
from calibration.tables.sheets import Sheet, TableError, number, read_sheet
from calibration.tables.words import (
    BAD,
    GOOD,
    WORDS,
    label_values,
    levels_of,
    parse_words,
    read_rule,
    settle,
    word_key,
)

if TYPE_CHECKING:
    import pandas

    from labeling.rules import Rule

__all__ = ["TableError", "read_labels", "read_table"]

Mapped = Mapping[str, str] | Sequence[str] | None
Words = Mapping[str, str] | str | None


def read_table(
    path: str | Path,
    *,
    mapping: Mapped = None,
    rule: str | None = None,
    judge_annotator: str | None = None,
    words: Words = None,
    metric: str | None = None,
) -> pandas.DataFrame:
    """The calibration table of a CSV or TSV: what ``calibrate`` takes.

    One row a case with ``human`` and ``score``; or one row a label (``case_id, annotator, label``), or one column
    an annotator, with ``judge_annotator`` naming the one that is the judge. ``attrs`` holds the ``rule`` that made
    the verdicts, ``warnings``, the ``metric`` and the ``sha256`` of the file.

    Raises TableError, which names the flag that would read the table.
    """
    sheet = _of_metric(read_sheet(path, mapping), metric)
    known, chosen = parse_words(words), read_rule(rule)
    warnings: list[str] = []
    if is_long(sheet) or judge_annotator:
        rows = cases_from_labels(sheet, judge_annotator, chosen, known, warnings)
        rule = rule or "majority"
    else:
        rows = _merged(_cases(sheet, chosen, known), warnings)
    if "case_id" not in sheet.fields:
        warnings.append(tell(NO_CASE_IDS, file=sheet.name))
    frame = _frame(rows)
    frame.attrs.update(rule=rule, metric=metric or _only_metric(sheet), warnings=warnings)
    frame.attrs.update(delimiter=sheet.delimiter, mapping=sheet.fields, sha256=_sha256(path))
    return frame


def read_labels(
    path: str | Path, *, mapping: Mapped = None, words: Words = None, metric: str | None = None
) -> pandas.DataFrame:
    """Labels as ``case_id, annotator, label, metric, group``, one row each; None for a case not labeled.

    Long (``case_id, annotator, label``) or wide (one column an annotator). Words for pass and fail become "pass" and
    "fail", unsure and not applicable become None; anything else, such as a grade, stays what it is.
    """
    import pandas as pd

    sheet = _of_metric(read_sheet(path, mapping), metric)
    warnings: list[str] = []
    entries = label_entries(sheet, warnings)
    said = normalised([text for *_, text in entries], parse_words(words))
    groups = dict(zip(case_ids(sheet), sheet.column("group") or [""] * len(sheet.rows), strict=True))
    rows = [
        {"case_id": case, "annotator": who, "label": label, "metric": of, "group": groups[case] or None}
        for (case, who, of, _), label in zip(entries, said, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["case_id", "annotator", "label", "metric", "group"], dtype=object)
    frame.attrs.update(warnings=warnings, delimiter=sheet.delimiter, sha256=_sha256(path))
    return frame


def _only_metric(sheet: Sheet) -> str:
    names = levels_of(sheet.column("metric") or [])
    return names[0] if len(names) == 1 else ""


def _of_metric(sheet: Sheet, metric: str | None) -> Sheet:
    """The rows of one metric; a table of labels alone may hold several."""
    column = sheet.column("metric")
    if column is None:
        return sheet
    names = levels_of(column)
    if metric is None and len(names) > 1 and "score" in sheet.fields:
        raise TableError(f"{sheet.name} holds {len(names)} metrics ({', '.join(names)}): --metric {names[0]}")
    if metric is None:
        return sheet
    if metric not in names:
        raise TableError(f'{sheet.name} has no row of metric "{metric}": it holds {", ".join(names) or "none"}')
    kept = [place for place, name in enumerate(column) if name == metric]
    rows, lines = tuple(sheet.rows[i] for i in kept), tuple(sheet.lines[i] for i in kept)
    return Sheet(sheet.name, sheet.header, rows, lines, sheet.delimiter, sheet.fields)


def _cases(sheet: Sheet, rule: Rule, words: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row a case: the human verdict and the score are columns."""
    _need(sheet, "human")
    _need(sheet, "score")
    texts, scores = sheet.column("human") or [], sheet.column("score") or []
    column = sheet.fields["human"]
    labels = label_values(texts, column=column, rule=rule, words=words, delimiter=sheet.delimiter)
    cells = score_cells(scores, sheet.fields["score"], sheet.delimiter)
    return [
        {
            "case_id": case,
            **settle(rule, [label]),
            **cell,
            **carried(sheet, row),
        }
        for case, label, cell, row in zip(case_ids(sheet), labels, cells, sheet.rows, strict=True)
    ]


def _need(sheet: Sheet, field: str) -> None:
    if field in sheet.fields:
        return
    fits = [name for name in sheet.others() if _looks_like(field, [row[name] for row in sheet.rows], sheet.delimiter)]
    start = f'{sheet.name} has no column "{field}" (columns: {", ".join(sheet.header)}).'
    if not fits:
        raise TableError(f"{start} Name it: --map COLUMN={field}")
    raise TableError(f"{start} Read it by: {' or '.join(_map_flag(name, field) for name in fits)}")


def _map_flag(column: str, field: str) -> str:
    return f"--map {shlex.quote(f'{column}={field}')}"


def _looks_like(field: str, texts: list[str], delimiter: str) -> bool:
    levels = levels_of(texts)
    numbers = [number(level, delimiter) for level in levels]
    if field == "score":
        return bool(levels) and all(value is not None and 0 <= value <= 1 for value in numbers)
    is_word = [word_key(level) in {*WORDS, *GOOD, *BAD} for level in levels]
    is_grade = [value is not None and value == int(value) and 0 <= value <= 10 for value in numbers]
    return 0 < len(levels) <= 10 and all(word or grade for word, grade in zip(is_word, is_grade, strict=True))


def _merged(rows: list[dict[str, Any]], warnings: list[str]) -> list[dict[str, Any]]:
    """One row a case: a repeated row once, and none of those that contradict each other."""
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        first = kept.setdefault((row["case_id"], row.get("system", "")), row)
        if first is not row and repr(first) != repr(row):
            first["excluded_reason"] = CONTRADICTION
    if repeated := len(rows) - len(kept):
        warnings.append(counted(REPEATED_ROWS, repeated))
    return list(kept.values())


def _frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows)
    if "excluded_reason" in frame.columns:
        frame["excluded_reason"] = frame["excluded_reason"].fillna("")
    return frame


def _sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
