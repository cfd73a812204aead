"""From a calibration to the config that a build is gated by. No wall clock: the same input gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from calibration.chosen import at_in_force, certificate_in_force, cheapest_range, threshold_in_force
from calibration.gating.files import InputError
from calibration.gating.rules import CONFIG_SCHEMA, Config, read_config, read_date, read_number

#: What an exported config asks for unless told otherwise: one failed judge call in twenty is bearable.
MIN_SCORED_SHARE = 0.95

#: Taken over as they are; what a calibration does not know stays absent.
PROVENANCE = (
    "calibration",
    "human_metric",
    "rule",
    "seed",
    "production_mix",
    "dataset_hash",
    "sample_hash",
    "label_hash",
    "questions_hash",
    "scores_hash",
    "state",
    "exploratory",
    "warnings",
)


class ConfigError(ValueError):
    """This is no config, or cannot become one. One sentence that names the field."""


class RefusedError(ConfigError):
    """The calibration recommends no threshold: there is nothing to gate by."""


def build_config(
    document: Mapping[str, Any],
    *,
    min_pass_rate: float | None = None,
    min_scored_share: float = MIN_SCORED_SHARE,
    expires: str | None = None,
) -> dict[str, Any]:
    """The config of one calibrated metric.

    Parameters
    ----------
    document : what ``calibrate --json`` prints
    min_pass_rate : share of the scored cases that must pass; all of them when omitted
    min_scored_share : share of the cases that must be scored at all
    expires : last day on which the calibration holds, such as "2030-01-31"

    Raises
    ------
    RefusedError
        If the calibration recommends no threshold.
    ConfigError
        If a value is out of its range.
    """
    if document.get("recommended_threshold") is None:
        reason = document.get("reason") or "This calibration recommends no threshold."
        raise RefusedError(f"There is nothing to export. {reason}")
    config = {
        "schema": CONFIG_SCHEMA,
        "metrics": [_metric(document)],
        "decision": _decision(min_pass_rate, min_scored_share),
        **_known({"costs": document.get("costs", document.get("cost"))}),
        **_known({key: document.get(key) for key in PROVENANCE}),
        **_known({"expires": _expires(expires)}),
    }
    validate_config(config)
    return config


def validate_config(value: Any, name: str = "config") -> Config:
    """The config as the gate reads it, or an error that names the field."""
    try:
        return read_config(value, name)
    except InputError as error:
        raise ConfigError(str(error)) from None


def config_bytes(config: Mapping[str, Any]) -> bytes:
    """The one spelling of a config: sorted keys, ASCII, a newline at the end. Its SHA-256 is what CI pins."""
    return (json.dumps(config, sort_keys=True, indent=2, allow_nan=False) + "\n").encode("ascii")


def _metric(document: Mapping[str, Any]) -> dict[str, Any]:
    at = at_in_force(document) or {}
    rates = {key: at.get(key) for key in ("false_pass_rate", "false_fail_rate")}
    threshold = threshold_in_force(document)
    assert threshold is not None
    return {
        # A plain table names no metric. Rows of a scores file need not either, as long as there is one.
        "metric": document.get("metric") or document.get("human_metric") or "score",
        "threshold": threshold,
        "role": "gate",
        **_known(
            {
                "evaluator": document.get("evaluator"),
                "interval": cheapest_range(document, threshold),
                "rates": _known(rates) or None,
                # Measured of the cheapest threshold: it does not speak for one that a person chose.
                "nested": None if "chosen" in document else document.get("nested"),
                "n0": document.get("n_human_fail"),
                "n1": document.get("n_human_pass"),
                "certificate": certificate_in_force(document),
            }
        ),
    }


def _decision(min_pass_rate: float | None, min_scored_share: float) -> dict[str, float]:
    shares = {"min_pass_rate": min_pass_rate, "min_scored_share": min_scored_share}
    try:
        return {key: read_number(value, key) for key, value in shares.items() if value is not None}
    except InputError as error:
        raise ConfigError(str(error)) from None


def _expires(value: str | None) -> str | None:
    try:
        day = read_date(value, "expires")
    except InputError as error:
        raise ConfigError(str(error)) from None
    return day.isoformat() if day else None


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
