"""``tercet score``: systems in files, scores in any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.comparison.inputs.settings import CompareSettings
from tercet.errors import OptionError
from tercet.files.join import LEAVE_OUT
from tercet.files.writing import check_ending, check_outputs
from tercet.names_as_shown import counted, visible

from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    ScoreOptions,
    TextOptions,
    TextOrParquetOptions,
    takes_groups,
)
from .output_options import CompareOutput, ResultsOutput, ScoreFormat, ScoreOutput

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.result import Comparison
    from tercet.test_sets.test_set import TestSet

    from .thresholds import Gate


@takes_groups
def score_command(texts: TextOrParquetOptions, scores: ScoreOptions, output: ResultsOutput) -> None:
    """Score systems: each score with its interval and signature."""
    from tercet.comparison.compare import compare

    from .output import finish

    if texts.engine == "ray":
        _score_command_with_ray(texts, scores, output)
        return
    if texts.id_column is not None or texts.on_bad_file != "error":
        raise OptionError("--id-column and --on-bad-file are options of --engine ray.")
    metrics, gate, form = checked_request(texts, scores, output, output.segments)
    test_sets = texts.test_sets(metrics, in_pieces=_sums_suffice(metrics, scores, output, form))
    metrics_of_sets = [metrics] * len(test_sets)
    if not metrics:
        metrics_of_sets, gate = default_metrics_and_gate(output, test_sets)
    if form in ("hub", "eee"):
        from tercet.comparison.shown.eval_results import check_one_model

        check_one_model(test_sets, output.task)
    check_fit(form, output, test_sets)
    comparisons = [
        compare(test_set, set_metrics or None, test=None, progress=output.progress, **scores.asked)
        for test_set, set_metrics in zip(test_sets, metrics_of_sets, strict=True)
    ]
    finish(comparisons, form, output, gate, output.segments)


#: Formats that show no segment.
_WITHOUT_SEGMENTS = ("text", "json", "tsv", "csv", "markdown", "latex")


def _sums_suffice(metrics: Sequence[Metric], scores: ScoreOptions, output: ResultsOutput, form: ScoreFormat) -> bool:
    """Return whether the sums of the rows are all that is asked for, so that texts need not be kept."""
    if not scores.no_intervals or output.segments is not None or form not in _WITHOUT_SEGMENTS:
        return False
    return all(map(_adds_up, metrics))


def _adds_up(metric: Metric) -> bool:
    """Return whether a metric scores pieces of texts, whose rows it needs no more once they are added up."""
    if not metric.takes_references or metric.normalize is not None or metric.loads_model or metric.keeps_rows:
        return False
    try:
        metric.check_call(summed=True)
    except OptionError:
        return False
    return metric.needs_corpus in (False, "signed")


def check_fit(form: ScoreFormat, output: CompareOutput | ResultsOutput, test_sets: Sequence[TestSet]) -> None:
    """Refuse more segments than the sheet of a workbook has rows."""
    if form == "xlsx" or _in_workbook(output.segments):
        from tercet.comparison.shown.segment_rows import check_segments_fit

        check_segments_fit(test_sets)


def _in_workbook(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".xlsx"


def checked_request(
    texts: TextOptions, scores: ScoreOptions, output: ScoreOutput, segments: Path | None
) -> tuple[list[Metric], Gate, ScoreFormat]:
    """Return metrics, thresholds and format; invalid requests fail here, before scoring starts.

    Without metrics there are no thresholds yet: which scores there are is known from the files.
    """
    from tercet.table_formats import needs_workbooks

    from .output import SCORE_FORMS, SEGMENT_FORMS, check_bom, check_can_write, check_open, chosen_format
    from .thresholds import read_gate

    metrics = scores.metrics()
    if isinstance(output, ResultsOutput):
        form = chosen_format(output.format, output.out, SCORE_FORMS)
        output.check_results(form)
    else:
        form = chosen_format(output.format, output.out)
    if metrics:
        gate = read_gate(output.fail_under, output.margins, metrics, output.max_missing)
    else:
        gate = read_gate(threshold_texts=(), margin_texts=(), metrics=(), max_missing=output.max_missing)
    if output.worst_first and segments is None and form != "xlsx":
        raise OptionError(
            "--worst-first sorts rows of segments: give a file of them, as in --segments segments.xlsx, or a "
            "workbook of all results, as in --out results.xlsx."
        )
    if segments is not None:
        check_ending("--segments", segments, SEGMENT_FORMS)
        if _in_workbook(segments):
            needs_workbooks()
    check_bom(output.bom, form, segments)
    check_open(output.open, form, output.out)
    if output.plain and form != "text":
        raise OptionError(f"--plain is for text: it cannot be given with the format {form}.")
    check_can_write(form, output.out, segments)
    check_outputs({"--out": output.out, "--segments": segments}, texts.inputs(metrics))
    return metrics, gate, form


def default_metrics_and_gate(output: ScoreOutput, test_sets: Sequence[TestSet]) -> tuple[list[list[Metric]], Gate]:
    """Return the metrics of each test set where none is asked for, with those that thresholds name, and the gate."""
    from tercet.comparison.inputs.defaults import default_metrics

    from .thresholds import metrics_of_gate, read_gate

    metrics_of_sets = metrics_of_gate(output.fail_under, output.margins, test_sets)
    scored: list[Metric] = []
    for test_set, set_metrics in zip(test_sets, metrics_of_sets, strict=True):
        scored += set_metrics or default_metrics(test_set)
    return metrics_of_sets, read_gate(output.fail_under, output.margins, scored, output.max_missing)


# --engine ray: files of any size.


def _score_command_with_ray(texts: TextOrParquetOptions, scores: ScoreOptions, output: ResultsOutput) -> None:
    """Score systems by workers that read texts alone, batch by batch."""
    from .output import finish

    if output.worst_first:
        raise OptionError("--worst-first does not work with --engine ray: it writes segments in no order.")
    with_default = replace(scores, metric=scores.metric or ["bleu_multi"])
    metrics, gate, form = checked_request(texts, with_default, output, segments=None)
    # What does not work with files of any size.
    refused = {
        "--references": texts.references,
        "--source": texts.source,
        "--source-column": texts.source_column,
        "--system-column": texts.system_column,
        "--decimal": texts.decimal,
        "--encoding": texts.encoding,
        "--sheet": texts.sheet,
        "--missing": texts.missing != LEAVE_OUT,
        "--scores": scores.scores,
        "--format html": form == "html",
        "--interval": scores.interval != CompareSettings.interval,
        "--no-intervals": scores.no_intervals,
    }
    names = [name for name, value in refused.items() if value]
    if len(names) == 1:
        raise OptionError(f"{names[0]} does not work with --engine ray.")
    if names:
        raise OptionError(f"{' and '.join(names)} do not work with --engine ray.")
    finish([_score_with_ray(texts, metrics, scores, output)], form, output, gate)


def _score_with_ray(
    texts: TextOrParquetOptions, metrics: Sequence[Metric], scores: ScoreOptions, output: ScoreOutput
) -> Comparison:
    """Return the scores of all files together; warns of skipped files."""
    from tercet.comparison.from_results import to_comparison
    from tercet.comparison.specs.metric_specs import label_of
    from tercet.streaming.ray import score_systems

    level = scores.confidence_level
    seed = scores.seed
    configured_metrics = [metric.with_defaults(scale=100, confidence_level=level, seed=seed) for metric in metrics]
    results = score_systems(
        texts.files,
        {label_of(metric): metric for metric in configured_metrics},
        systems=texts.system,
        references=texts.reference_column,
        id=texts.id_column,
        cluster=texts.cluster,
        write_segments=output.segments,
        on_bad_file=texts.on_bad_file,
        progress=output.progress,
    )
    bad_files = next(iter(results.values())).bad_files
    if bad_files:
        skipped_files = counted(len(bad_files), "file could not be read and is", "files could not be read and are")
        typer.echo(f"warning: {skipped_files} left out: {visible('; '.join(bad_files[:5]))}", err=True)
    name = counted(len(texts.files), "file")
    if len(texts.files) == 1:
        name = Path(texts.files[0]).name
    return to_comparison(name, configured_metrics, results, confidence_level=level, seed=seed)


app = typer.Typer(rich_markup_mode=None)
app.command("score", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(score_command)
