import json

import pytest

from cases.services import default_project
from evaluation.services import store_imported_scores
from tests.evaluation.conftest import a_batch, a_case, said
from workbench.cli import main


@pytest.fixture
def project(db):
    return default_project()


@pytest.fixture
def sample(make_sample):
    return make_sample(a_case("a"), a_case("b", "Returns take 30 days."), a_case("c", ""))


def answer(capsys, *arguments: str) -> dict:
    assert main(["evaluate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_datasets_name_means_all_its_cases(capsys, sample):
    found = answer(capsys, "desk", "--metric", "faithfulness", "--judge", "overlap")
    assert {key: found[key] for key in ("judged", "scored", "not_applicable", "mean", "unscored", "state")} == {
        "judged": 3,
        "scored": 2,
        "not_applicable": 1,
        "mean": 0.5,
        "unscored": [],
        "state": "done",
    }


def test_a_second_time_judges_nothing_and_fresh_judges_all(capsys, sample):
    asked = ("desk", "--metric", "faithfulness", "--judge", "overlap")
    answer(capsys, *asked)
    assert answer(capsys, *asked)["judged"] == 0
    assert answer(capsys, *asked, "--fresh")["judged"] == 3


def test_replay_lists_the_cases_that_were_never_heard(capsys, project, sample):
    store_imported_scores(project, a_batch(sample, said("a", 0.75)))
    asked = ("desk", "--metric", "faithfulness", "--judge", "replay", "--recorded", "careful")
    found = answer(capsys, *asked)
    assert (found["mean"], found["unscored"]) == (0.75, [{"id": "b", "reason": "nothing is recorded for this case"}])
    assert main(["evaluate", *asked]) == 0
    assert "unscored b: nothing is recorded for this case" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "--metric", "faithfulness", "--judge", "overlap"], "no sample and no dataset 'nowhere'"),
        (["desk", "--metric", "truth", "--judge", "overlap"], "there is no metric 'truth'"),
        (["desk", "--metric", "faithfulness", "--judge", "oracle"], "there is no judge 'oracle'"),
        (["desk", "--metric", "faithfulness", "--judge", "replay"], "name the recorded judge"),
        (["desk", "--metric", "faithfulness", "--judge", "overlap", "--repeats", "0"], "at least one"),
        (["desk", "--metric", "faithfulness", "--judge", "overlap", "--project", "x"], "no project 'x'"),
        (["desk", "--judge", "overlap"], "--metric"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_sentence(capsys, sample, arguments, sentence):
    assert main(["evaluate", *arguments]) == 4
    assert sentence in capsys.readouterr().err
