"""Which evaluator is meant by a metric and a judge's name, and what to say when none or several are."""

from __future__ import annotations

from django.utils.translation import gettext as _

from cases.models import Project, Sample
from evaluation.models import EvaluatorVersion
from evaluation.services import evaluators_for

#: The shortest start of a fingerprint that is taken for one.
MARK_LENGTH = 6


class CalibrationError(ValueError):
    """What was asked for cannot be calibrated: one sentence that says what can.

    ``flag`` is what answers it on the command line, where a page has a field; ``code`` is for who acts on it.
    """

    def __init__(self, sentence: str, *, flag: str = "", code: str = "") -> None:
        super().__init__(sentence)
        self.flag, self.code = flag, code

    @property
    def with_flag(self) -> str:
        return f"{self} ({self.flag})" if self.flag else str(self)


def resolve_evaluator(project: Project, sample: Sample, metric: str | None, judge: str | None) -> EvaluatorVersion:
    """The evaluator that scored the sample: by metric, and by its judge's name or the start of its fingerprint."""
    there = [tally.evaluator for tally in evaluators_for(sample)]
    fits = [each for each in there if (not metric or each.metric == metric) and (not judge or _is_called(each, judge))]
    if len(fits) == 1:
        return fits[0]
    raise CalibrationError(_which(sample, there, fits, metric, judge))


def _is_called(evaluator: EvaluatorVersion, name: str) -> bool:
    judge, _at, mark = name.rpartition("@")
    if judge and evaluator.judge == judge:
        return evaluator.fingerprint.startswith(mark)
    return evaluator.judge == name or (len(name) >= MARK_LENGTH and evaluator.fingerprint.startswith(name))


def _which(
    sample: Sample, there: list[EvaluatorVersion], fits: list[EvaluatorVersion], metric: str | None, judge: str | None
) -> str:
    if not there:
        return _("No judge has scored a case of “%(sample)s” so far.") % {"sample": sample.name}
    if not fits:
        return _nobody(sample, there, metric, judge)
    return _("Several judges have scored %(sample)s: %(there)s. Say which, by metric and judge.") % {
        "sample": sample.name,
        "there": names_of(fits),
    }


def _nobody(sample: Sample, there: list[EvaluatorVersion], metric: str | None, judge: str | None) -> str:
    """Which of the two names is wrong, or that both are right and never met."""
    words = {"sample": sample.name, "there": names_of(there), "metric": metric, "judge": judge}
    has_metric = not metric or any(each.metric == metric for each in there)
    has_judge = not judge or any(_is_called(each, judge) for each in there)
    if has_metric and has_judge:
        return _("“%(judge)s” has not scored “%(metric)s” of %(sample)s. There are: %(there)s.") % words
    if has_judge:
        return _("No judge has scored the metric “%(metric)s” of %(sample)s. There are: %(there)s.") % words
    if has_metric:
        return _("No judge called “%(judge)s” has scored %(sample)s. There are: %(there)s.") % words
    return _("%(sample)s has no scores by “%(judge)s” and none of “%(metric)s”. There are: %(there)s.") % words


def names_of(evaluators: list[EvaluatorVersion]) -> str:
    return "; ".join(f"{each.metric}: {judge_name(each, evaluators)}" for each in evaluators)


def judge_name(evaluator: EvaluatorVersion, among: list[EvaluatorVersion]) -> str:
    """The judge's name, with the start of the fingerprint where another version bears the same."""
    same = [each for each in among if (each.metric, each.judge) == (evaluator.metric, evaluator.judge)]
    return evaluator.judge if len(same) < 2 else f"{evaluator.judge}@{evaluator.fingerprint[:8]}"
