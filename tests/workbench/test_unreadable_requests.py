"""Requests that no database can keep and no parser can read: each is answered, none with an error page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.urls import reverse

from cases.given import read_json, require_storable, small_int, storable
from cases.models import DatasetVersion, Sample
from labeling import services
from labeling.models import Draft, Label, Round, Slot
from tests.cast import imported, person, project_of_lena, row
from tests.routes import every_get

pytestmark = pytest.mark.django_db

BEYOND = ["9" * 30, "9" * 5000, "²", "-1", "1e3", "٣"]
DEEP = "[" * 100_000
SURROGATE, NUL = '"\\ud800"', '"\\u0000"'


@pytest.fixture
def shop(client, tmp_path: Path):
    """Lena leads and labels: every page of the product is there for her."""
    project, lena = project_of_lena()
    version: DatasetVersion = imported(project, tmp_path, [row("a"), row("b")])
    sample = services_sample(version)
    round_: Round = services.open_round(
        project=project,
        sample=sample,
        question_set=services.default_question_set(project, "overall"),
        annotators=[services.annotator_for(project, lena)],
        is_training=True,  # so that nothing is hidden from her
    )
    slot = services.next_slot(round_, services.annotator_for(project, lena))
    client.force_login(lena)
    client.raise_request_exception = False
    return project, round_, slot


def services_sample(version: DatasetVersion) -> Sample:
    from cases.services import implicit_sample

    return implicit_sample(version)


@pytest.mark.parametrize("number", BEYOND)
def test_a_number_that_no_row_has_never_breaks_a_page(client, shop, number):
    names = ("version", "evaluator", "page", "case", "threshold", "seed", "min_pass_rate")
    for address in every_get(shop[0]):
        for asked in (dict.fromkeys(names, number), dict.fromkeys(("sample", "kind", "metric", "judge"), number)):
            assert client.get(address, asked).status_code < 500, address


def test_an_unreadable_version_is_not_there_and_none_is_the_newest(client, shop):
    project, _, _ = shop
    address = reverse("cases:dataset", args=[project.slug, "tea"])
    found = {text: client.get(address, {"version": text}).status_code for text in ["", "1", *BEYOND]}
    assert found == {"": 200, "1": 200, **dict.fromkeys(BEYOND, 404)}


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000])
def test_an_address_with_a_number_that_no_row_has_is_not_there(client, shop, number):
    project, _, _ = shop
    for address in every_get(project, number=number):
        if number in address:
            assert client.get(address).status_code == 404, address


def test_nul_in_an_address_a_form_or_a_cookie_is_refused(client, shop):
    project, _, slot = shop
    for address in every_get(project):
        assert client.get(f"{address}?q=%00").status_code == 400
        assert client.get(f"{address}?%00=q").status_code == 400
    assert client.get(f"/p/{project.slug}/datasets/%00/").status_code == 400
    assert client.get(f"/api/p/{project.slug}/samples/%00/scores/").status_code == 400
    urlencoded = "application/x-www-form-urlencoded"
    assert client.post(slot.get_absolute_url(), "act=flag&critique=%00", urlencoded).status_code == 400
    assert client.post(slot.get_absolute_url(), "act=flag&%00=critique", urlencoded).status_code == 400
    assert client.post(slot.get_absolute_url(), {"act": "flag", "critique": "\x00"}).status_code == 400
    client.cookies["sessionid"] = "\x00" * 32
    assert client.get("/").status_code == 400
    assert not Draft.objects.exists()


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, "²"])
def test_a_number_that_no_row_has_never_breaks_a_form(client, shop, number):
    project, round_, slot = shop
    fields = {
        reverse("labeling:rounds", args=[project.slug]): ["annotators", "overlap"],
        reverse("labeling:offer-again", args=[project.slug, round_.pk]): ["skip"],
        reverse("labeling:adjudicate", args=[project.slug, round_.pk]): ["case"],
        reverse("cases:draw", args=[project.slug, "tea"]): ["size", "seed"],
        slot.get_absolute_url(): ["based_on", "seconds", "g-overall"],
    }
    good = {"sample": "tea", "questions": "overall", "rule": "majority", "overlap": 1, "v-overall": "pass"}
    good |= {"metric": "overall", "verdict": "pass", "name": "n", "design": "simple", "size": 1, "seed": 1}
    good |= {"purpose": "calibrate"}
    for address, names in fields.items():
        for name in names:
            sent = "&".join(f"{key}={value}" for key, value in {**good, name: number}.items())
            answer = client.post(address, sent, "application/x-www-form-urlencoded")
            assert answer.status_code < 500, (address, name)
    assert (Round.objects.count(), Label.objects.count(), Sample.objects.drawn().count()) == (1, 0, 0)


@pytest.mark.parametrize("body", [DEEP, SURROGATE, NUL, "NaN", "{", '{"a": ' + "9" * 5000 + "}"])
@pytest.mark.parametrize("name", ["label", "draft", "skip"])
def test_a_json_body_that_cannot_be_read_is_a_400(client, shop, name, body):
    project, _, slot = shop
    send = client.put if name == "draft" else client.post
    address = reverse(f"labeling-api:{name}", args=[project.slug, slot.pk])
    for each in (body, f'{{"reason": {body}, "content": {{"critique": {body}}}}}'):
        assert send(address, each, "application/json").status_code == 400


@pytest.mark.parametrize("body", [DEEP, "NaN", "[]", "{"])
def test_a_draft_that_cannot_be_read_is_a_400(client, shop, body):
    project, _, slot = shop
    address = reverse("labeling:draft", args=[project.slug, slot.pk])
    assert client.post(address, body, "application/json").status_code == 400


def test_a_draft_with_half_an_emoji_is_kept_without_it_and_shown_again(client, shop):
    # What a browser sends while an emoji is typed: the page must open afterwards, and nothing else be lost.
    project, _, slot = shop
    address = reverse("labeling:draft", args=[project.slug, slot.pk])
    body = json.dumps({"critique": "late \ud83d", "v-\ud83d\x00": "pass", "v-overall": "fail"})
    assert client.post(address, body, "application/json").status_code == 200
    assert Draft.objects.get().content == {"critique": "late �", "v-��": "pass", "v-overall": "fail"}
    assert client.get(slot.get_absolute_url()).status_code == 200
    api = reverse("labeling-api:slot", args=[project.slug, slot.pk])
    assert client.get(api).json()["draft"]["critique"] == "late �"


@pytest.mark.parametrize("text", ["\ud800", "\x00"])
def test_the_api_refuses_what_is_no_text_in_keys_and_in_values(client, shop, text):
    project, _, slot = shop
    address = reverse("labeling-api:draft", args=[project.slug, slot.pk])
    for content in ({text: "pass"}, {"critique": text}):
        assert client.put(address, json.dumps({"content": content}), "application/json").status_code == 400
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("007", 7), ("9" * 18, int("9" * 18)), *((b, None) for b in BEYOND)]
)
def test_a_small_int_is_plain_digits(text, number):
    assert small_int(text) == number


def test_text_is_storable_or_refused():
    assert storable("a\x00b\ud800c\U0001f375") == "a�b�c\U0001f375"
    assert require_storable(read_json('{"a": ["b", {"c": 1}]}')) == {"a": ["b", {"c": 1}]}
    with pytest.raises(ValueError, match="no text"):
        require_storable({"a": [{"b\x00": 1}]})


@pytest.mark.parametrize("seed", [-1, 2**63, 10**30])
def test_a_seed_that_cannot_be_kept_is_refused_with_a_sentence(client, shop, seed):
    project, round_, _ = shop
    form = {"name": "n", "design": "simple", "size": 1, "seed": seed, "purpose": "calibrate"}
    page = client.post(reverse("cases:draw", args=[project.slug, "tea"]), form)
    assert page.context["form"].errors["seed"]
    with pytest.raises(services.LabelingError, match="a seed is a whole number from 0 to"):
        services.open_round(
            project=project,
            sample=round_.sample,
            question_set=round_.question_set,
            annotators=[services.annotator_for(project, person("dora", project))],
            seed=seed,
        )


@pytest.mark.parametrize("command", [["sample", "tea", "--name", "n", "--size", "1"], ["round", "open", "tea"]])
def test_the_commands_refuse_such_a_seed_too(shop, capsys, command):
    from workbench.cli import main

    project, _, _ = shop
    more = (
        ["--questions", "overall", "--annotators", "lena", "--overlap", "1", "--name", "m"] if "open" in command else []
    )
    assert main([*command, *more, "--seed", str(2**64), "--project", project.slug]) == 4
    assert "a seed is a whole number from 0 to" in capsys.readouterr().err
    assert (Slot.objects.count(), Round.objects.count(), Sample.objects.drawn().count()) == (2, 1, 0)
