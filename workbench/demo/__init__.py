"""The demo project's texts, labels and recorded judges: invented, about a bicycle shop that does not exist."""

from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents.json"
CASES = Path(__file__).parent / "cases.jsonl"
