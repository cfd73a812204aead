import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases import access
from cases.models import DatasetRow, DatasetVersion, Exposure
from cases.services import create_project, implicit_sample
from evaluation.models import EvaluatorVersion, Run
from evaluation.services import drain, evaluator_version, start_run
from tests.evaluation.conftest import a_case, cases_of, said


@pytest.fixture
def sample(make_sample):
    return make_sample(a_case("a"), a_case("b", "Returns take 30 days."), a_case("c", " "))


@pytest.fixture
def done_run(project, sample, hear):
    hear(sample, said("a", 0.25), said("b", error="reply cut short"))
    run = start_run(sample, evaluator_version(project, "faithfulness", "overlap"))
    drain(run)
    return run


@pytest.fixture
def as_lena(client, lena):
    client.force_login(lena)
    return client


@pytest.fixture
def blind_lena(lena, sample, monkeypatch):
    """Lena has a seat in an open round that asks about the sample's cases."""
    own = [case.pk for case in cases_of(sample)]
    rule = lambda user, cases: cases.filter(pk__in=own) if user == lena else cases.none()  # noqa: E731
    monkeypatch.setattr(access, "_rules", [rule])
    return lena


def addresses(project, run):
    return {
        "runs": reverse("evaluation:runs", args=[project.slug]),
        "run": reverse("evaluation:run", args=[project.slug, run.pk]),
        "evaluator": reverse("evaluation:evaluator", args=[project.slug, run.evaluator_id]),
        "api evaluators": reverse("evaluation-api:evaluators", args=[project.slug]),
        "api runs": reverse("evaluation-api:runs", args=[project.slug]),
        "api scores": reverse("evaluation-api:scores", args=[project.slug, run.sample.name]),
    }


def test_the_lead_reads_every_page(as_lena, project, done_run):
    assert {as_lena.get(address).status_code for address in addresses(project, done_run).values()} == {200}


@pytest.mark.parametrize("who", ["alice", "chuck"])
def test_for_an_annotator_or_a_stranger_none_of_it_is_there(client, request, project, done_run, who):
    client.force_login(request.getfixturevalue(who))
    assert {client.get(address).status_code for address in addresses(project, done_run).values()} == {404}
    assert client.post(reverse("evaluation:start", args=[project.slug]), {}).status_code == 404


def test_a_lead_with_a_seat_in_an_open_round_on_the_sample_sees_no_scores_of_it(as_lena, project, done_run, blind_lena):
    found = addresses(project, done_run)
    assert {as_lena.get(found[name]).status_code for name in ("run", "evaluator", "api scores")} == {404}
    assert as_lena.get(found["api runs"]).json()["count"] == 0
    page = as_lena.get(found["runs"]).content.decode()
    assert "You label cases of this sample" in page
    assert 'data-figure="mean"' not in page


def test_another_projects_run_and_evaluator_are_not_here(as_lena, lena, done_run):
    other = create_project("Other", user=lena)
    for name, pk in (("run", done_run.pk), ("evaluator", done_run.evaluator_id)):
        assert as_lena.get(reverse(f"evaluation:{name}", args=[other.slug, pk])).status_code == 404


def test_reading_scores_case_by_case_is_logged_and_reading_their_mean_is_not(as_lena, lena, project, done_run):
    found = addresses(project, done_run)
    as_lena.get(found["runs"])
    as_lena.get(found["run"])
    assert not Exposure.objects.exists()
    as_lena.get(found["evaluator"])
    assert set(Exposure.objects.values_list("user", "case__external_id")) == {(lena.pk, name) for name in "abc"}


def test_scores_read_by_api_are_logged_too(as_lena, project, done_run):
    found = addresses(project, done_run)["api scores"]
    evaluator = EvaluatorVersion.objects.get(judge="careful")
    rows = as_lena.get(found, {"evaluator": evaluator.pk}).json()["results"]
    assert [(row["id"], row["state"], row["score"], row["reason"]) for row in rows] == [
        ("a", "scored", 0.25, ""),
        ("b", "unscored", None, "reply cut short"),
    ]
    assert set(Exposure.objects.values_list("case__external_id", flat=True)) == {"a", "b"}


def test_the_run_page_shows_counts_mean_and_median_beside_each_other(as_lena, done_run):
    page = as_lena.get(done_run.get_absolute_url()).content.decode()
    # a: 1 of 1 claims, b: 0 of 1 (the number 30 is in no chunk), c: no answer.
    for figure, value in {
        "mean": "0.50",
        "median": "0.50",
        "scored": "2",
        "not-applicable": "1",
        "severe": "1",
    }.items():
        assert f'data-figure="{figure}">{value}<' in page
    assert "3 of 3" in page


def test_unscored_cases_are_listed_with_their_reason_and_never_as_zero(as_lena, project, sample, hear):
    hear(sample, said("a", 0.25))
    run = start_run(sample, evaluator_version(project, "faithfulness", "replay", recorded="careful"))
    drain(run)
    page = as_lena.get(run.get_absolute_url()).content.decode()
    assert "nothing is recorded for this case" in page
    assert 'data-figure="mean">0.25<' in page
    assert 'data-figure="unscored">1<' in page


def test_the_form_starts_a_run_that_the_worker_then_does(as_lena, project, sample):
    answer = as_lena.post(
        reverse("evaluation:start", args=[project.slug]),
        {"sample": "desk", "metric": "faithfulness", "judge": "overlap"},
    )
    run = Run.objects.get()
    assert answer.url == run.get_absolute_url()
    assert (run.state, run.jobs.count()) == ("waiting", 3)


def test_a_replay_without_its_recording_is_refused_on_the_form(as_lena, project, sample, hear):
    hear(sample, said("a", 0.25))
    address = reverse("evaluation:start", args=[project.slug])
    form = {"sample": "desk", "metric": "answer_relevancy", "judge": "replay", "recorded": "careful"}
    answer = as_lena.post(address, form)
    assert answer.status_code == 422
    assert "Recorded here: careful on faithfulness" in answer.content.decode()
    assert not Run.objects.exists()


def test_while_a_run_moves_only_its_progress_is_asked_for_and_at_its_end_the_whole_page(as_lena, project, sample):
    run = start_run(sample, evaluator_version(project, "faithfulness", "overlap"))
    moving = as_lena.get(run.get_absolute_url(), headers={"HX-Request": "true"})
    assert "0 of 3" in moving.content.decode()
    assert "<html" not in moving.content.decode()
    assert "HX-Refresh" not in moving
    drain(run)
    assert as_lena.get(run.get_absolute_url(), headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_a_project_without_cases_says_what_to_do(as_lena, project):
    page = as_lena.get(reverse("evaluation:runs", args=[project.slug])).content.decode()
    assert "There is nothing to judge yet." in page
    assert reverse("cases:import-new", args=[project.slug]) in page


def test_no_page_carries_a_script_or_style_of_its_own(as_lena, project, done_run):
    for name in ("runs", "run", "evaluator"):
        page = as_lena.get(addresses(project, done_run)[name]).content.decode()
        assert "<style" not in page
        assert " style=" not in page
        assert "<script>" not in page


@pytest.mark.parametrize("name", ["runs", "run", "evaluator", "api runs", "api scores"])
def test_the_queries_of_a_page_do_not_grow_with_its_list(as_lena, project, make_sample, hear, name):
    counts = []
    for size in (2, 12):
        sample = make_sample(*(a_case(f"c{size}-{n}") for n in range(size)), name=f"desk {size}")
        evaluator = evaluator_version(project, "faithfulness", "overlap", {"supported_from": size / 100})
        for _ in range(size):
            run = start_run(sample, evaluator, fresh=True)
            drain(run)
        hear(sample, *(said(f"c{size}-{n}", error="cut", judge=f"judge {k}") for n in range(size) for k in range(size)))
        address = addresses(project, run)[name]
        as_lena.get(address)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert as_lena.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_case_in_two_versions_and_samples_is_listed_once(as_lena, project, sample, lena, done_run):
    version = DatasetVersion.objects.create(dataset=sample.version.dataset, number=2, content_hash="2")
    for row in sample.version.rows.all():
        DatasetRow.objects.create(version=version, case=row.case, position=row.position, row_hash="r")
    implicit_sample(version)
    page = as_lena.get(addresses(project, done_run)["evaluator"], {"sample": sample.name}).content.decode()
    assert page.count('class="mono nowrap"') == 3
    assert 'data-figure="scored">2<' in page
