"""A project with its cast, and a way to make a sample of cases and scores in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from cases.models import Case, Dataset, DatasetRow, DatasetVersion, Project, Sample, User
from cases.records import LabelRecord, Record, ScoreRecord, TestCase
from cases.services import create_project, grant, implicit_sample
from cases.services.units import ensure_units_of_many
from evaluation.services import store_imported_scores

Batch = list[tuple[Case, Record]]


@pytest.fixture
def lena(db) -> User:
    return User.objects.create_user("lena", password="a long enough word")


@pytest.fixture
def project(lena: User) -> Project:
    return create_project("Help desk", user=lena)


@pytest.fixture
def alice(project: Project) -> User:
    user = User.objects.create_user("alice", password="a long enough word")
    grant(project, user, "annotator")
    return user


@pytest.fixture
def chuck(db) -> User:
    return User.objects.create_user("chuck", password="a long enough word")


@pytest.fixture
def make_sample(project: Project) -> Callable[..., Sample]:
    """``make_sample(case, case, ..., name="desk")``: a dataset of these cases, as the sample "all"."""

    def make(*cases: TestCase, name: str = "desk") -> Sample:
        dataset = Dataset.objects.create(project=project, name=name)
        version = DatasetVersion.objects.create(dataset=dataset, number=1, content_hash=name)
        for position, case in enumerate(cases):
            DatasetRow.objects.create(
                version=version, case=_stored(dataset, case), position=position, row_hash=case.row_hash()
            )
        return implicit_sample(version)

    return make


def _stored(dataset: Dataset, case: TestCase) -> Case:
    return Case.objects.create(
        dataset=dataset,
        external_id=case.id,
        system=case.system,
        input=case.input,
        actual_output=case.actual_output,
        expected_output=case.expected_output,
        retrieval_context=None if case.retrieval_context is None else list(case.retrieval_context),
        judged_hash=case.judged_hash(),
    )


def a_case(name: str, answer: str | None = "Returns take 14 days.", **fields: object) -> TestCase:
    """A case that every metric applies to, unless a field is taken away."""
    given = {
        "input": "How long do returns take?",
        "expected_output": "Returns take 14 days.",
        "retrieval_context": ("Returns take 14 days from delivery.",),
    }
    return TestCase(id=name, actual_output=answer, **(given | fields))  # type: ignore[arg-type]


def cases_of(sample: Sample) -> list[Case]:
    return [item.row.case for item in sample.items.select_related("row__case").order_by("position")]


def a_batch(sample: Sample, *scores: ScoreRecord, labels: Sequence[LabelRecord] = ()) -> Batch:
    """What an importer hands on: the sample's cases with those scores that name them."""
    return [
        (
            case,
            Record(
                line=1,
                case=TestCase(id=case.external_id),
                scores=tuple(score for score in scores if score.case_id == case.external_id),
            ),
        )
        for case in cases_of(sample)
    ]


def said(case_id: str, score: float | None = None, *, judge: str = "careful", **fields: object) -> ScoreRecord:
    return ScoreRecord(case_id, judge, str(fields.pop("metric", "faithfulness")), score=score, **fields)  # type: ignore[arg-type]


@pytest.fixture
def hear(project: Project) -> Callable[..., int]:
    """``hear(sample, said("a", .5), ...)``: import these scores; how many were new or changed."""
    return lambda sample, *scores: store_imported_scores(project, a_batch(sample, *scores))["scores"]


def make_units(sample: Sample) -> None:
    ensure_units_of_many([item.row for item in sample.items.select_related("row__case")])
