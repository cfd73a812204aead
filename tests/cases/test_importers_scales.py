"""Scores and labels on another scale than ours: one value alone cannot tell, the whole file can."""

from __future__ import annotations

from cases.importers.scan import scan
from tests.cases.importing import jsonl, read


def table(scores, delimiter=",", column="score"):
    rows = [f"c{place}{delimiter}Q{delimiter}A{place}{delimiter}{score}" for place, score in enumerate(scores)]
    return delimiter.join(("id", "input", "actual_output", column)) + "\n" + "\n".join(rows) + "\n"


def stored(found):
    return [score.score for record in found.records() for score in record.scores]


def test_on_0_to_100_the_worst_does_not_become_the_best(write):
    # 62 and 71 lie outside 0 to 1: 2 of 3, more than half. 1 would be the best of our scale and is the worst of theirs.
    found = scan(write(table(["62", "1", "71"])))
    assert (stored(found), found.scores, found.lost["scores"]) == ([], 0, 3)
    assert [(each.line, each.reason) for each in found.refused] == [
        (2, "62: the scores of imported on overall are not on 0 to 1"),
        (3, "1: the scores of imported on overall are not on 0 to 1"),
        (4, "71: the scores of imported on overall are not on 0 to 1"),
    ]
    assert found.warnings[0] == (
        "62, 71: the scores of imported on overall are not on 0 to 1; none was taken. Divide them by 100"
    )
    assert [record.case.metadata for record in found.records()] == [{"score": "62"}, {"score": "1"}, {"score": "71"}]


def test_half_outside_is_not_most_and_is_said(write):
    # 62 and 71 of 4: half, not more.
    found = scan(write(table(["62", "1", "71", "0.5"])))
    assert (stored(found), found.lost["scores"]) == ([1.0, 0.5], 2)
    assert found.warnings[0].startswith(
        "62, 71: 2 of 4 scores of imported on overall are outside 0 to 1; the other 2 were taken as they are"
    )


def test_one_judge_on_a_wrong_scale_costs_no_other_judge_its_scores(write):
    def judged(percent, share):
        return [
            {"judge": "old", "metric": "m", "score": percent},
            {"judge": "new", "metric": "m", "score": share},
            {"judge": "old", "metric": "other", "score": share},
        ]

    rows = [{"id": str(i), "input": "Q", "judge": judged(*pair)} for i, pair in enumerate([(90, 0.9), (1, 0.1)])]
    rows += [{"id": "2", "input": "Q", "judge": judged(55, 0.5)}]
    found = scan(write(jsonl(*rows)))
    kept = [(score.judge, score.metric, score.score) for record in found.records() for score in record.scores]
    assert kept == [(judge, metric, s) for s in (0.9, 0.1, 0.5) for judge, metric in (("new", "m"), ("old", "other"))]
    (_, second, _) = found.records()
    assert second.case.metadata["refused"] == {"judge[0]": {"judge": "old", "metric": "m", "score": 1}}


def test_scores_of_one_to_five_are_not_told_to_be_divided_by_100(write):
    found = scan(write(table(["5", "4", "1"])))
    assert stored(found) == []
    assert found.warnings[0].endswith("none was taken. Bring them to 0 to 1, 1 the best, in the file")


def test_a_1_among_grades_is_no_pass_and_a_0_no_fail(write):
    # 1 is the worst grade of 1 to 5, and would be the best verdict.
    path = write(table(["1", "3", "1", "1", "5", "1"], column="human"))
    found = scan(path)
    assert (found.labels, found.lost["labels"]) == (0, 6)
    assert found.refused[0].problem == "'1' stands among grades"
    assert found.warnings[-1].endswith('such as --rule "median>=4"')


def test_one_slip_among_verdicts_of_1_and_0_costs_that_one_alone(write):
    found = scan(write(table(["1", "0", "1", "2"], column="human")))
    verdicts = [label.verdict for record in found.records() for label in record.labels]
    assert (verdicts, found.lost["labels"]) == (["pass", "fail", "pass"], 1)


def test_a_column_of_decimal_commas_between_semicolons_is_read_and_said(write):
    found = scan(write(table(["0,62", "0,7", "1", ""], delimiter=";")))
    assert (stored(found), found.refused) == ([0.62, 0.7, 1.0], [])
    assert "Numbers are read with a decimal comma: 0,62 is 0.62" in found.warnings
    assert found.as_dict()["decimal"] == ","
    assert [record.case.actual_output for record in found.records()] == ["A0", "A1", "A2", "A3"]


def test_a_text_keeps_its_comma_where_numbers_lose_theirs(write):
    found = scan(write("id;input;actual_output;score\n1,5;2,5 + 1,5?;4,0;0,5\n"))
    (record,) = found.records()
    assert (record.case.id, record.case.input, record.case.actual_output) == ("1,5", "2,5 + 1,5?", "4,0")


def test_commas_and_points_in_one_column_are_not_guessed(write):
    found = scan(write(table(["0,62", "0.7"], delimiter=";")))
    assert stored(found) == [0.7]
    assert "--decimal ," in found.refused[0].reason


def test_a_quoted_comma_between_commas_is_read_when_asked(write):
    path = write(table(['"0,62"', '"0,7"']))
    assert stored(scan(path)) == []
    from cases.importers import ImportOptions

    assert stored(scan(path, ImportOptions(decimal=","))) == [0.62, 0.7]


def test_a_point_among_decimal_commas_may_part_thousands_and_is_refused(write):
    records, refusals, _ = read(write(table(["0,62", "0.7"], delimiter=";")), decimal=",")
    assert [score.score for record in records for score in record.scores] == [0.62]
    assert refusals[0].reason == "'0.7' is no plain number"


def test_labels_alone_name_no_option_that_their_command_lacks(write):
    text = "case_id;human;score\na;pass;0,5\n"
    _, (refusal,), _ = read(write(text), needs_case=False)
    assert refusal.reason == "'0,5' is no plain number; write it with a decimal point"
