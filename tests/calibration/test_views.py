"""The calibration pages and their API: what they show, to whom, and that they do not grow slow."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from calibration.models import Calibration
from cases.models import Case, Exposure, Role
from cases.services import resolve_sample
from evaluation.models import EvaluatorVersion
from labeling.services import annotator_for, default_question_set, open_round
from tests.calibration.judged import (
    ASK,
    JUDGE,
    METRIC,
    address,
    api,
    data_attributes,
    figures,
    freeze,
    judged,
    live_data,
    outputs,
    queries_of,
)
from tests.cast import imported, person, project_of_lena, row

pytestmark = pytest.mark.django_db

#: h14 in small: at .8 one false pass of two fails, no false fail of three passes.
TIES = [(0, 0.3), (0, 0.8), (1, 0.8), (1, 0.8), (1, 1.0)]


@pytest.fixture
def tea(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, TIES)
    client.force_login(lena)
    return project


def case(project, name):
    return Case.objects.get(dataset__project=project, external_id=name)


# --- the draft -------------------------------------------------------------------------------------------------------


def test_the_draft_says_the_result_in_counts(tea, client):
    page = client.get(address(tea, "draft/"), {**ASK, "threshold": "0.8"}).content.decode()
    said = outputs(page)
    assert (said["caught"], said["stopped"]) == ("1 of 2", "0 of 3")
    assert (said["false-pass-rate"], said["false-fail-rate"]) == ("50\u00a0%", "0\u00a0%")
    assert said["cost-total"] == "1"


def test_without_a_threshold_it_opens_at_the_recommended_one(tea, client):
    # (.3, .8] costs one false pass, (.8, 1] two false fails: at 1:1 the first, and .6 in it.
    data = live_data(client, tea)
    assert (data["threshold"], data["recommended"]) == ("0.6", "0.6")


def test_costs_move_the_recommendation_and_unstated_ones_are_said(tea, client):
    assert live_data(client, tea, cost_false_pass=5, cost_false_fail=1)["recommended"] == "0.9"
    assert "The costs are not stated" in client.get(address(tea, "draft/"), ASK).content.decode()


def test_a_page_points_to_its_own_fields_and_names_no_flag(tea, client):
    page = client.get(address(tea, "draft/"), ASK).content.decode()
    assert "tick “I assert that imported labels were given blind” under “Change what is compared”" in page
    assert "--labels-blind" not in page
    assert "--cost" not in page
    there = client.get(address(tea, "draft/"), ASK, headers={"accept-language": "vi"}).content.decode()
    assert "Không rõ các nhãn có được gán khi ẩn kết quả không" in there
    assert "Whether the labels" not in there


def test_a_refusal_is_a_sentence_and_no_threshold(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(1, 1.0)] * 3 + [(0, 1.0)])
    client.force_login(lena)
    page = client.get(address(project, "draft/"), ASK).content.decode()
    assert "the score takes one value" in page
    assert live_data(client, project)["recommended"] == ""


def test_h15_stands_side_by_side(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(0, 1.0)] * 4 + [(1, 1.0)] * 36)
    client.force_login(lena)
    page = client.get(address(project, "draft/"), ASK).content.decode()
    said = outputs(page)
    assert (said["caught"], said["caught-interval"], said["stopped"]) == ("0 of 4", " (0–49\u00a0%)", "0 of 36")
    assert figures(page)["raw"] == "0.90"
    assert figures(page)["kappa"] == "0.00"
    assert "No threshold is recommended" in page


def test_too_few_groups_stand_without_an_interval_and_say_so(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(0, 0.1, "A"), (1, 0.5, "A"), (0, 0.3, "B"), (1, 0.9, "B")])
    client.force_login(lena)
    page = client.get(address(project, "draft/"), ASK).content.decode()
    assert outputs(page)["caught-interval"] == ""
    assert "2 conversations are too few for an interval" in page
    assert page.count("An interval takes at least 30 conversations.") == 1
    assert not re.search(r"\(\d+–\d+", page)  # nor does agreement on the same cases have one


def test_bad_requests_are_answered_with_what_there_is(tea, client):
    unknown = client.get(address(tea, "draft/"), {**ASK, "judge": "other"})
    assert "There are: faithfulness: good-judge" in unknown.content.decode()
    free = client.get(address(tea, "draft/"), {**ASK, "cost_false_pass": 0, "cost_false_fail": 0})
    assert "Both costs are 0" in free.content.decode()
    assert "The rules are" in client.get(address(tea, "draft/"), {**ASK, "rule": "loudest"}).content.decode()
    assert 'id="live"' not in client.get(address(tea, "draft/"), {**ASK, "threshold": "nan"}).content.decode()


def test_no_page_holds_a_style_or_a_script_of_its_own(tea, client):
    freeze(tea)
    pages = [address(tea), address(tea, "1/"), f"/p/{tea.slug}/agreement/"]
    asked = [client.get(page) for page in pages] + [client.get(address(tea, "draft/"), ASK)]
    for response in asked:
        page = response.content.decode()
        assert response.status_code == 200
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)


# --- frozen ----------------------------------------------------------------------------------------------------------


def test_freezing_from_the_page_keeps_what_was_looked_at(tea, client):
    response = client.post(address(tea, "freeze/"), {**ASK, "cost_false_pass": 5, "cost_false_fail": 1})
    assert response.url == address(tea, "1/")
    frozen = Calibration.objects.get()
    assert frozen.document["recommended_threshold"] == 0.9
    assert "frozen" in client.get(response.url).content.decode()


def test_a_frozen_page_shows_its_snapshot_after_labels_changed_and_says_it_is_stale(tea, client, tmp_path):
    freeze(tea)
    imported(tea, tmp_path, [row("c-01", human=[{"annotator": "alice", "metric": METRIC, "verdict": "pass"}])])
    page = client.get(address(tea, "1/")).content.decode()
    assert "1 label changed since" in page
    assert "2 failed by people" in page


def test_the_config_and_the_gate_are_downloaded(tea, client):
    freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0)
    config = client.get(address(tea, "1/json/"), {"min_pass_rate": "0.8"})
    assert json.loads(config.content)["metrics"][0]["threshold"] == 0.9
    assert json.loads(config.content)["decision"]["min_pass_rate"] == 0.8
    assert "attachment" in config["Content-Disposition"]
    assert client.get(address(tea, "1/gate/")).content.startswith(b"#!/usr/bin/env python3")
    assert client.get(address(tea, "1/exe/")).status_code == 404
    assert client.get(address(tea, "1/json/"), {"min_pass_rate": "7"}).status_code == 302


def test_the_list_does_not_ask_more_of_the_database_as_it_grows(tea, client):
    freeze(tea)
    few = queries_of(lambda: client.get(address(tea)))
    for seed in range(1, 6):
        freeze(tea, seed=seed)
    page = client.get(address(tea)).content.decode()
    assert "faithfulness-6" in page
    assert queries_of(lambda: client.get(address(tea))) == few


def test_an_unscored_case_is_told_once_with_its_reason(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [*TIES, (1, None)])
    client.force_login(lena)
    page = client.get(address(project, "draft/"), ASK).content.decode()
    assert "1 case has no usable score; it counts neither as pass nor fail: no score." in page
    assert page.count("no score") == 1


def test_a_side_nobody_took_is_a_sentence_and_no_count(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(1, 0.2), (1, 0.9)])
    client.force_login(lena)
    page = client.get(address(project, "draft/"), ASK).content.decode()
    assert "People failed no answer, so it is unknown how many it catches." in page
    assert "caught" not in outputs(page)
    assert page.count("people gave only one verdict") == 1 + 2  # the headline; both drawings, where no range is drawn


def test_the_page_says_what_was_asked_and_what_was_scored(tmp_path, client):
    project, lena = project_of_lena()
    rows = [
        row(f"c-{n}", human=[{"annotator": "alice", "metric": "overall", "verdict": verdict}],
            judge=[{"judge": JUDGE, "metric": METRIC, "score": score}])
        for n, (verdict, score) in enumerate([("fail", 0.2), ("pass", 0.6), ("pass", 0.9)])
    ]  # fmt: skip
    imported(project, tmp_path, rows)
    client.force_login(lena)
    page = client.get(address(project, "draft/"), {**ASK, "human_metric": "overall"}).content.decode()
    assert "people were asked: Overall; the judge scores: Faithfulness" in page
    assert "People were asked: overall; the judge scores: faithfulness." in page


def test_rules_are_chosen_from_those_that_fit_the_grades(tmp_path, client):
    project, lena = project_of_lena()
    graded = [{"annotator": "alice", "metric": METRIC, "grade": grade, "scale": [1, 4]} for grade in (1, 4)]
    rows = [row(f"c-{n}", human=[said], judge=[{"judge": JUDGE, "metric": METRIC, "score": n / 2}])
            for n, said in enumerate(graded)]  # fmt: skip
    imported(project, tmp_path, rows)
    client.force_login(lena)
    for page in (address(project), f"/p/{project.slug}/agreement/"):
        (select,) = re.findall(r'<select name="rule">(.*?)</select>', client.get(page).content.decode())
        offered = [unescape(rule) for rule in re.findall(r'value="([^"]*)"', select)]
        assert offered == ["", "majority", "strictest", "median>=2", "median>=3", "median>=4"]


def test_a_frozen_page_says_why_its_costs_are_fixed_and_leads_to_a_draft_of_the_same(tea, client):
    freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0)
    page = client.get(address(tea, "1/")).content.decode()
    assert "Frozen: the costs are fixed." in page
    assert "Compute" not in page
    (again,) = re.findall(r'<a href="([^"]*)">Start a new calibration', page)
    assert data_attributes(client.get(unescape(again)).content.decode())["recommended"] == "0.9"


def test_the_export_says_what_an_empty_share_asks_for(tea, client):
    freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0)
    page = client.get(address(tea, "1/"), {"threshold": "0.6"}).content.decode()
    # At .9, whatever is looked at, the judge passes one of the three: that of score 1.
    assert "Empty: every case must pass." in page
    assert "At 0.90 the judge passes 1 of 3 (33\u00a0%) of the answers that people passed here." in page


def test_without_labels_the_next_step_is_a_link(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(None, 0.2), (None, 0.9)])
    client.force_login(lena)
    for page in (client.get(address(project, "draft/"), ASK), client.get(f"/p/{project.slug}/agreement/")):
        assert "Nobody has labeled a case" in page.content.decode()
        assert f'<a href="/p/{project.slug}/rounds/">Open a round' in page.content.decode()


def test_no_refusal_of_a_page_names_a_flag(tea, client):
    asked = {**ASK, "human_metric": "tone"}
    page = client.get(address(tea, "draft/"), asked).content.decode()
    assert "There are labels on: faithfulness." in page
    assert "--" not in page.replace("<!--", "")


# --- from a count to its cases ---------------------------------------------------------------------------------------


def test_a_cell_leads_to_the_very_cases_that_it_counts(tea, client):
    page = client.get(address(tea, "draft/"), {**ASK, "threshold": "0.8"}).content.decode()
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]*kind=\w+)"', page)]
    assert len(links) == 4
    (false_passes,) = [link for link in links if link.endswith("kind=false_pass")]
    listed = client.get(false_passes).content.decode()
    assert 'data-cases="1"' in listed
    assert "c-02" in listed
    (side,) = re.findall(r'<th scope="row"><a href="([^"]*)"', listed)
    assert "0.800" in client.get(side.replace("&amp;", "&")).content.decode()


def test_seeing_scores_of_single_cases_is_logged(tea, client):
    client.get(address(tea, "draft/"), ASK)
    assert Exposure.objects.count() == 0
    client.get(address(tea, "mistakes/"), {**ASK, "threshold": "0.8", "kind": "false_pass"})
    assert [each.case.external_id for each in Exposure.objects.all()] == ["c-02"]
    evaluator = EvaluatorVersion.objects.get()
    client.get(address(tea, f"cases/{case(tea, 'c-05').pk}/{evaluator.pk}/"))
    assert Exposure.objects.filter(case=case(tea, "c-05")).exists()


def test_one_case_shows_people_round_and_the_judge_square(tmp_path, client):
    project, lena = project_of_lena()
    said = [
        {"annotator": "alice", "metric": METRIC, "verdict": "fail", "note": "R1 says otherwise."},
        {"annotator": "bob", "metric": METRIC, "verdict": "pass"},
    ]
    scored = [
        {"judge": JUDGE, "metric": METRIC, "score": 0.75, "verdicts": [{"claim": "Tea is hot.", "verdict": "no"}]}
    ]
    imported(project, tmp_path, [row("c-1", "Tea is hot. Cups are cold.", human=said, judge=scored)])
    client.force_login(lena)
    pk, evaluator = case(project, "c-1").pk, EvaluatorVersion.objects.get().pk
    page = client.get(address(project, f"cases/{pk}/{evaluator}/"), {"threshold": "0.7"}).content.decode()
    assert "Cups are cold." in page
    assert "R1 says otherwise." in page
    assert re.findall(r'class="v (\w+)( judge)?"', page)[:3] == [("fail", ""), ("pass", ""), ("pass", " judge")]
    assert ("fail", " judge") in re.findall(r'class="v (\w+)( judge)?"', page)  # of the claim the judge made itself


@pytest.mark.parametrize("threshold", ["nan", "inf", "1e9", "half"])
def test_what_is_no_threshold_gives_the_judge_no_verdict(tea, client, threshold):
    pk, evaluator = case(tea, "c-01").pk, EvaluatorVersion.objects.get(project=tea).pk
    page = client.get(address(tea, f"cases/{pk}/{evaluator}/"), {"threshold": threshold})
    assert page.status_code == 200
    assert page.context["judge_verdict"] == ""


def test_text_of_a_case_is_text(tmp_path, client):
    project, lena = project_of_lena()
    rows = [
        row(f"<b>c-{n}</b>", "<script>alert(1)</script>", input="<img src=x onerror=alert(1)>",
            human=[{"annotator": "<i>alice</i>", "metric": METRIC, "verdict": verdict}],
            judge=[{"judge": JUDGE, "metric": METRIC, "score": score}])
        for n, (verdict, score) in enumerate([("fail", 0.9), ("pass", 0.2)])
    ]  # fmt: skip
    imported(project, tmp_path, rows)
    client.force_login(lena)
    pk, evaluator = Case.objects.first().pk, EvaluatorVersion.objects.get().pk
    pages = [
        client.get(address(project, "mistakes/"), {**ASK, "threshold": "0.5", "kind": "false_pass"}),
        client.get(address(project, f"cases/{pk}/{evaluator}/")),
        client.get(f"/p/{project.slug}/agreement/"),
    ]
    for response in pages:
        assert response.status_code == 200
        assert not re.search(r"<script>alert|<img src=x|<i>alice|<b>c-", response.content.decode())


# --- who may see it --------------------------------------------------------------------------------------------------


def every_address(project):
    evaluator = EvaluatorVersion.objects.get(project=project)
    pk = case(project, "c-01").pk
    query = f"?sample=tea&metric={METRIC}&judge={JUDGE}"
    return [
        address(project, f"draft/{query}"), address(project, "1/"), address(project, "1/json/"),
        address(project, f"mistakes/{query}&kind=false_pass"), address(project, f"cases/{pk}/{evaluator.pk}/"),
        f"/p/{project.slug}/agreement/?sample=tea", api(project, "agreement/?sample=tea"),
        api(project, f"calibrations/draft/{query}"), api(project, "calibrations/1/"),
        api(project, "calibrations/1/config/"),
    ]  # fmt: skip


def test_annotators_and_strangers_find_nothing(tea, client):
    freeze(tea)
    for who in (person("alice", tea), person("chuck")):
        client.force_login(who)
        assert "seat in an open round" not in client.get(address(tea, "1/")).content.decode()
        asked = [*every_address(tea), address(tea), api(tea, "calibrations/")]
        assert {client.get(each).status_code for each in asked} == {404}


def test_an_adjudicator_may_look_but_not_freeze(tea, client):
    client.force_login(person("amy", tea, Role.ADJUDICATOR))
    assert client.get(address(tea, "draft/"), ASK).status_code == 200
    assert client.post(address(tea, "freeze/"), ASK).status_code == 404


def test_a_lead_with_a_seat_in_an_open_round_stays_blind(tea, client):
    freeze(tea)
    lena = tea.memberships.get().user
    seat = annotator_for(tea, lena)
    open_round(
        project=tea,
        sample=resolve_sample(tea, "tea"),
        question_set=default_question_set(tea),
        annotators=[seat],
        name="r",
        overlap=1,
    )
    assert {client.get(each).status_code for each in every_address(tea)} == {404}
    why = "You have a seat in an open round, so you see no judge until it closes."
    pages = [each for each in every_address(tea) if not each.startswith("/api/")]
    there_or_not = [*pages, address(tea, "7/"), address(tea, "7/json/")]
    assert [why in client.get(each).content.decode() for each in there_or_not] == [True] * len(there_or_not)
    listed = client.get(address(tea)).content.decode()
    assert "You have a place in an open round" in listed
    assert "faithfulness-1" not in listed
    assert client.get(api(tea, "calibrations/")).json()["results"] == []


# --- the API ---------------------------------------------------------------------------------------------------------


def test_the_api_gives_the_documents_of_the_command_line(tea, client):
    frozen = freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0)
    assert client.get(api(tea, "calibrations/1/")).json() == frozen.document
    assert client.get(api(tea, "calibrations/")).json()["results"][0]["recommended_threshold"] == 0.9
    assert client.get(api(tea, "calibrations/1/config/")).json()["metrics"][0]["threshold"] == 0.9
    draft = client.get(api(tea, "calibrations/draft/"), {**ASK, "threshold": "0.8"}).json()
    assert draft["at_threshold"]["counts"] == {"true_pass": 3, "false_pass": 1, "false_fail": 0, "true_fail": 1}
    assert client.get(api(tea, "calibrations/draft/"), {**ASK, "judge": "x"}).status_code == 400


def test_a_config_without_a_threshold_is_a_conflict(tmp_path, client):
    project, lena = project_of_lena()
    judged(project, tmp_path, [(1, 1.0), (0, 1.0)])
    client.force_login(lena)
    freeze(project)
    answer = client.get(api(project, "calibrations/1/config/"))
    assert (answer.status_code, "nothing to export" in answer.json()["detail"]) == (409, True)


def test_the_routes_are_in_the_openapi_schema(tea, client):
    schema = client.get("/api/schema/").content.decode()
    for route in ("agreement/", "calibrations/", "calibrations/draft/", "calibrations/{number}/config/"):
        assert f"/api/p/{{slug}}/{route}:" in schema


def test_no_row_of_another_project_can_be_opened(tea, client, tmp_path):
    from cases.services import create_project

    other = create_project("Other", user=person("olga"))
    judged(other, tmp_path, TIES, "coffee")
    theirs = Case.objects.filter(dataset__project=other).first()
    evaluator = EvaluatorVersion.objects.get(project=tea)
    assert client.get(address(tea, f"cases/{theirs.pk}/{evaluator.pk}/")).status_code == 404
