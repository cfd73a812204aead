"""Text that a spreadsheet program would take for a formula, made inert in exported tables."""

from __future__ import annotations

from collections.abc import Iterable

#: First characters that start a formula, with their full-width forms, and the control characters that hide one.
_STARTS = ("=", "+", "-", "@", "'", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def neutral(cell: object) -> object:
    """Text that starts like a formula gets a ``'`` before it; numbers stay numbers.

    >>> neutral("=1+1"), neutral(-0.25), neutral("plain")
    ("'=1+1", -0.25, 'plain')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS) else cell


def neutral_row(cells: Iterable[object]) -> list[object]:
    return [neutral(cell) for cell in cells]


def original(cell: str) -> str:
    """What ``neutral`` was given; only for files whose header carries our export mark."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_STARTS) else cell
