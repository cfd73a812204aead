"""Labels and scores that come in with the cases, and what is refused of them alone."""

from __future__ import annotations

import pytest

from cases.importers import CaseFileError, parse_words
from cases.importers.scan import scan
from tests.cases.importing import jsonl, read

CASE = {"id": "a", "input": "Q", "actual_output": "A"}


def the_label(path, **options):
    (record,), refusals, _ = read(path, **options)
    assert refusals == []
    return record.labels[0]


def test_a_newcomers_table(write):
    text = "id,input,actual_output,retrieval_context,human,score\na,Q,A,C,pass,0.75\nb,Q,A,C,fail,.2\nc,Q,A,C,,\n"
    records, refusals, imported = read(write(text))
    assert refusals == []
    assert [label.verdict for record in records for label in record.labels] == ["pass", "fail"]
    assert [score.score for record in records for score in record.scores] == [0.75, 0.2]
    label, score = records[0].labels[0], records[0].scores[0]
    assert (label.annotator, label.metric, score.judge, score.metric) == ("imported", "overall", "imported", "overall")
    assert imported.report.warnings == ["1 row without a score"]


@pytest.mark.parametrize("column", ["human", "human_pass", "label", "Label", "nhãn"])
@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("pass", "pass"),
        ("FAIL ", "fail"),
        ("1", "pass"),
        ("0.0", "fail"),
        ("true", "pass"),
        ("Đạt", "pass"),
        ("Không  đạt", "fail"),
        ("Kho\u0302ng \u0111a\u0323t", "fail"),  # decomposed
        ("unsure", "unsure"),
        ("not_applicable", "not_applicable"),
        ("n/a", "not_applicable"),
    ],
)
def test_the_fields_own_label_words(write, column, word, verdict):
    assert the_label(write(f"id,input,actual_output,{column}\na,Q,A,{word}\n")).verdict == verdict


def test_json_labels_may_be_booleans_or_numbers(write):
    rows = [{**CASE, "id": str(number), "human": human} for number, human in enumerate([True, False, 1, 0, 1.0])]
    verdicts = [record.labels[0].verdict for record in read(write(jsonl(*rows)))[0]]
    assert verdicts == ["pass", "fail", "pass", "fail", "pass"]


def test_an_unknown_word_is_refused_alone_with_the_option_that_reads_it(write):
    path = write("id,input,actual_output,human,note,score\na,Q,A,good,fine,0.5\nb,Q,A,bad,,0.5\nc,Q,A,pass,,0.5\n")
    records, refusals, imported = read(path)
    assert [len(record.labels) for record in records] == [0, 0, 1]
    assert all(record.scores[0].score == 0.5 for record in records)
    assert records[0].case.metadata == {"human": "good", "note": "fine"}
    assert (refusals[0].line, refusals[0].field) == (2, "human")
    assert refusals[0].reason == """'good' is no verdict; --words "good=pass" would read it"""
    assert imported.report.warnings[-1].endswith('--words "good=pass,bad=fail" would read them')
    assert (
        the_label(write("id,input,actual_output,human\na,Q,A,Good\n"), words=parse_words("good=pass")).verdict == "pass"
    )


def test_the_words_offered_are_words_that_work(write):
    path = write("id,input,actual_output,human\na,Q,A,Mostly Yes\nb,Q,A,no\n")
    offered = read(path)[2].report.warnings[-1].split('--words "')[1].split('"')[0]
    records, refusals, _ = read(path, words=parse_words(offered))
    assert refusals == []
    assert [record.labels[0].verdict for record in records] == ["pass", "fail"]


def test_grades_are_answered_by_the_mapping_that_reads_them(write):
    path = write("id,input,actual_output,rating\na,Q,A,4\nb,Q,A,2\n")
    _, refusals, imported = read(path, mapping={"rating": "human"})
    assert refusals[0].reason == (
        "'4' is no verdict; --map rating=grade would read it as a grade, "
        'and calibrate then takes the lowest grade that passes, such as --rule "median>=4"'
    )
    # Halfway between 2 and 4 is 3; the lowest whole grade above it is 4.
    assert imported.report.warnings[-1].endswith(
        "--map rating=grade would read them as grades, "
        'and calibrate then takes the lowest grade that passes, such as --rule "median>=4"'
    )
    records, refusals, _ = read(path, mapping={"rating": "grade"})
    assert ([record.labels[0].grade for record in records], refusals) == ([4.0, 2.0], [])


def test_a_canonical_label_whole(write):
    human = {
        "annotator": "alice",
        "metric": "faithfulness",
        "grade": 3,
        "scale": [1, 4],
        "note": " kept as typed ",
        "claims": [{"claim": "One.", "verdict": "yes"}],
        "created_at": "2024-10-02T09:01:52Z",
        "seconds": 811.0,
        "confidence": "low",
    }
    (record,), _, _ = read(write(jsonl({**CASE, "human": [human]})))
    (label,) = record.labels
    assert (label.annotator, label.metric, label.grade, label.scale) == ("alice", "faithfulness", 3.0, (1.0, 4.0))
    assert (label.note, label.units) == (" kept as typed ", ({"claim": "One.", "verdict": "yes"},))
    assert (label.created_at, label.seconds, label.case_id) == ("2024-10-02T09:01:52Z", 811.0, "a")
    assert record.case.metadata == {"label_details": {"human[0]": {"confidence": "low"}}}


@pytest.mark.parametrize(
    ("entry", "field", "reason"),
    [
        ({"grade": 5, "scale": [1, 4]}, "grade", "5 is outside the scale 1 to 4"),
        ({"grade": "many"}, "grade", "'many' is no plain number"),
        ({"grade": True}, "grade", "'True' is no plain number"),
        ({"grade": 1, "scale": [4, 1]}, "scale", "its lowest grade is not below its highest"),
        ({"note": "no verdict"}, "verdict", "there is neither a verdict nor a grade"),
        ({"verdict": "pass", "claims": ["text"]}, "claims", "is no list of objects"),
        ({"verdict": {"a": 1}}, "verdict", "the label is no word"),
    ],
)
def test_a_label_that_cannot_be_read_is_refused_alone_and_kept(write, entry, field, reason):
    good = {"annotator": "bob", "verdict": "fail"}
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": [entry, good]})))
    assert (refusal.line, refusal.field, refusal.reason) == (1, f"human[0].{field}", reason)
    assert [label.annotator for label in record.labels] == ["bob"]
    assert record.case.metadata["refused"] == {"human[0]": entry}


def test_the_same_annotator_twice_on_one_metric_is_refused(write):
    human = [{"annotator": "alice", "verdict": "pass"}, {"annotator": "alice", "verdict": "fail"}]
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": human})))
    assert [label.verdict for label in record.labels] == ["pass"]
    assert refusal.reason == "alice has labeled overall already in this row"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("NaN", "'NaN' is no plain number"),
        ("inf", "'inf' is no plain number"),
        ("83.3%", "'83.3%' is no plain number"),
        ("8/10", "'8/10' is no plain number"),
        ("good", "'good' is no plain number"),
        ("1.7", "1.7 is outside 0 to 1"),
        ("-0.25", "-0.25 is outside 0 to 1"),
        ("85", "85 is outside 0 to 1"),
    ],
)
def test_a_score_that_is_none_is_refused_alone(write, cell, reason):
    path = write(f"id,input,actual_output,human,note,score\na,Q,A,pass,noted,{cell}\n")
    (record,), (refusal,), _ = read(path)
    assert (refusal.line, refusal.field, refusal.reason) == (2, "score", reason)
    assert (record.labels[0].verdict, record.labels[0].note, record.scores) == ("pass", "noted", ())
    assert record.case.metadata == {"score": cell}


def test_a_decimal_comma_is_not_guessed(write):
    _, (refusal,), _ = read(write("id;input;actual_output;score\na;Q;A;0,8\n"))
    assert refusal.reason == "'0,8' is no plain number; --decimal , would read it, or write it with a decimal point"


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1.7", "-0.1", '"0.8x"', "true", "[1]", "1e400", "1" + "0" * 400])
def test_json_scores_likewise(write, value):
    line = '{"id": "a", "input": "Q", "judge": [{"judge": "j", "metric": "m", "score": ' + value + "}]}\n"
    (record,), (refusal,), _ = read(write(line))
    assert (refusal.field, record.scores) == ("judge[0].score", ())
    assert "judge[0]" in record.case.metadata["refused"]


def test_dust_of_a_sum_is_no_wrong_scale(write):
    judge = [{"judge": "j", "metric": "a", "score": 1.0000000000000002}, {"judge": "j", "metric": "b", "score": -1e-17}]
    (record,), refusals, _ = read(write(jsonl({**CASE, "judge": judge})))
    assert ([score.score for score in record.scores], refusals) == ([1.0, 0.0], [])


def test_scored_unscored_and_not_applicable(write):
    judge = [
        {"judge": "j", "metric": "a", "score": 0.5, "verdicts": [{"claim": "c", "verdict": "no"}], "parse": "ok"},
        {"judge": "j", "metric": "b", "score": None, "error": "timed out"},
        {"judge": "j", "metric": "c", "score": None},
        {"judge": "j", "metric": "d", "not_applicable": "retrieval_context"},
    ]
    (record,), refusals, _ = read(write(jsonl({**CASE, "judge": judge})))
    scored, timed_out, silent, not_applicable = record.scores
    assert refusals == []
    assert (scored.score, scored.verdicts, scored.raw) == (0.5, ({"claim": "c", "verdict": "no"},), {"parse": "ok"})
    assert (timed_out.score, timed_out.error) == (None, "timed out")
    assert (silent.score, silent.error) == (None, "the file gives no score")
    assert (not_applicable.error, not_applicable.not_applicable) == ("", "retrieval_context")


def test_columns_name_the_judge_the_annotator_and_the_metric(write):
    text = "id,input,actual_output,human,annotator,score,judge,metric,error\na,Q,A,pass,alice,,j,faithfulness,timeout\n"
    (record,), _, _ = read(write(text))
    assert (record.labels[0].annotator, record.labels[0].metric) == ("alice", "faithfulness")
    assert (record.scores[0].judge, record.scores[0].metric, record.scores[0].error) == ("j", "faithfulness", "timeout")
    assert record.case.metadata == {}


def test_the_options_name_them_where_no_column_does(write):
    path = write("id,input,actual_output,human,score\na,Q,A,1,1\n")
    (record,), _, _ = read(path, annotator="alice", judge="j", metric="faithfulness")
    assert (record.labels[0].annotator, record.labels[0].metric) == ("alice", "faithfulness")
    assert (record.scores[0].judge, record.scores[0].metric) == ("j", "faithfulness")


def test_a_note_without_a_label_stays_in_the_metadata(write):
    (record,), _, _ = read(write(jsonl({**CASE, "note": "mine", "error": "theirs", "seconds": 3})))
    assert record.case.metadata == {"note": "mine", "error": "theirs", "seconds": 3}


def test_a_file_of_labels_alone(write):
    text = "case_id\tannotator\tmetric\tlabel\na\talice\tm\tpass\na\tbob\tm\tfail\n\talice\tm\tpass\nb\talice\tm\t\n"
    records, refusals, _ = read(write(text), needs_case=False)
    assert [(record.case.id, record.labels[0].annotator) for record in records] == [("a", "alice"), ("a", "bob")]
    assert [(refusal.line, refusal.field) for refusal in refusals] == [(4, "id"), (5, "human")]


def test_h19_a_score_out_of_range_leaves_its_label_and_note(shared):
    path = shared / "cases/h19-formulas-in-an-export/notes.jsonl"
    records, refusals, _ = read(path, needs_case=False)
    assert [record.labels[0].note for record in records][:5] == [
        '=HYPERLINK("http://example.invalid","open")',
        "+84 24 0000 0000 is the number given",
        "-1 is the right answer",
        "@minh please check",
        "\t=1+1",
    ]
    assert [(refusal.line, refusal.reason) for refusal in refusals] == [(2, "-0.25 is outside 0 to 1")]
    assert records[1].case.metadata == {"score": -0.25}


@pytest.mark.parametrize("text", ["good", "good=", "=pass", "good=great"])
def test_words_that_are_no_words_say_how_to_write_them(text):
    with pytest.raises(CaseFileError, match="--words good=pass,bad=fail"):
        parse_words(text)


def test_counts_of_the_preview_are_those_of_the_records(write):
    found = scan(write(jsonl({**CASE, "human": [{"verdict": "pass"}, {"verdict": "?"}], "score": 0.3})))
    assert (found.labels, found.scores, len(found.refused), found.report.refused_rows) == (1, 1, 1, 0)
