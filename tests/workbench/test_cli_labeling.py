"""workbench user, round and labels: what they do, print and refuse."""

import csv
import io
import json

import pytest

from cases.models import Dataset, Membership, Project, User
from labeling.models import Label, Round, Verdict
from tests.labeling.conftest import label_all, make_sample
from workbench.cli import main

pytestmark = pytest.mark.django_db


def run(capsys, *argv: str) -> tuple[int, str, str]:
    code = main(argv)
    said = capsys.readouterr()
    return code, said.out, said.err


def run_json(capsys, *argv: str) -> dict:
    code, out, err = run(capsys, *argv, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def project() -> Project:
    return Project.objects.create(slug="default", name="Default")


@pytest.fixture
def sample(project):
    return make_sample(project, ["t-1", "t-2", "t-3"])


# --- people and rounds ---


def test_a_new_person_gets_a_password_that_is_shown_once(capsys):
    made = run_json(capsys, "user", "add", "alice", "--role", "annotator")
    assert User.objects.get().check_password(made["password"])
    assert (made["project"], Membership.objects.get().role) == ("default", "annotator")
    again = run_json(capsys, "user", "add", "alice", "--role", "lead")
    assert (again["password"], again["created"], Membership.objects.get().role) == (None, False, "lead")


def test_a_password_comes_from_a_file_and_a_weak_one_is_refused(capsys, tmp_path):
    path = tmp_path / "password"
    path.write_text("kettle-and-lid-42\n")
    assert run_json(capsys, "user", "add", "bob", "--role", "lead", "--password-file", str(path))["password"] is None
    assert User.objects.get().check_password("kettle-and-lid-42")
    path.write_text("12345")
    code, _, err = run(capsys, "user", "add", "carol", "--role", "lead", "--password-file", str(path))
    assert code == 4
    assert "too short" in err
    assert not User.objects.filter(username="carol").exists()


def test_an_administrator_needs_no_project(capsys):
    assert run_json(capsys, "user", "add", "root", "--role", "administrator")["project"] is None
    assert User.objects.get().is_superuser


def test_a_round_is_opened_listed_and_closed(capsys, sample):
    for name in ("alice", "bob"):
        run(capsys, "user", "add", name, "--role", "annotator")
    opened = run_json(
        capsys, "round", "open", "desk", "--questions", "triad", "--annotators", "alice,bob", "--overlap", "2"
    )
    assert (opened["cases"], opened["wanted"], opened["rule"]) == (3, 6, "majority")
    round_ = Round.objects.get()
    label_all(round_, User.objects.get(username="alice"), dict.fromkeys(["t-1", "t-2", "t-3"], "pass"))
    assert run_json(capsys, "round", "list")["rounds"][0]["done"] == 3
    assert run_json(capsys, "round", "close", round_.name)["state"] == "closed"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("nothing", "--questions", "overall", "--annotators", "alice"), "no sample and no dataset"),
        (("desk", "--questions", "mood", "--annotators", "alice", "--overlap", "1"), "overall, triad, five"),
        (("desk", "--questions", "overall", "--annotators", "zoe"), "workbench user add zoe --role annotator"),
        (("desk", "--questions", "overall", "--annotators", "alice", "--overlap", "2"), "nobody gets a case twice"),
        (("desk", "--questions", "overall", "--annotators", "alice", "--overlap", "1", "--rule", "mean"), "no rule"),
    ],
)
def test_a_round_that_cannot_be_is_answered_with_what_would_do(capsys, sample, argv, says):
    run(capsys, "user", "add", "alice", "--role", "annotator")
    code, _, err = run(capsys, "round", "open", *argv)
    assert code == 4
    assert says in err
    assert not Round.objects.exists()


def test_an_unknown_round_or_project_is_answered_with_those_there_are(capsys, sample):
    code, _, err = run(capsys, "round", "close", "nope")
    assert (code, "none yet" in err) == (4, True)
    code, _, err = run(capsys, "round", "list", "--project", "nope")
    assert (code, "Projects here: default" in err) == (4, True)


# --- labels in ---


def table(tmp_path, text: str):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_long_table_is_read_with_the_words_of_the_field_and_of_vietnamese(capsys, sample, tmp_path):
    path = table(
        tmp_path,
        "case_id,annotator,metric,label,note\nt-1,alice,overall,pass,fine\nt-1,bob,overall,Không đạt,sai ngày\n"
        "t-2,alice,overall,Đạt,\nt-2,bob,overall,,\nt-1,alice,faithfulness,n/a,\n",
    )
    done = run_json(capsys, "labels", "import", path)
    # alice on t-1 and t-2, bob on t-1; bob's empty cell on t-2 is no label.
    assert (done["labels"], done["created"], done["without_label"], done["refused"]) == (3, 3, 1, [])
    assert set(Verdict.objects.values_list("label__annotator__name", "metric", "verdict", "note")) == {
        ("alice", "overall", "pass", "fine"),
        ("alice", "overall", "pass", ""),
        ("alice", "faithfulness", "not_applicable", ""),
        ("bob", "overall", "fail", "sai ngày"),
    }
    assert run_json(capsys, "labels", "import", path)["unchanged"] == 3
    assert Label.objects.count() == 3


def test_words_nobody_taught_us_are_answered_by_the_exact_flag(capsys, sample, tmp_path):
    path = table(tmp_path, "case_id,annotator,label\nt-1,alice,good\nt-2,alice,bad\n")
    code, _, err = run(capsys, "labels", "import", path)
    assert code == 4
    assert '--words "good=pass,bad=fail"' in err
    assert run_json(capsys, "labels", "import", path, "--words", "good=pass,bad=fail")["labels"] == 2


def test_every_refused_row_is_told_by_line_field_and_reason_and_the_rest_is_stored(capsys, sample, tmp_path):
    path = table(
        tmp_path,
        "case_id,annotator,label\nt-1,alice,pass\nx-9,alice,fail\nt-2,alice,meh\nt-3,bob,pass\nt-3,bob,fail\n",
    )
    done = run_json(capsys, "labels", "import", path)
    assert done["labels"] == 2
    assert [(each["line"], each["field"]) for each in done["refused"]] == [(3, "case_id"), (4, "human"), (6, "label")]
    assert "'x-9'" in done["refused"][0]["reason"]
    assert "line 5" in done["refused"][2]["reason"]


def test_strict_stores_nothing_and_a_dry_run_neither(capsys, sample, tmp_path):
    path = table(tmp_path, "case_id,annotator,label\nt-1,alice,pass\nx-9,alice,fail\n")
    assert run(capsys, "labels", "import", path, "--strict")[0] == 1
    assert run_json(capsys, "labels", "import", path, "--dry-run")["labels"] == 1
    assert not Label.objects.exists()


def test_numbers_beyond_0_and_1_are_grades_and_the_answer_says_so(capsys, sample, tmp_path):
    path = table(
        tmp_path,
        "case_id,annotator,metric,label,timestamp\nt-1,a,faithfulness,1,2024-10-02T09:01:52Z\nt-2,a,faithfulness,4,\n",
    )
    done = run_json(capsys, "labels", "import", path)
    assert (done["labels"], done["mapping"]["label"]) == (2, "grade")
    assert set(Verdict.objects.values_list("grade", "verdict")) == {(1.0, ""), (4.0, "")}
    assert Label.objects.get(case__external_id="t-1").created_at.isoformat() == "2024-10-02T09:01:52+00:00"


def test_an_id_in_two_datasets_wants_the_dataset(capsys, project, sample, tmp_path):
    make_sample(project, ["t-1"], name="other")
    path = table(tmp_path, "case_id,annotator,label\nt-1,alice,pass\n")
    code, _, err = run(capsys, "labels", "import", path)
    assert (code, "--dataset" in err) == (4, True)
    assert run_json(capsys, "labels", "import", path, "--dataset", "other")["labels"] == 1
    assert Label.objects.get().case.dataset.name == "other"


def test_the_table_of_real_labels_beside_us_is_read(capsys, project, shared):
    path = shared / "data/messy/labels_long.tsv"
    with path.open(encoding="utf-8") as stream:
        ids = sorted({row["case_id"] for row in csv.DictReader(stream, delimiter="\t")})
    make_sample(project, ids, name="mtrag")
    done = run_json(capsys, "labels", "import", str(path), "--dataset", "mtrag")
    assert (done["rows"], done["refused"]) == (2319, [])
    assert Verdict.objects.count() == 2319


def test_a_file_that_is_not_there_or_empty_is_exit_4(capsys, sample, tmp_path):
    assert run(capsys, "labels", "import", str(tmp_path / "none.csv"))[0] == 4
    assert run(capsys, "labels", "import", table(tmp_path, ""))[0] == 4


# --- labels out ---

NOTES = [
    '=HYPERLINK("http://example.invalid")',
    "+84 24 0000 0000",
    "-1 is right",
    "@minh please check",
    'plain, "quoted"',
    "＝1+1",
    "'quoted",
]


def test_formulas_are_neutralised_on_the_way_out_and_come_back_letter_for_letter(capsys, project, tmp_path):
    ids = [f"f-{n}" for n in range(len(NOTES))]
    make_sample(project, ids)
    lines = [
        {
            "id": each,
            "human": [{"annotator": "=an", "metric": "overall", "verdict": "pass", "note": note, "grade": -0.25}],
        }
        for each, note in zip(ids, NOTES, strict=True)
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert run_json(capsys, "labels", "import", str(path))["labels"] == len(NOTES)
    exported = run(capsys, "labels", "export")[1]
    rows = list(csv.DictReader(io.StringIO(exported)))
    assert all(not row["note"].startswith(("=", "+", "-", "@", "＝")) for row in rows)
    assert {row["grade"] for row in rows} == {"-0.25"}
    Label.objects.all().delete()
    back = tmp_path / "back.csv"
    back.write_text(exported, encoding="utf-8")
    assert run_json(capsys, "labels", "import", str(back))["labels"] == len(NOTES)
    assert sorted(Verdict.objects.values_list("note", flat=True)) == sorted(NOTES)
    assert set(Label.objects.values_list("annotator__name", flat=True)) == {"=an"}


def test_an_export_of_a_round_brought_back_changes_nothing(capsys, sample, tmp_path):
    run(capsys, "user", "add", "alice", "--role", "annotator")
    run(capsys, "round", "open", "desk", "--questions", "triad", "--annotators", "alice", "--overlap", "1")
    label_all(Round.objects.get(), User.objects.get(), {"t-1": "pass", "t-2": "fail", "t-3": "unsure"})
    path = tmp_path / "out.csv"
    assert run(capsys, "labels", "export", "--dataset", "desk", "--output", str(path))[0] == 0
    done = run_json(capsys, "labels", "import", str(path))
    assert (done["labels"], done["created"], done["revised"]) == (3, 0, 0)


def test_export_as_jsonl_and_by_sample(capsys, sample, tmp_path):
    run(capsys, "labels", "import", table(tmp_path, "case_id,annotator,label\nt-1,alice,pass\n"))
    rows = [
        json.loads(line)
        for line in run(capsys, "labels", "export", "--sample", "desk", "--format", "jsonl")[1].splitlines()
    ]
    assert [(row["case_id"], row["label"], row["blind"]) for row in rows] == [("t-1", "pass", "unknown")]
    assert run(capsys, "labels", "export", "--dataset", "nope")[0] == 4
    assert Dataset.objects.count() == 1
