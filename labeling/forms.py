"""What the pages of this app hand in."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, TypeVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.forms import checked_name
from cases.given import small_int, storable
from cases.models import Dataset, Project, User
from labeling.models import Question, RulingReason, VerdictWord
from labeling.rules import RuleError, parse_rule
from labeling.services import GivenUnitVerdict, GivenVerdict, LabelRefused
from labeling.services.questions import TEMPLATES
from labeling.words import UNIT_WORDS

F = TypeVar("F", bound=forms.Field)
#: Fields of the labeling form that are not the annotator's answer.
_FRAME = {"csrfmiddlewaretoken", "act", "based_on", "client_id", "lease_token", "seconds", "skip", "is_flagged"}


def form_fields(post: Mapping[str, Any]) -> dict[str, str]:
    """The answer as it stands in the form, to keep as a draft or to show again."""
    return {storable(key): storable(str(post[key])) for key in post if key not in _FRAME}


def read_label(fields: Mapping[str, str], questions: list[Question]) -> dict[str, Any]:
    """The form's fields as arguments of ``submit_label``."""
    verdicts, units = [], []
    for question in questions:
        word, grade = fields.get(f"v-{question.key}", ""), _number(fields.get(f"g-{question.key}", ""))
        if word or grade is not None:
            verdicts.append(GivenVerdict(question.key, word, grade))
        units += _units(fields, question)
    return {
        "verdicts": verdicts,
        "unit_verdicts": units,
        "critique": fields.get("critique", ""),
        "failure_mode": fields.get("failure_mode", ""),
    }


def _units(fields: Mapping[str, str], question: Question) -> list[GivenUnitVerdict]:
    prefix = f"u-{question.key}-{question.unit_kind}-"
    if question.unit_kind not in UNIT_WORDS:
        return []
    said = {small_int(key.removeprefix(prefix)): word for key, word in fields.items() if key.startswith(prefix)}
    return [
        GivenUnitVerdict(question.key, question.unit_kind, index, word)
        for index, word in said.items()
        if index is not None and word
    ]


def read_frame(post: Mapping[str, Any]) -> dict[str, Any]:
    """Which click, which revision, which lease, how long: the hidden fields of the form."""
    try:
        return {
            "client_id": uuid.UUID(str(post.get("client_id", ""))),
            "lease_token": uuid.UUID(str(post["lease_token"])) if post.get("lease_token") else None,
            "based_on": int(post.get("based_on") or 0),
            "seconds": _number(post.get("seconds", "")),
        }
    except ValueError as error:
        raise LabelRefused(_("The page sent something unreadable; reload it. Your draft is kept.")) from error


def _number(text: Any) -> float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < 1e6 else None


class People(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Numbers that no row can have are no choices, rather than an error of the database."""

    def clean(self, value: Any) -> Any:
        if beyond := [pk for pk in value or [] if small_int(str(pk)) is None]:
            raise forms.ValidationError(self.error_messages["invalid_choice"], params={"value": beyond[0][:40]})
        return super().clean(value)


class RoundForm(forms.Form):
    """A new round: what, which questions, by whom, how often, and how labels become a verdict."""

    sample = forms.ChoiceField(label=gettext_lazy("Cases"))
    questions = forms.ChoiceField(label=gettext_lazy("Questions"))
    annotators = People(User.objects.none(), label=gettext_lazy("Annotators"), widget=forms.CheckboxSelectMultiple)
    overlap = forms.IntegerField(label=gettext_lazy("Labels a case"), min_value=1, max_value=20, initial=2)
    rule = forms.CharField(
        label=gettext_lazy("How labels become a verdict"),
        initial="majority",
        help_text=gettext_lazy("majority, strictest, soft; for grades median>=3 or strictest>=3. A tie is undecided."),
    )
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120, required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = User.objects.filter(memberships__project=project).order_by("username")
        _field(self, "sample", forms.ChoiceField).choices = _sample_choices(project)
        _field(self, "questions", forms.ChoiceField).choices = _question_choices(project)
        _field(self, "annotators", forms.ModelMultipleChoiceField).queryset = people

    def clean_name(self) -> str:
        return checked_name(self.cleaned_data["name"]) if self.cleaned_data["name"].strip() else ""

    def clean_rule(self) -> str:
        try:
            return str(parse_rule(self.cleaned_data["rule"]))
        except RuleError as error:
            raise forms.ValidationError(str(error)) from error


def _field(form: forms.Form, name: str, kind: type[F]) -> F:
    found = form.fields[name]
    assert isinstance(found, kind)
    return found


def _sample_choices(project: Project) -> list[tuple[str, str]]:
    samples = project.samples.drawn().order_by("name")
    datasets = Dataset.objects.stored().filter(project=project).order_by("name").values_list("name", flat=True)
    return [(each.name, each.name) for each in samples] + [
        (name, _("all of %(dataset)s") % {"dataset": name}) for name in datasets
    ]


def _question_choices(project: Project) -> list[tuple[str, str]]:
    ready = {
        "overall": _("overall only"),
        "triad": _("overall and the RAG triad"),
        "five": _("overall and five metrics"),
    }
    own = project.question_sets.exclude(name__in=TEMPLATES).order_by("name").values_list("name", flat=True).distinct()
    return [(name, ready[name]) for name in TEMPLATES] + [(name, name) for name in own]


class RulingForm(forms.Form):
    """The adjudicator's word on one question of one case."""

    case = forms.IntegerField()
    metric = forms.CharField(max_length=60)
    verdict = forms.ChoiceField(choices=VerdictWord.choices)
    reason = forms.ChoiceField(choices=[("", ""), *RulingReason.choices], required=False)
    note = forms.CharField(required=False, max_length=4000)
