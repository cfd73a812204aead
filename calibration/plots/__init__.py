"""Charts as plain data: where every mark lies, for the templates to draw. No Django."""

from calibration.plots.chart import Chart, chart
from calibration.plots.layout import NARROW, WIDE

__all__ = ["NARROW", "WIDE", "Chart", "chart"]
