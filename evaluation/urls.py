"""The pages of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation import views

app_name = "evaluation"

urlpatterns: list[URLPattern] = [
    path("runs/", views.runs, name="runs"),
    path("runs/start/", views.start, name="start"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("evaluators/<int:pk>/", views.evaluator, name="evaluator"),
]
