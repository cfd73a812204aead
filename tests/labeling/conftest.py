"""A help desk of a few cases, and the fixed cast: Alice and Bob label, Lena leads, Chuck has no access."""

from __future__ import annotations

import uuid

import pytest

from cases.models import Case, Dataset, DatasetRow, DatasetVersion, Membership, Project, Role, Sample, User
from cases.services import implicit_sample
from labeling import services
from labeling.models import Round, Slot

PASSWORD = "tea-pot-lid-9"


@pytest.fixture
def project(db) -> Project:
    return Project.objects.create(slug="desk", name="Help desk")


def person(project: Project | None, name: str, role: str = Role.ANNOTATOR) -> User:
    user = User.objects.create_user(name, password=PASSWORD)
    if project is not None:
        Membership.objects.create(project=project, user=user, role=role)
    return user


@pytest.fixture
def alice(project) -> User:
    return person(project, "alice")


@pytest.fixture
def bob(project) -> User:
    return person(project, "bob")


@pytest.fixture
def carol(project) -> User:
    return person(project, "carol")


@pytest.fixture
def lena(project) -> User:
    return person(project, "lena", Role.LEAD)


@pytest.fixture
def chuck(db) -> User:
    return person(None, "chuck")


def make_sample(project: Project, ids: list[str], name: str = "desk", **fields) -> Sample:
    """A dataset with these case ids, as the sample of all its cases."""
    dataset = Dataset.objects.create(project=project, name=name)
    version = DatasetVersion.objects.create(dataset=dataset, number=1, content_hash=name)
    said = {
        "input": "Can I return a sale item?",
        "actual_output": "Sale items can be returned within 14 days. We pay the shipping.",
        "expected_output": "Yes, within 14 days. You pay the shipping.",
        "retrieval_context": ["Sale items can be returned within 14 days.", "Gift cards last 24 months."],
        **fields,
    }
    cases = Case.objects.bulk_create(Case(dataset=dataset, external_id=each, judged_hash=each, **said) for each in ids)
    DatasetRow.objects.bulk_create(
        DatasetRow(version=version, case=case, position=position) for position, case in enumerate(cases)
    )
    return implicit_sample(version)


@pytest.fixture
def sample(project) -> Sample:
    return make_sample(project, ["t-1", "t-2", "t-3"])


def make_round(sample: Sample, people: list[User], *, questions: str = "overall", **options) -> Round:
    return services.open_round(
        project=sample.project,
        sample=sample,
        question_set=services.default_question_set(sample.project, questions),
        annotators=[services.annotator_for(sample.project, user) for user in people],
        **{"overlap": len(people), **options},
    )


@pytest.fixture
def round_(sample, alice, bob) -> Round:
    return make_round(sample, [alice, bob])


def seat(round_: Round, user: User):
    return services.annotator_for(round_.project, user)


def take(round_: Round, user: User) -> Slot:
    slot = services.next_slot(round_, seat(round_, user))
    assert slot is not None
    return slot


def say(slot: Slot, user: User, word: str = "pass", **options):
    """Submit ``word`` for every question that the case is asked."""
    given = [services.GivenVerdict(question.key, word) for question in services.asked_questions(slot)]
    return services.submit_label(
        slot=slot,
        annotator=seat(slot.round, user),
        verdicts=options.pop("verdicts", given),
        client_id=options.pop("client_id", uuid.uuid4()),
        lease_token=options.pop("lease_token", slot.lease_token),
        **options,
    )


def label_all(round_: Round, user: User, words: dict[str, str], **options) -> None:
    """The person works the queue to its end, saying the word for each case id."""
    while slot := services.next_slot(round_, seat(round_, user)):
        say(slot, user, words[slot.case.external_id], **options)
