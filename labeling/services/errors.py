"""How this app says no."""

from __future__ import annotations

from labeling.models import Label


class LabelingError(ValueError):
    """What was asked cannot be done; the message says why and what would."""


class LabelRefused(LabelingError):  # noqa: N818
    """A label that does not fit the questions of its round."""


class RoundClosed(LabelingError):  # noqa: N818
    """The round takes no labels any more."""


class SlotLost(LabelingError):  # noqa: N818
    """A place that was never given to this annotator."""


class LabelConflict(LabelingError):  # noqa: N818
    """The page showed an older state. ``stored`` is what is stored now: the annotator chooses."""

    def __init__(self, message: str, stored: Label | None) -> None:
        super().__init__(message)
        self.stored = stored
