"""``|told``: a sentence of a document in the reader's language."""

from __future__ import annotations

from django import template

from calibration.presenting.told import told

register = template.Library()

register.filter("told", told)
