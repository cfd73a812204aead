"""The pages of this app: rounds, the labeling screen, adjudication."""

from labeling.views.adjudication import adjudicate
from labeling.views.desk import label_case, next_case, save_draft, undo
from labeling.views.rounds import round_page, round_state, rounds

__all__ = [
    "adjudicate",
    "label_case",
    "next_case",
    "round_page",
    "round_state",
    "rounds",
    "save_draft",
    "undo",
]
