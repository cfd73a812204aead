"""All figures of agreement for a set of raters, or for a judge and people, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from calibration.statistics import agreement as coefficients
from calibration.statistics import sentences as say
from calibration.statistics.agreement import Distance, Figure, count_table, pair_table
from calibration.statistics.intervals import Rate, rate, whole
from calibration.statistics.passing import Floats
from calibration.statistics.resampling import Design

VERDICTS: tuple[Hashable, ...] = ("fail", "pass")

LabelCounts = dict[str, dict[Hashable, float]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """``base_rates``: how often each rater used each label, among the cases used."""

    raw: Rate
    kappa: Figure
    ac1: Figure
    alpha: Figure
    agreement_on_fail: Rate
    both_fail: float
    cases_used: int
    cases_left_out: tuple[str, ...]
    label_counts: LabelCounts
    pairs: tuple[dict[str, Any], ...] = ()

    @property
    def base_rates(self) -> LabelCounts:
        return {rater: _shares(counts) for rater, counts in self.label_counts.items()}

    @property
    def explanation(self) -> str:
        """Why kappa is low though agreement is high, or ""."""
        return coefficients.explain_low_kappa(self.raw.value, self.kappa.value, _shares(self._totals()), self.both_fail)

    @property
    def advice(self) -> str:
        """What would make the undefined figures defined, or ""."""
        used = [label for label, count in self._totals().items() if count]
        if len(used) != 1:
            return ""
        if used[0] == "pass":
            return say.EVERY_LABEL_PASS
        return say.tell(say.EVERY_LABEL, label=used[0])

    def _totals(self) -> dict[Hashable, float]:
        totals: Counter[Hashable] = Counter()
        for counts in self.label_counts.values():
            totals.update(counts)
        return dict(totals)

    def to_dict(self) -> dict[str, Any]:
        figures = {name: getattr(self, name).to_dict() for name in ("kappa", "ac1", "alpha")}
        return {
            "raw": _defined(self.raw),
            **figures,
            "agreement_on_fail": _defined(self.agreement_on_fail),
            "both_fail": whole(self.both_fail),
            "cases_used": self.cases_used,
            "cases_left_out": list(self.cases_left_out),
            "label_counts": {
                rater: {label: whole(n) for label, n in of.items()} for rater, of in _by_text(self.label_counts).items()
            },
            "base_rates": _by_text(self.base_rates),
            "explanation": self.explanation,
            "advice": self.advice,
            **({"pairs": list(self.pairs)} if self.pairs else {}),
        }


def rater_agreement(
    labels: Mapping[str, Sequence[Hashable | None]],
    case_ids: Sequence[str],
    *,
    categories: Sequence[Hashable] | None = None,
    distance: Distance = "nominal",
    scale: Sequence[float] | None = None,
    design: Design | None = None,
) -> Agreement:
    """Agreement of two raters or more over whole labels, any of them missing (None).

    Kappa is Cohen's for two raters and Fleiss's for more, where ``pairs`` holds each pair on its own.
    """
    counts, names = count_table(labels, categories)
    if len(labels) < 2:
        return _too_few_raters(labels, case_ids, names)
    design = design or Design(len(case_ids))
    used = counts.sum(axis=1) >= 2
    columns = list(labels.values())
    table = pair_table(columns[0], columns[1], names) if len(columns) == 2 else None
    return Agreement(
        raw=_raw_rate(counts, used, design, len(labels)),
        kappa=coefficients.fleiss_kappa(counts) if table is None else coefficients.cohen_kappa(table),
        ac1=coefficients.gwet_ac1(counts) if table is None else coefficients.pair_ac1(table),
        alpha=coefficients.krippendorff_alpha(counts, distance=distance, scale=scale),
        agreement_on_fail=_fail_rate(counts, names, used, design, len(labels)),
        both_fail=_all_failed(counts, names, used),
        cases_used=int(used.sum()),
        cases_left_out=tuple(case for case, is_used in zip(case_ids, used, strict=True) if not is_used),
        label_counts=_label_counts(labels, names, used),
        pairs=_pairs(labels, case_ids, names, design) if len(labels) > 2 else (),
    )


def _too_few_raters(
    labels: Mapping[str, Sequence[Hashable | None]], case_ids: Sequence[str], names: list[Hashable]
) -> Agreement:
    """One annotator, or none: no figure is defined, and each says why."""
    why = say.ONE_ANNOTATOR if labels else say.NO_ANNOTATOR
    undefined = Rate(None, None, None, why, 0.0, 0.0)
    return Agreement(
        raw=undefined,
        kappa=Figure(None, why, "Cohen"),
        ac1=Figure(None, why, "Gwet"),
        alpha=Figure(None, why, distance="nominal"),
        agreement_on_fail=undefined,
        both_fail=0.0,
        cases_used=0,
        cases_left_out=tuple(case_ids),
        label_counts=_label_counts(labels, names, np.zeros(len(case_ids), dtype=bool)),
    )


def verdict_agreement(
    human_pass: Floats, judge_pass: Floats, design: Design, left_out: Sequence[str] = ()
) -> Agreement:
    """Agreement of a judge's verdicts with people's, which may be soft labels and carry design weights."""
    human, judge = (np.column_stack([1 - side, side]) for side in (human_pass, judge_pass))
    table = (human * design.weights[:, None]).T @ judge
    either = 1 - human_pass * judge_pass
    both = (1 - human_pass) * (1 - judge_pass)
    alpha = _verdict_alpha(human + judge, design)
    return Agreement(
        raw=rate((human * judge).sum(axis=1), np.ones(design.n), design),
        kappa=coefficients.cohen_kappa(table),
        ac1=coefficients.pair_ac1(table),
        alpha=alpha,
        agreement_on_fail=rate(both, either, design, absent=say.NOBODY_FAILED),
        both_fail=float(both.sum()),
        cases_used=design.n,
        cases_left_out=tuple(left_out),
        label_counts={
            name: dict(zip(VERDICTS, map(float, side.sum(axis=0)), strict=True))
            for name, side in (("human", human), ("judge", judge))
        },
    )


def _verdict_alpha(counts: Floats, design: Design) -> Figure:
    if design.soft or design.weight is not None:
        why = say.SOFT_ALPHA if design.soft else say.WEIGHTED_ALPHA
        return Figure(None, say.tell(say.NOT_DEFINED, reason=why), distance="nominal")
    return coefficients.krippendorff_alpha(counts)


def _raw_rate(counts: Floats, used: Any, design: Design, raters: int) -> Rate:
    agree = np.zeros(len(counts))
    agree[used] = coefficients._agreeing(counts[used])
    return _without_interval(rate(agree, used.astype(float), design, absent=say.NO_PAIRS), raters)


def _fail_rate(counts: Floats, names: list[Hashable], used: Any, design: Design, raters: int) -> Rate:
    absent = say.NO_FAIL_AMONG_PAIRS if used.any() else say.NO_PAIRS
    if "fail" not in names:
        return Rate(None, None, None, say.tell(say.NOT_DEFINED, reason=absent), 0.0, 0.0)
    fails, place = counts[:, names.index("fail")], used.astype(float)
    all_failed = place * (fails == counts.sum(axis=1))
    return _without_interval(rate(all_failed, place * (fails > 0), design, absent=absent), raters)


def _without_interval(value: Rate, raters: int) -> Rate:
    if raters == 2 or value.value is None:
        return value
    return replace(value, low=None, high=None, method=say.MANY_RATERS)


def _all_failed(counts: Floats, names: list[Hashable], used: Any) -> float:
    if "fail" not in names:
        return 0.0
    return float((used & (counts[:, names.index("fail")] == counts.sum(axis=1))).sum())


def _label_counts(labels: Mapping[str, Sequence[Hashable | None]], names: list[Hashable], used: Any) -> LabelCounts:
    return {
        rater: {name: float(sum(u and label == name for u, label in zip(used, column, strict=True))) for name in names}
        for rater, column in labels.items()
    }


def _pairs(
    labels: Mapping[str, Sequence[Hashable | None]], case_ids: Sequence[str], names: list[Hashable], design: Design
) -> tuple[dict[str, Any], ...]:
    """Each two of them, over the same cases and so under the same design."""
    found = []
    for one, other in combinations(labels, 2):
        pair = rater_agreement({one: labels[one], other: labels[other]}, case_ids, categories=names, design=design)
        kept = ("raw", "kappa", "ac1", "agreement_on_fail", "cases_used")
        found.append({"raters": [one, other], **{name: pair.to_dict()[name] for name in kept}})
    return tuple(found)


def _shares(counts: Mapping[Hashable, float]) -> dict[Hashable, float]:
    total = sum(counts.values())
    return {label: count / total for label, count in counts.items()} if total else {}


def _by_text(counts: LabelCounts) -> dict[str, dict[str, float]]:
    return {rater: {str(label): count for label, count in of.items()} for rater, of in counts.items()}


def _defined(value: Rate) -> dict[str, Any]:
    return {**value.to_dict(), "reason": value.method if value.value is None else ""}
