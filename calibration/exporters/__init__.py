"""What a calibrated config can be exported as. A new format is one module and one line here."""

from __future__ import annotations

from calibration.exporters.base import Exporter
from calibration.exporters.config_json import CONFIG_JSON
from calibration.exporters.gate_file import GATE_FILE

EXPORTERS: dict[str, Exporter] = {"json": CONFIG_JSON, "gate": GATE_FILE}

__all__ = ["EXPORTERS", "Exporter"]
