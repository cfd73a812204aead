"""The calibration page in Chromium: its script counts as the server does, and asks it for what it cannot compute."""

from __future__ import annotations

import json
import random
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.calibration.judged import ASK, JUDGE, METRIC, data_attributes, judged_row, outputs

pytestmark = pytest.mark.journey

NUMBERS = ("false-pass", "false-fail", "true-pass", "true-fail", "cost-total", "cost-per-case")


@pytest.fixture(scope="module")
def tea(live_product, tmp_path_factory):
    """120 cases, good and bad answers overlapping, with ties and float dust; half of them drawn again with weights."""
    rng = random.Random(7)
    rows = []
    for number in range(1, 121):
        human = int(rng.random() < 0.7)
        score = min(1.0, max(0.0, rng.gauss(0.7 if human else 0.4, 0.2)))
        rows.append(judged_row(number, human, rng.choice([score, round(score, 1), (0.7 + 0.7 + 0.7) / 3])))
    path = tmp_path_factory.mktemp("tea") / "tea.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    band = ["--design", "score-band", "--judge", JUDGE, "--metric", METRIC, "--size", "60", "--seed", "7"]
    for command in (
        ["import", str(path), "--dataset", "tea"],
        ["sample", "tea", "--name", "weighted", *band],
        ["user", "add", "lena", "--role", "lead"],
    ):
        done = live_product.run(*command)
        assert done.returncode == 0, done.stderr
    return live_product


@pytest.fixture
def draft(page, tea):
    """The draft page of all 120 at 5:1; Lena signed in."""
    tea.sign_in(page, "lena")
    page.goto(address())
    return page


def address(**asked: Any) -> str:
    return f"/p/default/calibrations/draft/?{urlencode({**ASK, 'cost_false_pass': 5, 'cost_false_fail': 1, **asked})}"


def said_by_script(page: Any) -> dict[str, str]:
    pairs = page.eval_on_selector_all(
        "[data-out]", "nodes => nodes.map((node) => [node.dataset.out, node.textContent])"
    )
    return dict(pairs)


def live(page: Any, name: str) -> str:
    return page.get_attribute("#live", f"data-{name}") or ""


def wait_for_server(page: Any) -> None:
    page.wait_for_function("() => !document.querySelector('.waiting')")


@pytest.mark.parametrize(("sample", "settings"), [("tea", 50), ("weighted", 15)])
def test_browser_and_server_agree_on_every_figure(draft, sample, settings):
    draft.goto(address(sample=sample))
    assert live(draft, "interval") == {"tea": "wilson", "weighted": "server"}[sample]
    agree_on(draft, sample, settings)


def test_they_agree_in_vietnamese_too_with_its_decimal_comma(draft):
    draft.click("button[name=language][value=vi]")
    assert "," in said_by_script(draft)["threshold"]
    agree_on(draft, "tea", 5)
    draft.click("button[name=language][value=en]")


def agree_on(draft: Any, sample: str, settings: int) -> None:
    """The script's figures are the server's, text for text, at random thresholds and costs."""
    rng = random.Random(11)
    costs: tuple[float, float] = (5, 1)
    for number in range(settings):
        threshold = rng.choice([round(rng.random(), 2), round(rng.random(), 9), 0.7, 0.0, 1.0, 1.01])
        draft.fill("#threshold", repr(threshold))
        if number % 4 == 0:
            costs = rng.choice([0, 1, 5, 0.3, 2.5, 17]), rng.choice([1, 0.1, 3])
            draft.fill("[name=cost_false_pass]", str(costs[0]))
            draft.fill("[name=cost_false_fail]", str(costs[1]))
        wait_for_server(draft)
        asked = address(sample=sample, threshold=threshold, cost_false_pass=costs[0], cost_false_fail=costs[1])
        text = draft.request.get(asked).text()
        assert said_by_script(draft) == outputs(text), (threshold, costs)
        for name in NUMBERS:
            assert float(live(draft, name)) == pytest.approx(float(data_attributes(text)[name]), abs=1e-9)


def test_keys_buttons_and_the_number_field_move_one_threshold(draft):
    grip = draft.locator(".chart.wide .grip")
    grip.focus()
    draft.keyboard.press("Home")
    assert live(draft, "threshold") == "0"
    for key in ("ArrowRight", "ArrowUp", "PageUp", "ArrowLeft"):  # + .01 + .01 + .1 - .01
        draft.keyboard.press(key)
    assert live(draft, "threshold") == "0.11"
    assert draft.input_value("#threshold") == "0.11"
    assert grip.get_attribute("aria-valuenow") == "0.11"
    draft.keyboard.press("Shift+ArrowRight")
    assert live(draft, "threshold") == "0.111"
    draft.keyboard.press("End")
    assert live(draft, "threshold") == "1"
    draft.click("[data-step='-0.01']")
    assert live(draft, "threshold") == "0.99"
    draft.click("[data-best]")
    assert live(draft, "threshold") == live(draft, "recommended")


def test_dragging_moves_the_threshold_and_the_marks(draft):
    box = draft.locator(".chart.wide .grip").bounding_box()
    draft.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    draft.mouse.down()
    draft.mouse.move(box["x"] + 160, box["y"] + 60, steps=4)
    draft.mouse.up()
    moved = float(live(draft, "threshold"))
    assert moved > float(live(draft, "recommended"))
    # Solid is a mistake: as many solid orange marks as false passes, as many solid blue ones as false fails.
    assert draft.locator(".chart.wide .marks .c-fail:not(.ok)").count() == int(live(draft, "false-pass"))
    assert draft.locator(".chart.wide .marks .c-pass:not(.ok)").count() == int(live(draft, "false-fail"))


def test_new_costs_grey_out_what_the_server_computes_until_it_answers(draft):
    nested = draft.inner_text("#nested")
    draft.route("**/calibrations/draft/**", lambda route: (draft.wait_for_timeout(150), route.continue_()))
    draft.fill("[name=cost_false_pass]", "1")
    assert "waiting" in (draft.get_attribute("#nested", "class") or "")
    wait_for_server(draft)
    assert draft.inner_text("#nested") != nested
    assert "cost_false_pass=1" in draft.url


def test_what_cannot_be_asked_stays_grey_and_says_so(browser, tea):
    context = browser.new_context(base_url=tea.url)  # Chromium itself complains of the 503
    page = context.new_page()
    tea.sign_in(page, "lena")
    page.goto(address())
    page.route("**/calibrations/draft/**", lambda route: route.fulfill(status=503, body=""))
    page.fill("[name=cost_false_pass]", "2")
    page.wait_for_selector("[data-offline]:not([hidden])")
    assert "waiting" in (page.get_attribute("#nested", "class") or "")
    context.close()


def test_a_cell_opens_its_cases_at_the_threshold_looked_at(draft):
    draft.fill("#threshold", "0.5")
    expected = live(draft, "false-pass")
    draft.click(".matrix a[href*='kind=false_pass']")
    assert draft.get_attribute("table[data-cases]", "data-cases") == expected
    draft.click("tbody th a")
    draft.wait_for_selector("[data-score]")
    assert draft.locator(".v.judge").count() >= 1


def test_what_is_frozen_are_the_costs_just_typed(draft):
    draft.fill("[name=cost_false_pass]", "3")
    draft.click("#freeze button")
    draft.wait_for_url("**/calibrations/*/")
    assert "3 : 1" in draft.inner_text("#freeze")


def test_a_moved_threshold_is_a_look_and_is_frozen_only_for_a_reason(draft):
    best = draft.input_value("#threshold")
    assert not draft.is_visible("[data-choice]")
    assert live(draft, "recommended") == best
    draft.fill("#threshold", "0.31")
    assert said_by_script(draft)["look"].startswith("A look at 0.31: the cheapest threshold is ")
    assert said_by_script(draft)["freezes"].startswith("Freezes 0.31, your choice; the cheapest threshold is ")
    draft.click("#freeze button")
    assert "/draft/" in draft.url  # the browser asks for the reason first
    draft.fill("[data-choice] textarea", "Few answers are checked at night.")
    draft.click("#freeze button")
    draft.wait_for_url("**/calibrations/*/")
    assert said_by_script(draft)["threshold"] == "0.31"
    assert "Few answers are checked at night." in draft.inner_text("#freeze")


def test_who_looks_at_the_cheapest_threshold_follows_it_as_costs_change(draft):
    draft.fill("[name=cost_false_pass]", "1")
    assert said_by_script(draft)["look"] == ""
    assert said_by_script(draft)["freezes"].startswith("Freezes the cheapest threshold, ")
    draft.fill("#threshold", "0.31")
    draft.fill("[name=cost_false_pass]", "5")
    assert live(draft, "threshold") == "0.31"


def test_compute_is_for_readers_without_a_script(draft):
    assert not draft.is_visible("#settings button:has-text('Compute')")


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_nothing_scrolls_sideways_and_the_narrow_drawing_moves(draft, width):
    draft.set_viewport_size({"width": width, "height": 800})
    assert draft.evaluate("document.documentElement.scrollWidth") <= width
    assert not draft.is_visible(".chart.wide")
    draft.locator(".chart.narrow .grip").focus()
    draft.keyboard.press("End")
    assert live(draft, "threshold") == "1"


def test_without_a_script_the_form_asks_the_server(browser, tea):
    context = browser.new_context(base_url=tea.url, java_script_enabled=False)
    page = context.new_page()
    tea.sign_in(page, "lena")
    page.goto(address())
    page.fill("#threshold", "0.5")
    page.fill("[name=cost_false_pass]", "7")
    page.click("#settings button:not([type=button])")
    assert (live(page, "threshold"), page.input_value("[name=cost_false_pass]")) == ("0.5", "7")
    context.close()
