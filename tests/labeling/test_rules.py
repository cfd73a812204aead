import pytest

from labeling.rules import Answer, Rule, RuleError, human_verdict, parse_rule


def words(*said: str) -> list[Answer]:
    return [Answer(word) for word in said]


def grades(*given: float) -> list[Answer]:
    return [Answer(grade=grade) for grade in given]


@pytest.mark.parametrize(
    ("rule", "answers", "passes"),
    [
        ("majority", words("pass", "pass", "fail"), 1.0),
        ("majority", words("fail", "unsure"), 0.0),  # unsure abstains: one vote, fail
        ("majority", words("pass", "not_applicable", "not_applicable"), 1.0),
        ("strictest", words("pass", "pass", "fail"), 0.0),
        ("strictest", words("pass", "unsure"), 1.0),
        ("soft", words("pass", "pass", "fail", "unsure"), 2 / 3),
        ("median>=3", grades(1, 3, 4), 1.0),
        ("median>=3", grades(3, 4), 1.0),  # both middle grades pass
        ("median>=3", grades(1, 2), 0.0),
        ("strictest>=3", grades(4, 4, 2), 0.0),
        ("strictest>=3", grades(4, 3), 1.0),
        ("soft>=3", grades(4, 2), 0.5),
        ("median>=0.7", grades((0.7 + 0.7 + 0.7) / 3), 1.0),  # float dust below .7
    ],
)
def test_the_rule_decides(rule, answers, passes):
    verdict = human_verdict(parse_rule(rule), answers)
    assert verdict.human_pass == passes
    assert not verdict.is_undecided


@pytest.mark.parametrize(
    ("rule", "answers"),
    [
        ("majority", words("pass", "fail")),
        ("majority", words("pass", "fail", "unsure")),
        ("majority", words("unsure", "unsure")),
        ("strictest", words("unsure", "not_applicable")),
        ("median>=3", grades(2, 3)),  # 2.5 is no grade anybody gave: the middle two lie astride the cut
        ("median>=3", grades(1, 2, 4, 4)),
    ],
)
def test_a_tie_is_undecided_and_never_settled_by_chance(rule, answers):
    for order in (answers, answers[::-1]):
        verdict = human_verdict(parse_rule(rule), order)
        assert verdict.human_pass is None
        assert verdict.is_undecided


def test_nobody_spoke_or_the_question_does_not_apply_is_not_undecided():
    assert not human_verdict(Rule("majority"), []).is_undecided
    verdict = human_verdict(Rule("majority"), words("not_applicable", "not_applicable"))
    assert (verdict.human_pass, verdict.is_undecided, verdict.is_not_applicable) == (None, False, True)


def test_a_ruling_overrides_the_labels():
    verdict = human_verdict(Rule("majority"), words("pass", "pass"), ruling="fail")
    assert (verdict.human_pass, verdict.is_adjudicated, verdict.n_labels) == (0.0, True, 2)


def test_a_case_ruled_truly_ambiguous_stays_undecided():
    verdict = human_verdict(Rule("majority"), words("pass", "fail"), ruling="unsure")
    assert (verdict.human_pass, verdict.is_undecided, verdict.is_adjudicated) == (None, True, True)


@pytest.mark.parametrize("text", ["Majority", " median >= 3 ", "strictest>=0.5", "soft"])
def test_a_rule_is_read_however_it_is_spaced(text):
    assert parse_rule(str(parse_rule(text))) == parse_rule(text)


@pytest.mark.parametrize(("text", "says"), [("mean", "no rule"), ("median", "median>=3"), ("", "no rule")])
def test_what_is_no_rule_is_answered_with_those_there_are(text, says):
    with pytest.raises(RuleError, match=says):
        parse_rule(text)


def test_grades_under_a_rule_for_words_name_the_rule_that_reads_them():
    with pytest.raises(RuleError, match="median>=3"):
        human_verdict(Rule("majority"), grades(3, 4))
    with pytest.raises(RuleError, match="majority"):
        human_verdict(Rule("median", 3), words("pass"))
