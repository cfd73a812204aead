"""A lead with a seat in an open round is blind about its cases, on every page and in every answer that GET finds."""

from __future__ import annotations

import html
import uuid
from typing import Any

import pytest
from django.urls import reverse

from calibration.services import ask_for, freeze, scores_by_row
from cases.models import Exposure, ImportJob, Role
from cases.services import drain_imports, draw_new_sample
from evaluation.models import EvaluatorVersion
from evaluation.services import drain, evaluator_version, start_run
from labeling import services
from labeling.models import Round
from tests.cast import imported, person, project_of_lena, row, write_jsonl
from tests.routes import every_get

pytestmark = pytest.mark.django_db

JUDGE, METRIC = "secret-judge-7b", "faithfulness"
#: Scores with digits that nothing else on a page has; the bands of the strata begin with "score".
SCORES = [0.0731, 0.2931, 0.4731, 0.6731, 0.8731, 0.9731]
CRITIQUE, RULED, IMPORTED, REASON = "the refund is late", "ruled on the price", "said in the file", "because it is so"
TELLING = (JUDGE, CRITIQUE, RULED, IMPORTED, REASON, "0.0731", "0.07", "0.29", "0.97", "[0.", "0.2)", "median>=4")


def rows() -> list[dict[str, Any]]:
    said = {"annotator": "zoe", "metric": METRIC, "verdict": "fail", "critique": IMPORTED}
    return [
        row(
            f"c-{n}",
            judge=[{"judge": JUDGE, "metric": METRIC, "score": score, "reason": REASON}],
            human=[{**said, "grade": 2 + 2 * n}] if n < 2 else [],
        )
        for n, score in enumerate(SCORES)
    ]


@pytest.fixture
def seated(client, tmp_path, settings):
    """Lena leads and has a seat beside Alice, in a round over a sample by score band; Alice has labeled all of it."""
    settings.WORKBENCH_HOME = tmp_path
    project, lena = project_of_lena()
    alice = person("alice", project, Role.ANNOTATOR)
    client.force_login(lena)
    path = write_jsonl(tmp_path / "cases.jsonl", rows())
    with path.open("rb") as file:
        client.post(reverse("cases:import-new", args=[project.slug]), {"file": file, "dataset": "tea"})
    client.post(ImportJob.objects.get().get_absolute_url())
    drain_imports()
    version = project.datasets.get(name="tea").latest
    assert version is not None
    sample = draw_new_sample(
        version=version,
        name="bands",
        design="score-band",
        size=6,
        seed=1,
        scores=scores_by_row(version, judge=JUDGE, metric=METRIC),
    )
    sample.gaps = ["no case in the band [0.2, 0.25)"]
    sample.save()
    drain(start_run(sample, evaluator_version(project, METRIC, "replay", recorded=JUDGE)))
    evaluator = EvaluatorVersion.objects.get(judge=JUDGE)
    freeze(sample, evaluator, ask_for(sample, evaluator), user=None)
    round_ = services.open_round(
        project=project,
        sample=sample,
        question_set=services.default_question_set(project, "triad"),
        annotators=[services.annotator_for(project, each) for each in (alice, lena)],
        overlap=2,
        name="first",
    )
    label_all(round_, alice)
    case = sample.items.first().row.case
    services.rule_on(case=case, metric=METRIC, verdict="fail", user=None, reason="slip", note=RULED)
    services.next_slot(round_, services.annotator_for(project, lena))
    return project, round_, lena


def label_all(round_: Round, user: Any) -> None:
    seat = services.annotator_for(round_.project, user)
    while slot := services.next_slot(round_, seat):
        given = [services.GivenVerdict(each.key, "fail") for each in services.asked_questions(slot)]
        services.submit_label(
            slot=slot,
            annotator=seat,
            verdicts=given,
            critique=CRITIQUE,
            client_id=uuid.uuid4(),
            lease_token=slot.lease_token,
        )


QUESTIONS: list[dict[str, str]] = [
    {},
    {"sample": "bands"},
    {"sample": "tea"},
    {"sample": "bands", "metric": METRIC, "judge": JUDGE[:6]},
    {"sample": "bands", "metric": "nothing"},
    {"sample": "bands", "kind": "true_fail", "metric": METRIC, "threshold": "0.9"},
]


def told(client, project) -> dict[str, set[str]]:
    """Where something telling was found, and what."""
    found: dict[str, set[str]] = {}
    for address in every_get(project):
        for asked in QUESTIONS:
            answer = client.get(address, asked, headers={"HX-Request": "true"} if asked.get("sample") == "tea" else {})
            if answer.status_code in {200, 404, 422}:
                typed = set(asked.values())
                text = html.unescape(answer.content.decode())
                if words := {word for word in TELLING if word in text and word not in typed}:
                    found.setdefault(address, set()).update(words)
    return found


def test_nothing_of_the_judge_or_of_others_reaches_a_lead_with_a_seat(client, seated):
    project, _, lena = seated
    assert told(client, project) == {}
    assert not Exposure.objects.filter(user=lena).exists()


def test_all_of_it_is_there_once_the_round_is_closed(client, seated):
    # Otherwise the test above would look in the wrong places.
    project, round_, lena = seated
    services.close_round(round_, lena)
    found = told(client, project)
    assert {word for words in found.values() for word in words} >= {JUDGE, CRITIQUE, REASON, "[0.", "median>=4"}
    pages = {"runs", "evaluators", "calibrations", "samples", "progress", "import", "scores", "agreement"}
    assert {page for page in pages if not any(f"/{page}/" in address for address in found)} == set()


def test_a_judge_that_has_scored_other_cases_too_is_named_but_not_its_scores_of_these(client, seated, tmp_path):
    project, _, _ = seated
    imported(project, tmp_path, [row("d-1", judge=[{"judge": JUDGE, "metric": METRIC, "score": 0.5}])], "coffee")
    found = told(client, project)
    assert {word for words in found.values() for word in words} <= {JUDGE}


@pytest.mark.parametrize("is_training", [True, False])
def test_a_training_round_may_reveal(client, seated, is_training):
    project, round_, _ = seated
    Round.objects.update(is_training=is_training)
    page = client.get(reverse("labeling:round", args=[project.slug, round_.pk]))
    assert ("By stratum" in page.content.decode()) == is_training


def test_a_lead_starting_a_replay_is_not_told_the_recorded_judges_of_hidden_cases(client, seated):
    project, _, _ = seated
    form = {"sample": "tea", "metric": METRIC, "judge": "replay", "recorded": "x"}
    assert JUDGE not in client.post(reverse("evaluation:start", args=[project.slug]), form).content.decode()
    frozen = client.post(reverse("calibration:freeze", args=[project.slug]), {"sample": "bands", "metric": "nothing"})
    assert (frozen.status_code, JUDGE in frozen.content.decode()) == (404, False)
