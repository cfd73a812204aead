"""Question sets: ready-made ones, and versions of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils.translation import gettext_noop

from cases.models import Project, User
from cases.records import content_hash
from cases.services import audit, valid_name
from labeling.models import Question, QuestionSet
from labeling.services.errors import LabelingError


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """One question before it is stored. English source texts are translated where they are shown."""

    key: str
    title: str
    guideline: str
    unit_kind: str = ""
    grades: tuple[float, ...] = ()
    needs_expected: bool = False


OVERALL = QuestionDraft(
    "overall",
    gettext_noop("Overall"),
    gettext_noop("Would you send this answer as it is?"),
)
FAITHFULNESS = QuestionDraft(
    "faithfulness",
    gettext_noop("Faithfulness"),
    gettext_noop("Do the chunks support every claim?"),
    unit_kind="claim",
)
ANSWER_RELEVANCY = QuestionDraft(
    "answer_relevancy",
    gettext_noop("Answer relevancy"),
    gettext_noop("Does it answer what was asked? Its truth is not the point here."),
)
CONTEXTUAL_RELEVANCY = QuestionDraft(
    "contextual_relevancy",
    gettext_noop("Contextual relevancy"),
    gettext_noop("Do most of the chunks speak to the question?"),
    unit_kind="chunk",
)
CONTEXTUAL_RECALL = QuestionDraft(
    "contextual_recall",
    gettext_noop("Contextual recall"),
    gettext_noop("Do the chunks hold all that the expected answer says?"),
    unit_kind="expected",
    needs_expected=True,
)
CONTEXTUAL_PRECISION = QuestionDraft(
    "contextual_precision",
    gettext_noop("Contextual precision"),
    gettext_noop("Are the chunks that help ranked above those that do not?"),
    unit_kind="chunk",
    needs_expected=True,
)
#: The overall verdict comes first in each: it is asked on its own.
TEMPLATES = {
    "overall": (OVERALL,),
    "triad": (OVERALL, FAITHFULNESS, ANSWER_RELEVANCY, CONTEXTUAL_RELEVANCY),
    "five": (
        OVERALL,
        FAITHFULNESS,
        ANSWER_RELEVANCY,
        CONTEXTUAL_RELEVANCY,
        CONTEXTUAL_RECALL,
        CONTEXTUAL_PRECISION,
    ),
}


def default_question_set(project: Project, kind: str = "overall") -> QuestionSet:
    """The ready-made set of that kind, as its newest version in the project."""
    if kind not in TEMPLATES:
        raise LabelingError(f"there is no question set {kind!r} ready-made; there are {', '.join(TEMPLATES)}")
    return save_question_set(project, kind, TEMPLATES[kind])


@transaction.atomic
def save_question_set(
    project: Project, name: str, questions: Sequence[QuestionDraft], *, user: User | None = None
) -> QuestionSet:
    """The newest version of ``name`` when it has these questions, else a new version with them."""
    name = valid_name(name, LabelingError)
    digest = content_hash([asdict(question) for question in questions])
    newest = project.question_sets.filter(name=name).order_by("-version").first()
    if newest is not None and newest.content_hash == digest:
        return newest
    version = newest.version + 1 if newest else 1
    saved = QuestionSet.objects.create(project=project, name=name, version=version, content_hash=digest)
    Question.objects.bulk_create(
        Question(question_set=saved, position=position, **{**asdict(each), "grades": list(each.grades)})
        for position, each in enumerate(questions)
    )
    audit(project, user, "save question set", saved)
    return saved


def find_question_set(project: Project, name: str) -> QuestionSet:
    """A ready-made kind, or the newest version of one of the project's own."""
    if name in TEMPLATES:
        return default_question_set(project, name)
    found = project.question_sets.filter(name=name).order_by("-version").first()
    if found is None:
        own = sorted(set(project.question_sets.values_list("name", flat=True)) - set(TEMPLATES))
        raise LabelingError(f"there is no question set {name!r}. There are: {', '.join([*TEMPLATES, *own])}.")
    return found
