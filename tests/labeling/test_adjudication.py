"""Who may rule on what: nobody sees a label or a ruling of a case they must stay blind about."""

import re

import pytest
from django.urls import reverse

from cases.models import Case
from labeling import services
from labeling.models import Ruling

from .conftest import label_all, make_round, make_sample

SECRET = "the refund is late"


def adjudicate(round_):
    return reverse("labeling:adjudicate", args=["desk", round_.pk])


def ruled_round(project, alice, bob, lena, ids=("t-1", "t-2"), **options):
    """Alice and Bob differ on every case, and Lena has ruled on the first one."""
    round_ = make_round(make_sample(project, list(ids)), [alice, bob], name="first", **options)
    label_all(round_, alice, dict.fromkeys(ids, "pass"), critique=SECRET)
    label_all(round_, bob, dict.fromkeys(ids, "fail"), critique=SECRET)
    services.rule_on(case=Case.objects.get(external_id=ids[0]), metric="overall", verdict="fail", user=lena)
    return round_


@pytest.fixture
def both(project, alice, bob, lena):
    """A round that Lena may rule on, and a newer one over the same cases in which she has a seat."""
    first = ruled_round(project, alice, bob, lena)
    return first, make_round(first.sample, [lena], name="second")


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_seat_in_one_open_round_hides_labels_and_rulings_of_its_cases_in_every_other(client, both, lena, is_closed):
    first, second = both
    if is_closed:
        services.close_round(first, lena)
    found = services.adjudication(first, lena)
    assert (found.undecided, found.ruled, found.n_hidden) == ([], [], 2)
    client.force_login(lena)
    case = Case.objects.get(external_id="t-1")
    for address in (
        adjudicate(first),
        f"{adjudicate(first)}?case={case.pk}&metric=overall",
        first.get_absolute_url(),
        second.get_absolute_url(),
        reverse("labeling:rounds", args=["desk"]),
        reverse("labeling-api:progress", args=["desk", first.pk]),
        reverse("labeling-api:rounds", args=["desk"]),
    ):
        text = client.get(address).content.decode()
        assert SECRET not in text, address
        assert "t-1" not in text, address
        assert "of 2 answers" not in text, address
    assert "2 cases are left out here" in client.get(adjudicate(first)).content.decode()


def test_nobody_rules_on_a_case_they_must_stay_blind_about(client, both, lena):
    client.force_login(lena)
    case = Case.objects.get(external_id="t-2")
    client.post(adjudicate(both[0]), {"case": case.pk, "metric": "overall", "verdict": "pass"})
    assert not Ruling.objects.filter(case=case).exists()


def test_what_was_hidden_is_shown_once_the_other_round_closes(client, both, lena):
    first, second = both
    services.close_round(second, lena)
    client.force_login(lena)
    assert SECRET in client.get(adjudicate(first)).content.decode()


def test_only_the_cases_of_the_other_round_are_hidden(project, alice, bob, lena):
    first = ruled_round(project, alice, bob, lena)
    other = make_round(make_sample(project, ["u-1"], name="other"), [lena], name="second")
    found = services.adjudication(first, lena)
    assert [each.case.external_id for each in found.undecided] == ["t-2"]
    assert [each.case.external_id for each in found.ruled] == ["t-1"]
    assert found.n_hidden == 0
    assert services.adjudication(other, lena).n_hidden == 1


def test_who_rules_in_an_open_round_is_told_that_the_seats_are_still_blind(client, project, alice, bob, lena):
    round_ = ruled_round(project, alice, bob, lena)
    client.force_login(lena)
    says = "you see its labels because you have no seat in it"
    assert says in client.get(adjudicate(round_)).content.decode()
    services.close_round(round_, lena)
    assert says not in client.get(adjudicate(round_)).content.decode()


def test_cases_and_questions_are_counted_apart(client, project, alice, bob, lena):
    # Two cases undecided on each of four questions; a ruling on one question leaves seven questions of two cases.
    round_ = ruled_round(project, alice, bob, lena, questions="triad")
    client.force_login(lena)
    for address in (adjudicate(round_), round_.get_absolute_url()):
        assert "2 undecided cases, 7 questions" in client.get(address).content.decode()


def test_a_case_is_ruled_on_question_by_question_before_the_next_one_comes(client, project, alice, bob, lena):
    round_ = ruled_round(project, alice, bob, lena, ids=("t-1", "t-2", "t-3"), questions="triad")
    order = [each.case.external_id for each in services.adjudication(round_, lena).undecided]
    # Three questions are left of t-1, four each of the others, and no case comes back later.
    assert [order.count(each) for each in ("t-1", "t-2", "t-3")] == [3, 4, 4]
    assert len([at for at in range(1, 11) if order[at] != order[at - 1]]) == 2
    # Beginning in the middle of the second case, the rest of that case comes first, then the third.
    second, third = order[4 if order[0] == "t-1" else 5], order[-1]
    case = Case.objects.get(external_id=second)
    client.force_login(lena)
    seen, address = [], f"{adjudicate(round_)}?case={case.pk}&metric=faithfulness"
    for _ in range(5):
        item = client.get(address).context["item"]
        seen.append((item.case.external_id, item.question.key))
        sent = {"case": item.case.pk, "metric": item.question.key, "verdict": "fail"}
        address = client.post(adjudicate(round_), sent).url
    count = order.count(second)
    assert seen[0] == (second, "faithfulness")
    assert [each[0] for each in seen] == ([second] * count + [third] * 5)[:5]


def test_a_ruling_says_the_case_the_question_and_the_verdict(client, project, alice, bob, lena):
    round_ = ruled_round(project, alice, bob, lena, questions="triad")
    case = Case.objects.get(external_id="t-2")
    client.force_login(lena)
    sent = {"case": case.pk, "metric": "faithfulness", "verdict": "fail"}
    page = client.post(adjudicate(round_), sent, follow=True)
    assert "Ruled: t-2, Faithfulness: fail." in page.content.decode()


def test_a_ruling_without_a_verdict_says_what_is_missing(client, project, alice, bob, lena):
    round_ = ruled_round(project, alice, bob, lena)
    case = Case.objects.get(external_id="t-2")
    client.force_login(lena)
    page = client.post(adjudicate(round_), {"case": case.pk, "metric": "overall"})
    assert "No verdict yet: choose one, then rule." in re.search("data-tell[^>]*>([^<]*)<", page.content.decode())[1]
    assert Ruling.objects.count() == 1
