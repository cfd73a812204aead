"""The API of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "evaluation-api"

urlpatterns: list[URLPattern] = []
