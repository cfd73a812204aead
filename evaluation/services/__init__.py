"""The verbs of this app: each is one function, one transaction."""

from evaluation.services.imported import store_imported_scores

__all__ = ["store_imported_scores"]
