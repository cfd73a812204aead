"""h16 and its kin: double clicks, two tabs, undo; and the imported labels of h12."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Case
from cases.records import LabelRecord, Record, TestCase
from labeling import services
from labeling.models import Annotator, Draft, Label, Slot, UnitVerdict, Verdict

from .conftest import label_all, make_round, make_sample, say, seat, take


@pytest.fixture
def slot(round_, alice) -> Slot:
    return take(round_, alice)


@pytest.mark.parametrize("times", [2, 3, 7])
def test_a_double_click_makes_one_label(slot, alice, times):
    click = uuid.uuid4()
    labels = {say(slot, alice, "pass", client_id=click, critique="ok").pk for _ in range(times)}
    assert len(labels) == Label.objects.count() == 1


@pytest.mark.parametrize(
    ("stored", "stale"), [("pass", "fail"), ("fail", "pass"), ("pass", "pass"), ("unsure", "fail")]
)
def test_an_edit_from_a_stale_tab_is_a_conflict_and_changes_nothing(slot, alice, stored, stale):
    say(slot, alice, stored, based_on=0)
    with pytest.raises(services.LabelConflict) as conflict:
        say(slot, alice, stale, based_on=0, critique="the date is wrong")
    assert conflict.value.stored.verdicts.get().verdict == stored
    assert Label.objects.current().get().verdicts.get().verdict == stored


def test_an_edit_from_an_up_to_date_tab_is_the_next_revision(slot, alice):
    say(slot, alice, "pass")
    say(slot, alice, "fail", based_on=1)
    assert list(Label.objects.order_by("revision").values_list("revision", "is_current")) == [(1, False), (2, True)]


def test_undo_is_one_more_revision_and_reaches_back_step_by_step(slot, alice):
    # pass, then fail; undo: pass again; undo: no label; undo: nothing left.
    say(slot, alice, "pass")
    say(slot, alice, "fail", based_on=1)

    def undo(based_on):
        return services.undo_label(slot, seat(slot.round, alice), based_on=based_on, client_id=uuid.uuid4())

    assert undo(2).verdicts.get().verdict == "pass"
    assert undo(3).is_withdrawn
    assert not Label.objects.current().exists()
    with pytest.raises(services.LabelRefused):
        undo(4)
    assert Label.objects.count() == 4


def test_what_was_taken_back_is_still_in_the_form(slot, alice):
    say(slot, alice, "fail", critique="the date is wrong")
    services.undo_label(slot, seat(slot.round, alice), based_on=1, client_id=uuid.uuid4())
    assert Draft.objects.get().content == {"v-overall": "fail", "critique": "the date is wrong", "failure_mode": ""}
    assert take(slot.round, alice).pk == slot.pk


def test_a_new_answer_after_an_undo_can_be_undone_to_what_stood_before(slot, alice):
    say(slot, alice, "pass")
    say(slot, alice, "fail", based_on=1)
    annotator = seat(slot.round, alice)
    services.undo_label(slot, annotator, based_on=2, client_id=uuid.uuid4())  # 3: pass
    say(slot, alice, "unsure", based_on=3)
    again = services.undo_label(slot, annotator, based_on=4, client_id=uuid.uuid4())
    assert again.verdicts.get().verdict == "pass"


def test_every_question_wants_an_answer(sample, alice):
    slot = take(make_round(sample, [alice], questions="triad"), alice)
    with pytest.raises(services.LabelRefused, match="Faithfulness"):
        say(slot, alice, verdicts=[services.GivenVerdict("overall", "pass")])


@pytest.mark.parametrize(
    ("verdicts", "says"),
    [
        ([services.GivenVerdict("overall", "maybe")], "no verdict"),
        ([services.GivenVerdict("overall", "pass"), services.GivenVerdict("tone", "pass")], "does not ask"),
        ([services.GivenVerdict("overall", "pass"), services.GivenVerdict("overall", "fail")], "twice"),
        ([services.GivenVerdict("overall", "pass", grade=3.0)], "scale"),
    ],
)
def test_a_label_that_does_not_fit_the_questions_is_refused(slot, alice, verdicts, says):
    with pytest.raises(services.LabelRefused, match=says):
        say(slot, alice, verdicts=verdicts)
    assert not Label.objects.exists()


def test_unit_verdicts_are_tied_to_the_units_they_were_said_of(sample, alice):
    slot = take(make_round(sample, [alice], questions="triad"), alice)
    given = [services.GivenUnitVerdict("faithfulness", "claim", 1, "contradicted", evidence=(0,))]
    say(slot, alice, "fail", unit_verdicts=given)
    unit = UnitVerdict.objects.get()
    assert (unit.index, unit.verdict, unit.evidence) == (1, "contradicted", [0])
    assert unit.unit_hash == slot.case.unit_sets.get(kind="claim").hash


def test_a_unit_that_is_not_there_is_refused(sample, alice):
    slot = take(make_round(sample, [alice], questions="triad"), alice)
    with pytest.raises(services.LabelRefused, match="claim 9"):
        say(slot, alice, unit_verdicts=[services.GivenUnitVerdict("faithfulness", "claim", 8, "supported")])


def test_what_was_answered_before_the_expected_answer_was_open_stays(slot, alice):
    annotator = seat(slot.round, alice)
    services.open_expected(slot, annotator, {"v-overall": "pass"}, {"overall": "pass"})
    with pytest.raises(services.LabelRefused, match="stays"):
        say(slot, alice, "fail")
    assert say(slot, alice, "pass").revision == 1


def test_questions_about_the_expected_answer_are_not_asked_where_there_is_none(project, alice):
    sample = make_sample(project, ["n-1"], expected_output=None)
    slot = take(make_round(sample, [alice], questions="five"), alice)
    keys = [question.key for question in services.asked_questions(slot)]
    assert keys == ["overall", "faithfulness", "answer_relevancy", "contextual_relevancy"]


# --- reading ---


def test_raw_labels_and_the_disagreement_of_h17(project, alice, bob, lena):
    sample = make_sample(project, ["v-1", "v-2", "v-3"], name="h17")
    round_ = make_round(sample, [alice, bob])
    label_all(round_, alice, {"v-1": "pass", "v-2": "pass", "v-3": "fail"})
    assert services.round_progress(round_).complete == 0
    label_all(round_, bob, {"v-1": "pass", "v-2": "fail", "v-3": "fail"})
    assert services.round_progress(round_).complete == 3
    assert [each.case.external_id for each in services.adjudication(round_, lena).undecided] == ["v-2"]
    verdicts = services.human_verdicts(sample, "overall", "majority")
    by_id = {Case.objects.get(pk=pk).external_id: each.human_pass for pk, each in verdicts.items()}
    assert by_id == {"v-1": 1.0, "v-2": None, "v-3": 0.0}


def test_imported_grades_about_its_cases_are_none_of_a_rounds_answers(project, alice, bob, lena):
    sample = make_sample(project, ["v-1"])
    services.store_imported_labels(project, batch(sample, [imported("v-1", "ann1", None, grade=4.0)]))
    round_ = make_round(sample, [alice, bob])
    label_all(round_, alice, {"v-1": "pass"})
    assert services.adjudication(round_, lena).undecided == []  # one of two answers is there
    label_all(round_, bob, {"v-1": "fail"})
    assert [each.verdict.n_labels for each in services.adjudication(round_, lena).undecided] == [2]


def test_a_ruling_decides_and_the_labels_stay(project, alice, bob, lena):
    sample = make_sample(project, ["v-2"])
    round_ = make_round(sample, [alice, bob])
    label_all(round_, alice, {"v-2": "pass"})
    label_all(round_, bob, {"v-2": "fail"})
    case = Case.objects.get()
    services.rule_on(case=case, metric="overall", verdict="fail", user=lena, reason="slip")
    verdict = services.human_verdicts(sample, "overall", "majority")[case.pk]
    assert (verdict.human_pass, verdict.is_adjudicated, verdict.n_labels) == (0.0, True, 2)
    assert not services.adjudication(round_, lena).undecided


def test_a_ruling_prompted_by_a_judge_is_left_out_unless_asked_for(project, alice, bob, lena):
    sample = make_sample(project, ["v-2"])
    round_ = make_round(sample, [alice, bob])
    label_all(round_, alice, {"v-2": "pass"})
    label_all(round_, bob, {"v-2": "fail"})
    case = Case.objects.get()
    services.rule_on(case=case, metric="overall", verdict="pass", user=lena, judge_prompted=True)
    assert services.human_verdicts(sample, "overall", "majority")[case.pk].is_undecided
    asked = services.human_verdicts(sample, "overall", "majority", with_judge_prompted=True)
    assert asked[case.pk].human_pass == 1.0


def test_training_labels_never_count(sample, alice, bob, lena):
    round_ = make_round(sample, [alice, bob], is_training=True, name="training")
    label_all(round_, alice, dict.fromkeys(["t-1", "t-2", "t-3"], "pass"))
    label_all(round_, bob, dict.fromkeys(["t-1", "t-2", "t-3"], "fail"))
    assert services.label_rows(sample, "overall") == []
    assert services.adjudication(round_, lena).undecided == []


def test_reading_labels_takes_as_many_queries_for_many_cases_as_for_few(project, alice, bob, lena):
    counts = []
    for n in (2, 12):
        sample = make_sample(project, [f"q{n}-{i}" for i in range(n)], name=f"q{n}")
        round_ = make_round(sample, [alice, bob], name=f"r{n}")
        label_all(round_, alice, {f"q{n}-{i}": "pass" for i in range(n)})
        with CaptureQueriesContext(
            connection,
        ) as queries:
            services.label_rows(sample, "overall")
            services.human_verdicts(sample, "overall", "majority")
            services.round_progress(round_)
            services.adjudication(round_, lena)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_label_hash_is_of_what_was_said_not_of_row_ids(project, alice, bob):
    hashes = []
    for name in ("one", "two"):
        sample = make_sample(project, ["h-1", "h-2"], name=name)
        round_ = make_round(sample, [alice, bob], name=name)
        label_all(round_, alice, {"h-1": "pass", "h-2": "fail"})
        hashes.append(services.label_hash(sample, "overall"))
    assert hashes[0] == hashes[1]
    label_all(round_, bob, {"h-1": "pass", "h-2": "pass"})
    assert services.label_hash(sample, "overall") != hashes[1]


# --- imported labels ---


def record(line: int, case_id: str, *labels: LabelRecord) -> Record:
    return Record(line=line, case=TestCase(id=case_id), labels=labels)


def imported(case_id: str, annotator: str, verdict: str | None = "pass", **fields) -> LabelRecord:
    return LabelRecord(
        case_id=case_id, annotator=annotator, metric=fields.pop("metric", "overall"), verdict=verdict, **fields
    )


def batch(sample, labels: list[LabelRecord]):
    cases = {case.external_id: case for case in Case.objects.all()}
    return [(cases[label.case_id], record(n, label.case_id, label)) for n, label in enumerate(labels)]


def test_imported_labels_are_one_label_a_person_with_a_verdict_a_metric(project, sample):
    labels = [imported("t-1", "ann1"), imported("t-1", "ann1", "fail", metric="faithfulness"), imported("t-1", "ann2")]
    assert services.store_imported_labels(project, batch(sample, labels)) == {"labels": 2}
    assert (Annotator.objects.count(), Label.objects.count(), Verdict.objects.count()) == (2, 2, 3)
    assert set(Label.objects.values_list("source", "blind")) == {("import", "unknown")}


def test_importing_the_same_labels_again_changes_nothing(project, sample):
    labels = [
        imported("t-1", "ann1", units=({"claim": "It is.", "verdict": "yes"},)),
        imported("t-2", "ann1", grade=3.0, scale=(1, 4)),
    ]
    services.store_imported_labels(project, batch(sample, labels))
    change = services.store_labels(project, [(case, r.labels[0]) for case, r in batch(sample, labels)])
    assert (change.held, change.created, change.revised) == (2, 0, 0)
    assert Label.objects.count() == 2


def test_changed_labels_become_a_new_revision_and_keep_the_other_metrics(project, sample):
    first = [imported("t-1", "ann1"), imported("t-1", "ann1", metric="faithfulness")]
    services.store_imported_labels(project, batch(sample, first))
    services.store_imported_labels(project, batch(sample, [imported("t-1", "ann1", "fail")]))
    label = Label.objects.current().get()
    assert label.revision == 2
    assert dict(label.verdicts.values_list("metric", "verdict")) == {"overall": "fail", "faithfulness": "pass"}


def test_a_file_that_only_repeats_a_grade_takes_neither_scale_nor_note_away(project, sample):
    full = imported("t-1", "ann1", None, grade=3.0, scale=(1, 4), note="close to the source")
    services.store_imported_labels(project, batch(sample, [full]))
    services.store_imported_labels(project, batch(sample, [imported("t-1", "ann1", None, grade=3.0)]))
    verdict = Verdict.objects.get()
    assert (verdict.scale_low, verdict.scale_high, verdict.note) == (1, 4, "close to the source")


def test_importing_many_labels_takes_as_many_queries_as_few(project):
    counts = []
    for n in (3, 60):
        sample = make_sample(project, [f"m{n}-{i}" for i in range(n)], name=f"m{n}")
        labels = [imported(f"m{n}-{i}", who) for i in range(n) for who in ("ann1", "ann2")]
        rows = batch(sample, labels)
        with CaptureQueriesContext(connection) as queries:
            services.store_imported_labels(project, rows)
        counts.append(len(queries))
    assert counts[1] <= counts[0]  # the first one also makes the annotators


def test_gaps_of_h12_are_no_labels(project):
    # s-5 has one label, the others two or three; an empty label means that the annotator did not see the case.
    sample = make_sample(project, ["s-1", "s-5"], name="h12")
    labels = [imported("s-1", "an"), imported("s-1", "binh"), imported("s-1", "chi", None), imported("s-5", "an")]
    services.store_imported_labels(project, batch(sample, labels))
    rows = services.label_rows(sample, "overall")
    assert [(Case.objects.get(pk=row.case_id).external_id, row.annotator) for row in rows] == [
        ("s-1", "an"),
        ("s-1", "binh"),
        ("s-5", "an"),
    ]


@pytest.mark.parametrize(
    ("words", "human"), [(["pass", None, "fail"], None), ([None, "fail", None], 0.0), (["pass", "pass", None], 1.0)]
)
def test_a_gap_is_never_a_vote(project, words, human):
    sample = make_sample(project, ["s-1"])
    labels = [imported("s-1", f"ann{n}", word) for n, word in enumerate(words)]
    services.store_imported_labels(project, batch(sample, labels))
    (verdict,) = services.human_verdicts(sample, "overall", "majority").values()
    assert verdict.human_pass == human
    assert verdict.n_labels == sum(word is not None for word in words)


def test_grades_are_read_by_the_median_against_the_cut(project):
    sample = make_sample(project, ["s-1", "s-2"])
    given = {"s-1": (2, 3, 4), "s-2": (2, 3)}
    labels = [
        imported(case, f"ann{n}", None, grade=float(grade), scale=(1, 4))
        for case, grades in given.items()
        for n, grade in enumerate(grades)
    ]
    services.store_imported_labels(project, batch(sample, labels))
    verdicts = services.human_verdicts(sample, "overall", "median>=3")
    by_id = {Case.objects.get(pk=pk).external_id: each for pk, each in verdicts.items()}
    assert by_id["s-1"].human_pass == 1.0
    assert by_id["s-2"].is_undecided
