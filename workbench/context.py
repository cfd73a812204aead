"""What every page's frame needs: the project it is in, the person's role there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from cases.access import role_in
from cases.models import Project, Role


def frame(request: HttpRequest) -> dict[str, Any]:
    """``project`` and ``role`` for the top bar; nothing outside a project."""
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("slug") if match else None
    user = getattr(request, "user", None)
    if not slug or user is None or not user.is_authenticated:
        return {}
    project = Project.objects.visible_to(user).filter(slug=slug).first()
    if project is None:
        return {}
    role = role_in(user, project)
    reads_scores = role in {Role.LEAD, Role.ADJUDICATOR}
    return {
        "project": project,
        "role": role,
        "role_name": Role(role).label if role else "",
        "is_lead": role == Role.LEAD,
        "reads_scores": reads_scores,
    }
