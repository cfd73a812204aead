"""What a hostile or unlucky client sends: nothing of it is stored wrongly, lost, or answered with an error page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.template import Context, Template
from django.urls import reverse

from labeling import services
from labeling.models import Label, UnitVerdict

from .conftest import make_round, say, seat, take
from .test_pages import post


@pytest.fixture
def slot(round_, alice):
    return take(round_, alice)


@pytest.fixture
def five(sample, alice):
    """Alice's first case of a round with all five metrics."""
    return take(make_round(sample, [alice], questions="five"), alice)


# --- two tabs and undo ---


def test_the_second_tab_submits_after_the_first_submitted_and_undid(client, slot, alice):
    client.force_login(alice)
    post(client, slot, word="pass")
    post(client, slot, "undo", word="")
    # The second tab was opened before any of it: it saw no label, and there is none now.
    assert post(client, slot, word="fail", critique="second tab").status_code == 302
    label = Label.objects.current().get()
    assert (label.verdicts.get().verdict, label.critique) == ("fail", "second tab")


def test_a_tab_that_saw_the_label_taken_back_meanwhile_gets_a_dash_for_what_is_stored(client, slot, alice):
    say(slot, alice, "pass")
    services.undo_label(slot, seat(slot.round, alice), based_on=1, client_id=uuid.uuid4())
    client.force_login(alice)
    page = post(client, slot, word="fail", based_on=1, critique="kept")
    assert page.status_code == 409
    assert [(each["stored"], each["typed"]) for each in page.context["differing"]] == [("", "fail")]
    assert "kept" in page.content.decode()
    again = post(client, slot, word="fail", based_on=page.context["based_on"])
    assert (again.status_code, Label.objects.current().count()) == (302, 1)


def test_an_answer_that_undo_brought_back_is_the_one_an_older_tab_saw(slot, alice):
    say(slot, alice, "pass")
    say(slot, alice, "fail", based_on=1)
    services.undo_label(slot, seat(slot.round, alice), based_on=2, client_id=uuid.uuid4())
    assert say(slot, alice, "unsure", based_on=1).revision == 4
    with pytest.raises(services.LabelConflict):
        say(slot, alice, "pass", based_on=2)


@pytest.mark.parametrize(("based_on", "status"), [(0, 409), (1, 302)])
def test_a_paused_round_still_takes_what_was_given_out_and_shows_a_stale_page_its_conflict(
    client, slot, alice, lena, based_on, status
):
    click = uuid.uuid4()
    say(slot, alice, "pass", client_id=click)
    services.pause_round(slot.round, lena)
    client.force_login(alice)
    assert post(client, slot, word="pass", client_id=str(click)).status_code == 302
    assert Label.objects.count() == 1
    assert post(client, slot, word="fail", based_on=based_on).status_code == status


@pytest.mark.parametrize("word", ["", "maybe", "arrow", "pass fail"])
def test_a_word_that_is_no_verdict_is_a_dash(word):
    drawn = Template("{% verdict word %}{% icon word %}").render(Context({"word": word}))
    assert "–" in drawn
    assert "<path" in drawn


# --- forged fields ---


def submission(slot, **fields):
    keys = [question.key for question in services.asked_questions(slot)]
    return {
        "client_id": str(uuid.uuid4()),
        "lease_token": str(slot.lease_token),
        "verdicts": [{"metric": key, "verdict": "fail"} for key in keys],
        **fields,
    }


def unit(**fields):
    """A claim of the first case; it has two chunks."""
    return {"metric": "faithfulness", "kind": "claim", "index": 0, "verdict": "supported", "evidence": [1], **fields}


FORGED = {
    "a metric never asked": {"unit_verdicts": [unit(metric="toxicity")]},
    "a kind the question does not ask about": {"unit_verdicts": [unit(kind="chunk", verdict="relevant")]},
    "a unit that is not there": {"unit_verdicts": [unit(index=99)]},
    "a number beyond any": {"unit_verdicts": [unit(index=10**30)]},
    "an unknown word": {"unit_verdicts": [unit(verdict="maybe")]},
    "evidence out of range": {"unit_verdicts": [unit(evidence=[2])]},
    "absurd evidence": {"unit_verdicts": [unit(evidence=[10**30])]},
    "evidence named twice": {"unit_verdicts": [unit(evidence=[1, 1])]},
    "a unit twice": {"unit_verdicts": [unit(), unit(verdict="absent")]},
    "no failure mode": {"failure_mode": "because"},
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_field_is_refused_and_nothing_stored(client, five, alice, what):
    client.force_login(alice)
    address = reverse("labeling-api:label", args=["desk", five.pk])
    answer = client.post(address, submission(five, **FORGED[what]), "application/json")
    assert answer.status_code in {400, 422}
    assert not Label.objects.exists()


def test_what_the_screen_offers_is_stored(client, five, alice):
    client.force_login(alice)
    sent = submission(five, unit_verdicts=[unit()], failure_mode="noise", seconds=12.5)
    assert (
        client.post(reverse("labeling-api:label", args=["desk", five.pk]), sent, "application/json").status_code == 200
    )
    assert (UnitVerdict.objects.get().evidence, Label.objects.get().failure_mode) == ([1], "noise")


@pytest.mark.parametrize("field", [{"failure_mode": "because"}, {"u-faithfulness-claim-0": "maybe"}])
def test_the_page_refuses_the_same(client, five, alice, field):
    client.force_login(alice)
    assert post(client, five, word="fail", **field).status_code == 422
    assert not Label.objects.exists()


# --- a click that arrives several times at once ---


def clicked(**environment):
    done = subprocess.run(
        [sys.executable, "-m", "tests.labeling.double_click"],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_click_that_arrives_four_times_at_once_is_one_label(tmp_path):
    # Five cases, one label each, and one undo.
    assert clicked(WORKBENCH_HOME=str(tmp_path), DATABASE_URL="") == {"labels": 6, "errors": []}


@pytest.mark.postgres
def test_a_click_that_arrives_four_times_at_once_is_one_label_in_postgresql(tmp_path, postgres_database):
    assert clicked(WORKBENCH_HOME=str(tmp_path), DATABASE_URL=postgres_database) == {"labels": 6, "errors": []}
