"""Skipping and undo: the last act is taken back and named, and no skipped case is lost from sight."""

import html
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases.models import AuditEntry, Role
from labeling import services
from labeling.models import Label, Skip

from .conftest import make_round, make_sample, person, say, seat, take
from .test_slots import lapse


def send(client, slot, act="submit", **fields):
    """What the browser sends from the screen of a slot."""
    data = {"act": act, "based_on": 0, "client_id": str(uuid.uuid4()), "lease_token": str(slot.lease_token)}
    if act == "submit":
        data["v-overall"] = "pass"
    return client.post(slot.get_absolute_url(), data | fields, follow=True)


def skip(client, slot, reason="broken"):
    return send(client, slot, "", skip=reason)


def text(page) -> str:
    return html.unescape(" ".join(page.content.decode().split()))


@pytest.fixture
def alone(sample, alice, client):
    client.force_login(alice)
    return make_round(sample, [alice])


# --- undo ---


def test_undo_after_a_skip_takes_the_skip_back_and_no_label(client, alone, alice):
    first = take(alone, alice)
    second = send(client, first).context["slot"]
    third = skip(client, second)
    assert f"Skipped {second.case.external_id}" in text(third)
    assert "Saved" not in text(third)
    undone = send(client, third.context["slot"], "undo")
    assert undone.context["slot"].pk == second.pk
    assert f"Skip of {second.case.external_id} taken back." in text(undone)
    assert Label.objects.current().get().case == first.case
    assert not Skip.objects.exists()
    # Once more: now the label before it is the last act.
    again = send(client, undone.context["slot"], "undo")
    assert again.context["slot"].pk == first.pk
    assert f"Taken back: {first.case.external_id}." in text(again)


def test_undo_goes_back_in_the_order_of_the_acts_also_over_an_edit(client, alone, alice):
    # Label the first, skip the second, edit the first, undo the edit: the first answer was given before the skip.
    first = take(alone, alice)
    second = send(client, first).context["slot"]
    third = skip(client, second).context["slot"]
    say(first, alice, "fail", based_on=1)
    edit = send(client, third, "undo")
    assert f"Undone on {first.case.external_id}" in text(edit)
    assert isinstance(services.last_act(alone, seat(alone, alice)), Skip)


def test_undo_on_the_rounds_page_names_what_it_takes_back(client, alone, alice):
    slot = take(alone, alice)
    skip(client, slot)
    assert f"Skipped {slot.case.external_id}" in text(client.get(alone.get_absolute_url()))
    page = client.post(reverse("labeling:undo", args=["desk", alone.pk]), follow=True)
    assert page.context["slot"].pk == slot.pk


def test_a_skip_is_taken_back_also_when_others_have_the_case_by_now(client, sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    client.force_login(alice)
    slot = take(round_, alice)
    page = skip(client, slot)
    say(take(round_, bob), bob)
    assert "Others have all its places by now" in text(send(client, page.context["slot"], "undo"))
    assert not Skip.objects.exists()


def test_what_was_just_done_is_said_once_beside_the_verdicts(client, alone, alice):
    page = send(client, take(alone, alice))
    beside = text(page).split('class="decide"')[1].split("</p>")[0]
    assert "Saved t-" in beside
    undone = send(client, page.context["slot"], "undo")
    assert "Taken back: t-" in text(undone).split('class="decide"')[1].split("</p>")[0]
    assert 'class="messages"' not in text(undone)
    assert text(undone).count('role="status"') == 1
    assert "aria-live" not in text(undone)


def test_a_refused_label_says_why_beside_the_verdicts(client, alone, alice):
    page = send(client, take(alone, alice), **{"v-overall": ""})
    assert "Not answered yet: Overall." in text(page).split('class="decide"')[1].split("</p>")[0]


# --- skipped cases ---


def test_progress_counts_what_was_skipped_and_the_end_page_leads_back(client, alone, alice):
    # Three cases, one skipped, two labeled: nothing is left but the skipped one.
    skipped = take(alone, alice)
    page = skip(client, skipped, "not_my_field")
    assert "0 done, 1 skipped of 3" in text(page)
    page = send(client, send(client, page.context["slot"]).context["slot"])
    assert "Nothing is left to label for you but 1 case you skipped" in text(page)
    assert "2 done, 1 skipped of 3" in text(page)
    assert "Thank you" not in text(page)
    listed = [(each.case, each.reason) for each in page.context["own_skipped"]]
    assert listed == [(skipped.case, "not my field")]
    assert "2 done, 1 skipped of 3" in text(client.get(reverse("labeling:rounds", args=["desk"])))
    own = client.get(reverse("labeling-api:progress", args=["desk", alone.pk])).json()["own"]
    assert (own["done"], own["skipped"], own["wanted"]) == (2, 1, 3)
    back = client.post(reverse("labeling:back-to-skipped", args=["desk", alone.pk]), follow=True)
    assert back.context["slot"].case == skipped.case
    end = text(send(client, back.context["slot"]))
    assert "Nothing is left to label for you in this round: 3 of 3 done." in end
    assert "The next cases come when the lead opens a round." in end


def test_a_skipped_case_that_somebody_else_took_is_no_longer_waiting(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    services.skip_slot(take(round_, alice), seat(round_, alice), "unclear")
    own = services.own_progress(round_, seat(round_, alice))
    assert (own.done, own.skipped, own.wanted) == (0, 1, 2)
    taken = take(round_, bob)
    assert services.own_progress(round_, seat(round_, alice)).skipped == 0
    lapse(taken)
    assert services.own_progress(round_, seat(round_, alice)).skipped == 1
    say(taken, bob)
    assert services.own_skipped(round_, seat(round_, alice)) == []


def test_the_lead_sees_every_skip_with_person_and_reason_and_offers_the_case_again(client, alone, alice, lena):
    slot = take(alone, alice)
    services.skip_slot(slot, seat(alone, alice), "broken")
    client.force_login(lena)
    page = client.get(alone.get_absolute_url())
    said = [(each.case, each.name, each.reason, each.is_waiting) for each in page.context["skipped"]]
    assert said == [(slot.case, "alice", "broken", True)]
    assert "Offer it to alice again" in text(page)
    address = reverse("labeling:offer-again", args=["desk", alone.pk])
    page = client.post(address, {"skip": Skip.objects.get().pk}, follow=True)
    assert f"{slot.case.external_id} is offered to alice again." in text(page)
    assert page.context["skipped"] == []
    assert take(alone, alice).case == slot.case
    assert AuditEntry.objects.filter(action="offer skipped case again", user=lena).exists()


def test_a_lead_with_a_seat_is_told_of_a_skip_without_its_reason(client, project, bob, lena):
    round_ = make_round(make_sample(project, ["v-1"]), [bob, lena])
    services.skip_slot(take(round_, bob), seat(round_, bob), "broken")
    client.force_login(lena)
    (said,) = client.get(round_.get_absolute_url()).context["skipped"]
    assert (said.name, said.reason) == ("bob", "")
    services.close_round(round_, lena)
    (said,) = client.get(round_.get_absolute_url()).context["skipped"]
    assert said.reason == "broken"


def test_only_the_lead_offers_again_and_only_a_seat_goes_back(client, project, alone, alice, bob):
    services.skip_slot(take(alone, alice), seat(alone, alice), "broken")
    person(project, "ada", Role.ADJUDICATOR)
    offer, back = (reverse(f"labeling:{name}", args=["desk", alone.pk]) for name in ("offer-again", "back-to-skipped"))
    assert client.post(offer, {"skip": Skip.objects.get().pk}).status_code == 404
    client.force_login(bob)
    assert client.post(back).status_code == 404
    assert Skip.objects.count() == 1


def test_nothing_is_offered_or_gone_back_to_after_the_close(client, alone, alice, lena):
    services.skip_slot(take(alone, alice), seat(alone, alice), "broken")
    services.close_round(alone, lena)
    client.post(reverse("labeling:back-to-skipped", args=["desk", alone.pk]))
    client.force_login(lena)
    client.post(reverse("labeling:offer-again", args=["desk", alone.pk]), {"skip": Skip.objects.get().pk})
    assert Skip.objects.count() == 1


def test_a_label_from_a_page_still_open_ends_the_skip(client, alone, alice):
    slot = take(alone, alice)
    skip(client, slot)
    assert "You skipped this case: broken." in text(client.get(slot.get_absolute_url()))
    send(client, slot)
    assert Label.objects.current().get().case == slot.case
    assert not Skip.objects.exists()


def test_skipping_twice_is_skipping_once(client, alone, alice):
    slot = take(alone, alice)
    skip(client, slot)
    skip(client, slot, "unclear")
    assert Skip.objects.get().reason == "broken"


def test_the_menu_promises_nobody_who_is_not_there(client, alone, alice):
    assert "It goes to someone else if there is one." in text(client.get(take(alone, alice).get_absolute_url()))


def test_the_lists_of_skipped_cases_take_as_many_queries_for_many_as_for_few(client, project, alice, lena):
    counts = []
    for n in (2, 9):
        round_ = make_round(make_sample(project, [f"k{n}-{i}" for i in range(n)], name=f"k{n}"), [alice, lena])
        for _ in range(n):
            services.skip_slot(take(round_, lena), seat(round_, lena), "unclear")
        client.force_login(lena)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(round_.get_absolute_url())
        assert (len(page.context["own_skipped"]), len(page.context["skipped"])) == (n, n)
        counts.append(len(queries))
    assert counts[0] == counts[1]
