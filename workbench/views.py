"""The frame around the apps: the way in, the language, the health check."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import check_for_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from cases.models import Project
from cases.permissions import signed_in
from cases.services import ProjectError, create_project


class SignIn(LoginView):
    template_name = "sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """By POST only, as Django wants it."""


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The person's only project, or the list of those they may see; administrators open new ones there."""
    user = signed_in(request)
    projects = list(Project.objects.visible_to(user).order_by("name"))
    if len(projects) == 1 and not user.is_superuser:
        return redirect(projects[0])
    return render(request, "projects.html", {"projects": projects})


@login_required
@require_POST
def new_project(request: HttpRequest) -> HttpResponse:
    """An administrator opens a project and leads it."""
    user = signed_in(request)
    if not user.is_superuser:
        raise Http404
    name, description = request.POST.get("name", ""), request.POST.get("description", "").strip()
    if not name.strip():
        messages.error(request, _("A project needs a name."))
        return redirect("home")
    try:
        return redirect(create_project(name, user=user, description=description))
    except ProjectError as error:
        messages.error(request, str(error))
        return redirect("home")


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Keep the language with the person, or in a cookie for who has not signed in."""
    code = request.POST.get("language", "")
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    response = redirect(back if safe else "home")
    if code in dict(settings.LANGUAGES) and check_for_language(code):
        if request.user.is_authenticated:
            request.user.language = code
            request.user.save(update_fields=["language"])
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=31_536_000, samesite="Lax")
    return response


@require_GET
def healthz(request: HttpRequest) -> HttpResponseBase:
    """200 when the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})
