"""Scores of one model as it publishes them: evaluation results of the Hub, and a record of Every Eval Ever."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from tercet.comparison.result import Comparison
from tercet.comparison.values.scores import ScoreTable, SystemScore
from tercet.comparison.wording.decimals import percent
from tercet.errors import InputError, OptionError, needs, shorten, warn
from tercet.names_as_shown import MOST_NAMED, one_cell
from tercet.signature import __version__
from tercet.table_formats import decimals, json_text
from tercet.test_sets.test_set import TestSet

#: The version of the schema of Every Eval Ever.
_SCHEMA = "0.3.0"


class _Score(NamedTuple):
    table: ScoreTable
    row: SystemScore

    @property
    def title(self) -> str:
        return one_cell(self.table.title)

    @property
    def has_interval(self) -> bool:
        return math.isfinite(self.row.low) and math.isfinite(self.row.high)


def check_dataset(dataset: Any, *, like: str = "dataset_id") -> None:
    """Raise an OptionError unless this is the id of a dataset on the Hub; `like` is what gives it."""
    needs("An evaluation result of the Hub", "evaluate", "huggingface_hub")
    import huggingface_hub
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    if not hasattr(huggingface_hub, "EvalResultEntry"):
        raise OptionError(
            f"Evaluation results of the Hub need huggingface_hub 1.4 or newer, got {huggingface_hub.__version__}: "
            "pip install --upgrade huggingface_hub"
        )
    try:
        validate_repo_id("" if dataset is None else dataset)
    except HFValidationError:
        raise OptionError(
            f"{like} must be the id of a dataset on the Hub, such as openai/gsm8k, got {shorten(dataset)}."
        ) from None


def check_one_model(test_sets: Sequence[TestSet], task: str | None) -> None:
    """Raise an error unless there are results of one model, and of one test set where its task is named."""
    systems = list(dict.fromkeys(system for test_set in test_sets for system in test_set.systems))
    if len(systems) != 1:
        raise InputError(
            f"Evaluation results are those of one model, and there are {len(systems):,} systems: "
            f"{', '.join(map(shorten, systems[:MOST_NAMED]))}{' ...' * (len(systems) > MOST_NAMED)}. Give one: its "
            "column, or its file."
        )
    if task is not None and not (isinstance(task, str) and task.strip()):
        raise OptionError(f"A task must be a name, such as default, got {shorten(task)}.")
    if task is not None and len(test_sets) > 1:
        raise OptionError(
            f"One task is named, {shorten(task)}, and there are {len(test_sets):,} test sets: without it, each task "
            "is called as its test set."
        )


def to_entries(comparison: Comparison, dataset_id: str | None, task_id: str | None = None) -> list[Any]:
    """Return the entries of :meth:`Comparison.to_eval_results`."""
    check_dataset(dataset_id)
    check_one_model([comparison.test_set], task_id)
    from huggingface_hub import EvalResultEntry

    task = task_id or comparison.test_set.name
    today = datetime.now(timezone.utc).date().isoformat()
    scores: dict[str, list[_Score]] = {}
    for score in _finite_scores(comparison):
        scores.setdefault(score.table.metric, []).append(score)
    entries = []
    for metric_scores in scores.values():
        # A dataset and its task have one value: the main score, beside which the others are notes.
        main, *further = sorted(metric_scores, key=lambda score: score.table.name != score.table.scorer.primary)
        notes = _notes_line(comparison, main, further)
        entries.append(EvalResultEntry(dataset_id, task, float(main.row.value), date=today, notes=notes))
    return entries


def to_yaml(comparisons: Sequence[Comparison], dataset: str | None, task: str | None) -> str:
    """Return a file for the folder ``.eval_results`` of a model."""
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    check_one_model([comparison.test_set for comparison in comparisons], task)
    entries = [entry for comparison in comparisons for entry in to_entries(comparison, dataset, task)]
    text: str = yaml.safe_dump(
        eval_result_entries_to_yaml(_some(entries)), sort_keys=False, allow_unicode=True, width=math.inf
    )
    return text


def to_record(comparisons: Sequence[Comparison], dataset: str | None, task: str | None) -> str:
    """Return a record of Every Eval Ever; what tercet cannot know is "unknown" in it."""
    check_one_model([comparison.test_set for comparison in comparisons], task)
    now = datetime.now(timezone.utc)
    (model,) = comparisons[0].test_set.systems
    names = task or "+".join(comparison.test_set.name for comparison in comparisons)
    results = [
        _result(comparison, score, dataset, task or comparison.test_set.name)
        for comparison in comparisons
        for score in _finite_scores(comparison)
    ]
    return json_text(
        {
            "schema_version": _SCHEMA,
            "evaluation_id": f"{names}/{model.replace('/', '_')}/{now.timestamp()}",
            "evaluation_timestamp": now.isoformat(timespec="seconds"),
            "retrieved_timestamp": str(now.timestamp()),
            "source_metadata": {
                "source_name": "tercet",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "tercet", "version": __version__},
            "model_info": {
                "name": model,
                "id": model,
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": _some(results),
        }
    )


def _some(results: list[Any]) -> list[Any]:
    if not results:
        raise InputError("There is no result to write: no score is a number.")
    return results


def _finite_scores(comparison: Comparison) -> Iterator[_Score]:
    """Yield each score of the one system; warns of those that are no numbers."""
    for table in comparison.tables:
        score = _Score(table, *table.rows)
        if math.isfinite(score.row.value):
            yield score
        else:
            warn(f"{score.title} of {shorten(comparison.test_set.name)} is {score.row.value}, and left out.")


def _method(comparison: Comparison, table: ScoreTable) -> str:
    """Return how an interval was computed."""
    if comparison.inference_of(table).has_exact_intervals:
        return "Wilson"
    return comparison.intervals_in_words([table])


def _notes_line(comparison: Comparison, main: _Score, further: Sequence[_Score]) -> str:
    """Return what was measured, how surely, and how, in one line."""
    row = main.row
    notes = [main.title]
    if main.has_interval:
        ends = f"{decimals(row.low, row.digits)} to {decimals(row.high, row.digits)}"
        notes.append(f"{percent(comparison.confidence_level)} interval {ends} ({_method(comparison, main.table)})")
    notes += [f"{score.title} {decimals(score.row.value, score.row.digits)}" for score in further]
    n_scored = main.table.n_scored(comparison.test_set.n_segments)
    return "; ".join([*notes, f"segments: {n_scored:,}", one_cell(main.table.signature)])


def _result(comparison: Comparison, score: _Score, dataset: str | None, task: str) -> dict[str, Any]:
    """Return a score as an evaluation result of a record."""
    table, row = score
    source: dict[str, Any] = {"dataset_name": comparison.test_set.name, "source_type": "other"}
    if dataset is not None:
        source = {
            "dataset_name": dataset,
            "source_type": "hf_dataset",
            "hf_repo": dataset,
            "samples_number": comparison.test_set.n_segments,
        }
    units = {}
    if table.scorer.unit is not None:
        units["metric_unit"] = "percent" if table.scorer.scale == 100 else "proportion"
    uncertainty: dict[str, Any] = {"num_samples": table.n_scored(comparison.test_set.n_segments)}
    if score.has_interval:
        uncertainty["confidence_interval"] = {
            "lower": row.low,
            "upper": row.high,
            "confidence_level": comparison.confidence_level,
            "method": _method(comparison, table),
        }
    return {
        "evaluation_name": task,
        "source_data": source,
        "metric_config": {
            "metric_id": f"{table.scorer.name}.{table.name}",
            "metric_name": score.title,
            "metric_kind": table.name,
            **units,
            "lower_is_better": not table.higher_is_better,
            "additional_details": {"signature": table.signature},
        },
        "score_details": {"score": float(row.value), "uncertainty": uncertainty},
    }
