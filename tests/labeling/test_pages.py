"""The pages over HTTP: who may see what, what stays hidden, and that no click loses anything."""

import html
import json
import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases.models import Case, DatasetRow, SampleItem
from labeling import services
from labeling.models import Draft, Flag, Label, Round, Ruling, Skip

from .conftest import label_all, make_round, make_sample, say, take


def post(client, slot, act="submit", *, word="pass", based_on=0, **fields):
    """What the browser sends when the form of a slot is submitted."""
    keys = [question.key for question in services.asked_questions(slot)]
    answers = {f"v-{key}": word for key in keys if word}
    data = {"act": act, "based_on": based_on, "client_id": str(uuid.uuid4()), "lease_token": str(slot.lease_token)}
    return client.post(slot.get_absolute_url(), {**answers, **data, **fields})


@pytest.fixture
def slot(round_, alice):
    return take(round_, alice)


# --- h16 ---


def test_the_requests_of_h16(client, project, alice, shared):
    requests = json.loads((shared / "cases/h16-double-submit-and-two-tabs/requests.json").read_text())
    slot = take(make_round(make_sample(project, ["w-7"]), [alice]), alice)
    client.force_login(alice)
    click = {"A": str(uuid.uuid4()), "B": str(uuid.uuid4())}
    answers = [
        post(
            client,
            slot,
            word=each["label"],
            critique=each["comment"],
            based_on=each["page_version"],
            client_id=click[each["tab"]],
        )
        for each in requests
    ]
    assert [answer.status_code for answer in answers] == [302, 302, 409]
    label = Label.objects.get()
    assert (label.revision, label.verdicts.get().verdict) == (1, "pass")
    assert "the date is wrong" in answers[2].content.decode()


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        (("pass", "ok"), ("fail", "the price is wrong")),
        (("fail", "no source"), ("pass", "")),
        (("unsure", ""), ("fail", "<b>late</b>")),
    ],
)
def test_a_conflict_shows_both_values_and_keeps_what_was_typed(client, slot, alice, stored, typed):
    say(slot, alice, stored[0], critique=stored[1])
    client.force_login(alice)
    page = post(client, slot, word=typed[0], critique=typed[1])
    text = html.unescape(page.content.decode())
    assert page.status_code == 409
    assert [(each["stored"], each["typed"]) for each in page.context["differing"]] == [(stored[0], typed[0])]
    assert page.context["critique"] == typed[1]
    assert typed[1] in text
    assert stored[1] in text
    assert Label.objects.count() == 1
    # Choosing one's own after having seen both is an ordinary next revision.
    again = post(client, slot, word=typed[0], critique=typed[1], based_on=page.context["based_on"])
    assert again.status_code == 302
    assert Label.objects.current().get().verdicts.get().verdict == typed[0]


# --- h17 and blindness ---

FORBIDDEN = ("bob", "the refund is late", "band-high", "0.9137", "judge-7b", "golden-flag")


def forbidden_in(answer) -> list[str]:
    """The forbidden words of a page; whole ones, since a random token may hold any three letters."""
    text = answer.content.decode().lower()
    return [word for word in FORBIDDEN if re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text)]


@pytest.fixture
def telling(project, alice, bob, lena):
    """A round in which Bob has spoken, with strata and judge traces lying in the sample and the metadata."""
    sample = make_sample(project, ["v-1", "v-2", "v-3"], name="h17")
    SampleItem.objects.update(stratum="band-high")
    DatasetRow.objects.update(metadata={"judge_score": 0.9137, "judge": "judge-7b"}, tags=["golden-flag"])
    round_ = make_round(sample, [alice, bob], questions="five")
    label_all(round_, bob, dict.fromkeys(["v-1", "v-2", "v-3"], "fail"), critique="the refund is late")
    return round_


def addresses(round_, slot):
    page = [
        reverse("labeling:rounds", args=["desk"]),
        reverse("labeling:round", args=["desk", round_.pk]),
        slot.get_absolute_url(),
    ]
    api = [
        reverse("labeling-api:rounds", args=["desk"]),
        reverse("labeling-api:progress", args=["desk", round_.pk]),
        reverse("labeling-api:slot", args=["desk", slot.pk]),
    ]
    return page + api


def test_nothing_of_others_or_a_judge_reaches_who_has_a_seat(client, telling, alice):
    slot = take(telling, alice)
    client.force_login(alice)
    for address in addresses(telling, slot):
        answer = client.get(address)
        assert answer.status_code == 200
        assert not forbidden_in(answer), address
    served = client.post(reverse("labeling-api:next", args=["desk", telling.pk]))
    assert not forbidden_in(served)


@pytest.mark.parametrize("moment", ["opened", "drafted", "conflict"])
def test_the_screen_is_blind_at_every_moment(client, telling, alice, moment):
    slot = take(telling, alice)
    client.force_login(alice)
    if moment == "conflict":
        say(slot, alice, "pass")
    act = "open" if moment == "opened" else "flag" if moment == "drafted" else "submit"
    page = post(client, slot, act, word="unsure")
    page = client.get(page.url) if page.status_code == 302 else page
    assert not forbidden_in(page)


def test_a_lead_with_a_seat_sees_no_verdicts_of_others_until_the_close(client, project, bob, lena):
    round_ = make_round(make_sample(project, ["v-1"]), [bob, lena])
    label_all(round_, bob, {"v-1": "fail"}, critique="the refund is late")
    client.force_login(lena)
    address = reverse("labeling:round", args=["desk", round_.pk])
    adjudicate = reverse("labeling:adjudicate", args=["desk", round_.pk])
    assert "unsure" not in client.get(address).content.decode().lower()
    assert client.get(adjudicate).status_code == 404
    label_all(round_, lena, {"v-1": "pass"})
    services.close_round(round_, lena)
    assert "the refund is late" in client.get(adjudicate).content.decode()


def test_somebody_elses_draft_is_never_shown(client, sample, alice, bob):
    from .test_slots import lapse

    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    client.force_login(alice)
    client.post(
        reverse("labeling:draft", args=["desk", slot.pk]), json.dumps({"critique": "mine alone"}), "application/json"
    )
    lapse(slot)
    assert take(round_, bob).pk == slot.pk
    client.force_login(bob)
    assert "mine alone" not in client.get(slot.get_absolute_url()).content.decode()


# --- who may ---


def test_chuck_finds_nothing(client, round_, slot, chuck):
    client.force_login(chuck)
    names = [
        ("rounds", []),
        ("round", [round_.pk]),
        ("next", [round_.pk]),
        ("adjudicate", [round_.pk]),
        ("case", [slot.pk]),
    ]
    for name, args in names:
        assert client.get(reverse(f"labeling:{name}", args=["desk", *args])).status_code == 404
    for name, pk in [("round-state", round_.pk), ("undo", round_.pk), ("draft", slot.pk), ("case", slot.pk)]:
        assert client.post(reverse(f"labeling:{name}", args=["desk", pk])).status_code == 404
    for name, pk in [("slot", slot.pk), ("progress", round_.pk)]:
        assert client.get(reverse(f"labeling-api:{name}", args=["desk", pk])).status_code == 404
    for name, pk in [("next", round_.pk), ("label", slot.pk), ("skip", slot.pk)]:
        assert client.post(reverse(f"labeling-api:{name}", args=["desk", pk])).status_code == 404
    assert client.get(reverse("labeling-api:rounds", args=["desk"])).status_code == 404


def test_who_has_not_signed_in_is_asked_to(client, round_, slot):
    assert client.get(slot.get_absolute_url()).url.startswith("/sign-in/")
    assert client.get(reverse("labeling-api:slot", args=["desk", slot.pk])).status_code == 403


def test_an_annotator_cannot_open_someone_elses_slot(client, slot, bob):
    client.force_login(bob)
    assert client.get(slot.get_absolute_url()).status_code == 404
    assert post(client, slot).status_code == 404
    assert not Label.objects.exists()


def test_an_annotator_neither_leads_nor_rules(client, round_, alice):
    client.force_login(alice)
    assert client.post(reverse("labeling:round-state", args=["desk", round_.pk]), {"act": "close"}).status_code == 404
    assert client.get(reverse("labeling:adjudicate", args=["desk", round_.pk])).status_code == 404
    client.post(reverse("labeling:rounds", args=["desk"]), {"sample": "desk", "questions": "overall"})
    assert Round.objects.count() == 1


def test_slots_of_another_project_are_not_here(client, slot, alice):
    from cases.models import Membership, Project

    other = Project.objects.create(slug="other", name="Other")
    Membership.objects.create(project=other, user=alice, role="annotator")
    client.force_login(alice)
    assert client.get(reverse("labeling:case", args=["other", slot.pk])).status_code == 404


# --- the flow ---


def test_a_round_is_opened_labeled_and_closed_through_the_pages(client, sample, alice, bob, lena):
    client.force_login(lena)
    form = {
        "sample": "desk",
        "questions": "triad",
        "annotators": [alice.pk, bob.pk],
        "overlap": 2,
        "rule": "majority",
        "name": "first",
    }
    answer = client.post(reverse("labeling:rounds", args=["desk"]), form)
    round_ = Round.objects.get()
    assert answer.url == round_.get_absolute_url()
    client.force_login(alice)
    for done in range(3):
        page = client.get(reverse("labeling:next", args=["desk", round_.pk]), follow=True)
        assert page.context["progress"].done == done
        assert post(client, page.context["slot"], lease_token=str(page.context["lease_token"])).status_code == 302
    page = client.get(reverse("labeling:next", args=["desk", round_.pk]), follow=True)
    assert "Nothing is left to label" in page.content.decode()
    client.force_login(lena)
    page = client.get(round_.get_absolute_url())
    assert [(each.name, each.done, each.wanted) for each in page.context["progress"].people] == [
        ("alice", 3, 3),
        ("bob", 0, 3),
    ]
    client.post(reverse("labeling:round-state", args=["desk", round_.pk]), {"act": "close"})
    assert Round.objects.get().state == "closed"


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("overlap", 3, "3 labels a case"),
        ("rule", "mean", "no rule"),
        ("rule", "median>=3", "grades"),
        ("name", "desk", "already"),
    ],
)
def test_a_round_that_cannot_be_is_refused_in_the_form(client, sample, alice, bob, lena, field, value, says):
    make_round(sample, [alice], name="desk")
    client.force_login(lena)
    form = {
        "sample": "desk",
        "questions": "overall",
        "annotators": [alice.pk, bob.pk],
        "overlap": 2,
        "rule": "majority",
        "name": "new",
    }
    page = client.post(reverse("labeling:rounds", args=["desk"]), {**form, field: value})
    assert says in html.unescape(page.content.decode())
    assert Round.objects.count() == 1


def test_an_unanswered_question_keeps_everything_typed(client, slot, alice):
    client.force_login(alice)
    page = post(client, slot, word="", critique="half a thought")
    assert page.status_code == 422
    assert "half a thought" in page.content.decode()
    assert not Label.objects.exists()


def test_a_draft_is_there_after_the_session(client, slot, alice):
    client.force_login(alice)
    address = reverse("labeling:draft", args=["desk", slot.pk])
    answer = client.post(address, json.dumps({"v-overall": "fail", "critique": "wrong date"}), "application/json")
    assert set(answer.json()) == {"saved_at"}
    client.logout()
    client.force_login(alice)
    page = client.get(slot.get_absolute_url())
    assert page.context["critique"] == "wrong date"
    assert [choice.value for row in page.context["rows"] for choice in row.choices if choice.is_chosen] == ["fail"]


def test_the_expected_answer_is_not_in_the_page_before_it_is_opened(client, sample, alice):
    slot = take(make_round(sample, [alice], questions="five"), alice)
    client.force_login(alice)
    assert "You pay the shipping" not in client.get(slot.get_absolute_url()).content.decode()
    first = {"v-overall": "pass", "v-faithfulness": "fail", "v-answer_relevancy": "pass"}
    early = post(client, slot, "open", word="", **first)
    assert early.status_code == 422
    assert "Contextual relevancy" in early.content.decode()
    post(client, slot, "open", word="", **first, **{"v-contextual_relevancy": "pass"})
    page = client.get(slot.get_absolute_url())
    assert "You pay the shipping" in page.content.decode()
    assert [row.question.key for row in page.context["rows"] if row.is_locked] == [
        "overall",
        "faithfulness",
        "answer_relevancy",
        "contextual_relevancy",
    ]
    # Disabled fields are not sent; the answers given before count as they were.
    rest = {"v-contextual_recall": "pass", "v-contextual_precision": "unsure"}
    assert post(client, slot, word="", **rest).status_code == 302
    words = dict(Label.objects.get().verdicts.values_list("metric", "verdict"))
    assert (words["faithfulness"], words["contextual_precision"]) == ("fail", "unsure")


def test_undo_on_the_next_case_takes_the_last_one_back(client, round_, slot, alice):
    client.force_login(alice)
    post(client, slot, word="fail", critique="too soon")
    following = client.get(reverse("labeling:next", args=["desk", round_.pk]), follow=True).context["slot"]
    answer = post(client, following, "undo", word="")
    assert answer.url == slot.get_absolute_url()
    assert not Label.objects.current().exists()
    assert client.get(answer.url).context["critique"] == "too soon"


def test_skip_and_flag_by_plain_buttons(client, slot, alice):
    client.force_login(alice)
    post(client, slot, "flag", critique="kept")
    assert Flag.objects.get().annotator.user == alice
    assert client.get(slot.get_absolute_url()).context["critique"] == "kept"
    post(client, slot, "", skip="unclear")
    assert Skip.objects.get().reason == "unclear"


def test_adjudication_by_the_page(client, project, alice, bob, lena):
    round_ = make_round(make_sample(project, ["v-2"]), [alice, bob])
    label_all(round_, alice, {"v-2": "pass"}, critique="within the rules")
    label_all(round_, bob, {"v-2": "fail"}, critique="the date is wrong")
    client.force_login(lena)
    address = reverse("labeling:adjudicate", args=["desk", round_.pk])
    page = client.get(address)
    text = page.content.decode()
    assert [(each["letter"], each["verdict"]) for each in page.context["people"]] == [("A", "pass"), ("B", "fail")]
    assert "within the rules" in text
    assert "the date is wrong" in text
    assert "alice" not in text
    assert "bob" not in text
    client.post(address, {"case": Case.objects.get().pk, "metric": "overall", "verdict": "fail", "reason": "slip"})
    assert (Ruling.objects.get().verdict, Ruling.objects.get().reason) == ("fail", "slip")
    assert client.get(address).context["found"].undecided == []


def test_hostile_text_of_h20_is_shown_as_written(client, project, alice, shared):
    case = json.loads((shared / "cases/h20-hostile-text-on-the-labeling-page/case.json").read_text())
    sample = make_sample(
        project, [case["id"]], **{key: case[key] for key in ("input", "actual_output", "retrieval_context")}
    )
    slot = take(make_round(sample, [alice], questions="triad"), alice)
    client.force_login(alice)
    page = client.get(slot.get_absolute_url())
    text = page.content.decode()
    assert "<img" not in text
    assert "<script>fetch" not in text
    assert "<h1>big" not in text
    assert "{{ 7*7 }}" in text
    for written in (case["input"], case["actual_output"], *case["retrieval_context"], case["id"]):
        assert written in html.unescape(text)
    assert 'dir="auto"' in text


def test_the_query_count_of_the_list_does_not_grow_with_the_rounds(client, sample, alice, bob, lena):
    counts = []
    for user in (alice, lena):
        client.force_login(user)
        for wanted in (2, 8):
            while Round.objects.count() < wanted:
                make_round(sample, [alice, bob])
            with CaptureQueriesContext(connection) as queries:
                client.get(reverse("labeling:rounds", args=["desk"]))
            counts.append(len(queries))
        Round.objects.all().delete()
    assert counts[0] == counts[1]
    assert counts[2] == counts[3]


# --- the API ---


def test_a_case_is_labeled_over_the_api(client, round_, alice):
    client.force_login(alice)
    slot = client.post(reverse("labeling-api:next", args=["desk", round_.pk])).json()
    assert (slot["questions"][0]["key"], slot["expected_output"], slot["revision"]) == ("overall", None, 0)
    sent = {
        "client_id": str(uuid.uuid4()),
        "lease_token": slot["lease_token"],
        "verdicts": [{"metric": "overall", "verdict": "fail"}],
        "critique": "the date is wrong",
    }
    address = reverse("labeling-api:label", args=["desk", slot["id"]])
    first, again = (client.post(address, sent, "application/json") for _ in range(2))
    assert first.json() == again.json()
    assert (first.json()["revision"], first.json()["verdicts"]) == (1, {"overall": "fail"})
    stale = client.post(address, {**sent, "client_id": str(uuid.uuid4())}, "application/json")
    assert (stale.status_code, stale.json()["stored"]["verdicts"]) == (409, {"overall": "fail"})
    odd = client.post(
        address, {**sent, "client_id": str(uuid.uuid4()), "based_on": 1, "verdicts": []}, "application/json"
    )
    assert odd.status_code == 422
    assert client.get(reverse("labeling-api:progress", args=["desk", round_.pk])).json()["own"]["done"] == 1


def test_draft_and_skip_over_the_api(client, slot, alice):
    client.force_login(alice)
    draft = reverse("labeling-api:draft", args=["desk", slot.pk])
    assert client.put(draft, {"content": {"v-overall": "fail"}}, "application/json").status_code == 200
    assert Draft.objects.get().content == {"v-overall": "fail"}
    skip = reverse("labeling-api:skip", args=["desk", slot.pk])
    assert client.post(skip, {"reason": "bored"}, "application/json").status_code == 422
    assert client.post(skip, {"reason": "broken"}, "application/json").status_code == 204
