"""What the pages of this app draw: a metric's name, the strip of its scores."""

from __future__ import annotations

from django import template

from evaluation import names
from evaluation.services import Tally
from evaluation.strips import Strip, strip_of

register = template.Library()

register.filter("metric_name", names.metric_name)
register.filter("flag_name", names.flag_name)
register.filter("unit_verdict_name", names.unit_verdict_name)


@register.inclusion_tag("evaluation/strip.html")
def strip(tally: Tally) -> dict[str, Strip]:
    """The distribution of the scores, drawn here: no script is needed to see it."""
    return {"strip": strip_of(tally.counts)}
