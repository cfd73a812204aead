"""Names that people give: what one may be, and one that nobody has yet."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from itertools import count

from django.utils.translation import gettext as _

MAX_NAME = 120
#: No part of a page's address may be one of these, nor hold one of the letters below.
_DOTS = {".", ".."}
_SLASHES = ("/", "\\")
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
#: Marks that turn the direction of what follows, so that a name reads as another one.
_TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class InvalidNameError(ValueError):
    """A name that no page's address, or no database, could hold; the message says why."""


def plain_name(text: str) -> str:
    """As names are stored and looked up: trimmed and in NFC."""
    return unicodedata.normalize("NFC", text).strip()


def valid_name(text: str, error: type[ValueError] = InvalidNameError) -> str:
    """The name as it is stored; raises ``error`` with a sentence for what is none.

    >>> valid_name(" tea ")
    'tea'
    """
    name = plain_name(text)
    if problem := _problem(name):
        raise error(problem)
    return name


def _problem(name: str) -> str:
    if not name:
        return _("A name needs at least one letter.")
    if len(name) > MAX_NAME:
        return _("The name has %(given)s letters; %(most)s fit.") % {"given": len(name), "most": MAX_NAME}
    if any(unicodedata.category(letter) in _CONTROLS or letter in _TURNING for letter in name):
        return _("A name cannot hold control characters or line breaks.")
    if name in _DOTS or any(slash in name for slash in _SLASHES):
        unfit = _("The name “%(name)s” does not fit into an address: no / and \\ in it, and neither . nor .. alone.")
        return unfit % {"name": name}
    return ""


def free_name(wanted: str, taken: Collection[str], *, between: str = " ") -> str:
    """The wanted name, with the lowest number behind it that makes it nobody's.

    >>> free_name("pilot", {"pilot", "pilot 2"})
    'pilot 3'
    """
    numbered = (f"{wanted}{between}{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)
