"""A name that no address could hold is refused where it is given, and everything made under a name has a page."""

from __future__ import annotations

import unicodedata

import pytest
from django.urls import reverse

from cases.importers import ImportOptions
from cases.models import Project, Sample
from cases.services import (
    InvalidNameError,
    ProjectError,
    SampleError,
    create_project,
    draw_new_sample,
    implicit_sample,
    import_file,
    resolve_sample,
    valid_name,
)
from labeling.models import QuestionSet, Round
from labeling.services import LabelingError, annotator_for, default_question_set, open_round
from labeling.services.questions import OVERALL, save_question_set
from tests.cast import imported, person, project_of_lena, row, write_jsonl

BAD = [
    "",
    "  ",
    ".",
    "..",
    "a/b",
    "a\\b",
    "a\nb",
    "a\tb",
    "a\x00b",
    "a\x7f",
    "a\u2028b",
    "a\u202eb",
    "\ud800",
    "n" * 121,
]


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_a_name(name):
    with pytest.raises(InvalidNameError, match=r"\w+ \w+"):
        valid_name(name)


@pytest.mark.parametrize("name", ["tea", "trà sữa", "v1.2", "...", "a b?#%&", "n" * 120, "नमस्ते", "a\u200db"])
def test_what_can_be(name):
    assert valid_name(f"  {unicodedata.normalize('NFD', name)} ") == unicodedata.normalize("NFC", name)


def too_long(made):
    fields = [field for field in made._meta.concrete_fields if getattr(field, "max_length", None)]
    return [field.name for field in fields if len(getattr(made, field.attname)) > field.max_length]


@pytest.fixture
def project(db):
    return project_of_lena()[0]


@pytest.mark.parametrize("name", BAD)
def test_nothing_is_made_under_such_a_name(project, tmp_path, name):
    version = imported(project, tmp_path, [row("a")])
    path, lena = write_jsonl(tmp_path / "f.jsonl", [row("a")]), person("alice", project)
    with pytest.raises(InvalidNameError):
        import_file(project=project, dataset_name=name, path=path, options=ImportOptions())
    with pytest.raises(SampleError):
        draw_new_sample(version=version, name=name, design="simple", size=1, seed=1)
    with pytest.raises(ProjectError):
        create_project(name)
    with pytest.raises(LabelingError):
        save_question_set(project, name, [OVERALL])
    if name.strip():  # a round without a name is called as its sample
        with pytest.raises(LabelingError):
            open_round(
                project=project,
                sample=implicit_sample(version),
                question_set=default_question_set(project),
                annotators=[annotator_for(project, lena)],
                name=name,
            )
    assert list(project.datasets.values_list("name", flat=True)) == ["tea"]
    assert not Sample.objects.drawn().exists()
    assert (Project.objects.count(), Round.objects.count()) == (1, 0)
    assert not QuestionSet.objects.exclude(name="overall").exists()


def test_the_longest_name_leaves_room_for_what_is_put_behind_it(project, tmp_path):
    name = "n" * 120
    version = imported(project, tmp_path, [row("a", language="l" * 16, system="s" * 120)], name)
    whole = implicit_sample(version)
    annotator = annotator_for(project, person("alice", project))
    asked = default_question_set(project)
    rounds = [open_round(project=project, sample=whole, question_set=asked, annotators=[annotator]) for _ in range(2)]
    drawn = draw_new_sample(version=version, name="drawn", design="stratified", size=1, seed=1)
    # Held against the columns themselves: SQLite would store any length.
    assert [too_long(made) for made in (whole, *rounds, drawn.items.get())] == [[]] * 4
    assert whole.name == f"{name} v1 (all)"


def test_a_name_is_found_by_its_other_spelling(project, tmp_path):
    imported(project, tmp_path, [row("a")], "trà")
    assert resolve_sample(project, unicodedata.normalize("NFD", " trà ")).version.dataset.name == "trà"


def test_a_long_project_name_has_a_slug_that_fits_and_two_of_them_differ(db):
    first, second = create_project("long " * 24), create_project("long " * 24)
    assert first.slug != second.slug
    assert too_long(first) + too_long(second) == []


def test_a_description_that_does_not_fit_is_refused_not_cut(client, db):
    root = person("boss")
    root.is_superuser = True
    root.save()
    client.force_login(root)
    page = client.post(reverse("project-new"), {"name": "tea", "description": "d" * 301}, follow=True)
    assert "301 letters; 300 fit" in page.content.decode()
    assert not Project.objects.exists()


@pytest.mark.parametrize("name", ["a/b", "..", "a\\b"])
def test_the_forms_say_it_beside_the_field(client, db, tmp_path, name):
    project, lena = project_of_lena()
    imported(project, tmp_path, [row("a")])
    client.force_login(lena)
    draw = {"name": name, "design": "simple", "size": 1, "seed": 1, "purpose": "calibrate"}
    page = client.post(reverse("cases:draw", args=[project.slug, "tea"]), draw)
    assert "name" in page.context["form"].errors
    with (tmp_path / "tea.jsonl").open("rb") as file:
        page = client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": name})
    assert "dataset" in page.context["form"].errors
