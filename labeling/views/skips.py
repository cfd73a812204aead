"""Skipped cases: back to them by who skipped, offered again by the lead."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from cases.given import small_int
from cases.permissions import signed_in, visible_project
from labeling import services
from labeling.models import Round, Skip
from labeling.permissions import own_seat


@login_required
@require_POST
def back_to_skipped(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Label after all what one skipped and nobody else took."""
    round_, annotator = own_seat(request, slug, pk)
    try:
        services.take_back_skips(round_, annotator)
    except services.RoundClosed as error:
        messages.info(request, str(error))
    return redirect("labeling:next", slug, pk)


@login_required
@require_POST
def offer_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The lead gives a skipped case back to its skipper."""
    project, user = visible_project(request, slug), signed_in(request)
    round_ = get_object_or_404(Round.objects.filter(project=project).led_by(user), pk=pk)
    found = Skip.objects.select_related("slot__round__project", "slot__case", "annotator__user")
    skip = found.filter(slot__round=round_, pk=small_int(request.POST.get("skip")) or 0).first()
    if skip is None:  # a second click, or its skipper was faster
        return redirect(round_)
    try:
        services.offer_again(skip, user)
    except services.RoundClosed as error:
        messages.info(request, str(error))
        return redirect(round_)
    said = _("%(case)s is offered to %(name)s again.")
    messages.info(request, said % {"case": skip.slot.case.external_id, "name": skip.annotator.name})
    return redirect(round_)
