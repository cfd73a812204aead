"""How long what a column keeps may be. Longer is refused by line and field: cut, two names could become one.

The same on every database: SQLite would store anything, PostgreSQL would stop the whole import. A test holds these
against the models' ``max_length``.
"""

from __future__ import annotations

#: Field -> the most letters that fit.
LIMITS = {
    "id": 255,
    "system": 120,
    "language": 16,
    "group_id": 255,
    "metric": 60,
    "annotator": 120,
    "failure_mode": 40,
    "judge": 160,
}
#: The same for one entry of a label's claims.
UNIT_LIMITS = {"kind": 8, "verdict": 20}
#: Claims of one label.
MAX_UNITS = 32_767


def over(limit: int | None, text: str) -> str | None:
    """What to say of a text that does not fit, or None."""
    return f"has {len(text):,} letters; {limit:,} fit" if limit is not None and len(text) > limit else None
