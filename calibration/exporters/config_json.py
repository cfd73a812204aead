"""The config itself, for ``workbench gate --config``."""

from __future__ import annotations

from calibration.config import config_bytes
from calibration.exporters.base import Exporter

CONFIG_JSON = Exporter(config_bytes, "calibrated.json", "application/json")
