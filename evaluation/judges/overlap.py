"""A judge without a model: it counts words in common. Free, instant, the same every time, and weak.

It misses paraphrase and negation: a first look, and a floor that any real judge should beat.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from evaluation.errors import JudgeError
from evaluation.judges.base import Prompt, Value
from evaluation.replies import ShapeT

_WORD = re.compile(r"\w+")

#: Words that carry no matter, English and Vietnamese (its syllables are written apart, so they are words here).
_STOP_WORDS = """
a about after all also am an and any are as at be been before but by can could did do does for from had has have
he her here his how i if in into is it its just may me more most must my no not of on only or other our out over
own she should so some such than that the their them then there these they this those to too under up us very was
we were what when where which while who whom whose why will with would you your
anh ấy bạn bị bởi các cái cần chị cho chúng có còn của cùng cũng đã đang đây để đến đều đi điều do đó được em gì
hay hoặc hơn khi không là lại làm lên mà mình mỗi một này nào nếu như nhưng những nó nên ở phải quý ra rằng rất rồi
sau sẽ ta tại theo thì tôi từ trên trong trước và vẫn vào về vì với vậy xin
"""
_STOP = frozenset(_STOP_WORDS.split())


def content_words(text: str) -> frozenset[str]:
    """The distinct words of a text that carry matter, in NFC and without case.

    >>> sorted(content_words("You can return it within 14 days."))
    ['14', 'days', 'return', 'within']
    """
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    return frozenset(word for word in words if word not in _STOP)


class Overlap:
    """Verdicts by words in common with the evidence.

    Supported: a share of at least ``supported_from`` of the unit's words stands in one piece of evidence, and every
    number of the unit does. Relevant: the shorter of unit and evidence shares ``relevant_from`` of its words.
    """

    version = "1"
    whole_score: float | None = None

    def __init__(self, *, supported_from: float = 0.6, relevant_from: float = 0.25) -> None:
        self.supported_from, self.relevant_from = supported_from, relevant_from

    async def ask(self, prompt: Prompt, shape: type[ShapeT], **values: Value) -> ShapeT:
        units, evidence = _texts(values, "units"), [content_words(text) for text in _texts(values, "evidence")]
        verdict = self._supported if prompt.asks == "supported" else self._relevant
        return shape.from_data({"verdicts": [verdict(content_words(unit), evidence) for unit in units]})

    def _supported(self, unit: frozenset[str], evidence: Sequence[frozenset[str]]) -> dict[str, str]:
        if not unit:
            return {"verdict": "idk", "reason": "no words to compare"}
        numbers = {word for word in unit if word[0].isdigit()}
        if absent := sorted(numbers - frozenset().union(*evidence)):
            return {"verdict": "no", "reason": f"not in the evidence: {', '.join(absent)}"}
        found = max((len(unit & words) for words in evidence), default=0)
        return _answer(found, len(unit), self.supported_from)

    def _relevant(self, unit: frozenset[str], evidence: Sequence[frozenset[str]]) -> dict[str, str]:
        pairs = [(len(unit & words), min(len(unit), len(words))) for words in evidence if unit and words]
        if not pairs:
            return {"verdict": "idk", "reason": "no words to compare"}
        found, of = max(pairs, key=lambda pair: pair[0] / pair[1])
        return _answer(found, of, self.relevant_from)


def _answer(found: int, of: int, needed: float) -> dict[str, str]:
    verdict = "yes" if found >= needed * of else "no"
    return {"verdict": verdict, "reason": f"{found} of {of} words in common"}


def _texts(values: dict[str, Value], name: str) -> list[str]:
    value = values.get(name)
    if value is None:
        raise JudgeError(f"the overlap judge needs {name}")
    return [value] if isinstance(value, str) else list(value)
