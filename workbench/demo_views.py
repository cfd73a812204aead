"""One click that takes the demo data away."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from cases.permissions import led_project, signed_in
from cases.services import audit


@login_required
@require_POST
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    from workbench.demo.load import remove_demo

    project = led_project(request, slug)
    if not project.is_demo:
        raise Http404
    name = project.name
    remove_demo(project)
    audit(None, signed_in(request), "remove demo", name)
    messages.success(request, _("The demo data is gone. “workbench demo” brings it back."))
    return redirect("home")
