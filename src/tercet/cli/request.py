"""What ``tercet score`` and ``compare`` are asked for: metrics, thresholds, format; refused before texts are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import OptionError
from tercet.files.writing import check_ending, check_outputs

from .options import ScoreOptions, TextOptions
from .output_options import ResultsOutput, ScoreFormat, ScoreOutput

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.test_sets.test_set import TestSet

    from .thresholds import Gate


def checked_request(
    texts: TextOptions, scores: ScoreOptions, output: ScoreOutput, segments: Path | None
) -> tuple[list[Metric], Gate, ScoreFormat]:
    """Return metrics, thresholds and format; invalid requests fail here, before scoring starts.

    Without metrics there are no thresholds yet: which scores there are is known from the files.
    """
    from .output import check_bom, check_can_write, check_open
    from .thresholds import read_gate

    scores.check()
    metrics = scores.metrics()
    form = _checked_format(output)
    if metrics:
        gate = read_gate(output.fail_under, output.margins, metrics, output.max_missing)
    else:
        gate = read_gate(threshold_texts=(), margin_texts=(), metrics=(), max_missing=output.max_missing)
    _check_file_of_segments(output, segments, form)
    check_bom(output.bom, form, segments)
    check_open(output.open, form, output.out)
    if output.plain and form != "text":
        raise OptionError(f"--plain is for text: it cannot be given with the format {form}.")
    check_can_write(form, output.out, segments)
    check_outputs({"--out": output.out, "--segments": segments}, texts.inputs(metrics))
    return metrics, gate, form


def default_metrics_and_gate(output: ScoreOutput, test_sets: Sequence[TestSet]) -> tuple[list[list[Metric]], Gate]:
    """Return the metrics of each test set where none is asked for, with those that thresholds name, and the gate."""
    from tercet.comparison.inputs.default_metrics import default_metrics

    from .thresholds import metrics_of_gate, read_gate

    metrics_of_sets = metrics_of_gate(output.fail_under, output.margins, test_sets)
    scored: list[Metric] = []
    for test_set, set_metrics in zip(test_sets, metrics_of_sets, strict=True):
        scored += set_metrics or default_metrics(test_set)
    return metrics_of_sets, read_gate(output.fail_under, output.margins, scored, output.max_missing)


def check_fit(form: ScoreFormat, output: ScoreOutput, test_sets: Sequence[TestSet]) -> None:
    """Refuse more segments than the sheet of a workbook has rows."""
    if form == "xlsx" or _in_workbook(output.segments):
        from tercet.comparison.shown.segment_rows import check_segments_fit

        check_segments_fit(test_sets)


def _checked_format(output: ScoreOutput) -> ScoreFormat:
    """Return the format of the output; that of a model's results must have what it needs."""
    from .output import SCORE_FORMS, chosen_format

    if not isinstance(output, ResultsOutput):
        return chosen_format(output.format, output.out)
    form = chosen_format(output.format, output.out, SCORE_FORMS)
    output.check_results(form)
    return form


def _check_file_of_segments(output: ScoreOutput, segments: Path | None, form: ScoreFormat) -> None:
    """Refuse a file of no known format, and an order of rows where none are written."""
    from tercet.table_formats import needs_workbooks

    from .output import SEGMENT_FORMS

    if output.worst_first and segments is None and form != "xlsx":
        raise OptionError(
            "--worst-first sorts rows of segments: give a file of them, as in --segments segments.xlsx, or a "
            "workbook of all results, as in --out results.xlsx."
        )
    if segments is not None:
        check_ending("--segments", segments, SEGMENT_FORMS)
        if _in_workbook(segments):
            needs_workbooks()


def _in_workbook(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".xlsx"
