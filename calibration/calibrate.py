"""Where human verdicts and a judge's scores meet: a table in, a threshold with its evidence out. No Django."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration.report import report_text
from calibration.statistics import sentences as say
from calibration.statistics.certificate import Certificate, certify
from calibration.statistics.costs import Costs, Recommendation, recommend
from calibration.statistics.crossval import Nested, nested
from calibration.statistics.curves import Curve, error_curve
from calibration.statistics.document import at_threshold, curve_data, headline, optimal_intervals, tidy, to_text
from calibration.statistics.intervals import MIN_GROUPS, whole
from calibration.statistics.passing import passes
from calibration.statistics.raters import verdict_agreement
from calibration.statistics.stability import Stability, stability
from calibration.statistics.state import state_of
from calibration.statistics.usable import Usable, usable_cases

if TYPE_CHECKING:
    import pandas

SCHEMA = "workbench.calibration/1"
HASHES = ("dataset_hash", "sample_hash", "label_hash", "questions_hash", "scores_hash")
HALF = 0.5
#: More reasons than this for unusable scores are not read by anybody.
MOST_REASONS = 4


@dataclass(frozen=True, slots=True)
class Calibration:
    """A finished calibration. ``document`` is plain data, at 12 significant digits, without a clock."""

    document: dict[str, Any]

    @property
    def recommended_threshold(self) -> float | None:
        threshold: float | None = self.document["recommended_threshold"]
        return threshold

    @property
    def state(self) -> str:
        return str(self.document["state"])

    def to_json(self) -> str:
        """The document as JSON: the same input gives the same bytes."""
        return to_text(self.document)

    def report(self) -> str:
        """The figures in a page of plain text."""
        return report_text(self.document)


def calibrate(
    table: pandas.DataFrame,
    *,
    cost_false_pass: float | None = None,
    cost_false_fail: float | None = None,
    metric: str = "",
    human_metric: str | None = None,
    judge: str = "",
    rule: str | None = None,
    seed: int = 0,
    certify: float | None = None,
    confidence: float = 0.95,
    labels_blind: bool = False,
    exploratory: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> Calibration:
    """Find the cheapest threshold of a judge on cases that people ruled on.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per case: ``human_pass`` (1.0, 0.0, a fraction for a soft label, NaN for none), ``score`` (NaN for
        unscored); optionally ``case_id, weight, group, stratum, blind, undecided, unscored_reason, not_applicable,
        judge_prompted, excluded_reason, system``. The order of the rows changes nothing.
    cost_false_pass, cost_false_fail : float, optional
        Both 1, with a warning, when neither is given; the other is 1 when only one is.
    certify : float, optional
        Ask for a certificate that the false-pass rate is at most this, with ``confidence``.
    labels_blind : bool
        Asserts that labels of unknown origin were given blind; the document records it.
    exploratory : bool
        False only when rule and costs are known to have been stored before the labels were.
    provenance : mapping, optional
        ``evaluator`` (a mapping), the hashes of the contract, ``calibration`` (the name that export takes).

    Raises
    ------
    ValueError
        For a missing column, a cost below 0, an alpha or confidence outside (0, 1), or unknown provenance.
    """
    origin = _checked(provenance or {})
    costs = _costs(cost_false_pass, cost_false_fail)
    cases = usable_cases(table, seed=seed, labels_blind=labels_blind)
    are_stated = cost_false_pass is not None or cost_false_fail is not None
    found = _Findings.of(cases, costs, certify, confidence)
    differ = human_metric is not None and metric not in ("", human_metric)
    warnings = _warnings(cases, are_stated, table, (str(human_metric), metric) if differ else None)
    document = {
        "schema": SCHEMA,
        "metric": metric,
        "human_metric": human_metric or metric,
        "rule": rule,
        "evaluator": {"judge": judge, "metric": metric, **origin.get("evaluator", {})},
        "costs": {"false_pass": costs.false_pass, "false_fail": costs.false_fail, "stated": are_stated},
        "seed": seed,
        **{name: origin.get(name) for name in HASHES},
        **_counts(cases),
        "labels_blind": {"asserted": labels_blind, "found": sorted(cases.blind)},
        **found.figures(costs),
        **_undecided_bounds(table, seed, found.threshold_shown, cases),
        **found.verdict(),
        "exploratory": exploratory,
        "warnings": [text for _, text in warnings],
        "warning_codes": [code for code, _ in warnings],
        "calibration": origin.get("calibration"),
    }
    return Calibration(tidy(document))


@dataclass(frozen=True, slots=True)
class _Findings:
    cases: Usable
    curve: Curve
    choice: Recommendation
    nested: Nested
    certificate: Certificate | None
    stability: Stability

    @classmethod
    def of(cls, cases: Usable, costs: Costs, alpha: float | None, confidence: float) -> _Findings:
        curve = error_curve(cases.human, cases.score, cases.design.weight)
        choice = _with_cause(recommend(curve, costs), cases)
        return cls(
            cases,
            curve,
            choice,
            nested(cases.human, cases.score, cases.design, costs),
            None if alpha is None else _certificate(cases, alpha, confidence, choice),
            _stability(cases, curve, choice, costs),
        )

    @property
    def threshold_shown(self) -> float:
        """Where the headline and the agreement are read: the recommended threshold, else one half."""
        return HALF if self.choice.threshold is None else self.choice.threshold

    def figures(self, costs: Costs) -> dict[str, Any]:
        cases, shown, recommended = self.cases, self.threshold_shown, self.choice.threshold
        judge = passes(cases.score, shown).astype(np.float64)
        agreement = verdict_agreement(cases.human, judge, cases.design, cases.left_out)
        at_shown = at_threshold(cases, self.curve, costs, shown)
        return {
            "headline": {"threshold": shown, **headline(cases, shown)},
            "agreement": {"threshold": shown, **agreement.to_dict()},
            "cost": {"false_pass": costs.false_pass, "false_fail": costs.false_fail},
            "optimal_intervals": optimal_intervals(cases, self.choice),
            "recommended_threshold": recommended,
            "reason": self.choice.reason,
            "reason_code": self.choice.code,
            "at_recommended": None if recommended is None else at_shown,
            "at_half": at_threshold(cases, self.curve, costs, HALF),
            "curve": {**curve_data(cases, self.curve), "stability": self.stability.to_dict()},
            "nested": self.nested.to_dict(),
            **({} if self.certificate is None else {"certificate": self.certificate.to_dict()}),
        }

    def verdict(self) -> dict[str, Any]:
        state, reasons = state_of(self.cases, self.choice, self.nested, self.certificate)
        return {"state": state, "state_reasons": reasons}


def _with_cause(choice: Recommendation, cases: Usable) -> Recommendation:
    """Where unusable scores hide one of the verdicts, or nearly all cases, they are the cause that is named."""
    unscored = sum(cases.unscored.values())
    is_hidden = choice.code == "one_class" and cases.both_verdicts
    are_most = choice.code in ("no_cases", "one_class", "one_value") and unscored > cases.n
    if not unscored or not (is_hidden or are_most):
        return choice
    cause = say.tell(say.UNUSABLE_SCORES, count=unscored, of=unscored + cases.n, reasons=_told(cases.unscored))
    return replace(choice, code="unusable_scores", cause=cause)


def _told(tally: dict[str, int]) -> str:
    """The reasons with their counts, the most frequent first."""
    if len(tally) == 1:
        return next(iter(tally))
    often = sorted(tally, key=lambda reason: (-tally[reason], reason))
    shown = {reason: tally[reason] for reason in often[:MOST_REASONS]}
    if rest := sum(tally.values()) - sum(shown.values()):
        shown[say.OTHER_REASONS] = rest
    return "; ".join(say.tell(say.REASON_COUNTED, reason=reason, count=count) for reason, count in shown.items())


def _checked(provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    if unknown := set(provenance) - {"evaluator", "calibration", *HASHES}:
        raise ValueError(f"unknown provenance: {', '.join(sorted(unknown))}")
    return provenance


def _costs(false_pass: float | None, false_fail: float | None) -> Costs:
    return Costs(1.0 if false_pass is None else false_pass, 1.0 if false_fail is None else false_fail)


def _certificate(cases: Usable, alpha: float, confidence: float, choice: Recommendation) -> Certificate:
    # Rounded: 1 - 0.95 is 0.05000000000000004, and that must not decide whether 59 cases are enough.
    return certify(
        cases.human,
        cases.score,
        cases.design,
        alpha=alpha,
        delta=round(1 - confidence, 12),
        are_blind=cases.blind <= {"yes"},
        recommended=choice.threshold,
    )


def _stability(cases: Usable, curve: Curve, choice: Recommendation, costs: Costs) -> Stability:
    if choice.threshold is None:
        return Stability(reason=choice.reason)
    best = curve.candidate(choice.threshold)
    return stability(cases.human, cases.score, cases.design, curve, costs, best)


def _counts(cases: Usable) -> dict[str, Any]:
    return {
        "n": cases.n,
        "n_human_pass": whole(float(cases.human.sum())),
        "n_human_fail": whole(float((1 - cases.human).sum())),
        "unscored": sum(cases.unscored.values()),
        "undecided": cases.undecided,
        "excluded": [{"reason": reason, "count": count} for reason, count in cases.excluded.items()],
        "groups": None if cases.design.group is None else cases.design.groups,
    }


def _undecided_bounds(table: pandas.DataFrame, seed: int, threshold: float, cases: Usable) -> dict[str, Any]:
    """The headline with every undecided case as a fail, and with every one as a pass."""
    if not cases.undecided:
        return {}
    as_fails, as_passes = (usable_cases(table, seed=seed, undecided_as=verdict) for verdict in (0.0, 1.0))
    return {
        "headline_undecided_as_fails": headline(as_fails, threshold),
        "headline_undecided_as_passes": headline(as_passes, threshold),
    }


def _warnings(
    cases: Usable, costs_are_stated: bool, table: pandas.DataFrame, metrics: tuple[str, str] | None
) -> list[tuple[str, str]]:
    """Codes and sentences; ``metrics`` are what people were asked and what the judge scores, where these differ."""
    design, found = cases.design, [] if costs_are_stated else [("costs_not_stated", say.COSTS_NOT_STATED)]
    if metrics:
        found.append(("metrics_differ", say.tell(say.METRICS_DIFFER, asked=metrics[0], scored=metrics[1])))
    found += [("table", str(text)) for text in table.attrs.get("warnings", ())]
    if cases.undecided:
        found.append(("undecided", say.counted(say.UNDECIDED_LEFT_OUT, cases.undecided)))
    if cases.unscored:
        found.append(
            ("unscored", say.counted(say.UNSCORED, sum(cases.unscored.values()), reasons=_told(cases.unscored)))
        )
    if design.group is not None and design.groups < MIN_GROUPS:
        found.append(("few_groups", say.counted(say.FEW_GROUPS, design.groups)))
    if design.weight is not None:
        effective = f"{design.effective_n(np.ones(cases.n)):.1f}"
        found.append(("weighted", say.counted(say.WEIGHTED, cases.n, effective=effective)))
    if design.soft:
        found.append(("soft_labels", say.SOFT_LABELS))
    return found
