"""Answers become claims: one a sentence, one a list item, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.units import UNIT_RULE, split_claims, unit_hash


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("We open at 8. We close at 17.", ["We open at 8.", "We close at 17."]),
        ("Is it open? Yes! Come in…", ["Is it open?", "Yes!", "Come in…"]),
        ("Dr. An and Mrs. Le pay 2.5 dollars, e.g. in cash. Then they go.", 2),
        ("J. Smith joined the U.S. Army. He left at 5 p.m. The base closed.", 3),
        ("Order No. 5 is late. He said no. Then he left.", 3),
        ("Read docs.python.org first. See Node.js next.", 2),
        ('He said "It works. Really." Then he left.', ['He said "It works. Really."', "Then he left."]),
        ("It costs 5 (see p. 3. There is more). Pay now.", 2),
        ("**Note.** It is late.", ["**Note.**", "It is late."]),
        ("No stop at the end", ["No stop at the end"]),
        ("Wait... what? It goes on.", ["Wait... what?", "It goes on."]),
    ],
)
def test_english_sentences(text, claims):
    found = split_claims(text, "en")
    assert found == claims if isinstance(claims, list) else len(found) == claims, found


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Cửa hàng mở lúc 8 giờ. Đóng lúc 17 giờ.", 2),
        ("Giá là 2.500.000 đồng. Phí là 2,5 triệu.", 2),
        ("PGS.TS. Nguyễn Văn A ở TP. Hồ Chí Minh. Ông đã nghỉ hưu.", 2),
        ("Có táo, cam, v.v. Giá tùy loại.", ["Có táo, cam, v.v.", "Giá tùy loại."]),
        ("Xem tr. 5 nhé. Cảm ơn!", 2),
        ("“Đúng vậy. Tôi biết.” Cô ấy nói.", ["“Đúng vậy. Tôi biết.”", "Cô ấy nói."]),
        ("Có bán ở đây không? Có.", 2),
    ],
)
def test_vietnamese_sentences(text, claims):
    found = split_claims(text, "vi")
    assert found == claims if isinstance(claims, list) else len(found) == claims, found


def test_a_list_is_one_claim_an_item():
    items = "- a passport. It must be valid.\n- 2.5 kg of rice\n  from the shop\n  Any brand will do\n1. **Go** home."
    text = f"Bring:\n\n{items}"
    assert split_claims(text) == [
        "Bring:",
        "- a passport. It must be valid.",
        "- 2.5 kg of rice\n  from the shop\n  Any brand will do",
        "1. **Go** home.",
    ]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "12)", "(a)", "b)"])
def test_every_mark_of_a_list(mark):
    assert len(split_claims(f"{mark} one\n{mark} two")) == 2


def test_headings_and_table_rows_stand_alone():
    assert split_claims("## Prices\nIt costs 5.\n| a | b |\n|---|---|\n| c | d |") == [
        "## Prices",
        "It costs 5.",
        "| a | b | |---|---|",  # a row without a letter goes with its neighbour
        "| c | d |",
    ]


def test_a_short_line_was_ended_by_a_person_and_a_long_one_wrapped():
    assert split_claims("Total: 5\nShipping: free") == ["Total: 5", "Shipping: free"]
    wrapped = "This line of prose goes on for so long that a program wrapped it before\nLondon was named."
    assert split_claims(wrapped) == [wrapped]


@pytest.mark.parametrize("text", ["", "  ", "\n\n\t"])
def test_nothing_gives_no_claim(text):
    assert split_claims(text) == []


@pytest.mark.parametrize("text", ["...", "👍", "---\n***"])
def test_an_answer_without_a_letter_is_still_one_claim(text):
    assert len(split_claims(text)) == 1


answers = st.text() | st.lists(
    st.sampled_from(
        ["A", "b", "Dr", "1", ".", "!", "?", "…", '"', "”", "(", ")", "\n", "\n\n", " ", "- ", "1. ", "|", "#", "ế"]
    )
).map("".join)


@given(answers, st.sampled_from(["en", "vi", "", "fr", "EN-us"]))
def test_no_letter_is_lost_moved_or_added(text, language):
    claims = split_claims(text, language)
    assert all(claim.strip() for claim in claims)
    assert "".join("".join(claims).split()) == "".join(text.split())


@given(answers)
def test_a_claim_without_a_letter_or_digit_exists_only_alone(text):
    claims = split_claims(text)
    assert len(claims) <= 1 or all(any(letter.isalnum() for letter in claim) for claim in claims)


def test_the_hash_tells_kinds_rules_texts_and_order_apart():
    base = unit_hash("claim", UNIT_RULE, ["a", "b"])
    assert base == unit_hash("claim", UNIT_RULE, ("a", "b"))
    others = [
        unit_hash("chunk", UNIT_RULE, ["a", "b"]),
        unit_hash("claim", "sentences-2", ["a", "b"]),
        unit_hash("claim", UNIT_RULE, ["b", "a"]),
        unit_hash("claim", UNIT_RULE, ["ab"]),
    ]
    assert len({base, *others}) == 5
