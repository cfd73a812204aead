"""What the project's first page says: where it stands, what to do next, the result in circles."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from calibration.chosen import at_in_force
from calibration.models import Calibration, CalibrationState
from calibration.services import staleness
from cases.models import Case, Project
from evaluation.models import Score, ScoreState
from labeling.models import Label, Round, RoundState, SlotState

#: More circles than this say nothing at a glance: the sentence is enough.
MOST_CIRCLES = 400


@dataclass
class Step:
    """One station of the path: what is there, in a line, and whether it is done, next, out of date or to come."""

    name: str
    text: str
    state: str
    note: str = ""


@dataclass
class Standing:
    """What the project holds, counted once."""

    cases: int = 0
    drawn: int = 0
    labels: int = 0
    labeled_cases: int = 0
    people: int = 0
    wanted: int = 0
    done: int = 0
    scored: int = 0
    unscored: int = 0
    judges: int = 0
    round: Round | None = None
    calibration: Calibration | None = None
    stale: list[str] = field(default_factory=list)


def stand(project: Project, *, with_result: bool) -> Standing:
    cases = Case.objects.filter(dataset__project=project)
    labels = Label.objects.current().filter(case__dataset__project=project)
    counted = labels.aggregate(
        n=Count("pk"), cases=Count("case", distinct=True), people=Count("annotator", distinct=True)
    )
    slots = Round.objects.filter(project=project, is_training=False).aggregate(
        wanted=Count("slots"), done=Count("slots", filter=Q(slots__state=SlotState.DONE))
    )
    scores = Score.objects.filter(case__dataset__project=project).aggregate(
        scored=Count("case", filter=Q(state=ScoreState.SCORED), distinct=True),
        unscored=Count("pk", filter=Q(state=ScoreState.UNSCORED)),
        judges=Count("evaluator__judge", distinct=True),
    )
    calibration = project.calibrations.select_related("sample").first() if with_result else None
    return Standing(
        cases=cases.filter(rows__isnull=False).distinct().count(),
        drawn=project.samples.drawn().count(),
        labels=counted["n"],
        labeled_cases=counted["cases"],
        people=counted["people"],
        wanted=slots["wanted"],
        done=slots["done"],
        round=project.rounds.filter(state=RoundState.OPEN).order_by("-pk").first(),
        calibration=calibration,
        stale=staleness(calibration) if calibration else [],
        **scores,
    )


def steps(s: Standing) -> list[Step]:
    """The path, in order; the first station that is not done is the next one."""
    path = [
        Step(_("Import"), _count(s.cases, ngettext("%(n)s case", "%(n)s cases", s.cases)), _done(s.cases)),
        Step(_("Sample"), _sample_text(s), _done(s.cases)),
        Step(_("Label"), _label_text(s), _done(s.labels), _left_text(s)),
        Step(_("Judge"), _judge_text(s), _done(s.scored)),
        Step(_("Calibrate"), _calibrate_text(s), "old" if s.stale else _done(s.calibration)),
        Step(_("Export"), _export_text(s), "todo"),
    ]
    for step in path:
        if step.state == "todo":
            step.state = "next"
            break
    return path


def _done(what: object) -> str:
    return "done" if what else "todo"


def _count(n: int, text: str) -> str:
    return text % {"n": f"{n:,}"} if n else _("Nothing yet")


def _sample_text(s: Standing) -> str:
    if not s.drawn:
        return _("All cases") if s.cases else _("Nothing yet")
    return ngettext("%(n)s sample drawn", "%(n)s samples drawn", s.drawn) % {"n": s.drawn}


def _label_text(s: Standing) -> str:
    if not s.labels:
        return _("Nothing yet")
    return _("%(cases)s cases by %(people)s people") % {"cases": f"{s.labeled_cases:,}", "people": s.people}


def _left_text(s: Standing) -> str:
    left = s.wanted - s.done
    return ngettext("%(n)s label wanted", "%(n)s labels wanted", left) % {"n": left} if left else ""


def _judge_text(s: Standing) -> str:
    if not s.scored and not s.unscored:
        return _("Nothing yet")
    text = _("%(cases)s cases scored") % {"cases": f"{s.scored:,}"}
    return text + (", " + _("%(n)s scores missing") % {"n": s.unscored} if s.unscored else "")


def _calibrate_text(s: Standing) -> str:
    if s.calibration is None:
        return _("Nothing yet")
    if s.stale:
        return _("%(name)s is stale") % {"name": s.calibration.name}
    return f"{s.calibration.name}: {s.calibration.get_state_display()}"


def _export_text(s: Standing) -> str:
    if s.calibration is None:
        return _("Waits for a calibration")
    if s.calibration.document.get("recommended_threshold") is None:
        return _("No threshold to export")
    if s.calibration.state != CalibrationState.TRUSTED:
        return _("A gate refuses %(name)s as it stands") % {"name": s.calibration.name}
    return _("%(name)s can gate a build") % {"name": s.calibration.name}


def next_act(project: Project, s: Standing) -> dict[str, str]:
    """The one thing to do now: a heading, a sentence, a button."""
    if not s.cases:
        return _act(
            _("Import your cases"),
            _("A JSONL or CSV file with a question and an answer in each row is enough."),
            _("Import a file"),
            reverse("cases:import-new", args=[project.slug]),
        )
    if s.round is not None and s.done < s.wanted:
        return _act(
            _("Finish the labels"),
            _("%(done)s of %(wanted)s wanted labels are in.") % {"done": s.done, "wanted": s.wanted},
            _("Open the round"),
            s.round.get_absolute_url(),
        )
    if not s.labels:
        return _act(
            _("Have people label"),
            _("A round gives every case to people who do not see each other or the judge."),
            _("Open a round"),
            reverse("labeling:rounds", args=[project.slug]),
        )
    if not s.scored:
        return _act(
            _("Have the same cases judged"),
            _("A judge scores what people have labeled, so that both can be compared."),
            _("Start a run"),
            reverse("evaluation:runs", args=[project.slug]),
        )
    return _act(
        _("Calibrate again") if s.stale else _("Choose a threshold"),
        _("Say what each kind of mistake costs; the cheapest threshold follows."),
        _("Open calibration"),
        reverse("calibration:calibrations", args=[project.slug]),
    )


def _act(title: str, text: str, button: str, url: str) -> dict[str, str]:
    return {"title": title, "text": text, "button": button, "url": url}


def attention(project: Project, s: Standing) -> list[dict[str, str]]:
    """What is not as it should be, each with the place where it is mended."""
    notes = [{"title": sentence, "url": s.calibration.get_absolute_url()} for sentence in s.stale if s.calibration]
    if s.unscored:
        text = ngettext(
            "%(n)s score is missing: the judge gave none.", "%(n)s scores are missing: the judge gave none.", s.unscored
        )
        notes.append({"title": text % {"n": s.unscored}, "url": reverse("evaluation:runs", args=[project.slug])})
    return notes


def people(project: Project) -> list[dict[str, Any]]:
    """Each annotator's number of labels and median seconds on one, where times were kept."""
    rows = Label.objects.current().filter(case__dataset__project=project)
    seconds: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for name, taken in rows.values_list("annotator__name", "seconds"):
        counts[name] = counts.get(name, 0) + 1
        if taken is not None:
            seconds.setdefault(name, []).append(taken)
    return [{"name": name, "labels": n, "median": _median(seconds.get(name))} for name, n in sorted(counts.items())]


def _median(values: list[float] | None) -> float | None:
    return median(values) if values else None


def waffles(document: dict[str, Any] | None) -> dict[str, Any]:
    """The circles of the last result: solid are mistakes. Nothing when there is none, or too many to look at."""
    at = at_in_force(document or {})
    if not at:
        return {}
    sides = {}
    for name, rate, per_row in (("fail", at["false_pass_rate"], 10), ("pass", at["false_fail_rate"], 20)):
        count, of = rate.get("count"), rate.get("of")
        if count is None or not of or of > MOST_CIRCLES or count != int(count) or of != int(of):
            return {}
        sides[name] = _circles(int(count), int(of), per_row)
    return {"waffle": sides}


def _circles(mistakes: int, of: int, per_row: int) -> dict[str, Any]:
    dots = [
        {"x": 10 + 26 * (i % per_row), "y": 13 + 26 * (i // per_row), "is_mistake": i < mistakes} for i in range(of)
    ]
    return {"dots": dots, "mistakes": mistakes, "of": of, "width": 26 * per_row, "height": 26 * -(-of // per_row)}
