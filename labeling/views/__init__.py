"""The pages of this app: rounds, the labeling screen, adjudication."""

from labeling.views.adjudication import adjudicate
from labeling.views.desk import label_case, next_case, save_draft
from labeling.views.rounds import round_page, round_state, rounds
from labeling.views.skips import back_to_skipped, offer_again
from labeling.views.undo import undo

__all__ = [
    "adjudicate",
    "back_to_skipped",
    "label_case",
    "next_case",
    "offer_again",
    "round_page",
    "round_state",
    "rounds",
    "save_draft",
    "undo",
]
