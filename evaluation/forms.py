"""The form that starts a run."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.access import blind_cases
from cases.models import Case, Project, User
from cases.services import resolve_sample
from evaluation.judges import JUDGES
from evaluation.metrics import METRICS
from evaluation.models import EvaluatorVersion, Run
from evaluation.names import metric_name
from evaluation.services import EvaluatorError, evaluator_version, recorded_evaluators, start_run
from evaluation.services.versions import REPLAY

JUDGE_NAMES = {
    "overlap": _("Overlap (words in common)"),
    "replay": _("Replay (a recorded judge)"),
}

JUDGE_HELP = {
    "overlap": _("Counts words in common: no model, no key, no cost, and weak. It misses paraphrase and negation."),
    "replay": _("Repeats recorded verdicts and scores of a named judge; cases without a recording stay unscored."),
}


class RunForm(forms.Form):
    """Which sample, by which metric and judge. ``start`` makes the run, or leaves its refusal on the form."""

    sample = forms.ChoiceField(
        label=_("Sample"), help_text=_("A dataset's name means all cases of its newest version.")
    )
    metric = forms.ChoiceField(label=_("Metric"))
    judge = forms.ChoiceField(label=_("Judge"), help_text=_("Overlap needs no model and costs nothing. It is weak."))
    recorded = forms.ChoiceField(label=_("Recorded judge"), required=False, help_text=_("Only for replay."))
    fresh = forms.BooleanField(
        label=_("Judge every case again"), required=False, help_text=_("Otherwise only cases without a score.")
    )

    def __init__(self, project: Project, *args: Any, viewer: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.viewer = project, viewer
        recorded = sorted({each.judge for each in self._recorded() if each.metric in METRICS})
        judges = [name for name in JUDGES if recorded or name != REPLAY]
        self._choices("sample", [(name, name) for name in _sample_names(project)])
        self._choices("metric", [(name, metric_name(name)) for name in METRICS])
        self._choices("judge", [(name, JUDGE_NAMES.get(name, name)) for name in judges])
        self._choices("recorded", [("", "–"), *((name, name) for name in recorded)])
        if not recorded:
            del self.fields["recorded"]

    def _recorded(self) -> list[EvaluatorVersion]:
        """The imported judges, but for those known only by cases that the viewer is to label blind."""
        hidden = blind_cases(self.viewer, Case.objects.filter(dataset__project=self.project))
        return recorded_evaluators(self.project, hidden)

    def _choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def start(self, user: Any) -> Run | None:
        """The run, or None with the reason among the form's errors."""
        data = self.cleaned_data
        try:
            recorded = data.get("recorded", "") if data["judge"] == REPLAY else ""
            evaluator = evaluator_version(
                self.project, data["metric"], data["judge"], recorded=recorded, among=self._recorded()
            )
            sample = resolve_sample(self.project, data["sample"])
            return start_run(sample, evaluator, user, fresh=data["fresh"])
        except EvaluatorError as error:
            self.add_error(None, str(error))
            return None


def _sample_names(project: Project) -> list[str]:
    """Datasets and samples, the newest first; a dataset's own whole sample is named by the dataset."""
    datasets = list(project.datasets.stored().order_by("-pk").values_list("name", flat=True))
    samples = project.samples.drawn().order_by("-pk").values_list("name", flat=True)
    return list(dict.fromkeys([*datasets, *samples]))
