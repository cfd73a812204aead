"""When something was said: a time that every database can keep, or none."""

from __future__ import annotations

import re
from datetime import UTC, datetime

#: Outside these years it is a slip or a trick, and some databases and clocks fail on it.
FIRST_YEAR, LAST_YEAR = 1970, 2200
#: ``2012-4-9 4:08`` is written as ``2012-04-09 04:08``.
_ONE_DIGIT = re.compile(r"(?<![\d.,])(\d)(?!\d)", re.ASCII)
_GAP_BEFORE_ZONE = re.compile(r"\s+(?=([+-]\d\d(:?\d\d)?|Z)$)", re.ASCII)


def moment_of(text: str) -> datetime | None:
    """The time an ISO text names, in UTC, where it says no zone too; None for what is none.

    >>> moment_of("2026-05-01T09:00:00+07:00")
    datetime.datetime(2026, 5, 1, 2, 0, tzinfo=datetime.timezone.utc)
    >>> moment_of("yesterday"), moment_of("0001-01-01T00:00:00+14:00"), moment_of("3026-01-01")
    (None, None, None)
    """
    plain = _GAP_BEFORE_ZONE.sub("", _ONE_DIGIT.sub(r"0\1", text.strip()))
    try:
        given = datetime.fromisoformat(plain)
        moment = given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if FIRST_YEAR <= moment.year <= LAST_YEAR else None
