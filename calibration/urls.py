"""The pages of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from calibration import agreement_views, case_views, views

app_name = "calibration"

urlpatterns: list[URLPattern] = [
    path("agreement/", agreement_views.agreement, name="agreement"),
    path("calibrations/", views.calibrations, name="calibrations"),
    path("calibrations/draft/", views.draft, name="draft"),
    path("calibrations/freeze/", views.freeze, name="freeze"),
    path("calibrations/mistakes/", case_views.mistakes, name="mistakes"),
    path("calibrations/cases/<int:case_pk>/<int:evaluator_pk>/", case_views.sides, name="sides"),
    path("calibrations/<int:number>/", views.calibration, name="calibration"),
    path("calibrations/<int:number>/<slug:kind>/", views.download, name="download"),
]
