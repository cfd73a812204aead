"""Who answers a metric's prompts. A new judge is one file here and one line below."""

from __future__ import annotations

from evaluation.judges.base import Judge, Prompt
from evaluation.judges.overlap import Overlap
from evaluation.judges.replay import Recording, Replay

JUDGES: dict[str, type[Overlap] | type[Replay]] = {"overlap": Overlap, "replay": Replay}

__all__ = ["JUDGES", "Judge", "Overlap", "Prompt", "Recording", "Replay"]
