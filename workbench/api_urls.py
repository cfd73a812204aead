"""The API: each app's routes under its project."""

from django.urls import include, path

urlpatterns = [
    path("p/<slug:slug>/", include("cases.api_urls")),
    path("p/<slug:slug>/", include("labeling.api_urls")),
    path("p/<slug:slug>/", include("evaluation.api_urls")),
    path("p/<slug:slug>/", include("calibration.api_urls")),
]
