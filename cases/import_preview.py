"""What the preview of an import says on a page: what comes in, what is lost, and what to type where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from cases.importers import CaseFileError
from cases.importers.chunks import EMPTY, JSON_LIST, PLAIN_TEXT, PYTHON_LIST, SEPARATED

#: At most this many refusals, repeated ids and labels of a case are shown.
SHOWN = 20
_LABELS = 4
#: From this share on, a loss is no detail: it is said before what comes in.
_MUCH = 0.1


def preview_context(preview: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows of an import's document. Keys that an older document lacks are empty."""
    lost = preview.get("lost", {})
    counts = {name: (preview.get(name, 0), lost.get(name, 0)) for name in ("cases", "labels", "scores")}
    return {
        "coming": _in_bold(_share(name, *count) for name, count in counts.items()),
        "losing": _in_bold(_loss(name, *count) for name, count in counts.items() if _is_much(*count)),
        "cases": [_short(row) for row in preview.get("first_cases", [])],
        "refused": [_hinted(group) for group in preview.get("refused_together", [])[:SHOWN]],
        "remarks": [_hinted(remark) for remark in preview.get("remarks", [])],
        "shapes": [(shape_name(shape), n) for shape, n in preview.get("context_shapes", {}).items()],
        "twice": preview.get("duplicate_lines", [])[:SHOWN],
        "more_twice": max(0, len(preview.get("duplicate_lines", [])) - SHOWN),
    }


def error_text(error: CaseFileError) -> str:
    """Why a file cannot be read, in words of the page: its advice names the form's fields, not the shell's options."""
    where = gettext("Line %(line)s:") % {"line": error.line} if error.line is not None else ""
    advice = hint_text(error.hint.kind, error.hint.fill) if error.hint else error.advice
    return " ".join(part for part in (where, error.problem, advice) if part)


def hint_text(kind: str, fill: str = "") -> str:
    """What to do in the form about a problem of this kind; ``fill`` is what to type there."""
    texts = {
        "words": gettext("Under “Label words” write: %(fill)s"),
        "grade": gettext(
            "If these are grades, write under “Columns”: %(fill)s. Which grade passes is decided when you calibrate."
        ),
        "columns": gettext("Under “Columns” write: %(fill)s") if fill else gettext("Correct the name under “Columns”."),
        "fields": gettext("The fields are: %(fill)s."),
        "decimal": gettext("Choose the comma under “Decimal sign”, or write the numbers with a point."),
        "scale": gettext(
            "Bring the scores to 0 to 1, 1 the best (of 0 to 100: divide by 100), and hand the file in again."
        ),
        "verdicts": gettext(
            "A table of verdicts and scores without questions is read on the command line: workbench calibrate."
        ),
        "labels": gettext("Labels of stored cases are read on the command line: workbench labels import."),
    }
    return texts[kind] % {"fill": fill}


def shape_name(shape: str | None) -> str:
    """How a context was read, in the reader's language."""
    names = {
        JSON_LIST: gettext("JSON list"),
        PYTHON_LIST: gettext("Python list"),
        SEPARATED: gettext("separated"),
        PLAIN_TEXT: gettext("plain text"),
        EMPTY: gettext("empty"),
    }
    return names.get(shape or "", "")


def _in_bold(counts: Iterable[str]) -> SafeString:
    return format_html_join(", ", "<b>{}</b>", ((count,) for count in counts))


def _share(name: str, taken: int, lost: int) -> str:
    if lost:
        return _of(name, taken, taken + lost)
    return {
        "cases": ngettext("%(n)s case", "%(n)s cases", taken),
        "labels": ngettext("%(n)s label", "%(n)s labels", taken),
        "scores": ngettext("%(n)s score", "%(n)s scores", taken),
    }[name] % {"n": f"{taken:,}"}


def _loss(name: str, taken: int, lost: int) -> str:
    return _of(name, lost, taken + lost)


def _of(name: str, part: int, whole: int) -> str:
    return {
        "cases": ngettext("%(n)s of %(of)s case", "%(n)s of %(of)s cases", whole),
        "labels": ngettext("%(n)s of %(of)s label", "%(n)s of %(of)s labels", whole),
        "scores": ngettext("%(n)s of %(of)s score", "%(n)s of %(of)s scores", whole),
    }[name] % {"n": f"{part:,}", "of": f"{whole:,}"}


def _is_much(taken: int, lost: int) -> bool:
    return lost > _MUCH * (taken + lost)


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    hidden = {f"more_{name}": max(0, len(row[name]) - _LABELS) for name in ("labels", "scores")}
    return {
        **row,
        "shape": shape_name(row["shape"]),
        "labels": row["labels"][:_LABELS],
        "scores": row["scores"][:_LABELS],
        **hidden,
    }


def _hinted(told: Mapping[str, Any]) -> dict[str, Any]:
    hint = told.get("hint")
    return {**told, "advice": hint_text(hint["kind"], hint["fill"]) if hint else ""}
