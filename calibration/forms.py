"""What a lead asks of a calibration, as a form: by GET, so that every view of it has an address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, QueryDict
from django.utils.translation import gettext_lazy as _

from calibration import services
from cases.access import blind_cases, hidden_samples, may_see_scores
from cases.models import Case, Project, Sample, User
from cases.services import SampleError, resolve_sample
from evaluation.models import EvaluatorVersion, Score
from labeling.models import Verdict
from labeling.rules import RuleError, parse_rule

#: Thresholds lie in [0, 1]; beyond this they are no slip.
FARTHEST = 1000.0

#: Rules over verdicts. Those over grades follow from the grades there are; any other is typed on the command line.
RULES = ("majority", "strictest")
#: A scale with more levels than this is a measure, not a list of grades to choose from.
MOST_LEVELS = 10


class AskForm(forms.Form):
    """Names as they are typed on the command line. ``sample`` and ``evaluator`` are found while cleaning."""

    sample = forms.CharField(label=_("Sample or dataset"))
    metric = forms.CharField(label=_("Metric"), required=False)
    judge = forms.CharField(label=_("Judge"), required=False)
    human_metric = forms.CharField(label=_("What people were asked"), required=False)
    rule = forms.CharField(label=_("People's verdict by"), required=False)
    cost_false_pass = forms.FloatField(label=_("A false pass costs"), required=False, min_value=0)
    cost_false_fail = forms.FloatField(label=_("A false fail costs"), required=False, min_value=0)
    certify = forms.FloatField(
        label=_("Certify a false pass rate of at most"),
        required=False,
        min_value=0.0001,
        max_value=0.9999,
        help_text=_("Such as 0.05. Empty: none."),
    )
    confidence = forms.FloatField(label=_("With confidence"), required=False, min_value=0.0001, max_value=0.9999)
    seed = forms.IntegerField(label=_("Seed"), required=False, min_value=0, max_value=2**31)
    labels_blind = forms.BooleanField(
        label=_("I assert that imported labels were given blind"), required=False, help_text=_("It is recorded.")
    )
    threshold = forms.FloatField(required=False, min_value=-FARTHEST, max_value=FARTHEST, widget=forms.HiddenInput)
    reason = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)  # of a threshold that is chosen

    found_sample: Sample
    found_evaluator: EvaluatorVersion

    def __init__(self, *args: Any, project: Project, viewer: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.viewer = project, viewer
        for field in self.fields.values():
            if isinstance(field, forms.FloatField):
                field.widget.attrs["step"] = "any"

    def clean_rule(self) -> str:
        try:
            return str(parse_rule(self.cleaned_data["rule"])) if self.cleaned_data["rule"] else ""
        except RuleError as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("cost_false_pass") == 0 == cleaned.get("cost_false_fail"):
            raise forms.ValidationError(_("Both costs are 0: then every threshold is as good as any other."))
        if "sample" not in cleaned:
            return cleaned
        try:
            self.found_sample = resolve_sample(self.project, cleaned["sample"])
            if not may_see_scores(self.viewer, self.project, Case.objects.of_sample(self.found_sample)):
                raise Http404  # before a refusal names the judges there are
            self.found_evaluator = services.resolve_evaluator(
                self.project, self.found_sample, cleaned.get("metric") or None, cleaned.get("judge") or None
            )
        except (SampleError, services.CalibrationError) as error:
            raise forms.ValidationError(str(error)) from error
        return cleaned

    def ask(self) -> services.Ask:
        said = self.cleaned_data
        return services.ask_for(
            self.found_sample,
            self.found_evaluator,
            human_metric=said["human_metric"] or None,
            rule=said["rule"] or None,
            cost_false_pass=said["cost_false_pass"],
            cost_false_fail=said["cost_false_fail"],
            seed=said["seed"] or 0,
            certify=said["certify"],
            confidence=0.95 if said["confidence"] is None else said["confidence"],
            labels_blind=said["labels_blind"],
        )


def read_threshold(query: QueryDict) -> float | None:
    """The threshold that an address asks for; None for none, and for what is no threshold."""
    try:
        threshold = float(query.get("threshold", ""))
    except ValueError:
        return None
    return threshold if abs(threshold) <= FARTHEST else None  # NaN is within nothing


def choices(project: Project, viewer: User) -> dict[str, list[str]]:
    """What there is to choose from, by the name of the field. Nothing of cases that the viewer is to label blind."""
    hidden = blind_cases(viewer, Case.objects.filter(dataset__project=project))
    evaluators = EvaluatorVersion.objects.filter(project=project, scores__isnull=False).beside(hidden).distinct()
    verdicts = Verdict.objects.filter(label__case__dataset__project=project).exclude(label__case__in=hidden)
    asked = verdicts.values_list("metric", flat=True)
    return {
        "sample": [
            *project.datasets.stored().order_by("name").values_list("name", flat=True),
            *project.samples.drawn().order_by("name").values_list("name", flat=True),
        ],
        "metric": sorted({each.metric for each in evaluators}),
        "judge": sorted({each.judge for each in evaluators}),
        "human_metric": sorted(set(asked.distinct())),
        "rule": [*RULES, *(f"median>={level:g}" for level in _levels(verdicts)[1:])],
    }


def _levels(verdicts: QuerySet[Verdict]) -> list[float]:
    """The grades of the declared scales and those that were given, the lowest first: with it every case passes."""
    graded = verdicts.filter(grade__isnull=False)
    levels: set[float] = set()
    for grade, low, high in graded.values_list("grade", "scale_low", "scale_high").distinct():
        levels.update(() if grade is None else (grade,))
        if low is not None and high is not None and high - low < MOST_LEVELS and float(low).is_integer():
            levels.update(low + step for step in range(int(high - low) + 1))
    return sorted(levels)[: MOST_LEVELS + 1]


def suggestion(project: Project, viewer: User) -> dict[str, Any]:
    """What to begin with: the last frozen request, else a judge of something that people were asked too."""
    hidden = blind_cases(viewer, Case.objects.filter(dataset__project=project))
    seen = project.calibrations.exclude(sample__in=hidden_samples(viewer, project.samples.all()))
    last = seen.select_related("sample", "evaluator").first()
    if last is not None and last.sample is not None and last.evaluator is not None:
        named = {"sample": last.sample.name, "metric": last.metric, "judge": last.evaluator.judge}
        return {**{name: _as_typed(value) for name, value in last.request.items()}, **named}
    asked = Verdict.objects.filter(label__case__dataset__project=project).values("metric")
    scored = Score.objects.filter(evaluator__project=project, evaluator__metric__in=asked).order_by("evaluator")
    score = scored.exclude(case__in=hidden).select_related("evaluator", "case__dataset").first()
    if score is None:
        return {}
    return {
        "sample": score.case.dataset.name,
        "metric": score.evaluator.metric,
        "judge": score.evaluator.judge,
    }


def _as_typed(value: Any) -> Any:
    """5.0 as the 5 that was typed."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
