"""What the calibration page shows of a document at one threshold: figures in words, drawings, data for the script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from django.utils.translation import gettext as _

from calibration.chosen import headline_in_force, is_choice, threshold_in_force
from calibration.plots import Chart, chart
from calibration.plots.layout import NARROW, WIDE
from calibration.presenting.readings import Reading, costs_of, interval_kind, read
from calibration.presenting.wording import figures, fill, score, templates
from calibration.report import left_out_besides
from calibration.statistics.intervals import CONFIDENCE, MIN_GROUPS
from calibration.statistics.passing import quantise
from calibration.statistics.sentences import BLINDNESS_UNKNOWN, NOT_NESTED, tell
from cases.templatetags.look import count, decimal


@dataclass(frozen=True)
class Page:
    """The context of ``calibration/page.html``, by the names that the template uses."""

    document: dict[str, Any]
    reading: Reading
    figures: dict[str, str]
    words: dict[str, str]
    charts: tuple[Chart, ...]
    is_frozen: bool

    @property
    def threshold(self) -> str:
        return plain(self.reading.threshold)

    @property
    def data(self) -> dict[str, str]:
        """The attributes of the live part: what the script counts from, and the counts for whoever reads them."""
        reading, curve = self.reading, self.document["curve"]
        cases = reading.cases
        return {
            "levels": " ".join(str(int(level)) for level in reading.curve.levels),
            "fails": _numbers(curve["weight_fail"]),
            "passes": _numbers(curve["weight_pass"]),
            **self._unweighted(),
            "z": repr(NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)),
            "interval": interval_kind(self.document),
            "threshold": self.threshold,
            "false-pass": plain(cases.false_pass),
            "false-fail": plain(cases.false_fail),
            "true-pass": plain(cases.true_pass),
            "true-fail": plain(cases.true_fail),
            "cost-total": plain(reading.cost_total),
            "cost-per-case": "" if reading.cost_per_case is None else plain(reading.cost_per_case),
            "recommended": "" if self.recommended is None else plain(self.recommended),
            "anchor": "" if self.anchor is None else plain(self.anchor),
            **{name.replace("_", "-"): text for name, text in self.words.items()},
        }

    def _unweighted(self) -> dict[str, str]:
        curve = self.document["curve"]
        if all(curve[f"weight_{side}"] == curve[f"human_{side}"] for side in ("fail", "pass")):
            return {}
        return {"fail-counts": _numbers(curve["human_fail"]), "pass-counts": _numbers(curve["human_pass"])}

    @property
    def recommended(self) -> float | None:
        threshold: float | None = self.document["recommended_threshold"]
        return threshold

    @property
    def recommended_words(self) -> str:
        return "" if self.recommended is None else score(self.recommended)

    @property
    def anchor(self) -> float | None:
        """What was frozen, or what is recommended: any other threshold is a look."""
        return threshold_in_force(self.document)

    @property
    def anchor_words(self) -> str:
        return "" if self.anchor is None else score(self.anchor)

    @property
    def is_choice(self) -> bool:
        """Whether freezing now takes a reason: the threshold looked at decides otherwise than the recommended one."""
        return not self.is_frozen and is_choice(self.document, self.reading.threshold)

    @property
    def is_look(self) -> bool:
        return self.anchor is not None and bool(quantise(self.reading.threshold) != quantise(self.anchor))

    @property
    def look(self) -> str:
        if not self.is_look:
            return ""
        return self._of_thresholds("look_frozen" if self.is_frozen else "look")

    @property
    def freezes(self) -> str:
        """Which threshold the button would freeze."""
        if self.anchor is None:
            return self.words["freezes_none"]
        alike = "freezes_alike" if self.is_look else "freezes_best"
        return self._of_thresholds("freezes_choice" if self.is_choice else alike)

    def _of_thresholds(self, name: str) -> str:
        return fill(self.words[name], threshold=self.figures["threshold"], anchor=self.anchor_words)

    @property
    def no_intervals(self) -> list[dict[str, str]]:
        """Which rates of the headline stand without an interval, and why: once where both have the same cause."""
        sides = (("fails_caught", _("bad answers caught")), ("passes_kept", _("good ones stopped")))
        shown = headline_in_force(self.document)
        bare = [
            {"what": what, "why": str(shown[name]["method"])}
            for name, what in sides
            if shown[name]["value"] is not None and shown[name]["low"] is None
        ]
        if len(bare) == len(sides) and bare[0]["why"] == bare[1]["why"]:
            return [{"what": "", "why": bare[0]["why"]}]
        return bare

    @property
    def groups_needed(self) -> int | None:
        """How many conversations an interval takes, where the cases come in conversations."""
        return None if self.document.get("groups") is None else MIN_GROUPS

    @property
    def state_reasons(self) -> list[str]:
        """What keeps it from being trusted, but for the refusal that stands above already."""
        return [each for each in self.document["state_reasons"] if each != self.document["reason"]]

    @property
    def has_fails(self) -> bool:
        return bool(self.document["n_human_fail"])

    @property
    def has_passes(self) -> bool:
        return bool(self.document["n_human_pass"])

    @property
    def no_nested(self) -> str:
        """Why the choice has no cost on new cases; empty beside one."""
        nested = self.document["nested"]
        return "" if nested["cost_per_case"] is not None else tell(NOT_NESTED, reason=nested["reason"])

    @property
    def blindness_unknown(self) -> str:
        """The state reason that a box of the form answers."""
        return BLINDNESS_UNKNOWN

    @property
    def things_to_know(self) -> int:
        return len(self.state_reasons) + len(self.document["warnings"]) + len(self.left_out)

    @property
    def left_out(self) -> list[dict[str, Any]]:
        """What was left out and is not told by a warning already."""
        return left_out_besides(self.document)

    @property
    def fails_title(self) -> str:
        return fill(_("{n} failed by people"), n=count(self.document["n_human_fail"]))

    @property
    def passes_title(self) -> str:
        return fill(_("{n} passed by people"), n=count(self.document["n_human_pass"]))

    @property
    def of_fails(self) -> str:
        return fill(_("of the {n} failed by people"), n=count(self.document["n_human_fail"]))

    @property
    def of_passes(self) -> str:
        return fill(_("of the {n} passed by people"), n=count(self.document["n_human_pass"]))

    @property
    def cost_all(self) -> str:
        return fill(self.words["pass_all"], cost=decimal(self._cost_at_end(0), 2))

    @property
    def cost_none(self) -> str:
        return fill(self.words["pass_none"], cost=decimal(self._cost_at_end(-1), 2))

    def _cost_at_end(self, place: int) -> float | None:
        from calibration.statistics.costs import cost_of_every_threshold

        total = self.reading.point.total
        every = cost_of_every_threshold(self.reading.curve, costs_of(self.document))
        return float(every[place]) / total if total else None

    @property
    def good_spans(self) -> str:
        """The as-good-as ranges for the script: "low:high", an end left out where there is none."""
        spans = stability_of(self.document).get("as_good_as") or []
        return " ".join(
            ":".join("" if span[end] is None else plain(span[end]) for end in ("low", "high")) for span in spans
        )

    @property
    def no_stability(self) -> str:
        found = stability_of(self.document)
        return "" if found.get("as_good_as") else found.get("reason") or _("not computed without a recommendation")

    @property
    def fails_for_promise(self) -> dict[str, Any]:
        """How many failed answers a promise of 5 % takes at the least: said even when no certificate was asked for."""
        from calibration.statistics.certificate import fails_needed

        needed, have = fails_needed(0.05, 0.05), self.document["n_human_fail"]
        return {"needed": needed, "have": have, "missing": max(0, needed - have)}


def present(
    document: dict[str, Any], threshold: float, *, rates: Mapping[str, Any] | None = None, is_frozen: bool = False
) -> Page:
    reading = read(document, threshold, rates=rates)
    return Page(
        document=document,
        reading=reading,
        figures=figures(reading, stability_of(document).get("as_good_as")),
        words=templates(),
        charts=_charts(document, reading),
        is_frozen=is_frozen,
    )


def stability_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What drawing the cases again says of the optimum; nothing where no threshold is recommended."""
    found: Mapping[str, Any] = document["curve"].get("stability") or {}
    return found


def _charts(document: Mapping[str, Any], reading: Reading) -> tuple[Chart, ...]:
    bands, found = document["curve"]["bands"], stability_of(document)
    optimum = found.get("optimum_range") or {}
    return tuple(
        chart(
            frame,
            curve=reading.curve,
            costs=costs_of(document),
            threshold=reading.threshold,
            bands=(bands["false_pass"], bands["false_fail"]),
            cheapest=[(each.low, each.high) for each in reading.cheapest],
            as_good=[(span["low"], span["high"]) for span in found.get("as_good_as") or []],
            resampled=(optimum["low"], optimum["high"]) if optimum else None,
        )
        for frame in (WIDE, NARROW)
    )


def plain(value: float) -> str:
    """A number for attributes and addresses: the shortest that reads back the same, with a point, never 1e-7."""
    text = repr(int(value)) if float(value).is_integer() else repr(float(value))
    return f"{value:.12f}".rstrip("0") if "e" in text else text


def _numbers(values: list[float]) -> str:
    return " ".join(plain(value) for value in values)
