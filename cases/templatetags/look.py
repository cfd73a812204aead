"""Small things that templates of every app draw: icons, verdict pills, rates with their intervals."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, pgettext

register = template.Library()

_PATHS = {
    "pass": "M3 8.5l3.2 3.2L13 5",
    "fail": "M4 4l8 8M12 4l-8 8",
    "unsure": "M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4M8 12.4v.1",
    "not_applicable": "M3.5 8h9",
    "absent": "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 11.8l7.6-7.6",
    "partly": "M3 9c1.7-2.4 3.3-2.4 5 0s3.3 2.4 5 0",
    "warning": "M8 2.5 14.5 13.5h-13ZM8 6.500v3.200M8 11.500v.1",
    "arrow": "M3 8h9.500M9 4.500 12.500 8 9 11.500",
    "clock": "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.200l2 1.300",
    "moon": "M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500",
    "blind": "M2 8s2.200-4 6-4 6 4 6 4-2.200 4-6 4-6-4-6-4M3 13 13 3",
    "flag": "M4 14V3h8l-2 3 2 3H4",
}


@register.simple_tag
def icon(name: str) -> str:
    """An inline SVG that takes the colour and size of its text; hidden from screen readers. Unknown: a dash."""
    path = _PATHS.get(name, _PATHS["not_applicable"])
    return format_html('<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>', path)


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """``0.132`` as "13 %" with a no-break space; a dash when there is no value."""
    if value is None:
        return "–"
    return f"{decimal(100 * value, digits)}\u00a0%"


@register.filter
def decimal(value: float | None, digits: int = 2) -> str:
    """A number at fixed digits, with the decimal comma in Vietnamese; a dash when there is no value."""
    if value is None:
        return "–"
    return in_readers_digits(f"{value:.{digits}f}")


def in_readers_digits(text: str) -> str:
    """A number's text with the decimal sign of the reader's language: a comma in Vietnamese."""
    return text.replace(".", ",") if (get_language() or "").startswith("vi") else text


@register.filter
def interval(rate: dict[str, Any] | None) -> str:
    """The interval of a rate, "74–94 %", or nothing when none may be printed (its method says why)."""
    if not rate or rate.get("low") is None or rate.get("high") is None:
        return ""
    return f"{decimal(100 * rate['low'], 0)}–{decimal(100 * rate['high'], 0)}\u00a0%"


@register.filter
def count_of(rate: dict[str, Any] | None) -> str:
    """ "39 of 45"; both counts or a dash."""
    if not rate or rate.get("of") is None:
        return "–"
    return gettext("%(count)s of %(of)s") % {"count": count(rate.get("count")), "of": count(rate["of"])}


def count(value: float | None) -> str:
    """Cases: whole, or one decimal for soft labels; a dash when there is no value."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else decimal(value, 1)


@register.inclusion_tag("look/verdict.html")
def verdict(word: str, who: str = "person") -> dict[str, Any]:
    """A verdict as icon + word + colour: round for a person, square for a judge. No verdict at all: a dash."""
    names = {
        "pass": pgettext("verdict", "pass"),
        "fail": pgettext("verdict", "fail"),
        "unsure": pgettext("verdict", "unsure"),
        "not_applicable": pgettext("verdict", "not applicable"),
        "undecided": pgettext("verdict", "undecided"),
    }
    is_given = word in names and word in _PATHS
    return {"word": word, "name": names.get(word, "–"), "is_given": is_given, "is_judge": who == "judge"}


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """``mapping[key]`` or None."""
    return mapping.get(key) if hasattr(mapping, "get") else None
