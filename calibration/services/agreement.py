"""How far the annotators of a sample agree: the document that the page draws and the API answers."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from calibration.services.calibrations import metric_of
from cases.models import Project, Sample
from cases.services import SampleError, resolve_sample
from labeling.models import Round
from labeling.services import label_metrics

#: How many rounds and datasets are looked through for labels when none is named.
FEW = 5


def sample_asked(project: Project, name: str) -> tuple[Sample | None, str]:
    """The named sample, else one that people have labeled, the newest first; or in words why there is none."""
    if name:
        try:
            return resolve_sample(project, name), ""
        except SampleError as error:
            return None, str(error)
    if not project.datasets.exists():
        return None, _("There are no cases in this project yet, so nobody has labeled any.")
    there = _likely_samples(project)
    return next((sample for sample in there if label_metrics(sample)), there[0]), ""


def _likely_samples(project: Project) -> list[Sample]:
    rounds = Round.objects.filter(project=project, is_training=False).select_related("sample").order_by("-pk")
    names = project.datasets.stored().order_by("-pk").values_list("name", flat=True)
    return [*(each.sample for each in rounds[:FEW]), *(resolve_sample(project, name) for name in names[:FEW])]


def agreement_document(sample: Sample, metric: str | None, judge_annotator: str | None = None) -> dict[str, Any]:
    """All figures of the annotators of a sample on one metric; also what the API answers."""
    from calibration.agreements import label_agreement
    from calibration.frames import label_table

    found = metric_of(sample, metric)
    document = label_agreement(label_table(sample, found), judge_annotator=judge_annotator)
    return {"sample": sample.name, "metric": found, **document}
