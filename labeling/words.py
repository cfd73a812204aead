"""The words of the labeling screen: what may be said of a unit, why an answer fails, why a case is passed on."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

#: For each kind of unit, its verdicts in the order of their keys.
UNIT_WORDS = {
    "claim": {"supported": _("Supported"), "contradicted": _("Contradicted"), "absent": _("Not in context")},
    "expected": {"covered": _("Covered"), "missing": _("Missing"), "partly": _("Partly")},
    "chunk": {"relevant": _("Relevant"), "irrelevant": _("Not relevant"), "partly": _("Partly")},
}


class FailureMode(models.TextChoices):
    EVIDENCE_MISSING = "evidence_missing", _("evidence missing")
    RANKED_TOO_LOW = "ranked_too_low", _("evidence ranked too low")
    NOISE = "noise", _("noise among the chunks")
    EVIDENCE_NOT_USED = "evidence_not_used", _("evidence not used")
    UNSUPPORTED_CLAIM = "unsupported_claim", _("unsupported claim")
    OFF_TOPIC = "off_topic", _("off topic")
    BUSINESS_RULE = "business_rule", _("business rule broken")


class SkipReason(models.TextChoices):
    UNCLEAR = "unclear", _("unclear")
    BROKEN = "broken", _("broken")
    NOT_MY_FIELD = "not_my_field", _("not my field")
