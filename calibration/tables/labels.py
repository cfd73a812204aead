"""Tables of labels, long or wide, and how they become one verdict and one score a case."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.statistics.passing import STEPS, quantise
from calibration.statistics.sentences import CONTRADICTION, NO_SCORE, NOT_A_NUMBER, TWO_LABELS, tell
from calibration.tables.sheets import Sheet, TableError, number
from calibration.tables.words import FAIL, PASS, WORDS, Label, label_values, levels_of, settle, word_key
from labeling.rules import Rule

BLANK_SCORES = {"", "nan", "null", "none", "na", "n/a", "-"}
JUDGE_LIKE = re.compile("judge|llm|gpt|claude|gemini|llama|qwen|mistral|model|ragas|deepeval", re.IGNORECASE)
CARRIED = ("weight", "group", "stratum", "system", "language", "blind")

#: (case, annotator, metric, text)
Entry = tuple[str, str, str, str]


def is_long(sheet: Sheet) -> bool:
    return {"annotator", "label"} <= set(sheet.fields)


def case_ids(sheet: Sheet) -> list[str]:
    given = sheet.column("case_id") or [""] * len(sheet.rows)
    return [case or f"line {line}" for case, line in zip(given, sheet.lines, strict=True)]


def score_cell(text: str, delimiter: str) -> dict[str, Any]:
    """The score, or NaN and why; a number out of range stays, to be counted as such."""
    value = number(text, delimiter)
    if value is not None and math.isfinite(value):
        return {"score": value, "unscored_reason": ""}
    blank = text.casefold() in BLANK_SCORES
    return {"score": math.nan, "unscored_reason": NO_SCORE if blank else NOT_A_NUMBER}


def score_cells(texts: Sequence[str], column: str, delimiter: str) -> list[dict[str, Any]]:
    """Every cell of a column of scores.

    Raises TableError where most numbers lie outside 0 to 1: then the few inside are of another scale too.
    """
    values = [value for text in texts if (value := number(text, delimiter)) is not None]
    outside = list(dict.fromkeys(value for value in values if not is_score(value)))
    if (count := sum(not is_score(value) for value in values)) * 2 > len(values):
        shown = " and ".join(f"{value:.10g}" for value in outside[:2])
        raise TableError(
            f'column "{column}" holds scores of another scale, such as {shown}: {count} of its {len(values)} numbers '
            "lie outside 0 to 1. Divide them all by the top of their scale, such as by 100"
        )
    return [score_cell(text, delimiter) for text in texts]


def is_score(value: float) -> bool:
    """Whether the number is in [0, 1] at nine places."""
    return math.isfinite(value) and 0 <= float(quantise(value)) <= STEPS


def carried(sheet: Sheet, row: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {name: row[sheet.fields[name]] for name in CARRIED if name in sheet.fields}
    if "weight" in found:
        value = number(found["weight"], sheet.delimiter)
        found["weight"] = math.nan if value is None else value
    if "blind" in found:
        found["blind"] = _blind_word(found["blind"])
    return found


def _blind_word(text: str) -> str:
    key = word_key(text)
    return "yes" if key in ("yes", "true", "1") else "no" if key in ("no", "false", "0") else "unknown"


def label_entries(sheet: Sheet, warnings: list[str]) -> list[Entry]:
    """Every label of a long or a wide table, once."""
    ids, metrics = case_ids(sheet), sheet.column("metric") or [""] * len(sheet.rows)
    if is_long(sheet):
        who, said = sheet.column("annotator") or [], sheet.column("label") or []
        return _once(list(zip(ids, who, metrics, said, strict=True)), warnings)
    names = [*sheet.others(), *([sheet.fields["human"]] if "human" in sheet.fields else [])]
    if "case_id" not in sheet.fields or len(names) < 2:
        raise TableError(
            f"{sheet.name} holds no labels of two annotators (columns: {', '.join(sheet.header)}). It takes case_id, "
            "annotator, label, or case_id and one column an annotator. Other names are read by: "
            "--map COLUMN=case_id --map COLUMN=annotator --map COLUMN=label"
        )
    rows = zip(ids, metrics, sheet.rows, strict=True)
    return _once([(case, name, of, row[name]) for case, of, row in rows for name in names], warnings)


def _once(entries: list[Entry], warnings: list[str]) -> list[Entry]:
    """A label sent twice counts once; two different ones of one annotator on one case count for nothing."""
    found: dict[tuple[str, str, str], str] = {}
    clashing: dict[tuple[str, str, str], None] = {}
    for case, who, metric, text in entries:
        key = (case, who, metric)
        if word_key(found.setdefault(key, text) or text) != word_key(text or found[key]):
            clashing[key] = None
        found[key] = found[key] or text
    for case, who, _ in clashing:
        warnings.append(tell(TWO_LABELS, annotator=who, case=case))
    return [(*key, "" if key in clashing else text) for key, text in found.items()]


def normalised(texts: list[str], words: Mapping[str, str]) -> list[str | None]:
    """Words as pass or fail; 1 and 0 too, unless other numbers show them to be grades."""
    known = {**WORDS, **words}
    levels = levels_of(texts)
    are_grades = any(number(level) is not None and word_key(level) not in known for level in levels)
    return [_said(text, known, are_grades) for text in texts]


def _said(text: str, known: Mapping[str, str], are_grades: bool) -> str | None:
    meaning = known.get(word_key(text))
    if are_grades and number(text) is not None:
        return text
    if not text or (meaning is not None and meaning not in (PASS, FAIL)):
        return None
    return meaning or text


def cases_from_labels(
    sheet: Sheet, judge: str | None, rule: Rule, words: Mapping[str, str], warnings: list[str]
) -> list[dict[str, Any]]:
    """People's labels make the verdict by the rule; the judge's label or the score column is the score."""
    entries = label_entries(sheet, warnings)
    names = levels_of(who for _, who, _, _ in entries)
    if judge is not None and judge not in names:
        raise TableError(f'{sheet.name} has no annotator "{judge}": it names {", ".join(names)}')
    scores = _scores(sheet, entries, judge, names, words)
    people = [(case, text) for case, who, _, text in entries if who != judge]
    labels = _labels_by_case(sheet, people, rule, words)
    first = dict(reversed(list(zip(case_ids(sheet), sheet.rows, strict=True))))
    return [
        {
            "case_id": case,
            **settle(rule, labels.get(case, [])),
            **scores.get(case, score_cell("", ",")),
            **carried(sheet, first[case]),
        }
        for case in dict.fromkeys(case_ids(sheet))
    ]


def _labels_by_case(
    sheet: Sheet, people: Sequence[tuple[str, str]], rule: Rule, words: Mapping[str, str]
) -> dict[str, list[Label]]:
    values = label_values(
        [text for _, text in people],
        column=sheet.fields.get("label", "of labels"),
        rule=rule,
        words=words,
        delimiter=sheet.delimiter,
    )
    labels: dict[str, list[Label]] = {}
    for (case, _), value in zip(people, values, strict=True):
        labels.setdefault(case, []).append(value)
    return labels


def _scores(
    sheet: Sheet, entries: list[Entry], judge: str | None, names: list[str], words: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    if judge is not None:
        given = {case: text for case, who, _, text in entries if who == judge}
        return _judged(given, words, judge, sheet.delimiter)
    column = sheet.column("score")
    if column is None:
        likely = next((name for name in names if JUDGE_LIKE.search(name)), names[0] if names else "NAME")
        raise TableError(
            f'{sheet.name} has no column "score". If one of its annotators ({", ".join(names)}) is the judge, say '
            f"which: --judge-annotator {shlex.quote(likely)}"
        )
    return _column_scores(sheet, column)


def _judged(
    texts: Mapping[str, str], words: Mapping[str, str], judge: str, delimiter: str
) -> dict[str, dict[str, Any]]:
    """A judge's labels as scores: a verdict is 1 or 0, a number itself."""
    known = {**WORDS, **words}
    said = {case: known.get(word_key(text)) for case, text in texts.items()}
    numbers = [case for case in texts if said[case] not in (PASS, FAIL)]
    cells = score_cells([texts[case] for case in numbers], judge, delimiter)
    verdicts = {case: {"score": float(word == PASS), "unscored_reason": ""} for case, word in said.items()}
    return verdicts | dict(zip(numbers, cells, strict=True))


def _column_scores(sheet: Sheet, column: list[str]) -> dict[str, dict[str, Any]]:
    """The score that the rows of a case repeat; a blank repeats nothing."""
    found: dict[str, dict[str, Any]] = {}
    cells = score_cells(column, sheet.fields["score"], sheet.delimiter)
    for case, cell in zip(case_ids(sheet), cells, strict=True):
        first = found.setdefault(case, cell)
        if math.isnan(first["score"]):
            found[case] = cell
        elif not math.isnan(cell["score"]) and cell["score"] != first["score"]:
            first["excluded_reason"] = CONTRADICTION
    return found
