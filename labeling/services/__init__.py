"""The verbs of this app: each is one function, one transaction."""

from labeling.services.blindness import cases_to_stay_blind_about
from labeling.services.imports import LabelChange, store_imported_labels, store_labels

__all__ = [
    "LabelChange",
    "cases_to_stay_blind_about",
    "store_imported_labels",
    "store_labels",
]
