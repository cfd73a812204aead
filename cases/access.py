"""Who may see what a judge said. Upper apps register their rules here; nobody has to know them."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q, QuerySet

from cases.models import Case, Exposure, Membership, Project, Role, Sample, User

#: A rule names those of the given cases about which this person must stay blind.
BlindnessRule = Callable[[User, QuerySet[Case]], QuerySet[Case]]

_rules: list[BlindnessRule] = []


def register_blindness(rule: BlindnessRule) -> None:
    if rule not in _rules:
        _rules.append(rule)


def role_in(user: User, project: Project) -> str | None:
    """The person's role, "lead" for an administrator, None for a stranger."""
    if user.is_superuser:
        return Role.LEAD
    return Membership.objects.filter(user=user, project=project).values_list("role", flat=True).first()


def may_see_scores(user: User, project: Project, cases: QuerySet[Case]) -> bool:
    """Whether judge scores of these cases may reach the person: by role, and blind about none of them."""
    if role_in(user, project) not in {Role.LEAD, Role.ADJUDICATOR}:
        return False
    return not any(rule(user, cases).exists() for rule in _rules)


def log_exposure(user: User, cases: QuerySet[Case]) -> None:
    """Keep that the person has now seen scores of these cases; the first time counts."""
    seen = [Exposure(user=user, case_id=pk) for pk in cases.values_list("pk", flat=True)]
    Exposure.objects.bulk_create(seen, ignore_conflicts=True, batch_size=500)


def blind_cases(user: User, cases: QuerySet[Case]) -> QuerySet[Case]:
    """Those of the cases about which the person must stay blind."""
    found = Q(pk__in=[])
    for rule in _rules:
        found |= Q(pk__in=rule(user, cases).values("pk"))
    return cases.filter(found)


def hidden_samples(user: User, samples: QuerySet[Sample]) -> set[int]:
    """Those of the samples that hold a case about which the person must stay blind, in one query a rule."""
    hidden: set[int] = set()
    for rule in _rules:
        blind = rule(user, Case.objects.filter(rows__sample_items__sample__in=samples))
        hidden.update(samples.filter(items__row__case__in=blind).values_list("pk", flat=True))
    return hidden
