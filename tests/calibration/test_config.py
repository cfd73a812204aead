"""The config is what a calibration says, in one spelling, and nothing it does not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pandas
import pytest

from calibration.calibrate import calibrate
from calibration.config import ConfigError, RefusedError, build_config, config_bytes, validate_config
from tests.calibration.gating import gate

ROOT = Path(__file__).resolve().parents[2]


def document(**changes: Any) -> dict[str, Any]:
    """As `calibrate --json` prints it for a calibration of 195 cases."""
    rate = {"value": 5 / 45, "low": None, "high": None, "method": "none", "count": 5, "of": 45}
    full = {
        "schema": "workbench.calibration/1",
        "metric": "faithfulness",
        "human_metric": "faithfulness",
        "rule": "median>=3",
        "evaluator": {"judge": "gpt-x", "metric": "faithfulness"},
        "costs": {"false_pass": 5, "false_fail": 1, "stated": True},
        "seed": 7,
        "dataset_hash": "d" * 64,
        "sample_hash": None,
        "label_hash": "f" * 64,
        "n": 195,
        "n_human_pass": 150,
        "n_human_fail": 45,
        "optimal_intervals": [{"low": 5 / 9, "high": 4 / 7}, {"low": 0.6, "high": 0.625}],
        "recommended_threshold": 0.61,
        "at_recommended": {
            "threshold": 0.61,
            "false_pass_rate": rate,
            "false_fail_rate": {"value": 0.14},
            "cost_total": 46,
        },
        "nested": {"cost_per_case": 0.3},
        "certificate": None,
        "state": "inconclusive",
        "exploratory": False,
        "calibration": "faithfulness-1",
        "warnings": ["8 conversations are too few for an interval"],
    }
    return {**full, **changes}


def test_a_config_holds_the_threshold_and_where_it_came_from():
    config = build_config(document())
    (metric,) = config["metrics"]
    assert (metric["metric"], metric["threshold"], metric["role"]) == ("faithfulness", 0.61, "gate")
    assert metric["evaluator"] == {"judge": "gpt-x", "metric": "faithfulness"}
    assert metric["interval"] == {"low": 0.6, "high": 0.625}
    assert (metric["n0"], metric["n1"]) == (45, 150)
    assert metric["rates"]["false_pass_rate"]["count"] == 5
    assert metric["nested"] == {"cost_per_case": 0.3}
    assert config["costs"] == {"false_pass": 5, "false_fail": 1, "stated": True}
    assert (config["state"], config["warnings"]) == ("inconclusive", ["8 conversations are too few for an interval"])
    assert config["decision"] == {"min_scored_share": 0.95}


def test_what_the_calibration_does_not_know_is_absent():
    config = build_config(document())
    assert not {"sample_hash", "questions_hash", "production_mix", "expires"} & config.keys()
    assert "certificate" not in config["metrics"][0]


def test_the_interval_is_the_one_around_the_threshold():
    # (low, high] is closed above: 4/7 itself belongs to the first.
    assert build_config(document(recommended_threshold=4 / 7))["metrics"][0]["interval"] == {
        "low": 5 / 9,
        "high": 4 / 7,
    }
    open_ended = document(optimal_intervals=[{"low": 0.6, "high": None}])
    assert build_config(open_ended)["metrics"][0]["interval"] == {"low": 0.6, "high": None}
    assert "interval" not in build_config(document(optimal_intervals=[]))["metrics"][0]


def test_a_calibration_without_recommendation_is_refused_with_its_reason():
    none = document(recommended_threshold=None, reason="No threshold of this judge beats passing none.")
    with pytest.raises(RefusedError, match="beats passing none"):
        build_config(none)


def test_the_config_of_a_table_without_a_metric_gates_its_only_score():
    config = build_config(document(metric="", human_metric="", evaluator={"judge": "", "metric": ""}))
    assert config["metrics"][0]["metric"] == "score"
    assert validate_config(config).metrics[0].evaluator == {}


def test_a_calibration_gates_the_cases_that_it_was_made_of_as_it_counted_them(tmp_path):
    # Humans fail .2 .4 .8, pass .8 .9 .9. With a false pass at 5, (.8, .9] costs 1: the human pass at .8 is lost.
    human, score = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0.2, 0.4, 0.8, 0.8, 0.9, 0.9]
    table = pandas.DataFrame({"human_pass": human, "score": score})
    found = calibrate(table, metric="tone", judge="gpt-x", cost_false_pass=5, cost_false_fail=1).document
    config = build_config(found)
    assert config["metrics"][0]["interval"] == {"low": 0.8, "high": 0.9}
    run = gate(tmp_path, config, {"judge": "gpt-x", "scores": score}, "--allow-inconclusive", "--json")
    assert json.loads(run.text)["pass"] == 2


def test_the_choices_of_the_export_go_into_the_config():
    config = build_config(document(), min_pass_rate=0.9, min_scored_share=1, expires="2030-01-31")
    assert config["decision"] == {"min_pass_rate": 0.9, "min_scored_share": 1.0}
    assert config["expires"] == "2030-01-31"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_pass_rate": 1.5}, "min_pass_rate: must be a number from 0 to 1, not 1.5"),
        ({"min_pass_rate": float("nan")}, "min_pass_rate: must be a number"),
        ({"min_scored_share": -0.1}, "min_scored_share: must be a number"),
        ({"expires": "next year"}, "expires: must be a date such as 2030-01-31, not 'next year'"),
    ],
)
def test_a_choice_out_of_its_range_is_an_error(options, sentence):
    with pytest.raises(ConfigError) as caught:
        build_config(document(), **options)
    assert sentence in str(caught.value)
    assert not isinstance(caught.value, RefusedError)


def test_a_document_with_a_broken_field_makes_no_config():
    with pytest.raises(ConfigError, match=r"metrics\[0\]: metric: must be the metric's name"):
        build_config(document(metric=5))


def test_the_same_calibration_gives_the_same_bytes():
    shuffled = dict(reversed(document().items()))
    assert config_bytes(build_config(shuffled)) == config_bytes(build_config(document()))
    text = config_bytes(build_config(document())).decode("ascii")
    assert text.endswith("}\n")
    assert json.loads(text) == build_config(document())


def test_a_number_that_is_none_never_reaches_the_file():
    with pytest.raises(ValueError, match="not JSON compliant"):
        config_bytes(build_config(document(nested={"cost_per_case": float("nan")})))


def test_a_config_is_read_back_as_the_gate_reads_it():
    config = validate_config(json.loads(config_bytes(build_config(document(), expires="2030-01-31"))))
    assert config.metrics[0].threshold == 0.61
    assert (config.min_pass_rate, config.min_scored_share) == (1.0, 0.95)
    assert str(config.expires) == "2030-01-31"
    assert config.unread == []


def test_the_field_that_is_wrong_is_named():
    config = build_config(document())
    config["metrics"][0]["threshold"] = 7
    with pytest.raises(ConfigError, match=r"config: metrics\[0\]: threshold: must be a number from 0 to 1, not 7"):
        validate_config(config)


def test_what_is_exported_fits_the_published_schema():
    schema = json.loads((ROOT / "docs" / "config.schema.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    config = build_config(document(), min_pass_rate=0.9, expires="2030-01-31")
    check.validate(config)
    assert config.keys() <= schema["properties"].keys()
    assert not check.is_valid({**config, "state": "fine"})
