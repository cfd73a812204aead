"""What happens to every request: it is held to what can be stored, and gets the language of its person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, QueryDict
from django.utils import translation

from cases.given import MOST_DIGITS

NUL = "\x00"


class StorableRequestMiddleware:
    """400 for NUL in an address, a cookie or a form, which no database keeps; 404 for a number that no row can have."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NUL in request.path or _holds_nul(request.GET) or any(NUL in each for each in request.COOKIES.values()):
            return _refusal()
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> HttpResponse | None:
        if any(isinstance(each, int) and each >= 10**MOST_DIGITS for each in kwargs.values()):
            raise Http404
        return _refusal() if request.method == "POST" and _holds_nul(request.POST) else None


def _holds_nul(given: QueryDict) -> bool:
    return any(NUL in name or any(NUL in value for value in values) for name, values in given.lists())


def _refusal() -> HttpResponse:
    return HttpResponseBadRequest("The request holds a NUL character, which is no text.", content_type="text/plain")


class PersonalLanguageMiddleware:
    """Signed in: the language kept with the person. Otherwise the cookie's or the browser's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "language", "") or translation.get_language_from_request(request)
        with translation.override(chosen):
            request.LANGUAGE_CODE = chosen
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", chosen)
        return response
