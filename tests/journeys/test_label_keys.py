"""The labeling screen and adjudication in Chromium: what keys do, what is said where eyes are, what fits."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.journey

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def alice(page, live_product):
    live_product.sign_in(page, "alice")
    return page


def open_case(page) -> str:
    """Alice's next case on the screen; its id."""
    page.goto("/p/demo/rounds/")
    page.locator("a.btn.main").first.click()
    page.wait_for_selector("body.is-live")
    return case(page)


def case(page) -> str:
    return page.inner_text(".ask .end bdi")


def press(page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def told(page) -> str:
    """The line beside the verdicts."""
    return page.inner_text("[data-tell]")


def focused(page, kind: str) -> int:
    return page.evaluate(
        "(kind) => [...document.querySelectorAll(`[data-kind=${kind}]`)].findIndex((e) => e.matches('.is-on'))", kind
    )


def lies_inside(box) -> bool:
    """Whether all of the text is to be seen, not cut by its own box."""
    return box.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1")


def test_a_claim_or_chunk_key_moves_on_to_the_next_unit_and_stays_on_the_last(alice):
    open_case(alice)
    for kind, key in (("claim", "q"), ("chunk", "a")):
        count = alice.locator(f"[data-kind={kind}]").count()
        assert count >= 2
        press(alice, key)
        assert focused(alice, kind) == 1
        press(alice, *[key] * count)
        assert focused(alice, kind) == count - 1
        assert alice.locator(f"[data-kind={kind}] input:checked").count() == count
    press(alice, "u", *"uuuuuuuuuuuuuuuuuuu")


def test_what_is_missing_or_done_is_said_beside_the_verdicts_and_undo_names_the_case(alice):
    first = open_case(alice)
    press(alice, "1", "Enter")
    assert told(alice) == "Not answered yet: Faithfulness, Answer relevancy, Contextual relevancy"
    press(alice, "1", "1", "1")
    assert told(alice).endswith("4 of 4")
    press(alice, "Enter")
    alice.wait_for_function(f"() => document.querySelector('[data-tell]').textContent.startsWith('Saved {first}')")
    second = case(alice)
    press(alice, "x", "2")
    alice.wait_for_function(f"() => document.querySelector('[data-tell]').textContent === 'Skipped {second}'")
    assert alice.inner_text("[data-saved]") == f"Skipped {second}"
    press(alice, "u")
    alice.wait_for_function(f"() => document.querySelector('[data-tell]').textContent.startsWith('Skip of {second}')")
    assert case(alice) == second
    press(alice, "u")
    alice.wait_for_function(
        f"() => document.querySelector('[data-tell]').textContent.startsWith('Taken back: {first}')"
    )
    assert case(alice) == first
    assert alice.locator("[role=status], [role=alert], [aria-live]").count() == 1


def test_neither_hint_nor_failure_mode_is_cut_on_a_wide_window(alice):
    alice.set_viewport_size({"width": 1440, "height": 900})
    open_case(alice)
    press(alice, "2")
    assert lies_inside(alice.locator("select[name=failure_mode]"))
    for _ in range(3):
        assert lies_inside(alice.locator(".metric.is-on .why"))
        press(alice, "ArrowDown")
    room = alice.eval_on_selector(
        "select[name=failure_mode]",
        """(select) => {
            const style = getComputedStyle(select), pen = document.createElement('canvas').getContext('2d');
            pen.font = style.font;
            const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
            return select.clientWidth - padding - pen.measureText(select.options[0].text).width;
        }""",
    )
    assert room >= 0


def test_the_phones_bar_is_low_and_keeps_undo_flag_and_help_within_reach(alice):
    alice.set_viewport_size(PHONE)
    open_case(alice)
    assert alice.eval_on_selector(".verdicts", "(e) => e.getBoundingClientRect().height") <= 150
    assert "(" not in alice.get_attribute("[name=critique]", "placeholder")
    assert not alice.locator(".decide kbd:visible").count()
    more = alice.locator("[data-more]")
    more.locator("summary").click()
    assert more.locator("button:visible").all_inner_texts() == ["Undo", "Flag for the lead", "All keys"]
    assert alice.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    more.get_by_role("button", name="All keys").click()
    assert alice.locator("[data-key-table][open]").count() == 1
    press(alice, "Escape")
    more.locator("summary").click()
    more.get_by_role("button", name="Flag for the lead").click()
    alice.wait_for_selector("body.is-live")
    more.locator("summary").click()
    assert more.get_by_role("button", name="Take the flag off").is_visible()


def test_the_phones_undo_takes_back_the_last_choice_first(alice):
    alice.set_viewport_size(PHONE)
    open_case(alice)
    chosen = "() => [...document.querySelectorAll('.metric input:checked')].map((e) => e.name + e.value).join()"
    before = alice.evaluate(chosen)
    alice.locator(".metric.is-on .unsure").click()
    assert alice.evaluate(chosen) != before
    alice.locator("[data-more] summary").click()
    alice.locator("[data-more] [data-undo]").click()
    assert alice.evaluate(chosen) == before


def test_a_ruling_shows_its_keys_and_says_what_is_missing(page, live_product):
    for name in ("alice", "bob"):
        live_product.sign_in(page, name)
        open_case(page)
        key = "1" if name == "alice" else "2"
        while "/label/" in page.url:
            here = page.url
            press(page, key, key, key, key, "Enter")
            page.wait_for_function("(here) => location.href !== here", arg=here)
            page.wait_for_load_state()
        page.context.clear_cookies()
    live_product.sign_in(page, "lena")
    page.goto("/p/demo/rounds/")
    page.get_by_role("link", name="First round").first.click()
    page.get_by_role("link", name="Adjudicate").click()
    page.wait_for_selector("body.is-live")
    assert "8 undecided cases, 32 questions" in page.inner_text("main")
    assert page.locator("form.ruling .seg kbd:visible").all_inner_texts() == ["1", "2", "3", "0"]
    for width in (1440, 1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert all(lies_inside(each) for each in page.locator("form.ruling .seg label").all())
    press(page, "Enter")
    assert told(page) == "No verdict yet: choose one, then rule."
    press(page, "2")
    assert told(page) == ""
    press(page, "Enter")
    page.wait_for_selector(".message")
    assert re.fullmatch(r"Ruled: demo-\d+, Overall: fail\.", page.inner_text(".message"))
    assert "8 undecided cases, 31 questions" in page.inner_text("main")
