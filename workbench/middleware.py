"""The language of a page: the one a person chose, else the browser's."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation


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
