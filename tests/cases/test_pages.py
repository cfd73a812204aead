"""The pages of cases: what leads see, and that nobody else does."""

from __future__ import annotations

import re
from html import unescape
from unittest import mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DataError
from django.urls import reverse

from cases.models import ImportJob, Role
from cases.services import drain_imports, draw_new_sample, grant
from tests.cast import imported, person, project_of_lena, row, write_jsonl

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(client):
    project, lena = project_of_lena()
    client.force_login(lena)
    return client, project


def test_the_dataset_page_counts_cases_groups_and_empty_answers(lead, tmp_path):
    client, project = lead
    rows = [row("a", metadata={"group_id": "g1"}), row("b", metadata={"group_id": "g1"}), row("c", ""), row("d", None)]
    imported(project, tmp_path, rows)
    page = client.get(reverse("cases:dataset", args=[project.slug, "tea"])).content.decode()
    for words in ("4 cases", "1 group", "1 golden", "1 empty answer"):
        assert words in page


def test_searching_finds_by_id_question_and_answer(lead, tmp_path):
    client, project = lead
    imported(project, tmp_path, [row("kettle-1"), row("cup-2", "Rinse the kettle first."), row("cup-3")])
    page = client.get(reverse("cases:dataset", args=[project.slug, "tea"]), {"q": "kettle"})
    assert [each.case.external_id for each in page.context["rows"]] == ["kettle-1", "cup-2"]


def test_case_text_is_shown_as_written(lead, tmp_path):
    client, project = lead
    version = imported(project, tmp_path, [row("a", "<script>alert(1)</script> {{ 7*7 }} a & b")])
    page = client.get(reverse("cases:case", args=[project.slug, version.rows.get().pk])).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }} a &amp; b" in page


@pytest.mark.parametrize("role", [None, Role.ANNOTATOR, Role.ADJUDICATOR])
def test_only_leads_reach_the_cases(client, tmp_path, role):
    project, _ = project_of_lena()
    version = imported(project, tmp_path, [row("a")])
    chuck = person("chuck")
    if role:
        grant(project, chuck, role)
    client.force_login(chuck)
    for name, args in (("datasets", []), ("dataset", ["tea"]), ("case", [version.rows.get().pk]), ("import-new", [])):
        assert client.get(reverse(f"cases:{name}", args=[project.slug, *args])).status_code == 404
    for name, args in (("datasets", []), ("cases", ["tea"]), ("samples", [])):
        assert client.get(reverse(f"cases-api:{name}", args=[project.slug, *args])).status_code == 404


def test_a_file_is_looked_at_before_it_is_stored(lead, tmp_path, settings):
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead
    path = write_jsonl(tmp_path / "cases.jsonl", [row("a"), row("b"), {"id": "no question"}])
    with path.open("rb") as file:
        answer = client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    job = ImportJob.objects.get()
    assert answer.headers["Location"] == job.get_absolute_url()
    page = client.get(job.get_absolute_url()).content.decode()
    assert "2 new" in page
    assert "1 refused" in page
    assert not project.datasets.exists()

    client.post(job.get_absolute_url())
    assert drain_imports() == 1
    assert "Stored: <b>2 new</b>" in client.get(job.get_absolute_url()).content.decode()
    assert project.datasets.get().latest.rows.count() == 2
    assert not list((tmp_path / "uploads").iterdir())


def test_saying_go_twice_stores_once(lead, tmp_path, settings):
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead
    path = write_jsonl(tmp_path / "cases.jsonl", [row("a")])
    with path.open("rb") as file:
        client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    job = ImportJob.objects.get()
    client.post(job.get_absolute_url())
    assert drain_imports() == 1
    client.post(job.get_absolute_url())
    assert drain_imports() == 0


def test_a_file_that_cannot_be_read_is_answered_in_place(lead, tmp_path, settings):
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead
    path = tmp_path / "picture.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x00\x00\x00")
    with path.open("rb") as file:
        answer = client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    assert answer.status_code == 200
    assert answer.context["form"].errors["file"]
    assert str(tmp_path) not in answer.content.decode()


@pytest.mark.parametrize("error", [None, DataError("value too long"), RuntimeError("a defect")])
def test_no_uploaded_file_stays_behind_whatever_went_wrong(lead, tmp_path, settings, monkeypatch, error):
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead
    client.raise_request_exception = False
    path = write_jsonl(tmp_path / "cases.jsonl", [row("a") if error else {}])
    if error:
        monkeypatch.setattr("cases.services.imports.hand_on", mock.Mock(side_effect=error))
    with path.open("rb") as file:
        client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    assert not ImportJob.objects.exists()
    assert not list((tmp_path / "uploads").iterdir())


def test_a_job_that_the_database_cannot_keep_is_refused_once_for_all(lead, tmp_path, settings, monkeypatch):
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead
    path = write_jsonl(tmp_path / "cases.jsonl", [row("a")])
    with path.open("rb") as file:
        client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    job = ImportJob.objects.get()
    client.post(job.get_absolute_url())
    monkeypatch.setattr("cases.services.imports.hand_on", mock.Mock(side_effect=DataError("value too long")))
    assert (drain_imports(), drain_imports()) == (1, 0)
    job.refresh_from_db()
    assert (job.state, "could not keep" in job.summary["error"]) == ("refused", True)
    assert not list((tmp_path / "uploads").iterdir())


def test_a_drawn_sample_shows_its_probabilities(lead, tmp_path):
    client, project = lead
    version = imported(project, tmp_path, [row(str(i)) for i in range(8)])
    sample = draw_new_sample(version=version, name="half", design="simple", size=4, seed=1)
    # 4 of 8: each case came in with probability .5.
    assert {item.inclusion_probability for item in sample.items.all()} == {0.5}
    assert "0.500" in client.get(sample.get_absolute_url()).content.decode()


def test_the_list_of_datasets_takes_the_same_queries_for_any_number(lead, tmp_path, django_assert_num_queries):
    client, project = lead
    url = reverse("cases:datasets", args=[project.slug])
    imported(project, tmp_path, [row("a")], "one")
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(url)
    with CaptureQueriesContext(connection) as few:
        client.get(url)
    for i in range(6):
        imported(project, tmp_path, [row("a")], f"more {i}")
    with django_assert_num_queries(len(few)):
        client.get(url)


OWN = (
    "id,question,answer,human,score\n"
    "own-1,Where is the key?,Under the mat.,good,62\n"
    "own-2,,In the lock.,bad,1\n"
    "own-3,When?,At noon.,good,71\n"
    "own-3,When?,At noon.,good,71\n"
)


@pytest.fixture
def looked_at(lead, tmp_path, settings):
    """Hand a text in as a file and give the page that answers."""
    settings.WORKBENCH_HOME = tmp_path
    client, project = lead

    def hand_in(text, name="own.csv", **form):
        file = SimpleUploadedFile(name, text.encode())
        url = reverse("cases:import-new", args=[project.slug])
        return client.post(url, {"file": file, "dataset": "tea", **form}, follow=True)

    return hand_in


def words_of(answer):
    text = re.sub(r"</?b>", "", answer.content.decode())
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_the_preview_says_first_what_is_lost(looked_at):
    # 4 rows, 3 cases: no label word is known, and no score is on 0 to 1.
    page = words_of(looked_at(OWN))
    headline = "Not taken: 4 of 4 labels, 4 of 4 scores. 3 cases, 0 of 4 labels, 0 of 4 scores would come in."
    assert headline in page
    assert page.index("'good' is no verdict") < page.index("Rows as they were read")
    assert "own-3 on lines 4, 5" in page


def test_the_preview_shows_each_row_as_it_was_read_and_none_twice(looked_at):
    answer = looked_at(
        "id,question,answer,contexts,human,score\na,Q one,A one,c,pass,0.62\na,Q one,A one,c,pass,0.62\n"
    )
    row = re.search(r"<tbody>(?:(?!<tbody>).)*?Q one.*?</tbody>", answer.content.decode(), re.DOTALL).group()
    assert row.count("Q one") == 1
    shown = " ".join(re.sub(r"<[^>]*>", " ", row).split())
    assert shown == "2 a Q one A one pass 0.62 plain text, 1 chunk"


def test_one_reason_is_one_line_of_the_page_and_every_line_of_the_download(looked_at, lead):
    client, project = lead
    answer = looked_at(OWN)
    assert answer.content.decode().count("&#x27;good&#x27; is no verdict") == 1
    refused = client.get(reverse("cases:import-refused", args=[project.slug, ImportJob.objects.get().pk]))
    assert refused.content.decode().count("'good' is no verdict") == 3


@pytest.mark.parametrize(
    ("text", "form", "hint"),
    [
        (OWN, {}, "Under “Label words” write: good=pass"),
        (OWN, {}, "Bring the scores to 0 to 1, 1 the best"),
        ("ask,reply\nQ,A\n", {}, "Under “Columns” write: ask=input"),
        ("id,input,ask\na,,Q\n", {}, "Under “Columns” write: ask=input"),
        ("case_id,human,score\na,pass,1\n", {}, "is read on the command line: workbench calibrate"),
        ("case_id,human\na,pass\n", {}, "Labels of stored cases are read on the command line"),
        ('id,input,score\na,Q,"0,62"\n', {}, "Choose the comma under “Decimal sign”"),
        ("id,input,human\na,Q,4\nb,Q,2\n", {}, "If these are grades, write under “Columns”: human=grade"),
        ("id,input\na,Q\n", {"mapping": "input"}, "Under “Columns” write: question=input"),
        ("id,input\na,Q\n", {"mapping": "input=inptu"}, "The fields are: id, system"),
        ("id,input\na,Q\n", {"words": "good"}, "Under “Label words” write: good=pass,bad=fail"),
    ],
)
def test_the_page_names_its_own_fields_and_no_option_of_the_shell(looked_at, text, form, hint):
    page = words_of(looked_at(text, **form))
    assert hint in page
    assert not re.search(r"--[a-z]", page)


def test_a_decimal_comma_can_be_chosen_in_the_form(looked_at):
    assert "1 case, 0 labels, 1 score would come in." in words_of(
        looked_at('id,input,score\na,Q,"0,62"\n', decimal=",")
    )


def test_a_dataset_tells_a_language_from_a_system_that_nobody_named(lead, tmp_path):
    client, project = lead
    imported(project, tmp_path, [row("a")])
    page = client.get(reverse("cases:dataset", args=[project.slug, "tea"])).content.decode()
    assert ("no language named" in page, "no system named" in page) == (True, True)


def test_a_worker_whose_lease_lapsed_leaves_outcome_and_file_to_the_one_that_took_over(lead, tmp_path):
    from datetime import timedelta

    from cases.services import import_jobs

    _, project = lead
    path = write_jsonl(tmp_path / "cases.jsonl", [row("a")])
    job = ImportJob.objects.create(
        project=project, dataset_name="tea", source_name="cases.jsonl", path=str(path), state="waiting"
    )
    late = import_jobs._lease()
    ImportJob.objects.update(lease_expires_at=late.lease_expires_at + timedelta(minutes=10))  # somebody else's now
    import_jobs._store(late)
    job.refresh_from_db()
    assert (job.state, path.exists()) == ("running", True)
