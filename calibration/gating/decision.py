"""From a config and scores to one of five exit codes, with every reason for it."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import NamedTuple

from calibration.gating.evaluators import Evaluator, compare_evaluators
from calibration.gating.files import InputError, listed, plain, printable
from calibration.gating.readings import MISSING, Reading, Row, Scores
from calibration.gating.rules import Config, MetricRule, metric_key, reaches

PASS, BELOW, NOT_MEASURED, DOES_NOT_APPLY, BAD_INPUT = range(5)


class Options(NamedTuple):
    assume_evaluator: bool = False
    allow_inconclusive: bool = False


class Reason(NamedTuple):
    code: int
    text: str


class CaseResult(NamedTuple):
    id: str
    status: str  # pass | fail | unscored | not_applicable
    why: str


class MetricResult(NamedTuple):
    rule: MetricRule
    counts: dict[str, int]  # status -> cases
    unscored: list[str]  # sentences


class Outcome(NamedTuple):
    code: int
    reasons: list[Reason]
    cases: list[CaseResult]
    metrics: list[MetricResult]
    overrides: list[str]
    unchecked: list[str]
    config: Config | None

    def count(self, status: str) -> int:
        return sum(case.status == status for case in self.cases)


class Applicability(NamedTuple):
    reasons: list[Reason]
    overrides: list[str]
    unchecked: list[str]


Table = dict[str, dict[str, Reading]]  # case -> metric of the config -> reading


def decide(config: Config, scores: Scores, options: Options, today: date) -> Outcome:
    """The worst reason decides: 3 (does not apply) beats 2 (not measured) beats 1 (below)."""
    names = _names_in_file(config, scores)
    table = _tabulate(config, scores, names)
    cases = [_case_result(case, readings, config.gates) for case, readings in table.items()]
    metrics = [_metric_result(rule, table) for rule in config.metrics]
    found = _applicability(config, scores, names, options, today)
    reasons = [*found.reasons, *_measured(cases, metrics, config), *_reached(cases, config)]
    return Outcome(
        code=max((reason.code for reason in reasons), default=PASS),
        reasons=sorted(reasons, key=lambda reason: -reason.code),
        cases=cases,
        metrics=metrics,
        overrides=found.overrides,
        unchecked=[*found.unchecked, *_unknown_names(scores, names)],
        config=config,
    )


def refuse(message: str) -> Outcome:
    return Outcome(BAD_INPUT, [Reason(BAD_INPUT, message)], [], [], [], [], None)


def _names_in_file(config: Config, scores: Scores) -> dict[str, str]:
    """Name in the file -> metric of the config. The closest spelling wins: "Tone" before "Tone [GEval]"."""
    names = {row.metric for row in scores.rows} | {metric for metric, _ in scores.evaluators}
    known = sorted(name for name in names if name is not None)
    found: dict[str, str] = {}
    for rule in config.metrics:
        for spelling in (plain, metric_key, _without_kind):
            matches = [name for name in known if spelling(name) == spelling(rule.metric)]
            if matches:
                found.update(dict.fromkeys(matches, rule.metric))
                break
    return found


def _without_kind(name: str) -> str:
    """DeepEval adds the kind of metric to a name: "Overall Quality [GEval]"."""
    return metric_key(re.sub(r"\s*\[[^\[\]]*\]$", "", plain(name)))


def _tabulate(config: Config, scores: Scores, names: dict[str, str]) -> Table:
    table: Table = {}
    for row in scores.rows:
        readings = table.setdefault(row.case or row.place, {})
        for metric in _metrics_of(row, config, names):
            if metric in readings:
                raise InputError(
                    f"{row.place}: case '{printable(row.case or row.place)}' has a second {metric} score; "
                    "which one counts is a guess, so keep one"
                )
            readings[metric] = row.reading
    return table


def _metrics_of(row: Row, config: Config, names: dict[str, str]) -> list[str]:
    """A failed case that names no metric failed in all of them."""
    has_several = len(config.metrics) > 1
    if has_several and row.case is None:
        raise InputError(f"{row.place}: id: is missing, and the config has several metrics for each case")
    if row.metric is not None:
        return [names[row.metric]] if row.metric in names else []
    if has_several and row.reading.kind != "failed":
        raise InputError(
            f"{row.place}: metric: is missing, and the config has {listed([r.metric for r in config.metrics])}"
        )
    return [rule.metric for rule in config.metrics]


def _case_result(case: str, readings: dict[str, Reading], gates: list[MetricRule]) -> CaseResult:
    """Unscored in one gate is unscored; a gate that is not applicable is skipped."""
    found = [(rule, readings.get(rule.metric, MISSING)) for rule in gates]
    applicable = [(rule, reading) for rule, reading in found if reading.kind != "not_applicable"]
    if not applicable:
        return CaseResult(case, "not_applicable", found[0][1].reason)
    unscored = [f"{rule.metric}: {reading.reason}" for rule, reading in applicable if reading.is_unscored]
    if unscored:
        return CaseResult(case, "unscored", "; ".join(unscored))
    failing = [
        f"{rule.metric} {reading.score:.12g} < {rule.threshold:.12g}"
        for rule, reading in applicable
        if not reaches(reading.score, rule.threshold)
    ]
    return CaseResult(case, "fail" if failing else "pass", "; ".join(failing))


def _metric_result(rule: MetricRule, table: Table) -> MetricResult:
    readings = {case: found.get(rule.metric, MISSING) for case, found in table.items()}
    counts = Counter(_status(reading, rule) for reading in readings.values())
    applicable = len(table) - counts["not_applicable"]
    kinds = (("failed", "judge calls failed"), ("unreadable", "cases have no usable score"))
    sentences = [_unscored_sentence(kind, words, readings, applicable) for kind, words in kinds]
    return MetricResult(rule, dict(counts), [f"{rule.metric}: {text}" for text in sentences if text])


def _status(reading: Reading, rule: MetricRule) -> str:
    if reading.is_unscored or reading.kind == "not_applicable":
        return "unscored" if reading.is_unscored else "not_applicable"
    return "pass" if reaches(reading.score, rule.threshold) else "fail"


def _unscored_sentence(kind: str, words: str, readings: dict[str, Reading], of: int) -> str:
    """Such as "5 of 5 judge calls failed (rate limit 4, timeout 1): x0, x1, x2, x3, x4"."""
    cases = [case for case, reading in readings.items() if reading.kind == kind]
    if not cases:
        return ""
    causes = Counter(readings[case].reason for case in cases)
    ranked = sorted(causes.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{printable(cause, 80)} {count}" for cause, count in ranked[:5])
    more = f", {len(ranked) - 5} more causes" if len(ranked) > 5 else ""
    return f"{len(cases)} of {of} {words} ({shown}{more}): {listed(cases)}"


def _measured(cases: list[CaseResult], metrics: list[MetricResult], config: Config) -> list[Reason]:
    if not cases:
        return [Reason(NOT_MEASURED, "no cases were found")]
    statuses = Counter(case.status for case in cases)
    rest = len(cases) - statuses["not_applicable"]
    scored = rest - statuses["unscored"]
    if not rest:
        return [Reason(NOT_MEASURED, f"no gate is applicable to any of the {len(cases)} cases")]
    # Nothing scored is never a pass, not even under a min_scored_share of 0.
    if scored and reaches(scored / rest, config.min_scored_share):
        return []
    why = [sentence for metric in metrics if metric.rule.is_gate for sentence in metric.unscored]
    share = f"{scored} of {rest} cases are scored, {_asked(config.min_scored_share)}"
    return [Reason(NOT_MEASURED, "; ".join([*why, share]))]


def _reached(cases: list[CaseResult], config: Config) -> list[Reason]:
    passed = sum(case.status == "pass" for case in cases)
    scored = passed + sum(case.status == "fail" for case in cases)
    if not scored or reaches(passed / scored, config.min_pass_rate):
        return []
    return [Reason(BELOW, f"{passed} of {scored} scored cases pass, {_asked(config.min_pass_rate)}")]


def _asked(share: float) -> str:
    return f"the config asks for a share of {share:.12g}"


def _applicability(
    config: Config, scores: Scores, names: dict[str, str], options: Options, today: date
) -> Applicability:
    found = Applicability([], [], [])
    _check_expiry(config, today, found)
    _check_state(config, options, found)
    for rule in config.metrics:
        claims = [claim for metric, claim in scores.evaluators if metric is None or names.get(metric) == rule.metric]
        _check_evaluator(rule, [claim for claim in claims if claim], bool(scores.rows), options, found)
        _count_silent_rows(rule, scores, names, found)
    if config.unread:
        found.unchecked.append(f"keys of the config that this gate does not know: {listed(config.unread)}")
    return found


def _check_expiry(config: Config, today: date, found: Applicability) -> None:
    if config.expires is None:
        found.unchecked.append("expiry: the config names no date")
    elif today > config.expires:
        found.reasons.append(Reason(DOES_NOT_APPLY, f"the calibration expired on {config.expires}; calibrate again"))


def _check_state(config: Config, options: Options, found: Applicability) -> None:
    if config.state is None:
        found.unchecked.append("state: the config does not say whether its calibration is trusted")
    elif config.state == "inconclusive" and options.allow_inconclusive:
        found.overrides.append("--allow-inconclusive: the calibration is inconclusive")
    elif config.state != "trusted":
        way_out = "; --allow-inconclusive would let it through" if config.state == "inconclusive" else ""
        found.reasons.append(Reason(DOES_NOT_APPLY, f"the calibration is {config.state}{way_out}"))


def _check_evaluator(
    rule: MetricRule, claims: list[Evaluator], has_cases: bool, options: Options, found: Applicability
) -> None:
    """Every evaluator that the file names for this metric must agree on each field that both sides know."""
    if not rule.evaluator.keys() - {"metric"}:
        found.unchecked.append(f"evaluator of {rule.metric}: the config names none")
        return
    compared = [compare_evaluators(rule.evaluator, claim) for claim in claims]
    for text in dict.fromkeys(text for comparison in compared for text in comparison.differing):
        _object_to(rule, f"{rule.metric}: {text}", found)
    unchecked = sorted({name for comparison in compared for name in comparison.unchecked})
    if unchecked:
        found.unchecked.append(f"evaluator of {rule.metric}, known to one side only: {listed(unchecked)}")
    if has_cases and not any(comparison.equal or comparison.differing for comparison in compared):
        _miss_evaluator(rule, options, found)


def _count_silent_rows(rule: MetricRule, scores: Scores, names: dict[str, str], found: Applicability) -> None:
    """A row that names the evaluator speaks for those that name none; how many those are is said."""
    if not rule.evaluator.keys() - {"metric"}:
        return
    if any(metric is None or names.get(metric) == rule.metric for metric in scores.named_for_all):
        return
    rows = [row for row in scores.rows if row.metric is None or names.get(row.metric) == rule.metric]
    scored = [row for row in rows if row.reading.kind == "scored"]
    silent = sum(not row.names_evaluator for row in scored)
    if silent and any(row.names_evaluator for row in rows):
        found.unchecked.append(f"evaluator of {rule.metric}: {silent} of {len(scored)} scored rows name none")


def _miss_evaluator(rule: MetricRule, options: Options, found: Applicability) -> None:
    known = listed([f"{name} {value}" for name, value in sorted(rule.evaluator.items()) if name != "metric"])
    if options.assume_evaluator:
        found.overrides.append(f"--assume-evaluator: the scores of {rule.metric} are taken for those of {known}")
    else:
        _object_to(
            rule,
            f"{rule.metric}: the scores name no evaluator to compare with the calibration's ({known}); "
            "name it in the file, or take it for granted with --assume-evaluator",
            found,
        )


def _object_to(rule: MetricRule, text: str, found: Applicability) -> None:
    """Monitors are reported, never block."""
    if rule.is_gate:
        found.reasons.append(Reason(DOES_NOT_APPLY, text))
    else:
        found.unchecked.append(f"monitor {text}")


def _unknown_names(scores: Scores, names: dict[str, str]) -> list[str]:
    others = sorted({row.metric for row in scores.rows if row.metric is not None} - names.keys())
    return [f"metrics in the scores that the config does not name: {listed(others)}"] if others else []
