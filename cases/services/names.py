"""Names that nobody has yet."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count


def free_name(wanted: str, taken: Collection[str], *, between: str = " ") -> str:
    """The wanted name, with the lowest number behind it that makes it nobody's.

    >>> free_name("pilot", {"pilot", "pilot 2"})
    'pilot 3'
    """
    numbered = (f"{wanted}{between}{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)
