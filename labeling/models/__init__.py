"""What people said: question sets, rounds with slots, labels, rulings."""

from labeling.models.labels import (
    Blind,
    Label,
    LabelQuerySet,
    LabelSource,
    Ruling,
    RulingReason,
    UnitVerdict,
    Verdict,
    VerdictWord,
)
from labeling.models.questions import Annotator, Question, QuestionSet
from labeling.models.rounds import (
    Draft,
    Flag,
    Lease,
    Order,
    Round,
    RoundState,
    Seat,
    Skip,
    SkipQuerySet,
    Slot,
    SlotState,
)

__all__ = [
    "Annotator",
    "Blind",
    "Draft",
    "Flag",
    "Label",
    "LabelQuerySet",
    "LabelSource",
    "Lease",
    "Order",
    "Question",
    "QuestionSet",
    "Round",
    "RoundState",
    "Ruling",
    "RulingReason",
    "Seat",
    "Skip",
    "SkipQuerySet",
    "Slot",
    "SlotState",
    "UnitVerdict",
    "Verdict",
    "VerdictWord",
]
