"""``tercet score`` and ``tercet compare``: systems in files, scores in any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.comparison.settings import CompareSettings
from tercet.errors import OptionError
from tercet.files.join import LEAVE_OUT
from tercet.files.writing import check_ending, check_folder, check_outputs
from tercet.names_and_sentences import visible

from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    CompareOutput,
    ResultsOutput,
    ScoreFormat,
    ScoreOptions,
    ScoreOutput,
    TestOptions,
    TextOptions,
    TextOrParquetOptions,
    takes_groups,
)

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.overall import Overall
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
    metrics, gate, form = _checked_request(texts, scores, output, output.segments)
    test_sets = texts.test_sets(metrics, in_pieces=_sums_suffice(metrics, scores, output, form))
    metrics_of_sets = [metrics] * len(test_sets)
    if not metrics:
        metrics_of_sets, gate = _default_metrics_and_gate(output, test_sets)
    if form in ("hub", "eee"):
        from tercet.comparison.eval_results import check_one_model

        check_one_model(test_sets, output.task)
    _check_fit(form, output, test_sets)
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


@takes_groups
def compare_command(texts: TextOptions, tests: TestOptions, output: CompareOutput) -> None:
    """Compare systems: their scores with intervals, and which differences are significant."""
    from tercet.comparison.compare import compare

    from .output import finish, segment_text, write

    metrics, gate, form = _checked_request(texts, tests, output, output.segments)
    _check_files_to_write(texts, metrics, output, form)
    test_sets = texts.test_sets(metrics, tests.by or ())
    if tests.runs is None:
        _note_runs(test_sets)
    metrics_of_sets = [metrics] * len(test_sets)
    if not metrics:
        metrics_of_sets, gate = _default_metrics_and_gate(output, test_sets)
    gate.check(test_sets, tests.runs, tests.alpha)
    _check_card_and_export(texts, metrics, output, test_sets)
    if output.segment is not None:
        write(segment_text(test_sets, metrics, output.segment, tests.baseline, output.out), output.out)
        return
    _check_fit(form, output, test_sets)
    comparisons = []
    for test_set, set_metrics in zip(test_sets, metrics_of_sets, strict=True):
        options = {**tests.asked, "baseline": _baseline(test_set, test_sets, tests.baseline)}
        comparisons.append(compare(test_set, set_metrics or None, progress=output.progress, **options))
    _write_export_and_card(output, test_sets, comparisons)
    finish(comparisons, form, output, gate, output.segments, over_all=_over_all(comparisons, tests.weight))


def _check_files_to_write(
    texts: TextOptions, metrics: Sequence[Metric], output: CompareOutput, form: ScoreFormat
) -> None:
    """Refuse files that cannot be written, before any text is read."""
    from .output import check_before

    if output.segment is not None:
        output.check_segment_alone(form)
    if output.card is not None:
        from tercet.report.card import needs_drawing

        check_ending("--card", output.card, (".png",))
        needs_drawing()
        check_before("text", output.card)
        check_outputs(
            {"--out": output.out, "--segments": output.segments, "--card": output.card}, texts.inputs(metrics)
        )
    if output.export is not None:
        check_folder(output.export)


def _check_card_and_export(
    texts: TextOptions, metrics: Sequence[Metric], output: CompareOutput, test_sets: Sequence[TestSet]
) -> None:
    """Refuse a card of several test sets, and an export without texts or over a file that is read or written."""
    from tercet.comparison.exports import export_paths
    from tercet.test_sets.checks import check_has_texts

    if output.card is not None and len(test_sets) > 1:
        raise OptionError(
            f"--card shows one test set, and there are {len(test_sets)}: give the files of one of them."
        )
    if output.export is not None:
        for test_set in test_sets:
            check_has_texts(test_set, "--export")
        exported = {f"--export of {path.name}": path for path in export_paths(test_sets, output.export)}
        check_outputs({"--out": output.out, "--segments": output.segments, **exported}, texts.inputs(metrics))


def _write_export_and_card(
    output: CompareOutput, test_sets: Sequence[TestSet], comparisons: Sequence[Comparison]
) -> None:
    """Write the files of systems and the picture where they are asked for; their paths go to standard error."""
    from tercet.comparison.exports import export_systems

    if output.export is not None:
        for test_set in test_sets:
            for path in export_systems(test_set, output.export):
                typer.echo(visible(path), err=True)
    if output.card is not None:
        from tercet.report.card import write_card

        write_card(comparisons[0], output.card)
        typer.echo(visible(output.card), err=True)


def _note_runs(test_sets: Sequence[TestSet]) -> None:
    """Say on standard error that systems look like runs, once where they do so in several test sets."""
    from tercet.comparison.run_readings import runs_hint

    hints = [runs_hint(list(test_set.systems)) for test_set in test_sets]
    for hint in filter(None, dict.fromkeys(hints)):
        typer.echo(f"note: {visible(hint)}", err=True)


def _baseline(test_set: TestSet, test_sets: Sequence[TestSet], baseline: str | None) -> str | None:
    """Return the baseline of a test set: by default the first system of the first set, for all that have it."""
    first = next(iter(test_sets[0].systems))
    if baseline is None and test_set is not test_sets[0] and first in test_set.systems:
        return first
    return baseline


def _over_all(comparisons: Sequence[Comparison], weight: str | None) -> Overall | None:
    """Return the verdict over all test sets, if there are some that share systems and scores."""
    from tercet.comparison.overall import n_shared, overall

    if len(comparisons) > 1 and n_shared(comparisons) > 1:
        return overall(comparisons, weight=weight or "set")
    if weight is not None:
        reason = "there is one"
        if len(comparisons) > 1:
            reason = "these share fewer than two systems, or no score of one scale and direction"
        typer.echo(f"note: --weight is for test sets that have systems in common; {reason}.", err=True)
    return None


def _check_fit(form: ScoreFormat, output: CompareOutput | ResultsOutput, test_sets: Sequence[TestSet]) -> None:
    """Refuse more segments than the sheet of a workbook has rows."""
    if form == "xlsx" or _in_workbook(output.segments):
        from tercet.comparison.segment_rows import check_segments_fit

        check_segments_fit(test_sets)


def _in_workbook(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".xlsx"


def _checked_request(
    texts: TextOptions, scores: ScoreOptions, output: ScoreOutput, segments: Path | None
) -> tuple[list[Metric], Gate, ScoreFormat]:
    """Return metrics, thresholds and format; invalid requests fail here, before scoring starts.

    Without metrics there are no thresholds yet: which scores there are is known from the files.
    """
    from tercet.tables import needs_workbooks

    from .output import SCORE_FORMS, SEGMENT_FORMS, check_before, check_bom, check_open, chosen_format
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
    check_before(form, output.out, segments)
    check_outputs({"--out": output.out, "--segments": segments}, texts.inputs(metrics))
    return metrics, gate, form


def _default_metrics_and_gate(output: ScoreOutput, test_sets: Sequence[TestSet]) -> tuple[list[list[Metric]], Gate]:
    """Return the metrics of each test set where none is asked for, with those that thresholds name, and the gate."""
    from tercet.comparison.given_scores import default_metrics

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
    metrics, gate, form = _checked_request(texts, with_default, output, segments=None)
    # What does not work with files of any size.
    refused = {
        "--references": texts.references,
        "--source": texts.source,
        "--source-column": texts.source_column,
        "--system-column": texts.system_column,
        "--encoding": texts.encoding,
        "--sheet": texts.sheet,
        "--missing": texts.missing != LEAVE_OUT,
        "--scores": scores.scores,
        "--format html": form == "html",
        "--interval": scores.interval != CompareSettings.interval,
        "--no-intervals": scores.no_intervals,
    }
    names = [name for name, value in refused.items() if value]
    if names:
        verb = "does"
        if len(names) > 1:
            verb = "do"
        raise OptionError(f"{' and '.join(names)} {verb} not work with --engine ray.")
    finish([_score_with_ray(texts, metrics, scores, output)], form, output, gate)


def _score_with_ray(
    texts: TextOrParquetOptions, metrics: Sequence[Metric], scores: ScoreOptions, output: ScoreOutput
) -> Comparison:
    """Return the scores of all files together; warns of skipped files."""
    from tercet.comparison.from_results import to_comparison
    from tercet.comparison.metric_specs import label_of
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
        skipped_files = f"{len(bad_files):,} files could not be read and are"
        if len(bad_files) == 1:
            skipped_files = "1 file could not be read and is"
        typer.echo(f"warning: {skipped_files} left out: {visible('; '.join(bad_files[:5]))}", err=True)
    name = f"{len(texts.files):,} files"
    if len(texts.files) == 1:
        name = Path(texts.files[0]).name
    return to_comparison(name, configured_metrics, results, confidence_level=level, seed=seed)


app = typer.Typer(rich_markup_mode=None)
app.command("score", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(score_command)
app.command("compare", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(compare_command)
