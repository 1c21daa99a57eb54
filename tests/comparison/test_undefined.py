"""A score that is NaN: shown as NaN, best of nothing, tested against nothing, and null in JSON."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest

from tercet.cli.gate_findings import failures
from tercet.cli.thresholds import read_thresholds
from tercet.comparison.compare import compare
from tercet.comparison.shown.exported_texts import export_segments
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.report.comparison import to_html
from texts import MINILM

#: Words of the only reference weigh nothing: a system with no other words has no precision, and none has a recall.
UNDEFINED = f"bertscore:model_type={MINILM},num_layers=3,idf=true,zero_weight=nan"
TEXTS = {"копия": ["a cat"], "Hund": ["a dog"], "狐狸": ["a fox"]}
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*identical to a reference"),
    pytest.mark.filterwarnings("ignore:.*copy of the references"),
]


@pytest.fixture(scope="module")
def comparison():
    return compare(TEXTS, [UNDEFINED, "chrf"], references=["a cat"], n_resamples=50)


@pytest.fixture(scope="module")
def precision(comparison):
    return next(table for table in comparison.tables if table.name == "mean_precision")


def test_nan_is_never_the_best_and_never_hides_it(comparison, precision):
    assert [math.isnan(row.value) for row in precision.rows] == [True, False, False]
    best = max(precision.rows[1:], key=lambda row: row.value)
    assert [row.best for row in precision.rows] == [row is best for row in precision.rows]
    assert precision.rows[0].as_good is None
    recall = next(table for table in comparison.tables if table.name == "mean_recall")
    assert not any(row.best or row.as_good for row in recall.rows)


def test_what_is_nan_is_not_tested_and_what_is_not_is_adjusted_for_its_own_pairs(precision):
    assert np.isnan(precision.pvalues).tolist() == [[True] * 3, [True, False, False], [True, False, False]]
    other = precision.rows[1]
    assert math.isnan(other.difference)
    assert (other.pvalue, other.adjusted_pvalue) == (None, None)
    assert (other.wins, other.ties, other.losses) == (0, 0, 0)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_tables_show_nan(comparison, form):
    shown = to_text([comparison]) if form == "text" else in_format([comparison], form)
    assert shown.count("NaN") >= 10
    assert not re.search(r"\bnan\b|NaN[*†]|[+-]nan", shown.replace("zero_weight=nan", "").replace("zero:nan", ""))


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_files_hold_nan(comparison, form, delimiter):
    rows = list(csv.DictReader(io.StringIO(in_format([comparison], form)), delimiter=delimiter))
    assert {row["value"] for row in rows if row["score"] == "mean_recall"} == {"NaN"}


def test_json_has_null(comparison):
    tables = json.loads(in_format([comparison], "json"), parse_constant=pytest.fail)["test_sets"][0]["tables"]
    values = {table["score"]: [row["value"] for row in table["systems"]] for table in tables}
    assert values["mean_recall"] == [None] * 3
    assert [value is None for value in values["mean_precision"]] == [True, False, False]


def test_segments_have_nan_or_null(comparison, tmp_path):
    for ending in ("csv", "tsv", "jsonl"):
        export_segments([comparison], tmp_path / f"s.{ending}")
    assert "NaN" in (tmp_path / "s.csv").read_text(encoding="utf-8")
    assert "NaN" in (tmp_path / "s.tsv").read_text(encoding="utf-8")
    lines = (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()
    assert None in json.loads(lines[0], parse_constant=pytest.fail).values()


def test_the_report_says_which_system_has_no_score(comparison):
    text = re.sub(r"<[^>]*>", "", to_html([comparison]))
    assert "копия has no BERTScore precision: it is NaN, not a number, and compared with no other." in text
    assert "копия, Hund and 狐狸 have no BERTScore recall" in text
    assert "Left out here: BERTScore precision and BERTScore recall, which not every system has (NaN)." in text
    assert not re.search(r"[ >]nan[ ;,<†]", text)


def test_a_threshold_is_not_reached_by_nan(comparison):
    from tercet.comparison.specs.metric_specs import parse_metric

    metrics = [parse_metric(UNDEFINED), parse_metric("chrf")]
    findings = list(failures(read_thresholds(["mean_recall=10"], metrics), [comparison]))
    assert len(findings) == 3
    said = "mean_recall is NaN, not a number: expected 10 or more."
    assert all(finding.line.endswith(said) for finding in findings)


def test_a_notebook_shows_nan(comparison):
    # One segment has no interval.
    assert ">NaN</td>" in comparison._repr_html_()
