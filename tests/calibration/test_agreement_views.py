"""Agreement between people, and with a judge: every figure with its reason, on the page and in the API."""

from __future__ import annotations

import json

import pytest

from tests.calibration.judged import JUDGE, METRIC, api, figures, judged
from tests.cast import imported, project_of_lena, row

pytestmark = pytest.mark.django_db


def labeled(project, folder, columns):
    """One list of verdicts a person."""
    rows = [
        row(f"p-{n:02}", human=[{"annotator": who, "metric": METRIC, "verdict": said} for who, said in here if said])
        for n, here in enumerate(
            zip(*([(who, said) for said in column] for who, column in columns.items()), strict=True)
        )
    ]
    imported(project, folder, rows)


def test_h13_raw_kappa_and_ac1_stand_together_with_the_reason(tmp_path, client):
    project, lena = project_of_lena()
    ok = ["pass"] * 47
    columns = {"reviewer_1": [*ok, "pass", "fail", "fail"], "reviewer_2": [*ok, "fail", "pass", "pass"]}
    labeled(project, tmp_path, columns)
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/").content.decode()
    assert figures(page) == {"raw": "0.94", "kappa": "-0.03", "ac1": "0.94", "alpha": "-0.02", "fail": "0.00"}
    assert "no case was failed by both" in page
    assert "96\u00a0%" in page  # reviewer_1 says pass 48 of 50 times
    found = client.get(api(project, "agreement/")).json()
    assert (found["raw"]["value"], round(found["kappa"]["value"], 4)) == (0.94, -0.0274)


def test_h11_undefined_is_a_word_on_the_page_and_null_with_a_reason_in_the_api(tmp_path, client):
    project, lena = project_of_lena()
    labeled(project, tmp_path, {"judge": ["pass"] * 12, "mai": ["pass"] * 12})
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/").content.decode()
    assert (figures(page)["raw"], figures(page)["kappa"], figures(page)["alpha"]) == ("1.00", "–", "–")
    assert "not defined: only one label was used" in page
    assert "add cases that should fail" in page
    assert "nan" not in page.lower()
    answer = client.get(api(project, "agreement/")).content
    found = json.loads(answer, parse_constant=pytest.fail)
    assert (found["kappa"]["value"], found["alpha"]["value"], found["raw"]["value"]) == (None, None, 1.0)
    assert found["kappa"]["reason"] == "not defined: only one label was used"


def test_h12_who_did_not_see_a_case_said_nothing(tmp_path, client):
    project, lena = project_of_lena()
    labeled(project, tmp_path, {"an": ["pass", "fail", "pass"], "chi": ["pass", "fail", ""]})
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/").content.decode()
    assert figures(page)["alpha"] == "1.00"
    assert "2 of 3 cases have two labels or more" in page
    assert "p-02" in page


def test_a_project_without_labels_says_so(client, tmp_path):
    project, lena = project_of_lena()
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/")
    assert (page.status_code, "nobody has labeled" in page.content.decode()) == (200, True)
    imported(project, tmp_path, [row("c-1")])
    page = client.get(f"/p/{project.slug}/agreement/")
    assert (page.status_code, "Nobody has labeled" in page.content.decode()) == (200, True)


def test_the_judge_stands_beside_people_when_asked_for(tmp_path, client):
    tea, lena = project_of_lena()
    judged(tea, tmp_path, [(0, 0.3), (0, 0.8), (1, 0.8), (1, 0.8), (1, 1.0)])
    client.force_login(lena)
    page = client.get(f"/p/{tea.slug}/agreement/", {"sample": "tea", "judge": JUDGE}).content.decode()
    judge = page[page.index("data-judge") :]
    assert figures(judge)["raw"] == "0.80"  # at .6 the fail at .8 passes: 4 of 5


def test_one_annotator_is_told_what_agreement_takes_on_page_and_api(tmp_path, client):
    project, lena = project_of_lena()
    labeled(project, tmp_path, {"an": ["pass", "fail", "fail"]})
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/").content.decode()
    why = "One annotator: agreement needs two labels on a case."
    assert page.count(why) == 6  # the headline and five figures
    assert "two raters" not in page
    assert "no case was failed" not in page
    found = client.get(api(project, "agreement/")).json()
    names = ("raw", "kappa", "ac1", "alpha", "agreement_on_fail")
    assert {(found[name]["value"], found[name]["reason"]) for name in names} == {(None, why)}


def test_the_page_opens_on_the_overall_question_in_counts_with_an_interval(tmp_path, client):
    project, lena = project_of_lena()
    said = [("an", METRIC, "pass"), ("chi", METRIC, "pass"), ("an", "overall", "pass"), ("chi", "overall", "fail")]
    rows = [row("p-1", human=[{"annotator": who, "metric": of, "verdict": word} for who, of, word in said])]
    imported(project, tmp_path, rows)
    client.force_login(lena)
    page = client.get(f"/p/{project.slug}/agreement/").content.decode()
    # Wilson of 0 of 1 at 95 %: 0 to z^2 / (1 + z^2) = 3.84 / 4.84.
    assert (
        'The two people agree on <b>0 of 1</b> cases that both labeled <span class="ci">(0–79\u00a0%)</span>.' in page
    )
