"""What judges said, read back: rows for the layer above, counts for pages. Each in a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Max

from cases.models import Case, Sample
from cases.records import content_hash
from evaluation.metrics import METRICS
from evaluation.models import EvaluatorVersion, Score, ScoreQuerySet, ScoreState
from evaluation.strips import severe


class ScoreRow(NamedTuple):
    """One case under one evaluator, its repeats taken together. ``value`` is None unless it is scored."""

    case_id: int
    value: float | None
    state: str
    reason: str


@dataclass
class Tally:
    """How one evaluator did on a sample. Unscored and not applicable cases are in no mean and no median."""

    evaluator: EvaluatorVersion
    unscored: int = 0
    not_applicable: int = 0
    counts: dict[float, int] = field(default_factory=lambda: defaultdict(int))  # score -> cases

    @property
    def scored(self) -> int:
        return sum(self.counts.values())

    @property
    def severe(self) -> int:
        """Scores at or under the stated cut."""
        return severe(self.counts)

    @property
    def mean(self) -> float | None:
        return sum(value * n for value, n in self.counts.items()) / self.scored if self.counts else None

    @property
    def median(self) -> float | None:
        if not self.counts:
            return None
        low, high = (self._ranked((self.scored - 1) // 2), self._ranked(self.scored // 2))
        return (low + high) / 2

    def _ranked(self, rank: int) -> float:
        """The score at this place of all, counted from 0 and the lowest."""
        passed = 0
        for value in sorted(self.counts):
            passed += self.counts[value]
            if passed > rank:
                return value
        raise IndexError(rank)

    def add(self, state: str, value: float | None, cases: int) -> None:
        if state == ScoreState.SCORED and value is not None:
            self.counts[value] += cases
        elif state == ScoreState.UNSCORED:
            self.unscored += cases
        else:
            self.not_applicable += cases


def score_rows(sample: Sample, evaluator: EvaluatorVersion) -> list[ScoreRow]:
    """What counts for each judged case of the sample, in the sample's order; a case never asked about has no row.

    Repeats are averaged. A case of which a repeat is unscored is unscored: a mean over fewer is another evaluator's.
    """
    stored = Score.objects.that_count().of_sample(sample).filter(evaluator=evaluator)
    ordered = stored.order_by("case__rows__sample_items__position", "repeat")
    by_case: dict[int, list[ScoreRow]] = defaultdict(list)
    for entry in ordered.values_list("case_id", "value", "state", "reason"):
        by_case[entry[0]].append(ScoreRow(*entry))
    return [_taken_together(repeats, evaluator.repeats) for repeats in by_case.values()]


def _taken_together(rows: Sequence[ScoreRow], needed: int) -> ScoreRow:
    for state in (ScoreState.UNSCORED, ScoreState.NOT_APPLICABLE):
        if said := next((row for row in rows if row.state == state), None):
            return said
    if len(rows) < needed:
        return ScoreRow(rows[0].case_id, None, ScoreState.UNSCORED, f"{len(rows)} of {needed} repeats are judged")
    if len(rows) == 1:
        return rows[0]
    values = [row.value for row in rows if row.value is not None]
    return rows[0]._replace(value=sum(values) / len(values))


def scores_hash(sample: Sample, evaluator: EvaluatorVersion) -> str:
    """SHA-256 over the scores that count, by the cases' own ids: the same scores give the same hash anywhere."""
    cases = Case.objects.of_sample(sample).values_list("pk", "external_id", "system")
    names = {pk: [external_id, system] for pk, external_id, system in cases}
    return content_hash(sorted([*names[row.case_id], row.state, row.value] for row in score_rows(sample, evaluator)))


def evaluators_for(sample: Sample) -> list[Tally]:
    """Every evaluator that said something of the sample, with its counts, by metric and judge."""
    return _tallies(Score.objects.that_count().of_sample(sample))


def tally_of(sample: Sample, evaluator: EvaluatorVersion) -> Tally:
    """The counts of one evaluator on the sample; zeros before it said anything."""
    found = _tallies(Score.objects.that_count().of_sample(sample).filter(evaluator=evaluator))
    return found[0] if found else Tally(evaluator)


def _tallies(scores: ScoreQuerySet) -> list[Tally]:
    grouped = scores.values("evaluator", "state", "value")
    counted = list(grouped.annotate(cases=Count("pk"), last=Max("repeat")).order_by())
    evaluators = EvaluatorVersion.objects.select_related("project").in_bulk({each["evaluator"] for each in counted})
    tallies = {pk: Tally(evaluator) for pk, evaluator in evaluators.items()}
    repeated = {each["evaluator"] for each in counted if each["last"] or evaluators[each["evaluator"]].repeats > 1}
    for each in counted:
        if each["evaluator"] not in repeated:
            tallies[each["evaluator"]].add(each["state"], each["value"], each["cases"])
    if repeated:
        _add_repeated(scores, {pk: tallies[pk] for pk in repeated})
    return sorted(tallies.values(), key=_page_order)


def _page_order(tally: Tally) -> tuple[int, str, str, int]:
    """Metrics as they are listed everywhere, others after them by name."""
    known = list(METRICS)
    evaluator = tally.evaluator
    place = known.index(evaluator.metric) if evaluator.metric in known else len(known)
    return place, evaluator.metric, evaluator.judge, evaluator.pk


def _add_repeated(scores: ScoreQuerySet, tallies: dict[int, Tally]) -> None:
    """Count cases whose repeats have to be taken together first: these alone are read row by row."""
    by_case: dict[tuple[int, int], list[ScoreRow]] = defaultdict(list)
    stored = scores.filter(evaluator__in=tallies).order_by("repeat")
    for evaluator, case, value, state, reason in stored.values_list(
        "evaluator_id", "case_id", "value", "state", "reason"
    ):
        by_case[evaluator, case].append(ScoreRow(case, value, state, reason))
    for (evaluator, _), rows in by_case.items():
        together = _taken_together(rows, tallies[evaluator].evaluator.repeats)
        tallies[evaluator].add(together.state, together.value, 1)
