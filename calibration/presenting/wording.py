"""The figures of a reading as the words that a page shows. The page's script writes the same words again.

Templates with ``{names}`` are filled by name here and in the script; no user text ever is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from calibration.presenting.readings import Interval, Reading
from calibration.statistics.costs import Range
from calibration.statistics.passing import quantise, unquantise
from cases.templatetags.look import count, decimal, in_readers_digits, percent


def templates() -> dict[str, str]:
    """The sentences that depend on the threshold, in the reader's language."""
    return {
        "of": _("{count} of {of}"),
        "or": _(" or "),
        "range_all": _("pass all"),
        "range_none": _("pass none"),
        "standing_best": _("In a cheapest range."),
        "standing_good": _("As good as the cheapest: the data cannot tell them apart."),
        "standing_more": _("Costs {cost} more per case than the cheapest."),
        "alike": _("Every threshold above {low} and up to {high} decides alike."),
        "alike_all": _("Every threshold up to {high} decides alike: all pass."),
        "alike_none": _("Every threshold above {low} decides alike: none passes."),
        "pass_all": _("pass all {cost}"),
        "pass_none": _("pass none {cost}"),
        "look": _("A look at {threshold}: the cheapest threshold is {anchor}."),
        "look_frozen": _("A look at {threshold}: what was frozen is {anchor}."),
        "freezes_none": _("No threshold is recommended, so none is frozen."),
        "freezes_best": _("Freezes the cheapest threshold, {anchor}."),
        "freezes_alike": _("Freezes the cheapest threshold, {anchor}; {threshold} decides alike."),
        "freezes_choice": _("Freezes {threshold}, your choice; the cheapest threshold is {anchor}."),
        "spoken": _("{threshold}: {false_pass} false passes, {false_fail} false fails"),
    }


def fill(template: str, **values: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], template)


def figures(reading: Reading, as_good: list[Mapping[str, Any]] | None) -> dict[str, str]:
    """Every text of the page that moves with the threshold or the costs, by the name its script knows it by."""
    cases, point, words = reading.cases, reading.point, templates()
    fails, passes = cases.false_pass + cases.true_fail, cases.false_fail + cases.true_pass
    return {
        "threshold": score(reading.threshold),
        "caught": _of(words, cases.true_fail, fails),
        "stopped": _of(words, cases.false_fail, passes),
        "false_pass": count(cases.false_pass),
        "false_fail": count(cases.false_fail),
        "true_pass": count(cases.true_pass),
        "true_fail": count(cases.true_fail),
        "stops": count(cases.true_fail + cases.false_fail),
        "passes": count(cases.false_pass + cases.true_pass),
        "false_pass_rate": percent(point.false_pass_rate),
        "false_fail_rate": percent(point.false_fail_rate),
        # In the middle of a sentence: the space belongs to the interval and goes with it.
        "caught_interval": _spaced(interval(reading.intervals["caught"])),
        "stopped_interval": _spaced(interval(reading.intervals["false_fail"])),
        "false_pass_interval": interval(reading.intervals["false_pass"]),
        "false_fail_interval": interval(reading.intervals["false_fail"]),
        "cost_per_case": decimal(reading.cost_per_case, 3),
        "cost_total": amount(reading.cost_total),
        "standing": _standing(words, reading, as_good or []),
        "alike": _alike(words, reading),
        "cheapest": words["or"].join(range_words(each) for each in reading.cheapest),
        "spoken": fill(
            words["spoken"],
            threshold=score(reading.threshold),
            false_pass=_of(words, cases.false_pass, fails),
            false_fail=_of(words, cases.false_fail, passes),
        ),
    }


def _spaced(text: str) -> str:
    return f" {text}" if text else ""


def _of(words: Mapping[str, str], part: float, whole: float) -> str:
    return fill(words["of"], count=count(part), of=count(whole))


def _standing(words: Mapping[str, str], reading: Reading, as_good: list[Mapping[str, Any]]) -> str:
    if not reading.point.total:
        return ""
    if reading.is_cheapest:
        return words["standing_best"]
    if any(_holds(each, reading) for each in as_good):
        return words["standing_good"]
    return fill(words["standing_more"], cost=decimal(reading.extra_cost_per_case, 3))


def _holds(span: Mapping[str, Any], reading: Reading) -> bool:
    steps, low, high = quantise(reading.threshold), span["low"], span["high"]
    return bool((low is None or steps > quantise(low)) and (high is None or steps <= quantise(high)))


def _alike(words: Mapping[str, str], reading: Reading) -> str:
    if not len(reading.curve.levels):
        return ""
    low, high = reading.bounds
    if low is None:
        return fill(words["alike_all"], high=score(unquantise(reading.curve.levels[0])))
    if high is None:
        return fill(words["alike_none"], low=score(low))
    return fill(words["alike"], low=score(low), high=score(high))


def range_words(each: Range) -> str:
    words = templates()
    if each.low is None:
        return words["range_all"]
    return words["range_none"] if each.high is None else f"{score(each.low)}–{score(each.high)}"


def score(value: float) -> str:
    """A score or threshold: two decimals at least, nine at most."""
    return in_readers_digits(re.sub(r"0{1,7}$", "", f"{value:.9f}"))


def amount(value: float) -> str:
    """A sum of costs: whole, or two decimals."""
    return f"{value:,.0f}" if float(value).is_integer() else decimal(value, 2)


def interval(ends: Interval) -> str:
    if ends is None:
        return ""
    return f"({decimal(100 * ends[0], 0)}–{decimal(100 * ends[1], 0)}\u00a0%)"
