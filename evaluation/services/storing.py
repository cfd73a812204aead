"""The one place where scores are written: same result, no new row; a different one, a new epoch that counts."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from evaluation.models import Score

#: What makes two results the same result.
_SAID = ("state", "value", "reason", "flags", "verdicts")

Key = tuple[int, int, int]


@transaction.atomic
def store_scores(scores: Sequence[Score], *, epoch: int | None = None) -> int:
    """Write the scores in a constant number of queries; return how many were new or took the place of another.

    Without ``epoch`` each score that says the same as the stored one is left out, and one that differs takes the next
    epoch. With it (a run's) every score is written under it, unless that very row is there already.
    """
    stored = _stored(scores)
    new = [score for score in scores if _is_news(score, stored.get(_key(score)), epoch)]
    for score in new:
        before = stored.get(_key(score))
        score.epoch = epoch if epoch is not None else before.epoch + 1 if before else 0
        score.is_current = before is None or score.epoch > before.epoch
    replaced = [stored[_key(score)].pk for score in new if score.is_current and _key(score) in stored]
    Score.objects.filter(pk__in=replaced).update(is_current=False)
    Score.objects.bulk_create(new, ignore_conflicts=True, batch_size=500)
    return len(new)


def _key(score: Score) -> Key:
    return score.evaluator_id, score.case_id, score.repeat


def _stored(scores: Sequence[Score]) -> dict[Key, Score]:
    found = Score.objects.that_count().filter(
        evaluator_id__in={score.evaluator_id for score in scores}, case_id__in={score.case_id for score in scores}
    )
    return {_key(score): score for score in found.defer("raw_reply")}


def _is_news(score: Score, before: Score | None, epoch: int | None) -> bool:
    if before is None:
        return True
    if epoch is not None:
        return before.epoch != epoch
    return any(getattr(score, name) != getattr(before, name) for name in _SAID)
