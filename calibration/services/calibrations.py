"""The verbs of this app: compute a calibration, freeze it, say what has changed since, find it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from calibration import models
from calibration.services.choosing import CalibrationError
from calibration.services.marks import label_marks
from cases.given import small_int
from cases.models import Project, Sample, User
from cases.records import content_hash
from cases.services import ProjectError, audit, find_project
from evaluation.models import EvaluatorVersion
from evaluation.services import scores_hash
from labeling.models import Round
from labeling.rules import parse_rule
from labeling.services import label_hash, label_metrics

if TYPE_CHECKING:
    import pandas

    from calibration.calibrate import Calibration

#: Hashes and marks already looked up, by what, of which sample, of which metric or evaluator.
Known = dict[tuple[str, int, str], Any]

NOBODY_LABELED, REASON_NEEDED = "nobody_labeled", "reason_needed"
DEFAULT_RULE = "majority"
CACHE_SECONDS = 3600


@dataclass(frozen=True)
class Ask:
    """What is asked for, beside sample and evaluator: kept with a frozen calibration, enough to compute it again."""

    human_metric: str
    rule: str
    cost_false_pass: float | None = None
    cost_false_fail: float | None = None
    seed: int = 0
    certify: float | None = None
    confidence: float = 0.95
    labels_blind: bool = False


ASKED = frozenset(each.name for each in fields(Ask))


def ask_for(
    sample: Sample,
    evaluator: EvaluatorVersion,
    *,
    human_metric: str | None = None,
    rule: str | None = None,
    **rest: Any,
) -> Ask:
    """The request with what was left open filled in: the judge's own metric, the rule that the round stored."""
    metric = human_metric or _human_metric(sample, evaluator.metric)
    stored = Round.objects.filter(sample=sample, is_training=False).order_by("pk").values_list("rule", flat=True).last()
    return Ask(metric, str(parse_rule(rule or stored or DEFAULT_RULE)), **rest)


def _human_metric(sample: Sample, metric: str) -> str:
    there = list(label_metrics(sample))
    if metric in there or not there:
        return metric
    return there[0] if len(there) == 1 else metric


def metric_of(sample: Sample, metric: str | None) -> str:
    """The metric people were asked about: the one named, else the only one there is."""
    there = list(label_metrics(sample))
    if metric in there:
        return str(metric)
    if metric is None and len(there) == 1:
        return there[0]
    if metric is None and there:
        raise CalibrationError(
            _("People labeled several metrics here: %s. Say which.") % ", ".join(there), flag="--metric"
        )
    raise _nobody_said(sample, metric or "", flag="--metric")


def table_of(sample: Sample, evaluator: EvaluatorVersion, ask: Ask) -> pandas.DataFrame:
    from calibration.frames import calibration_table

    return calibration_table(sample, evaluator, human_metric=ask.human_metric, rule=parse_rule(ask.rule))


def compute(
    sample: Sample,
    evaluator: EvaluatorVersion,
    *,
    human_metric: str | None = None,
    rule: str | None = None,
    costs: tuple[float | None, float | None] = (None, None),
    **rest: Any,
) -> Calibration:
    """Calibrate the evaluator on what people said of the sample. ``rest``: seed, certify, confidence, labels_blind."""
    paid = {"cost_false_pass": costs[0], "cost_false_fail": costs[1]}
    return calibrated(
        sample, evaluator, ask_for(sample, evaluator, human_metric=human_metric, rule=rule, **paid, **rest)
    )


def calibrated(sample: Sample, evaluator: EvaluatorVersion, ask: Ask) -> Calibration:
    """The calibration of this request; the same labels, scores and request are computed once."""
    from calibration.calibrate import Calibration, calibrate

    hashes = _hashes(sample, evaluator, ask)
    key = "calibration-" + content_hash([evaluator.fingerprint, evaluator.judge, hashes, asdict(ask)])
    if found := cache.get(key):
        return Calibration(found)
    if ask.human_metric not in list(label_metrics(sample)):
        raise _nobody_said(sample, ask.human_metric, flag="--human-metric")
    rest = {name: value for name, value in asdict(ask).items() if name not in {"human_metric", "rule"}}
    result = calibrate(
        table_of(sample, evaluator, ask),
        metric=evaluator.metric,
        human_metric=ask.human_metric,
        judge=evaluator.judge,
        rule=ask.rule,
        provenance={"evaluator": described(evaluator), **hashes},
        **rest,
    )
    cache.set(key, result.document, CACHE_SECONDS)
    return result


def _nobody_said(sample: Sample, metric: str, *, flag: str) -> CalibrationError:
    there = list(label_metrics(sample))
    if not there:
        sentence = _("Nobody has labeled a case of “%(sample)s” so far.") % {"sample": sample.name}
        return CalibrationError(sentence, code=NOBODY_LABELED)
    sentence = _("Nobody was asked about “%(metric)s” here. There are labels on: %(there)s.")
    return CalibrationError(sentence % {"metric": metric, "there": ", ".join(there)}, flag=flag)


def _hashes(sample: Sample, evaluator: EvaluatorVersion, ask: Ask) -> dict[str, str | None]:
    asked = set(Round.objects.filter(sample=sample).values_list("question_set__content_hash", flat=True))
    return {
        "dataset_hash": sample.version.content_hash,
        "sample_hash": sample.content_hash,
        "label_hash": label_hash(sample, ask.human_metric),
        "questions_hash": asked.pop() if len(asked) == 1 else None,
        "scores_hash": scores_hash(sample, evaluator),
    }


def described(evaluator: EvaluatorVersion) -> dict[str, Any]:
    """The evaluator as a config names it."""
    return {
        **evaluator.description,
        "judge": evaluator.judge,
        "metric": evaluator.metric,
        "fingerprint": evaluator.fingerprint,
    }


@transaction.atomic
def freeze(
    sample: Sample,
    evaluator: EvaluatorVersion,
    ask: Ask,
    *,
    user: User | None = None,
    threshold: float | None = None,
    reason: str = "",
) -> models.Calibration:
    """Compute and keep the document byte for byte, under the next number of the project.

    A ``threshold`` that decides otherwise than the recommended one is kept as chosen, for a ``reason``. The same
    request over the same labels and scores is frozen once: asked again, the earlier one is returned.
    """
    project = Project.objects.select_for_update().get(pk=sample.project_id)
    result, choice = _chosen(sample, evaluator, ask, threshold, reason)
    request = {**asdict(ask), "label_marks": label_marks(sample, ask.human_metric), **choice}
    hashes = _hashes(sample, evaluator, ask)
    same = project.calibrations.filter(sample=sample, evaluator=evaluator, request=request)
    if earlier := same.filter(label_hash=hashes["label_hash"], scores_hash=hashes["scores_hash"]).first():
        return earlier
    number = (project.calibrations.aggregate(last=Max("number"))["last"] or 0) + 1
    result = replace(result, document={**result.document, "calibration": f"{evaluator.metric}-{number}"})
    frozen = models.Calibration.objects.create(
        project=project,
        sample=sample,
        evaluator=evaluator,
        number=number,
        metric=evaluator.metric,
        human_metric=ask.human_metric,
        request=request,
        snapshot=result.to_json(),
        state=result.state,
        label_hash=result.document["label_hash"],
        scores_hash=result.document["scores_hash"],
        user=user,
    )
    audit(project, user, "freeze calibration", frozen.name, sha256=frozen.sha256)
    return frozen


def _chosen(
    sample: Sample, evaluator: EvaluatorVersion, ask: Ask, threshold: float | None, reason: str
) -> tuple[Calibration, dict[str, Any]]:
    """The calibration with the choice, and the choice as part of the request; {} where none was made."""
    from calibration.chosen import is_choice, with_choice
    from calibration.statistics.document import tidy

    result = calibrated(sample, evaluator, ask)
    if threshold is None or not is_choice(result.document, threshold):
        return result, {}
    if not reason.strip():
        sentence = _("Say why it should be %(chosen)s and not the cheapest threshold, %(cheapest)s.")
        words = {"chosen": f"{threshold:.10g}", "cheapest": f"{result.recommended_threshold:.10g}"}
        raise CalibrationError(sentence % words, code=REASON_NEEDED)
    document = with_choice(result.document, at(sample, evaluator, ask, threshold), reason)
    return replace(result, document=tidy(document)), {"chosen": {"threshold": threshold, "reason": reason}}


def ask_of(calibration: models.Calibration) -> Ask:
    """What a frozen calibration was asked for."""
    return Ask(**{name: value for name, value in calibration.request.items() if name in ASKED})


def staleness(calibration: models.Calibration, known: Known | None = None) -> list[str]:
    """What has changed since it was frozen, a sentence each; empty while it stands.

    A list passes the same ``known`` for all its rows: calibrations of one sample then ask the database once.
    """
    sample, evaluator, metric = calibration.sample, calibration.evaluator, calibration.human_metric
    if sample is None or evaluator is None:
        return [_("Its sample or its judge has been removed, so it cannot be computed again.")]
    known = {} if known is None else known
    sentences = []
    if _once(known, label_hash, sample, metric) != calibration.label_hash:
        sentences.append(_labels_changed(calibration, _once(known, label_marks, sample, metric)))
    if _once(known, scores_hash, sample, evaluator) != calibration.scores_hash:
        sentences.append(
            _("Calibration %(name)s is stale: scores it rests on have changed. Its numbers stay as they were frozen.")
            % {"name": calibration.name}
        )
    return sentences


def _once(known: Known, ask: Callable[[Sample, Any], Any], sample: Sample, what: Any) -> Any:
    key = (ask.__name__, sample.pk, str(getattr(what, "pk", what)))
    if key not in known:
        known[key] = ask(sample, what)
    return known[key]


def _labels_changed(calibration: models.Calibration, now: Mapping[str, str]) -> str:
    before = calibration.request.get("label_marks", {})
    changed = sum(before.get(key) != now.get(key) for key in before.keys() | now.keys())
    return ngettext(
        "Calibration %(name)s is stale: %(n)s label changed since. Its numbers stay as they were frozen.",
        "Calibration %(name)s is stale: %(n)s labels changed since. Its numbers stay as they were frozen.",
        changed,
    ) % {"name": calibration.name, "n": changed}


def find_calibration(project: Project | str | None, name: str) -> models.Calibration | None:
    """The frozen calibration called ``faithfulness-3``, or number 3; None when there is none, or no such project."""
    try:
        found = find_project(project) if not isinstance(project, Project) else project
    except ProjectError:
        return None
    metric, _dash, number = str(name).rpartition("-")
    calibration = found.calibrations.filter(number=small_int(number) or 0).first()
    return calibration if calibration and metric in {"", calibration.metric} else None


def rates_at(sample: Sample, evaluator: EvaluatorVersion, ask: Ask, threshold: float) -> Mapping[str, Any]:
    """Both error rates at any threshold, with the interval of the design."""
    found = at(sample, evaluator, ask, threshold)
    return {name: found[name] for name in ("false_pass_rate", "false_fail_rate")}


def at(sample: Sample, evaluator: EvaluatorVersion, ask: Ask, threshold: float) -> dict[str, Any]:
    """Rates, counts, cost and headline at any threshold, from the cases themselves."""
    from calibration.statistics.costs import Costs
    from calibration.statistics.curves import error_curve
    from calibration.statistics.document import at_threshold, headline
    from calibration.statistics.usable import usable_cases

    cases = usable_cases(table_of(sample, evaluator, ask), seed=ask.seed, labels_blind=ask.labels_blind)
    given = (ask.cost_false_pass, ask.cost_false_fail)
    costs = Costs(*(1.0 if cost is None else cost for cost in given))
    curve = error_curve(cases.human, cases.score, cases.design.weight)
    return {**at_threshold(cases, curve, costs, threshold), **headline(cases, threshold)}
