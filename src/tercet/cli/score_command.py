"""``tercet score``: systems in files, scores in any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.comparison.inputs.settings import CompareSettings
from tercet.errors import OptionError
from tercet.files.missing_option import LEAVE_OUT
from tercet.names_as_shown import counted, visible

from .metric_arguments import MetricCommand
from .options import HOW_METRICS_ARE_WRITTEN, ScoreOptions, TextOrParquetOptions, takes_groups
from .output_options import ResultsOutput, ScoreFormat, ScoreOutput
from .request import check_fit, checked_request, default_metrics_and_gate

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.result import Comparison

#: Formats that show no segment.
_WITHOUT_SEGMENTS = ("text", "json", "tsv", "csv", "markdown", "latex")


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
        from tercet.comparison.shown.published_results import check_one_model

        check_one_model(test_sets, output.task)
    check_fit(form, output, test_sets)
    comparisons = [
        compare(test_set, set_metrics or None, test=None, progress=output.progress, **scores.asked)
        for test_set, set_metrics in zip(test_sets, metrics_of_sets, strict=True)
    ]
    finish(comparisons, form, output, gate, output.segments)


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
    return not metric.waits_for_corpus


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
