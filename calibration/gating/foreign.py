"""Scores as DeepEval and promptfoo write them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from calibration.gating.evaluators import Evaluator
from calibration.gating.files import InputError, printable
from calibration.gating.readings import Reading, Row, Scores, read_case, read_reading, read_score, says_nothing


def read_deepeval(run: Any) -> Scores:
    """A test run of DeepEval 4: camelCase, nulls left out, one entry in ``metricsData`` for each metric."""
    cases = [
        *_objects(_at(run, "testCases"), "testCases"),
        *_objects(_at(run, "conversationalTestCases"), "conversationalTestCases"),
    ]
    names = Counter(str(case.get("name")) for _, case in cases)
    scores = Scores([], [], [])
    for place, case in cases:
        case_id = read_case(_deepeval_id(case, place, names), None, place)
        measured = _objects(case.get("metricsData"), f"{place}: metricsData")
        if not measured:
            scores.rows.append(Row(place, case_id, None, Reading("failed", reason="no metric was run")))
        for metric_place, metric in measured:
            _add_deepeval_metric(scores, case_id, metric, metric_place)
    return scores


def _deepeval_id(case: dict[str, Any], place: str, names: Counter[str]) -> Any:
    """``metadata.id``, else the name. Tests of one function share a name: then the place tells them apart."""
    metadata, name = case.get("metadata"), case.get("name")
    if isinstance(metadata, dict) and metadata.get("id") is not None:
        return metadata["id"]
    return name if name and names[str(name)] == 1 else place


def _add_deepeval_metric(scores: Scores, case_id: str | None, metric: dict[str, Any], place: str) -> None:
    name = metric.get("name")
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}: name: must be the metric's name, not {printable(repr(name))}")
    reading = read_reading(metric.get("score"), metric.get("error"), None)
    fields = {"model": metric.get("evaluationModel"), "strict_mode": metric.get("strictMode")}
    claim: Evaluator = {key: value for key, value in fields.items() if value is not None}
    scores.rows.append(Row(place, case_id, name, reading, names_evaluator=bool(claim)))
    if claim and (name, claim) not in scores.evaluators:
        scores.evaluators.append((name, claim))


def read_promptfoo(results: Any) -> Scores:
    """promptfoo names no judge for its model-graded assertions, so no evaluator comes out of it."""
    if isinstance(results, dict):
        results = results.get("results")
    rows = _objects(results, "results")
    has_several_prompts = len({row.get("promptIdx") for _, row in rows}) > 1
    scores = Scores([], [], [])
    for place, row in rows:
        system = f"prompt {row.get('promptIdx')}" if has_several_prompts else None
        case = read_case(_promptfoo_id(row), system, place)
        found = _promptfoo_readings(row)
        scores.rows.extend(Row(place, case, metric, reading) for metric, reading in found.items())
    return scores


def _promptfoo_id(row: dict[str, Any]) -> Any:
    test = _at(row, "testCase")
    for source in (row.get("vars"), _at(test, "vars"), _at(test, "metadata"), row.get("metadata")):
        for key in ("id", "case_id"):
            if _at(source, key) is not None:
                return _at(source, key)
    return None if row.get("testIdx") is None else f"test {row['testIdx']}"


def _promptfoo_readings(row: dict[str, Any]) -> dict[str | None, Reading]:
    """By metric name, else by assertion type. A failed call and a row that nothing graded are unscored."""
    grading = row.get("gradingResult")
    # failureReason 2 is promptfoo's ERROR; for 1 the "error" is only why an assertion failed.
    if row.get("failureReason") == 2 or (not says_nothing(row.get("error")) and not _is_graded(grading)):
        error = row.get("error")
        return {None: read_reading(None, True if says_nothing(error) else error, None)}
    found: dict[str | None, Reading] = {}
    for component in _components(grading):
        assertion = component.get("assertion")
        name = _at(assertion, "metric") or _at(assertion, "type")
        if isinstance(name, str):
            found[name] = _worse(found.get(name), _component_reading(component))
    named = row.get("namedScores") or _at(grading, "namedScores") or {}
    for name, score in named.items() if isinstance(named, dict) else ():
        # Assertions come first: the number under a shared name may be a sum, and hides a grader's failure.
        found.setdefault(name, read_score(score))
    return found or {None: _whole_row(row, grading)}


def _is_graded(grading: Any) -> bool:
    """Absent, null and empty say the same: nothing was graded."""
    return bool(_components(grading)) or (
        _at(grading, "score") is not None and _at(grading, "reason") != "No assertions"
    )


def _components(grading: Any) -> list[dict[str, Any]]:
    """The graded assertions, those inside assertion sets included."""
    found = _at(grading, "componentResults")
    inner = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return [leaf for item in inner for leaf in ([item, *_components(item)])]


def _component_reading(component: dict[str, Any]) -> Reading:
    if not says_nothing(_at(component.get("metadata"), "graderError")):
        return Reading("failed", reason=str(component.get("reason") or "the grader failed"))
    return read_score(component.get("score"))


def _worse(known: Reading | None, new: Reading) -> Reading:
    """Of two assertions under one name: unscored before scored, then the lower score."""
    if known is None or new.is_unscored:
        return new
    return known if known.is_unscored or known.score <= new.score else new


def _whole_row(row: dict[str, Any], grading: Any) -> Reading:
    """promptfoo gives a test without assertions the score 1: nobody measured that."""
    if not _is_graded(grading):
        return Reading("failed", reason="no assertion graded this")
    broken = [reading for reading in map(_component_reading, _components(grading)) if reading.is_unscored]
    return broken[0] if broken else read_score(row.get("score"))


def _objects(value: Any, place: str) -> list[tuple[str, dict[str, Any]]]:
    """Each object of a list with its place; an absent list is empty."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{place}: must be a list, not {printable(repr(value))}")
    for position, item in enumerate(value):
        if not isinstance(item, dict):
            raise InputError(f"{place}[{position}]: must be an object, not {printable(repr(item))}")
    return [(f"{place}[{position}]", item) for position, item in enumerate(value)]


def _at(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
