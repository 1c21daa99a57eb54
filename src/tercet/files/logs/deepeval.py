"""deepeval: test_run_<date>_<time>.json, an object with a list of test cases.

    {"testCases": [{"input": "Q: ...", "actualOutput": "18", "expectedOutput": "18",
                    "metricsData": [{"name": "Exact", "score": 1.0, "threshold": 0.5, "success": true}]}]}

Known by: testCases, or test_results as its function returns them, of objects with an input, and an output or
metrics. A row per test case; scores: those of its metrics, or whether they were passed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.json_values import field_of
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles

from .log_format import LogFormat
from .moments import COMPACT
from .results_without_ids import results_log
from .scores import is_number

#: What a test case has beside its input, one of these at least.
_OF_CASES = frozenset({"actualOutput", "actual_output", "metricsData", "metrics_data"})


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the test cases of a run; None for what deepeval did not write."""
    run = content.get("testRunData", content)
    # As the program saves a run, and as what its function returns is saved.
    for key in ("testCases", "test_results"):
        cases = field_of(run, key)
        if isinstance(cases, list) and _are_cases(cases):
            return _log_of_cases(run, cases, name)
    return None


FORMAT = LogFormat(
    "deepeval",
    in_object=log_in_object,
    file_names=rf"test_run_{COMPACT}\.json",
    in_words="test_run_*.json of deepeval",
)


def _are_cases(values: Sequence[Any]) -> bool:
    """Return whether an object in a list is a test case; of a list without objects nothing says that it is not."""
    objects = [value for value in values if isinstance(value, dict)]
    if not objects:
        return True
    return any("input" in value and not _OF_CASES.isdisjoint(value) for value in objects)


def _log_of_cases(run: dict[str, Any], cases: list[Any], name: str) -> Log:
    """Return the test cases of a run of deepeval; of a metric without any score, which ones passed."""
    if not cases and (run.get("conversationalTestCases") or ()):
        raise InputError(f"{name} has test cases that are conversations; expected some with an input and an output.")
    rows = RaggedRows(name)
    metrics: list[dict[str, dict[str, Any]]] = []
    for number, case in enumerate(cases, 1):
        if not isinstance(case, dict):
            raise InputError(f"{name}: expected an object as test case {number:,}, got {shorten(case)}.")
        fields = {re.sub("(?=[A-Z])", "_", key).lower(): value for key, value in case.items()}
        rows.add(number, _cells_of_case(fields))
        metrics.append(_metrics_of(fields.get("metrics_data")))
    table = rows.table("test cases")
    values: dict[str, list[Any]] = {}
    higher_is_better = {}
    for metric in dict.fromkeys(chain.from_iterable(metrics)):
        results = [of_case.get(metric, {}) for of_case in metrics]
        scores = [result.get("score") for result in results]
        if all(score is None for score in scores):
            # Another name, as a run with scores is not to be compared with it.
            values[f"{metric} success"] = [_verdict_of_case(result) for result in results]
            continue
        values[metric] = scores
        is_better = _is_higher_better(results)
        if is_better is not None:
            higher_is_better[metric] = is_better
    test_file = Path(str(run.get("testFile") or "")).stem
    return results_log(
        FORMAT.harness,
        table,
        Roles("input", ("expected_output",), ("actual_output",)),
        values,
        task=str(run.get("datasetAlias") or test_file),
        run=str(run.get("identifier") or ""),
        higher_is_better=higher_is_better,
    )


def _cells_of_case(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a test case of deepeval, and its metadata."""
    cells = {text: fields.get(text) for text in ("input", "expected_output", "actual_output")}
    metadata = fields.get("metadata") or fields.get("additional_metadata")
    if isinstance(metadata, dict):
        for key, value in metadata.items():
            cells[f"metadata.{key}"] = value
    return cells


def _verdict_of_case(result: Mapping[str, Any]) -> Any:
    """Return whether a test case passed, as the file says it; None where the metric failed."""
    if result.get("error"):
        return None
    return result.get("success")


def _is_higher_better(results: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether higher scores of a metric are better: a test passes on the better side of its threshold.

    None where no test case tells, or where some say yes and others no.
    """
    answers: set[bool] = set()
    for result in results:
        has_numbers = all(is_number(result.get(key)) for key in ("score", "threshold", "success"))
        if not has_numbers or result.get("error") or result["score"] == result["threshold"]:
            continue
        is_above = result["score"] > result["threshold"]
        answers.add(result["success"] == is_above)
    if len(answers) != 1:
        return None
    return answers.pop()


def _metrics_of(metrics: Any) -> dict[str, dict[str, Any]]:
    """Return the results of a test case by metric; of several metrics of one name, the second has a number."""
    if not isinstance(metrics, list):
        return {}
    by_name: dict[str, dict[str, Any]] = {}
    for metric in metrics:
        if isinstance(metric, dict):
            name = str(metric.get("name"))
            times = 1
            while name in by_name:
                times += 1
                name = f"{metric.get('name')} {times}"
            by_name[name] = metric
    return by_name
