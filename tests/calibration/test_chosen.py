"""A lead may freeze another threshold than the cheapest: with a reason, kept beside the recommendation."""

from __future__ import annotations

import json

import pytest

from calibration import services
from calibration.calibrate import calibrate
from calibration.chosen import is_choice, with_choice
from calibration.config import build_config
from calibration.models import Calibration
from calibration.statistics.sentences import CHOSEN_IS_NOT_AS_GOOD
from cases.services import resolve_sample
from tests.calibration.judged import ASK, JUDGE, METRIC, address, api, freeze, judged, outputs
from tests.calibration.test_calibrate import sample, table
from tests.cast import project_of_lena
from workbench.cli import main

#: At 5:1 passing (.8, 1] costs 2 (two false fails) and .6 in (.3, .8] costs 5 (one false pass): .9 is the cheapest.
TIES = [(0, 0.3), (0, 0.8), (1, 0.8), (1, 0.8), (1, 1.0)]
COSTS = {"cost_false_pass": 5, "cost_false_fail": 1}
WHY = "Stopped answers reach\nthe help desk at night."


@pytest.fixture
def tea(tmp_path, client, db):
    project, lena = project_of_lena()
    judged(project, tmp_path, TIES)
    client.force_login(lena)
    return project


def chosen(tea):
    drawn = resolve_sample(tea, "tea")
    evaluator = services.resolve_evaluator(tea, drawn, METRIC, JUDGE)
    ask = services.ask_for(drawn, evaluator, cost_false_pass=5.0, cost_false_fail=1.0)
    return services.freeze(drawn, evaluator, ask, threshold=0.6, reason=WHY)


def test_the_choice_stands_beside_the_untouched_recommendation(tea):
    plain, document = freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0).document, chosen(tea).document
    assert (document["recommended_threshold"], document["at_recommended"]) == (0.9, plain["at_recommended"])
    choice = document["chosen"]
    assert (choice["threshold"], choice["reason"]) == (0.6, "Stopped answers reach the help desk at night.")
    assert choice["counts"] == {"true_pass": 3, "false_pass": 1, "false_fail": 0, "true_fail": 1}
    assert (choice["fails_caught"]["count"], choice["passes_kept"]["count"], choice["cost_total"]) == (1, 3, 5)


def test_the_config_gates_by_the_choice_and_says_whose_it_is_and_what_it_costs(tea, capsys):
    frozen = chosen(tea)
    assert main(["export", frozen.name, "--format", "json", "--project", tea.slug]) == 0
    config = json.loads(capsys.readouterr().out)
    gate = config["metrics"][0]
    assert (gate["threshold"], gate["rates"]["false_pass_rate"]["count"]) == (0.6, 1)
    assert not {"interval", "nested"} & set(gate)  # both are of the cheapest
    # (5 - 2) / 5 cases
    assert config["warnings"][-1] == (
        "A person chose the threshold 0.6; the cheapest is 0.9. On these cases the choice costs 0.6 more per case. "
        "The reason given: Stopped answers reach the help desk at night."
    )


def test_without_a_choice_not_a_byte_differs(tea):
    drawn = resolve_sample(tea, "tea")
    evaluator = services.resolve_evaluator(tea, drawn, METRIC, JUDGE)
    ask = services.ask_for(drawn, evaluator, cost_false_pass=5.0, cost_false_fail=1.0)
    first = services.freeze(drawn, evaluator, ask)
    # .95 lies in the recommended range (.8, 1] too: it decides alike, so nothing is chosen.
    assert services.freeze(drawn, evaluator, ask, threshold=0.95) == first
    assert "chosen" not in first.document
    assert "chosen" not in first.request


def test_a_choice_without_a_reason_is_asked_for_one_on_the_same_page(tea, client):
    page = client.post(address(tea, "freeze/"), {**ASK, **COSTS, "threshold": "0.6"}).content.decode()
    assert "Say why it should be 0.6 and not the cheapest threshold, 0.9." in page
    assert outputs(page)["threshold"] == "0.60"
    assert Calibration.objects.count() == 0


def test_the_page_freezes_the_threshold_looked_at_for_a_reason(tea, client):
    response = client.post(address(tea, "freeze/"), {**ASK, **COSTS, "threshold": "0.6", "reason": WHY})
    assert response.url == address(tea, "1/")
    page = client.get(response.url).content.decode()
    assert (outputs(page)["threshold"], outputs(page)["look"]) == ("0.60", "")
    assert 'data-figure="chosen">0.60<' in page
    assert "A person chose the threshold 0.6; the cheapest is 0.9." in page
    listed = client.get(api(tea, "calibrations/")).json()["results"][0]
    assert (listed["recommended_threshold"], listed["chosen_threshold"]) == (0.9, 0.6)
    assert "0.60 (chosen)" in client.get(address(tea)).content.decode()


def test_the_draft_says_which_threshold_the_button_freezes(tea, client):
    def said(threshold):
        page = client.get(address(tea, "draft/"), {**ASK, **COSTS, "threshold": threshold}).content.decode()
        return outputs(page)["freezes"], outputs(page)["look"], "data-choice hidden" in page

    assert said("0.9") == ("Freezes the cheapest threshold, 0.90.", "", True)
    look = "A look at {}: the cheapest threshold is 0.90."
    assert said("0.95") == ("Freezes the cheapest threshold, 0.90; 0.95 decides alike.", look.format("0.95"), True)
    choice = "Freezes 0.60, your choice; the cheapest threshold is 0.90."
    assert said("0.6") == (choice, look.format("0.60"), False)


def test_another_threshold_on_a_frozen_page_is_a_look(tea, client):
    freeze(tea, cost_false_pass=5.0, cost_false_fail=1.0)
    page = client.get(address(tea, "1/"), {"threshold": "0.6"}).content.decode()
    assert outputs(page)["look"] == "A look at 0.60: what was frozen is 0.90."
    assert outputs(client.get(address(tea, "1/")).content.decode())["look"] == ""


def test_without_a_recommendation_nothing_can_be_chosen():
    assert not is_choice(calibrate(table([(1, 0.2), (1, 0.9)])).document, 0.6)


def trusted_at(threshold, **options):
    found = calibrate(sample(blind="yes"), cost_false_pass=1.0, cost_false_fail=1.0, **options).document
    assert found["state"] == "trusted"
    at = {**found["at_half"], **found["headline"], "threshold": threshold}
    return with_choice(found, at, "because")


def test_a_choice_that_is_not_as_good_is_not_trusted():
    far = trusted_at(0.99)
    assert (far["state"], far["state_reasons"]) == ("inconclusive", [CHOSEN_IS_NOT_AS_GOOD])
    best = calibrate(sample(blind="yes"), cost_false_pass=1.0, cost_false_fail=1.0).document
    near = trusted_at(best["curve"]["stability"]["as_good_as"][0]["high"])
    assert (near["state"], near["state_reasons"]) == ("trusted", [])


def test_a_certificate_holds_for_the_choice_or_not():
    # The promise holds from certified_from on: at 0 it does not, whatever it did at the recommended threshold.
    document = trusted_at(0.0, certify=0.4)
    assert document["certificate"]["holds"]
    assert not document["chosen"]["certificate"]["holds"]
    assert any("the chosen 0 is below it" in each for each in document["state_reasons"])
    gate = build_config(document)["metrics"][0]
    assert (gate["threshold"], gate["certificate"]["holds"]) == (0.0, False)
