"""The shapes that a scores file may have. Which one it is shows in its first character and its keys."""

from __future__ import annotations

import re
from typing import Any

from calibration.gating.evaluators import Evaluator, read_evaluator
from calibration.gating.files import InputError, as_text, parse_json, printable
from calibration.gating.foreign import read_deepeval, read_promptfoo
from calibration.gating.readings import Row, Scores, read_case, read_reading, read_score

SHAPES = "a list of scores, {evaluators, scores}, a DeepEval test run or a promptfoo output"


def read_scores(raw: bytes, name: str) -> Scores:
    """No text at all is no case, which is for the decision to judge."""
    text = as_text(raw, name)
    if not text.strip():
        return Scores([], [], [])
    try:
        if name.endswith(".jsonl"):
            return _read_json([parse_json(line, f"line {n}") for n, line in _numbered(text)])
        if name.endswith(".json") or text.lstrip()[0] in "[{":
            return _read_json(parse_json(text, "it"))
        return _read_csv(text)
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('it: ')}") from None


def _numbered(text: str) -> list[tuple[int, str]]:
    return [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _read_json(value: Any) -> Scores:
    if isinstance(value, list):
        is_promptfoo = value and isinstance(value[0], dict) and "testIdx" in value[0]
        return read_promptfoo(value) if is_promptfoo else _read_rows(value, metric=None)
    if not isinstance(value, dict):
        raise InputError(f"holds {printable(repr(value))}; expected {SHAPES}")
    if "scores" in value:
        return _read_object(value)
    if "testRunData" in value or "testCases" in value or "conversationalTestCases" in value:
        return read_deepeval(value.get("testRunData", value))
    if "results" in value:
        return read_promptfoo(value["results"])
    keys = ", ".join(printable(key) for key in sorted(value)[:10]) or "none"
    raise InputError(f"has the keys {keys}; expected {SHAPES}")


def _read_object(value: dict[str, Any]) -> Scores:
    if not isinstance(value["scores"], list):
        raise InputError(f"scores: must be a list, not {printable(repr(value['scores']))}")
    metric = _metric(value.get("metric"), "metric")
    rows = _read_rows(value["scores"], metric=metric)
    general = [(None, read_evaluator(value.get(key), key)) for key in ("evaluator", "judge")]
    by_metric = value.get("evaluators")
    if by_metric is not None and not isinstance(by_metric, dict):
        raise InputError(f"evaluators: must be an object, metric by metric, not {printable(repr(by_metric))}")
    by_name = [(name, read_evaluator(each, f"evaluators: {name}")) for name, each in (by_metric or {}).items()]
    rows.evaluators.extend([*general, *by_name])
    rows.named_for_all.extend(name for name, evaluator in [*general, *by_name] if evaluator)
    return rows


def _read_rows(items: list[Any], *, metric: str | None) -> Scores:
    scores = Scores([], [], [])
    for number, item in enumerate(items, start=1):
        place = f"row {number}"
        if isinstance(item, dict):
            _add_row(scores, item, place, metric)
        elif isinstance(item, list):
            raise InputError(f"{place}: is a list; a row is a number or an object with id and score")
        else:
            scores.rows.append(Row(place, None, metric, read_score(item)))
    return scores


def _add_row(scores: Scores, item: dict[str, Any], place: str, metric: str | None) -> None:
    case_id = item.get("case_id") if item.get("id") in (None, "") else item["id"]
    case = read_case(case_id, item.get("system"), place)
    metric = _metric(item.get("metric"), f"{place}: metric") or metric
    reading = read_reading(item.get("score"), item.get("error"), item.get("not_applicable"))
    claim = {**read_evaluator(item.get("evaluator"), place), **read_evaluator(item.get("judge"), place)}
    scores.rows.append(Row(place, case, metric, reading, names_evaluator=bool(claim)))
    if claim and (metric, claim) not in scores.evaluators:
        scores.evaluators.append((metric, claim))


def _metric(value: Any, place: str) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    raise InputError(f"{place}: must be a metric's name, not {printable(repr(value))}")


def _read_csv(text: str) -> Scores:
    header, lines = _csv_lines(text)
    scores = Scores([], [], [])
    for number, cells in lines:
        if len(cells) != len(header):
            raise InputError(f"line {number}: has {len(cells)} cells, the header has {len(header)}")
        _add_row(scores, _csv_item(dict(zip(header, cells, strict=True))), f"line {number}", None)
    return scores


def _csv_lines(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header in lower case, and each later line with its number."""
    import csv
    import io

    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t|", key=first.count)
    reader = csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=delimiter, strict=True)
    try:
        header = [cell.strip().casefold() for cell in next(reader)]
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: is not readable as CSV ({error})") from None
    _check_header(header)
    return header, lines


def _check_header(header: list[str]) -> None:
    if "score" not in header:
        names = ", ".join(printable(cell) for cell in header[:10])
        raise InputError(f"line 1: a CSV needs a column 'score', and here are: {names}")
    for name in header:
        if name and header.count(name) > 1:
            raise InputError(f"line 1: the column '{name}' is there twice; keep one")


def _csv_item(cells: dict[str, str]) -> dict[str, Any]:
    """The same row as JSON would hold: in a CSV only the spelling tells a number from text."""
    item: dict[str, Any] = {key: cell.strip() or None for key, cell in cells.items()}
    score = item["score"]
    if score and re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf)", score.casefold()):
        item["score"] = float(score)
    item["evaluator"] = _csv_evaluator(item)
    return item


def _csv_evaluator(item: dict[str, Any]) -> Evaluator:
    """Columns such as ``evaluator.model`` and ``judge.version`` name the fields one by one."""
    fields = {key.split(".", 1)[1]: cell for key, cell in item.items() if key.startswith(("evaluator.", "judge."))}
    return {**fields, "judge": fields.get("judge") or item.get("evaluator")}
