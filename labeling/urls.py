"""The pages of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from labeling import views

app_name = "labeling"

urlpatterns: list[URLPattern] = [
    path("rounds/", views.rounds, name="rounds"),
    path("rounds/<int:pk>/", views.round_page, name="round"),
    path("rounds/<int:pk>/state/", views.round_state, name="round-state"),
    path("rounds/<int:pk>/next/", views.next_case, name="next"),
    path("rounds/<int:pk>/undo/", views.undo, name="undo"),
    path("rounds/<int:pk>/skipped/back/", views.back_to_skipped, name="back-to-skipped"),
    path("rounds/<int:pk>/skipped/offer/", views.offer_again, name="offer-again"),
    path("rounds/<int:pk>/adjudicate/", views.adjudicate, name="adjudicate"),
    path("label/<int:pk>/", views.label_case, name="case"),
    path("label/<int:pk>/draft/", views.save_draft, name="draft"),
]
