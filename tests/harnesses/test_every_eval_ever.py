"""Records of Every Eval Ever, by its schema, its models and the checks that its datastore asks for."""

import json
import math

import jsonschema
import pytest
from every_eval_ever.eval_types import EvaluationLog
from every_eval_ever.schema import get_schema_version, schema_json
from every_eval_ever.validator.validation_core import validate_aggregate

import tercet
from commands import command
from harness_texts import PREDICTIONS, SEVERAL

PATH = "data/lima/org/model/6f1c2c5e-1f0a-4b3a-9c3d-2d1c9b8a7f60.json"
METRICS = ["chrf", "rouge", "ter", "diversity"]


@pytest.fixture
def table(tmp_path):
    rows = [{"org/model": text, "references": texts} for text, texts in zip(PREDICTIONS, SEVERAL, strict=True)]
    path = tmp_path / "lima.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def record_of(table, *asked, metrics=METRICS):
    """Write a record, validate it in every way, and return it."""
    out = table.with_name("record.json")
    command("score", table, *(word for metric in metrics for word in ("-m", metric)), "-f", "eee", "-o", out, *asked)
    report = validate_aggregate(out, repo_path=PATH, run_semantic_checks=True)
    assert (report.valid, report.errors, report.warnings) == (True, [], [])
    record = json.loads(out.read_text())
    jsonschema.validate(record, schema_json())
    return EvaluationLog.model_validate(record)


def test_a_record_is_valid_and_has_each_score_with_its_interval(table):
    record = record_of(table)
    (test_set,) = tercet.read_test_sets(str(table))
    comparison = tercet.compare(test_set, METRICS, test=None)
    assert len(record.evaluation_results) == len(comparison.tables) > len(METRICS)
    for result, score in zip(record.evaluation_results, comparison.tables, strict=True):
        (row,) = score.rows
        assert result.score_details.score == row.value
        assert result.metric_config.metric_name == score.title
        assert result.metric_config.lower_is_better is not score.higher_is_better
        assert result.metric_config.additional_details == {"signature": score.signature}
        interval = result.score_details.uncertainty.confidence_interval
        assert interval is None if math.isnan(row.low) else (interval.lower, interval.upper) == (row.low, row.high)


def test_it_says_who_scored_what(table):
    record = record_of(table, metrics=["chrf"])
    assert record.schema_version == get_schema_version()
    assert (record.model_info.id, record.eval_library.name) == ("org/model", "tercet")
    assert record.evaluation_id == f"lima/org_model/{record.retrieved_timestamp}"
    (result,) = record.evaluation_results
    assert result.evaluation_name == result.source_data.dataset_name == "lima"
    record = record_of(table, "--dataset", "wmt/lima", "--task", "es-en", metrics=["chrf"])
    (result,) = record.evaluation_results
    assert (result.evaluation_name, result.source_data.hf_repo) == ("es-en", "wmt/lima")
    assert result.source_data.samples_number == len(PREDICTIONS)
