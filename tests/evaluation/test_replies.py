import json

import pytest

from evaluation.errors import UnreadableReplyError
from evaluation.judges import Prompt
from evaluation.replies import Verdicts, read_reply


def reply(*words: object) -> str:
    return json.dumps({"verdicts": [{"verdict": word, "reason": ""} for word in words]})


def test_case_padding_quotes_and_a_full_stop_do_not_change_a_verdict():
    verdicts = read_reply(reply("yes", "Yes.", " YES\n", '"yes"', "No"), Verdicts).verdicts
    assert [verdict.is_yes for verdict in verdicts] == [True, True, True, True, False]


def test_idk_is_a_verdict_and_not_a_yes():
    (verdict,) = read_reply(reply("IDK"), Verdicts).verdicts
    assert verdict.verdict == "idk"
    assert not verdict.is_yes


@pytest.mark.parametrize("word", ["partially", "yes and no", "", "y", None, True, 1, ["yes"]])
def test_a_word_outside_the_allowed_set_is_no_verdict(word):
    with pytest.raises(UnreadableReplyError, match="verdict outside the allowed set"):
        read_reply(reply("yes", word), Verdicts)


@pytest.mark.parametrize("text", ["", "I would say yes.", "[1, 2", '{"verdicts": NaN}', "[" * 100_000])
def test_what_is_no_json_is_unreadable_and_the_raw_reply_is_kept(text):
    with pytest.raises(UnreadableReplyError) as caught:
        read_reply(text, Verdicts)
    assert caught.value.raw_reply == text


@pytest.mark.parametrize("text", ["[]", "null", '{"verdict": "yes"}', '{"verdicts": "yes"}', '{"verdicts": {"a": 1}}'])
def test_json_of_another_shape_is_unreadable(text):
    with pytest.raises(UnreadableReplyError, match="no list of verdicts"):
        read_reply(text, Verdicts)


def test_three_verdicts_for_five_chunks_are_noticed():
    with pytest.raises(UnreadableReplyError, match="3 verdicts for 5 chunks"):
        read_reply(reply("yes", "no", "yes"), Verdicts).one_for_each(list("abcde"), "chunks")


def test_each_verdict_is_given_the_unit_at_its_place():
    verdicts = read_reply(reply("yes", "no"), Verdicts).one_for_each(["first", "second"], "claims")
    assert [(verdict.unit, verdict.verdict) for verdict in verdicts] == [("first", "yes"), ("second", "no")]


def test_text_in_a_prompt_is_never_a_template():
    prompt = Prompt(asks="supported", text="Chunks:\n$evidence\nClaims:\n$units")
    filled = prompt.fill(evidence="$units {units} %s ${units}", units=["one", "two"])
    assert filled == "Chunks:\n$units {units} %s ${units}\nClaims:\n1. one\n2. two"
