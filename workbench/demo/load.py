"""Bring the demo project in: through the same services as anybody's data, into a project of its own."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction

from calibration.services import ask_for, freeze, resolve_evaluator
from cases.importers import ImportOptions
from cases.models import DatasetVersion, Design, Project, Role, User
from cases.services import audit, create_project, draw_sample, grant, implicit_sample, import_file
from evaluation.services import evaluator_version, start_run
from labeling.models import Annotator, Label
from labeling.services import default_question_set, open_round
from workbench.demo import CASES
from workbench.environment import kept_secret

SLUG = "demo"
DATASET = "helpdesk"
#: Name, first name, role. Lena is administrator too, so that she can open projects for own data.
CAST = (("lena", "Lena", Role.LEAD), ("alice", "Alice", Role.ANNOTATOR), ("bob", "Bob", Role.ANNOTATOR))
#: What the demo says mistakes cost: a bad answer let through hurts five times as much as a good one stopped.
COST_FALSE_PASS, COST_FALSE_FAIL = 5.0, 1.0


def password_file() -> Path:
    return Path(settings.WORKBENCH_HOME) / "demo_password"


def load_demo() -> Project:
    """The demo project, loaded if it is not there: all of it, or nothing."""
    existing = Project.objects.filter(slug=SLUG, is_demo=True).first()
    return existing or _load()


@transaction.atomic
def _load() -> Project:
    project = create_project(
        "Vành Khuyên help desk", slug=SLUG, description="Answers riders in English and Vietnamese."
    )
    project.is_demo = True
    project.save(update_fields=["is_demo"])
    people = {name: _person(project, name, first, role) for name, first, role in CAST}
    import_file(project=project, dataset_name=DATASET, path=CASES, options=ImportOptions(), into_demo=True)
    for name in ("alice", "bob"):
        Annotator.objects.filter(project=project, name=name).update(user=people[name])
    version = project.datasets.get(name=DATASET).latest
    assert version is not None
    _open_round(version, people["lena"])
    _start_live_judge(version, people["lena"])
    _calibrate(version, people["lena"])
    audit(project, people["lena"], "load demo")
    return project


def _person(project: Project, name: str, first_name: str, role: str) -> User:
    user, is_new = User.objects.get_or_create(username=name, defaults={"first_name": first_name})
    if is_new:
        user.set_password(kept_secret(password_file(), length=12))
        user.is_superuser = role == Role.LEAD
        user.save()
    grant(project, user, role)
    return user


def _open_round(version: DatasetVersion, lead: User) -> None:
    """The cases nobody has labeled yet, given to both annotators."""
    labeled = Label.objects.filter(case__dataset=version.dataset).values("case")
    row_ids = list(version.rows.exclude(case__in=labeled).order_by("position").values_list("pk", flat=True))
    sample = draw_sample(
        version=version,
        name="helpdesk, to label",
        design=Design.STRATIFIED,
        row_ids=row_ids,
        probabilities=[1.0] * len(row_ids),
        strata=["not labeled yet"] * len(row_ids),
        seed=7,
        gaps=["Cases that already carry labels: none of them was drawn."],
    )
    project = version.dataset.project
    open_round(
        project=project,
        sample=sample,
        question_set=default_question_set(project, kind="triad"),
        annotators=list(Annotator.objects.filter(project=project, name__in=("alice", "bob"))),
        overlap=2,
        name="First round",
        seed=7,
        user=lead,
    )


def _start_live_judge(version: DatasetVersion, lead: User) -> None:
    """A run of the lexical judge, left to the worker: the demo's live judge."""
    sample = implicit_sample(version)
    evaluator = evaluator_version(version.dataset.project, metric="faithfulness", judge="overlap")
    start_run(sample=sample, evaluator=evaluator, user=lead)


def _calibrate(version: DatasetVersion, lead: User) -> None:
    sample = implicit_sample(version)
    evaluator = resolve_evaluator(version.dataset.project, sample, "faithfulness", "careful-judge")
    ask = ask_for(sample, evaluator, rule="majority", cost_false_pass=COST_FALSE_PASS, cost_false_fail=COST_FALSE_FAIL)
    freeze(sample, evaluator, ask, user=lead)


@transaction.atomic
def remove_demo(project: Project) -> None:
    """Delete the demo project and its annotators, unless they work elsewhere. Lena stays: who else could sign in?"""
    if not project.is_demo:
        raise ValueError(f"{project.slug} is not the demo project")
    project.delete()
    User.objects.filter(username__in=("alice", "bob"), memberships__isnull=True, is_superuser=False).delete()
