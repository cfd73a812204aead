"""Is the judge behind these scores the one that the threshold was calibrated on? Field by field."""

from __future__ import annotations

from typing import Any, NamedTuple

from calibration.gating.files import InputError, plain, printable

#: Field name -> value. Nested objects are dotted ("parameters.temperature"); unknown values are left out.
Evaluator = dict[str, Any]


class Comparison(NamedTuple):
    equal: list[str]
    differing: list[str]  # a sentence each
    unchecked: list[str]  # fields that only one side knows


def read_evaluator(value: Any, place: str) -> Evaluator:
    """A judge may be given by its name alone; null says nothing."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        return {"judge": value}
    if isinstance(value, dict):
        return _fields(value)
    raise InputError(f"{place}: must be an object with the evaluator's fields, not {printable(value)}")


def _fields(value: dict[str, Any], prefix: str = "") -> Evaluator:
    found: Evaluator = {}
    for key, item in value.items():
        name = prefix + _field_name(key)
        if isinstance(item, dict):
            # {"judge": {"name": .., "version": ..}}: these are the evaluator's own fields.
            found.update(_fields(item, prefix if key in ("judge", "evaluator") else name + "."))
        elif item is not None and item != "":
            found[name] = item
    return found


def _field_name(key: str) -> str:
    name = key.removeprefix("judge_")
    return "judge" if name == "name" else name


def compare_evaluators(calibrated: Evaluator, scored: Evaluator) -> Comparison:
    scored = _speaking_alike(calibrated, scored)
    shared = sorted((calibrated.keys() & scored.keys()) - {"metric"})
    differing = [name for name in shared if not _same(calibrated[name], scored[name])]
    return Comparison(
        equal=[name for name in shared if name not in differing],
        differing=[_difference(name, calibrated[name], scored[name]) for name in differing],
        unchecked=sorted((calibrated.keys() ^ scored.keys()) - {"metric"}),
    )


def _speaking_alike(calibrated: Evaluator, scored: Evaluator) -> Evaluator:
    """Where one side knows a judge only by its model's name, the other's name for the judge answers it."""
    for ours, theirs in (("judge", "model"), ("model", "judge")):
        if ours in calibrated and theirs not in calibrated and theirs in scored and ours not in scored:
            return {ours if name == theirs else name: value for name, value in scored.items()}
    return scored


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) and isinstance(right, str):
        return plain(left) == plain(right)
    return bool(left == right)


def _difference(name: str, calibrated: Any, scored: Any) -> str:
    return f"{printable(name)} is {printable(scored)} in the scores, {printable(calibrated)} in the calibration"
