"""What leads type in: a sample to draw, a file to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.given import SEEDS
from cases.import_preview import error_text
from cases.importers import CaseFileError, ImportOptions, parse_mapping, parse_words
from cases.models import Design, Purpose
from cases.records import Verdict
from cases.services import InvalidNameError, valid_name

Given = TypeVar("Given")
Read = TypeVar("Read")

RANDOM_DESIGNS = [(Design.SIMPLE, Design.SIMPLE.label), (Design.STRATIFIED, _("stratified by language and system"))]


class SampleForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    design = forms.ChoiceField(label=_("Drawn"), choices=RANDOM_DESIGNS)
    size = forms.IntegerField(label=_("Cases"), min_value=1, initial=100)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=SEEDS[0],
        max_value=SEEDS[1],
        initial=7,
        help_text=_("The same seed draws the same cases."),
    )
    purpose = forms.ChoiceField(label=_("For"), choices=Purpose.choices, initial=Purpose.CALIBRATE)

    def clean_name(self) -> str:
        return checked_name(self.cleaned_data["name"])


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"), help_text=_("JSONL, JSON or CSV. It is looked at before anything is stored.")
    )
    dataset = forms.CharField(label=_("Dataset"), max_length=120, help_text=_("A new name, or one to add to."))
    context_separator = forms.CharField(
        label=_("Separator between chunks"),
        max_length=10,
        required=False,
        strip=False,
        help_text=_("Only when a cell joins several chunks, for example with |."),
    )
    mapping = forms.CharField(
        label=_("Columns"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Only for columns with other names: one a line, like Question=input."),
    )
    words = forms.CharField(
        label=_("Label words"), required=False, help_text=_("Only for other words: good=pass,bad=fail.")
    )

    decimal = forms.ChoiceField(
        label=_("Decimal sign"),
        required=False,
        choices=[("", _("as found in the file")), (",", _("comma: 0,62")), (".", _("point: 0.62"))],
    )

    def clean_dataset(self) -> str:
        return checked_name(self.cleaned_data["dataset"])

    def clean_mapping(self) -> dict[str, str]:
        lines = [line.strip() for line in self.cleaned_data["mapping"].splitlines() if line.strip()]
        return _parsed(parse_mapping, lines)

    def clean_words(self) -> dict[str, Verdict]:
        return _parsed(parse_words, self.cleaned_data["words"])

    def options(self) -> ImportOptions:
        chosen = self.cleaned_data
        return ImportOptions(
            mapping=chosen["mapping"],
            words=chosen["words"],
            context_separator=chosen["context_separator"] or None,
            decimal=chosen["decimal"] or None,
        )


def checked_name(text: str) -> str:
    """The name as it is stored; what cannot be one is said beside its field."""
    try:
        return valid_name(text)
    except InvalidNameError as error:
        raise forms.ValidationError(str(error)) from error


def _parsed(parse: Callable[[Given], Read], text: Given) -> Read:
    try:
        return parse(text)
    except CaseFileError as error:
        raise forms.ValidationError(error_text(error)) from error
