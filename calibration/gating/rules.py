"""The calibrated config: what passes, how much of it must, and when the calibration still holds."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Any, NamedTuple

from calibration.gating.evaluators import Evaluator, read_evaluator
from calibration.gating.files import InputError, plain, printable

CONFIG_SCHEMA = "workbench.config/1"
STATES = ("trusted", "inconclusive", "untrusted")
ROLES = ("gate", "monitor")

#: Evidence that travels with a config: the gate shows some of it, and decides by none of it.
EVIDENCE = {
    "schema",
    "calibration",
    "rule",
    "human_metric",
    "costs",
    "production_mix",
    "seed",
    "dataset_hash",
    "sample_hash",
    "label_hash",
    "questions_hash",
    "scores_hash",
    "exploratory",
    "warnings",
}
LIMITS = {"state", "expires"}
READ_FULL = EVIDENCE | LIMITS | {"metrics", "decision"}
READ_SHORT = EVIDENCE | LIMITS | {"metric", "threshold", "role", "evaluator", "judge", "calibrated_for"}
#: What an exported metric holds beside what is decided by.
EVIDENCE_OF_METRIC = {"interval", "rates", "nested", "n0", "n1", "certificate"}
READ_METRIC = EVIDENCE_OF_METRIC | {"metric", "threshold", "role", "evaluator", "judge", "calibrated_for"}
SHARES = {"min_pass_rate", "min_scored_share"}


class MetricRule(NamedTuple):
    metric: str
    threshold: float
    role: str
    evaluator: Evaluator

    @property
    def is_gate(self) -> bool:
        return self.role == "gate"


class Config(NamedTuple):
    metrics: list[MetricRule]
    min_pass_rate: float
    min_scored_share: float
    state: str | None
    expires: date | None
    exploratory: bool
    warnings: list[str]
    unread: list[str]

    @property
    def gates(self) -> list[MetricRule]:
        return [rule for rule in self.metrics if rule.is_gate]


def quantise(value: float) -> int:
    """The one rounding of the project. Float dust goes: (.7 + .7 + .7) / 3 is .7 again.

    >>> quantise((0.7 + 0.7 + 0.7) / 3) == quantise(0.7)
    True
    """
    return math.floor(value * 1e9 + 0.5)


def reaches(value: float, bar: float) -> bool:
    return quantise(value) >= quantise(bar)


def read_config(value: Any, name: str = "config") -> Config:
    """The full form and the short one; absent rates mean 1, absent state or expiry is not checked."""
    if not isinstance(value, dict):
        raise InputError(f"{name}: must be one JSON object, as `workbench export --format json` writes it")
    _check_schema(value, name)
    if "metrics" not in value and "metric" not in value:
        raise InputError(f"{name}: has neither 'metrics' nor 'metric'; export it again")
    is_short = "metrics" not in value
    metrics = [_read_rule(value, name)] if is_short else _read_rules(value["metrics"], name)
    if not any(rule.is_gate for rule in metrics):
        raise InputError(f"{name}: role: no metric is a gate, so nothing could ever pass; give one that role")
    decision, place = (value, name) if is_short else (_decision(value, name), f"{name}: decision")
    return Config(
        metrics=metrics,
        min_pass_rate=_share(decision, "min_pass_rate", place),
        min_scored_share=_share(decision, "min_scored_share", place),
        state=_one_of(value.get("state"), STATES, f"{name}: state"),
        expires=read_date(value.get("expires"), f"{name}: expires"),
        exploratory=value.get("exploratory") is True,
        warnings=_warnings(value.get("warnings")),
        unread=sorted(value.keys() - READ_SHORT - SHARES) if is_short else _unread(value, decision),
    )


def _unread(value: dict[str, Any], decision: dict[str, Any]) -> list[str]:
    """Keys of the full form that decide nothing here; a misspelled one among them is seen in the output."""
    inner = [
        f"metrics[{position}].{key}"
        for position, item in enumerate(value["metrics"])
        for key in sorted(item.keys() - READ_METRIC)
    ]
    return [
        *sorted(value.keys() - READ_FULL),
        *inner,
        *(f"decision.{key}" for key in sorted(decision.keys() - SHARES)),
    ]


def metric_key(name: str) -> str:
    """Spellings of one metric: "Answer Relevancy", "answer-relevancy" and "answer_relevancy" are the same.

    >>> metric_key("Answer Relevancy")
    'answer_relevancy'
    """
    return re.sub(r"[\s_-]+", "_", plain(name)).casefold()


def read_date(value: Any, place: str) -> date | None:
    if value is None:
        return None
    # Only this spelling: date.fromisoformat also takes week dates, which nobody means here.
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise InputError(f"{place}: must be a date such as 2030-01-31, not {printable(repr(value))}")


def read_number(value: Any, place: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError(f"{place}: must be a number from 0 to 1, not {printable(repr(value))}")


def _check_schema(value: dict[str, Any], name: str) -> None:
    schema = value.get("schema", CONFIG_SCHEMA)
    if schema != CONFIG_SCHEMA:
        raise InputError(
            f"{name}: schema: this gate reads {CONFIG_SCHEMA}, not {printable(schema)}; "
            "make the file with `workbench export --format json`"
        )


def _read_rules(value: Any, name: str) -> list[MetricRule]:
    if not isinstance(value, list) or not value:
        raise InputError(f"{name}: metrics: must be a list with at least one metric")
    rules = []
    for position, item in enumerate(value):
        if not isinstance(item, dict):
            raise InputError(f"{name}: metrics[{position}]: must be an object, not {printable(repr(item))}")
        rules.append(_read_rule(item, f"{name}: metrics[{position}]"))
    keys = [metric_key(rule.metric) for rule in rules]
    for position, key in enumerate(keys):
        if key in keys[:position]:
            raise InputError(f"{name}: metrics[{position}]: {rules[position].metric} is there twice; keep one")
    return rules


def _read_rule(value: dict[str, Any], place: str) -> MetricRule:
    metric = value.get("metric")
    if not isinstance(metric, str) or not metric.strip():
        raise InputError(f"{place}: metric: must be the metric's name, not {printable(repr(metric))}")
    evaluator: Evaluator = {}
    for key in ("calibrated_for", "judge", "evaluator"):
        evaluator.update(read_evaluator(value.get(key), f"{place}: {key}"))
    return MetricRule(
        metric=plain(metric),
        threshold=_threshold(value, place),
        role=_one_of(value.get("role"), ROLES, f"{place}: role") or "gate",
        evaluator=evaluator,
    )


def _threshold(value: dict[str, Any], place: str) -> float:
    if value.get("threshold") is None:
        raise InputError(f"{place}: threshold: is missing; a calibration that recommends none gates nothing")
    return read_number(value["threshold"], f"{place}: threshold")


def _share(value: dict[str, Any], key: str, place: str) -> float:
    """Absent means all of them: a config that does not say otherwise is strict."""
    found = value.get(key)
    return 1.0 if found is None else read_number(found, f"{place}: {key}")


def _one_of(value: Any, words: tuple[str, ...], place: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and value in words:
        return value
    raise InputError(f"{place}: must be {' or '.join(words)}, not {printable(repr(value))}")


def _decision(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get("decision")
    if found is None:
        return {}
    if isinstance(found, dict):
        return found
    raise InputError(f"{name}: decision: must be an object, not {printable(repr(found))}")


def _warnings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
