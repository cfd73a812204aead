"""The sentences of a document in the reader's language: documents stay in English, pages do not."""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import gettext

from calibration.statistics.sentences import SENTENCES, TEMPLATES, TEXTS, tell
from cases.templatetags.look import in_readers_digits

NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?(?: ?%)?"


def told(sentence: str | None) -> str:
    """The sentence, said in the reader's language; as it is where no template made it, such as a judge's own words."""
    text = str(sentence or "")
    for template, pattern in patterns().items():
        if found := pattern.fullmatch(text):
            return tell(gettext(template), **{name: _shown(name, part) for name, part in found.groupdict().items()})
    return text


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    """By template, what its sentences look like; each name is a group."""
    return {template: re.compile(_pattern(template), re.DOTALL) for template in TEMPLATES}


def _pattern(template: str) -> str:
    parts = re.split(r"\{(\w+)\}", template)
    return "".join(_group(part) if place % 2 else re.escape(part) for place, part in enumerate(parts))


def _group(name: str) -> str:
    return f"(?P<{name}>{'.+' if name in SENTENCES | TEXTS else NUMBER})"


def _shown(name: str, part: str) -> str:
    if name in SENTENCES:
        return "; ".join(told(each) for each in part.split("; "))
    if name in TEXTS:
        return told(part) if name == "label" else part
    return in_readers_digits(part)
