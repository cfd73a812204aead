"""``workbench gate``: do these scores pass the calibrated config? Needs neither Django nor numpy."""

from __future__ import annotations

from calibration.gate import configure, run

__all__ = ["HELP", "NEEDS_DJANGO", "configure", "run"]

HELP = "Check scores against a calibrated config; the exit code is for CI."
NEEDS_DJANGO = False
