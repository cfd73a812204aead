"""What people and judges both decide on: an answer's claims, by sentence rules for English and Vietnamese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cases.records import content_hash

#: Part of the evaluator fingerprint: change the rules below, change this.
UNIT_RULE = "sentences-1"

#: Before a full stop these end no sentence. Compared without case.
_ABBREVIATIONS = {
    "en": "mr mrs ms dr prof st jr sr vs e.g i.e cf approx dept est inc ltd co corp gen col rev hon",
    "vi": "ts ths pgs gs bs ks tp tx tt ubnd đ/c ông/bà vd",
}
#: These only before a number: "No. 5" goes on, "He said no. Then he left." does not.
_BEFORE_NUMBER = frozenset(
    {"no", "nos", "fig", "figs", "eq", "art", "sec", "ch", "vol", "p", "pp", "para"}
    | {"q", "tr", "số", "đ", "khoản", "điều"}
)

_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s)|[。！？]+[”’」』）]*")
_LAST_WORD = re.compile(r"(?:^|[\s(\[\"'“‘«*_])([^\s(\[\"'“‘«*_]*)$")
_ITEM = re.compile(r"\s*(?:[-*+•●◦▪–—]|\(?(?:\d{1,3}|[a-z])[.)])\s+\S")
_HEADING_OR_ROW = re.compile(r"\s*(?:#{1,6}\s|\||>\s|```)")
_QUOTED = re.compile(r"“[^”]{0,300}”|«[^»]{0,300}»|\"[^\"\n]{0,300}\"|\([^()]{0,300}\)")
_SAID_ON = re.compile(r"[\s\"'“‘«(\[*_]*(.)", re.DOTALL)
#: A line at least this long without an end was wrapped by a program; a shorter one was ended by a person.
_WRAPPED = 60


def split_claims(text: str, language: str = "") -> list[str]:
    """The claims of an answer: one a sentence, one a list item, each with every letter it had.

    Joined, the claims give the text back apart from white space. A piece without a letter or digit goes with
    its neighbour, so no claim is empty. ``language`` is "en", "vi" or anything else (both lists apply).

    >>> split_claims("Dr. An left at 8.30. He came back!")
    ['Dr. An left at 8.30.', 'He came back!']
    >>> split_claims("Bring:\\n- a passport\\n- 2.5 kg of rice")
    ['Bring:', '- a passport', '- 2.5 kg of rice']
    """
    abbreviations = _abbreviations(language)
    sentences = (sentence for block in _blocks(text) for sentence in _sentences(block, abbreviations))
    return _joined_to_neighbours(piece.strip() for piece in sentences)


def unit_hash(kind: str, source: str, texts: Sequence[str]) -> str:
    """SHA-256 of a unit set: what kind of units, by which rule or judge they were made, and their texts."""
    return content_hash({"kind": kind, "source": source, "texts": list(texts)})


def _abbreviations(language: str) -> frozenset[str]:
    code = language.lower().split("-")[0]
    lists = [_ABBREVIATIONS[code]] if code in _ABBREVIATIONS else list(_ABBREVIATIONS.values())
    return frozenset(" ".join(lists).split())


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, list items, headings and table rows: no sentence crosses from one to the next."""
    held: list[str] = []
    for line in text.splitlines():
        if held and _starts_anew(line, held):
            yield "\n".join(held)
            held = []
        if line.strip():
            held.append(line)
    if held:
        yield "\n".join(held)


def _starts_anew(line: str, held: Sequence[str]) -> bool:
    if not line.strip() or _ITEM.match(line) or _HEADING_OR_ROW.match(line):
        return True
    if _ITEM.match(held[0]) and line.startswith(("  ", "\t")):
        return False  # indented below an item: the item goes on
    before = held[-1]
    if _HEADING_OR_ROW.match(before):
        return True
    goes_on = (first := line.strip()[0]).islower() or first in ",;:.)"
    return not goes_on and len(before.strip()) < _WRAPPED


def _sentences(block: str, abbreviations: frozenset[str]) -> Iterator[str]:
    if _ITEM.match(block):
        yield block  # an item is decided on as a whole
        return
    inside = [match.span() for match in _QUOTED.finditer(block)]
    start = 0
    for end in _END.finditer(block):
        if _is_quoted(end.start(), inside) or not _ends_here(block, start, end, abbreviations):
            continue
        yield block[start : end.end()]
        start = end.end()
    yield block[start:]


def _is_quoted(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    # A stop right before the closing mark ends the sentence that the quote ends.
    return any(start < at < stop - 2 for start, stop in spans)


def _ends_here(block: str, start: int, end: re.Match[str], abbreviations: frozenset[str]) -> bool:
    following = _SAID_ON.match(block, end.end())
    if following is None:
        return True
    if following.group(1).islower():
        return False
    if not end.group().startswith(".") or end.group().startswith(".."):
        return True
    return not _is_abbreviation(block[start : end.start()], following.group(1), abbreviations)


def _is_abbreviation(before: str, following: str, abbreviations: frozenset[str]) -> bool:
    last = _LAST_WORD.search(before)
    word = last.group(1) if last else ""
    plain = word.casefold()
    if plain in abbreviations or all(part in abbreviations for part in plain.split(".")):  # "PGS.TS." too
        return True
    if plain in _BEFORE_NUMBER and following.isdigit():
        return True
    if word.isdigit():
        return not before[: -len(word)].strip()  # "1. First ..." numbers what follows
    # Initials: "J. Smith", "U.S. Army", but not "v.v." or "a.m.", which often end a sentence.
    return all(len(part) == 1 and part.isupper() for part in word.split("."))


def _joined_to_neighbours(pieces: Iterator[str]) -> list[str]:
    claims: list[str] = []
    waiting = ""
    for piece in filter(None, pieces):
        if any(character.isalnum() for character in piece):
            claims.append(f"{waiting} {piece}".strip())
            waiting = ""
        elif claims:
            claims[-1] = f"{claims[-1]} {piece}"
        else:
            waiting = f"{waiting} {piece}".strip()
    return [*claims, waiting] if waiting else claims
