"""The API of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation import api

app_name = "evaluation-api"

urlpatterns: list[URLPattern] = [
    path("evaluators/", api.Evaluators.as_view(), name="evaluators"),
    path("runs/", api.Runs.as_view(), name="runs"),
    path("samples/<str:name>/scores/", api.SampleScores.as_view(), name="scores"),
]
