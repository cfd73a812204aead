"""Tables as people have them: read as they are, or answered by the exact flag that reads them."""

from __future__ import annotations

import math
import re
import shlex

import pytest

from calibration.agreements import label_agreement
from calibration.calibrate import calibrate
from calibration.tables import TableError, read_labels, read_table
from calibration.tables.words import read_rule, settle


@pytest.fixture
def write(tmp_path):
    def written(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return written


def columns(frame, *names):
    return list(frame[list(names)].itertuples(index=False, name=None))


def verdicts(frame):
    return [None if math.isnan(value) else value for value in frame["human_pass"]]


def options_of(message):
    """The flags that an error names, as the reader's options: what the command line would make of them."""
    found = {}
    flags = re.findall(r"--(map|words|rule|metric|judge-annotator) (\"[^\"]+\"|'[^']+'|\S+)", message)
    for flag, value in flags:
        key = {"map": "mapping", "judge-annotator": "judge_annotator"}.get(flag, flag)
        text = shlex.split(value)[0]
        if key == "mapping":
            found.setdefault(key, []).append(text)
        else:
            found[key] = text
    return found


def read_as_told(path, read=read_table, **options):
    """Follow the advice of each error, to the letter, until the table is read."""
    for _ in range(4):
        try:
            return read(path, **options)
        except TableError as error:
            told = options_of(str(error))
        options = {**options, **told, "mapping": [*options.get("mapping", []), *told.get("mapping", [])]}
    return read(path, **options)


@pytest.mark.parametrize(
    ("passed", "failed"),
    [("pass", "fail"), ("1", "0"), ("true", "FALSE"), ("Pass ", " Failed"), ("Đạt", "Không đạt"), ("1.0", "0.0")],
)
def test_verdicts_are_read_as_words_and_numbers(write, passed, failed):
    path = write(f"case_id,human,score\na,{passed},0.9\nb,{failed},0.1\nc,,0.5\n")
    frame = read_table(path)
    assert verdicts(frame) == [1.0, 0.0, None]
    assert frame["score"].tolist() == [0.9, 0.1, 0.5]


def test_decomposed_vietnamese_is_the_same_word(write):
    import unicodedata

    text = unicodedata.normalize("NFD", "case_id,human,score\na,Đạt,0.9\nb,Không đạt,0.1\n")
    assert verdicts(read_table(write(text))) == [1.0, 0.0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_delimiters_and_encodings_of_spreadsheets_are_read(write, delimiter, encoding):
    lines = ["Case ID|Human Pass|Score", "007|1|0.9", "NA|0|0.1"]
    frame = read_table(write("\r\n".join(lines).replace("|", delimiter), encoding=encoding))
    assert columns(frame, "case_id", "human_pass", "score") == [("007", 1.0, 0.9), ("NA", 0.0, 0.1)]
    assert frame.attrs["delimiter"] == delimiter


def test_decimal_commas_are_read_where_semicolons_part_the_cells(write):
    assert read_table(write("case_id;human;score\na;1;0,85\n"))["score"].tolist() == [0.85]


def test_a_score_that_is_no_number_keeps_its_reason(write):
    path = write("case_id,human,score\na,1,\nb,1,NaN\nc,1,high\nd,1,83%\ne,0,1.7\nf,1,1_0\ng,1,1e-1\n")
    found = calibrate(read_table(path)).document
    assert {each["reason"]: each["count"] for each in found["excluded"]} == {
        "no score": 2,
        "the score is not a number": 3,
        "the score is out of [0, 1]": 1,
    }
    assert found["n"] == 1


def test_good_and_bad_are_answered_by_the_exact_flag(write):
    path = write("case_id,human,score\na,good,0.9\nb,bad,0.1\n")
    with pytest.raises(TableError, match=re.escape("--words bad=fail,good=pass")):
        read_table(path)
    assert verdicts(read_as_told(path)) == [1.0, 0.0]


def test_grades_from_one_to_five_are_answered_by_the_exact_flag(write):
    path = write("case_id,human,score\n" + "".join(f"c{grade},{grade},0.5\n" for grade in range(1, 6)))
    with pytest.raises(TableError, match=r'holds 1, 2, 3, 4, 5: .*--rule "median>=4"'):
        read_table(path)
    assert verdicts(read_as_told(path)) == [0.0, 0.0, 0.0, 1.0, 1.0]
    assert read_table(path, rule="median>=4").attrs["rule"] == "median>=4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("case_id,verdict,score\na,pass,0.9\nb,fail,0.1\n", [1.0, 0.0]),
        ("case_id,my verdict,score\na,yes,0.9\nb,no,0.1\n", [1.0, 0.0]),
        ("case_id,human,faithfulness\na,pass,0.9\nb,fail,0.1\n", [1.0, 0.0]),
        ("case_id,rating,score\na,4,0.9\nb,1,0.1\nc,2,0.3\n", [1.0, 0.0, 0.0]),
        ("case_id,human,score\na,accept,0.9\nb,not so good,0.1\n", [1.0, 0.0]),
        ("case_id,human,score\na,0.75,0.9\nb,0.25,0.1\n", [0.75, 0.25]),
        ("case_id;human;score\na;3,5;0,9\nb;1;0,1\n", [1.0, 0.0]),
        ("case_id,human,score\na,grounded,0.9\nb,meh,0.1\nc,bad,0.2\n", [None, None, 0.0]),
        ("case_id,annotator,label\na,alice,pass\na,gpt,0.9\nb,alice,fail\nb,gpt,0.2\n", [1.0, 0.0]),
        ("case_id,human,score,metric\na,1,0.9,tone\nb,0,0.9,truth\n", [1.0]),
    ],
)
def test_following_the_advice_to_the_letter_reads_the_table(write, text, expected):
    assert verdicts(read_as_told(write(text))) == expected


def test_a_column_is_named_either_way_round(write):
    path = write("case_id,verdict,score\na,pass,0.9\n")
    for mapping in ({"verdict": "human"}, {"human": "verdict"}, ["verdict=human"], ["human_pass=verdict"]):
        assert verdicts(read_table(path, mapping=mapping)) == [1.0]
    with pytest.raises(TableError, match="--map verdict=hooman names no column"):
        read_table(path, mapping=["verdict=hooman"])
    with pytest.raises(TableError, match="is not COLUMN=FIELD"):
        read_table(path, mapping=["verdict"])


def test_a_mapped_column_wins_over_one_that_has_the_name(write):
    path = write("case_id,human,lena,score\na,fail,pass,0.9\n")
    assert verdicts(read_table(path, mapping=["lena=human"])) == [1.0]


def test_unsure_decides_nothing_and_not_applicable_is_no_case(write):
    path = write("case_id,human,score\na,undecided,0.9\nb,unsure,0.1\nc,1,0.5\nd,not applicable,0.5\ne,,0.5\n")
    found = calibrate(read_table(path)).document
    assert (found["n"], found["undecided"]) == (1, 2)
    assert {each["reason"]: each["count"] for each in found["excluded"]} == {
        "people are undecided": 2,
        "the metric does not apply": 1,
        "no human verdict": 1,
    }


def test_weights_groups_and_strata_come_along(write):
    path = write("case_id,human,score,weight,group_id,stratum,blind\na,1,0.9,2.5,g1,s1,yes\nb,0,0.1,,g1,s2,\n")
    frame = read_table(path)
    assert frame["weight"].tolist()[0] == 2.5
    assert math.isnan(frame["weight"].tolist()[1])
    assert columns(frame, "group", "stratum", "blind") == [("g1", "s1", "yes"), ("g1", "s2", "unknown")]


def test_a_repeated_row_counts_once_and_contradicting_rows_not_at_all(write):
    path = write("case_id,human,score\na,1,0.9\na ,1,0.9\nb,1,0.5\nb,0,0.5\nc,0,0.1\n")
    found = calibrate(read_table(path)).document
    assert found["n"] == 2
    assert found["excluded"] == [{"reason": "rows of one case contradict each other", "count": 1}]
    assert "2 rows repeat the id" in found["warnings"][1]  # after the costs, which nobody stated


def test_a_column_of_another_scale_is_refused_whole_with_samples_of_it(write):
    # Three of five numbers lie outside 0 to 1: the 1 among them is a hundredth too, and no full score.
    path = write("case_id,human,score\na,1,87\nb,1,1\nc,0,45.5\nd,0,0\ne,1,92\nf,1,\n")
    with pytest.raises(TableError, match=r'column "score" .* such as 87 and 45.5: 3 of its 5 numbers') as refused:
        read_table(path)
    assert "Divide them all by the top of their scale, such as by 100" in str(refused.value)


def test_a_column_with_few_numbers_outside_is_read_and_they_are_left_out(write):
    # One of two lies outside: not more than half.
    found = calibrate(read_table(write("case_id,human,score\na,1,0.9\nb,0,45\n"))).document
    assert (found["n"], found["unscored"]) == (1, 1)


def test_scores_beside_labels_and_grades_of_a_judge_are_held_to_the_same_scale(write):
    long = "case_id,annotator,label,score\na,alice,pass,87\nb,alice,fail,45\n"
    with pytest.raises(TableError, match='column "score" holds scores of another scale'):
        read_table(write(long))
    wide = write("case_id,alice,judge\na,pass,5\nb,fail,2\n")
    with pytest.raises(TableError, match='column "judge" holds scores of another scale, such as 5 and 2'):
        read_table(wide, judge_annotator="judge")
    assert read_table(wide, judge_annotator="judge", words="5=pass,2=fail")["score"].tolist() == [1.0, 0.0]


def test_one_case_answered_by_two_systems_is_two_cases(write):
    path = write("case_id,system,human,score\na,s1,1,0.9\na,s2,0,0.1\n")
    assert calibrate(read_table(path)).document["n"] == 2


def test_without_ids_cases_are_named_by_their_line(write):
    frame = read_table(write("human,score\n1,0.9\n0,0.1\n"))
    assert frame["case_id"].tolist() == ["line 2", "line 3"]
    assert "named by their line" in frame.attrs["warnings"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("case_id,human,score\n", "no row below"),
        ("case_id,human,human,score\na,1,1,0.5\n", "two columns named human"),
        ("case_id,human,score\na,1,0.5,7\n", "line 2: 4 cells under 3 columns"),
        ("case_id,score\na,0.5\n", "--map COLUMN=human"),
        ("case_id,human\na,1\n", "--map COLUMN=score"),
    ],
)
def test_a_table_that_cannot_be_read_says_where_and_why(write, text, message):
    with pytest.raises(TableError, match=re.escape(message)):
        read_table(write(text))


def test_a_missing_file_and_another_encoding_are_answered(write, tmp_path):
    with pytest.raises(TableError, match="cannot be read"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="save it as CSV UTF-8"):
        read_table(write("case_id,human,score\nÅ,1,0.5\n", encoding="latin-1"))


def test_a_metric_that_is_not_there_is_answered(write):
    path = write("case_id,human,score,metric\na,1,0.9,tone\nb,0,0.9,truth\n")
    with pytest.raises(TableError, match='no row of metric "x": it holds tone, truth'):
        read_table(path, metric="x")
    assert read_table(path, metric="truth").attrs["metric"] == "truth"


# Rules.


@pytest.mark.parametrize(
    ("rule", "labels", "expected"),
    [
        ("majority", [1.0, 1.0, 0.0], (1.0, False)),
        ("majority", [1.0, 0.0], (None, True)),
        ("majority", [1.0, None, 0.0, 0.0], (0.0, False)),
        ("majority", [None, None], (None, False)),
        ("majority", ["unsure", "unsure"], (None, True)),
        ("majority", ["unsure", 0.0], (0.0, False)),
        ("strictest", [1.0, 1.0, 0.0], (0.0, False)),
        ("soft", [1.0, 0.0, 1.0, 1.0], (0.75, False)),
        ("median>=3", [2.0, 3.0, 4.0], (1.0, False)),
        ("median>=3", [2.0, 3.0], (None, True)),
        ("median>=3", [1.0, 2.0, 4.0, 4.0], (None, True)),
        ("median>=3", [1.0, 3.0, 4.0, 4.0], (1.0, False)),
        ("strictest>=3", [2.0, 4.0], (0.0, False)),
        ("strictest >= 2.5", [3.0, 4.0], (1.0, False)),
    ],
)
def test_a_rule_never_settles_a_tie_by_chance(rule, labels, expected):
    found = settle(read_rule(rule), labels)
    assert (None if math.isnan(found["human_pass"]) else found["human_pass"], found["undecided"]) == expected


@pytest.mark.parametrize("rule", ["average", "median", "median>=", "median>=x", ""])
def test_a_rule_that_is_none_is_answered_by_those_there_are(rule):
    with pytest.raises(TableError, match=r"--rule: .*median>=3"):
        read_rule(rule)


def test_a_rule_over_grades_does_not_cut_words(write):
    with pytest.raises(TableError, match="holds verdicts, not grades"):
        read_table(write("case_id,human,score\na,pass,0.5\n"), rule="median>=3")


# Labels.

LONG = "case_id,annotator,label\na,alice,pass\na,bob,pass\na,gpt,pass\nb,alice,fail\nb,bob,pass\nb,gpt,0.3\n"


def test_a_long_table_is_calibrated_with_one_annotator_as_the_judge(write):
    frame = read_table(write(LONG), judge_annotator="gpt")
    assert columns(frame, "case_id", "score", "undecided") == [("a", 1.0, False), ("b", 0.3, True)]
    assert verdicts(frame) == [1.0, None]
    assert frame.attrs["rule"] == "majority"
    assert verdicts(read_table(write(LONG), judge_annotator="gpt", rule="strictest")) == [1.0, 0.0]
    with pytest.raises(TableError, match='no annotator "claude": it names alice, bob, gpt'):
        read_table(write(LONG), judge_annotator="claude")


def test_a_wide_table_is_calibrated_the_same(write):
    frame = read_table(write("case_id,alice,bob,gpt\na,1,1,1\nb,0,1,0\n"), judge_annotator="gpt")
    assert columns(frame, "case_id", "score", "undecided") == [("a", 1.0, False), ("b", 0.0, True)]


def test_grades_of_several_annotators_take_a_rule(write):
    text = "case_id,annotator,label,score\n" + "".join(
        f"{case},{who},{grade},{score}\n"
        for case, grades, score in (("a", (4, 5, 1), 0.9), ("b", (1, 2, 4), 0.2))
        for who, grade in zip(("alice", "bob", "lena"), grades, strict=True)
    )
    frame = read_as_told(write(text))
    assert columns(frame, "human_pass", "score") == [(1.0, 0.9), (0.0, 0.2)]


def test_labels_are_read_long_and_wide_alike(write):
    long = read_labels(write("case_id,annotator,label\na,alice,Pass\na,bob,\nb,alice,0\nb,bob,unsure\n"))
    wide = read_labels(write("case_id,alice,bob\na,Pass,\nb,0,unsure\n"))
    assert columns(long, "case_id", "annotator", "label") == columns(wide, "case_id", "annotator", "label")
    assert long["label"].tolist() == ["pass", None, "fail", None]


def test_grades_stay_grades_though_some_are_one(write):
    frame = read_labels(write("case_id,alice,bob\na,1,1\nb,4,5\nc,5,5\n"))
    assert sorted(set(frame["label"])) == ["1", "4", "5"]
    assert label_agreement(frame)["raw"]["count"] == 2


def test_words_of_ones_own_are_read(write):
    frame = read_labels(write("case_id,alice,bob\na,up,down\n"), words="up=pass,down=fail")
    assert frame["label"].tolist() == ["pass", "fail"]
    with pytest.raises(TableError, match="gives up no verdict"):
        read_labels(write("case_id,alice,bob\na,up,down\n"), words="up=great")


def test_a_label_sent_twice_counts_once_and_two_different_ones_not_at_all(write):
    frame = read_labels(write("case_id,annotator,label\na,alice,pass\na,alice,PASS\nb,alice,pass\nb,alice,fail\n"))
    assert columns(frame, "case_id", "label") == [("a", "pass"), ("b", None)]
    assert frame.attrs["warnings"] == ["alice gave case b two different labels: neither counts."]


def test_a_table_without_labels_names_the_columns_it_needs(write):
    with pytest.raises(TableError, match="--map COLUMN=annotator"):
        read_labels(write("case_id,text\na,hello\n"))


def test_conversations_of_a_label_table_forbid_wilson(write):
    frame = read_labels(write("case_id,group,alice,bob\na,g,1,1\nb,g,0,1\nc,h,1,1\n"))
    assert label_agreement(frame)["raw"]["method"] == "2 conversations are too few for an interval"


@pytest.mark.parametrize(
    ("folder", "threshold"),
    [("h14-many-scores-exactly-at-the-threshold", 0.9), ("h15-judge-that-passes-everything", None)],
)
def test_the_field_tables_are_read_as_they_are(shared, folder, threshold):
    found = calibrate(read_table(shared / "cases" / folder / "scores.csv"), cost_false_pass=5, cost_false_fail=1)
    assert found.recommended_threshold == threshold
    assert found.document["excluded"] == []


def test_an_open_quote_loses_no_row_in_silence(write):
    # Ten good rows, and a quote that opens in the fifth and would swallow what follows.
    rows = [f"c{n},pass,0.{n}" for n in range(1, 10)]
    rows.insert(4, '"torn,pass,0.5')
    path = write("case_id,human,score\n" + "\n".join(rows) + "\n")
    with pytest.raises(TableError, match="line 6: a quote that opens in this row is never closed"):
        read_table(path)
    with pytest.raises(TableError, match="line 6"):
        read_labels(path)


@pytest.mark.parametrize("score", ["٠.٥", "０.５", "0.\x005", "1²"])
def test_a_number_is_written_in_plain_digits_as_in_an_import(write, score):
    frame = read_table(write(f"case_id,human,score\na,pass,0.5\nb,fail,{score}\n"))
    assert frame["score"][0] == 0.5
    assert math.isnan(frame["score"][1])


@pytest.mark.parametrize("word", ["n/a", "N/A", "not applicable", "Not-applicable", "không áp dụng"])
def test_not_applicable_is_read_by_the_words_an_import_reads(write, word):
    frame = read_table(write(f"case_id,human,score\na,pass,0.5\nb,{word},0.4\n"))
    assert columns(frame, "case_id", "not_applicable") == [("a", False), ("b", True)]


def test_a_table_of_a_hundred_thousand_columns_is_refused(write):
    path = write(",".join(f"c{n}" for n in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n")
    with pytest.raises(TableError, match="100,000 columns; 2,000 are read"):
        read_table(path)


def test_a_row_is_named_by_the_line_it_starts_on(write):
    frame = read_table(write('human,score,note\npass,0.5,"two\nlines"\nfail,0.4,one\n'))
    assert list(frame["case_id"]) == ["line 2", "line 4"]
