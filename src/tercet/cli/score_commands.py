"""``tercet score`` and ``tercet compare``: systems in files, scores in the form that is wanted."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tercet.comparison.checks import check_file, check_folder, check_outputs
from tercet.comparison.compare import compare
from tercet.comparison.exports import export_paths, export_segments, export_systems
from tercet.comparison.metric_specs import MetricSpec, parse_metric
from tercet.comparison.remarks import warn_of
from tercet.comparison.scores import Comparison
from tercet.comparison.side_by_side import side_by_side
from tercet.comparison.tables import to_json, to_latex, to_markdown, to_text, to_tsv
from tercet.comparison.test_sets import TestSet, read_test_sets
from tercet.display.visible import visible
from tercet.errors import OptionError
from tercet.files.writing import write_text_file

from .ray_engine import refuse_with_ray, score_with_ray, shows_progress
from .score_options import (
    BadFile,
    Engine,
    EngineName,
    Files,
    FilesOrParquet,
    Form,
    Format,
    IdColumn,
    Interval,
    IntervalKind,
    Level,
    Metrics,
    OnBadFile,
    Out,
    PairedTest,
    Quiet,
    ReferenceColumns,
    References,
    Seed,
    Segments,
    Source,
    SourceColumn,
    Systems,
)


def score_command(
    files: FilesOrParquet,
    references: References = None,
    source: Source = None,
    system: Systems = None,
    reference_column: ReferenceColumns = None,
    source_column: SourceColumn = None,
    metric: Metrics = None,
    confidence_level: Level = 0.95,
    interval: IntervalKind = Interval.percentile,
    seed: Seed = 12345,
    format: Form = Format.text,
    out: Out = None,
    segments: Segments = None,
    engine: EngineName = Engine.memory,
    id_column: IdColumn = None,
    on_bad_file: OnBadFile = BadFile.error,
    quiet: Quiet = False,
) -> None:
    """Score systems: each score with its interval and signature."""
    specs = _metrics(metric)
    if engine is Engine.ray:
        html, other = format is Format.html, interval is not Interval.percentile
        sources = {"source": source, "source_column": source_column}
        refuse_with_ray(references=references, **sources, format_html=html, interval=other)
        _check_before(format, out)
        check_outputs({"--out": out}, _inputs(files, None, None, specs))
        scored = score_with_ray(
            files, specs, systems=system or (), references=reference_column or (), id_column=id_column,
            on_bad_file=on_bad_file.value, segments=segments, confidence_level=confidence_level, seed=seed,
            progress=shows_progress(quiet),
        )  # fmt: skip
        _write(_rendered([scored], format, out), out)
        return
    if id_column is not None or on_bad_file is not BadFile.error:
        raise OptionError("--id-column and --on-bad-file are options of --engine ray.")
    _check_before(format, out, segments)
    inputs = _inputs(files, references, source, specs)
    check_outputs({"--out": out, "--segments": segments}, inputs)
    sets = read_test_sets(
        files, references=references or (), source=source, systems=system or (),
        reference_columns=reference_column or (), source_column=source_column,
        need_references=_need_references(specs),
    )  # fmt: skip
    for each in sets:
        warn_of(each)
    found = [
        compare(
            each, specs, test=None, confidence_level=confidence_level, interval=interval.value,
            seed=seed, progress=not quiet and sys.stderr.isatty(),
        )
        for each in sets
    ]  # fmt: skip
    _finish(found, format, out, segments)


def compare_command(
    files: Files,
    references: References = None,
    source: Source = None,
    system: Systems = None,
    reference_column: ReferenceColumns = None,
    source_column: SourceColumn = None,
    metric: Metrics = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", "-b", help="System that the others are tested against; default: the first."),
    ] = None,
    test: Annotated[PairedTest, typer.Option(help="Paired test of the differences.")] = PairedTest.permutation,
    n_resamples: Annotated[
        int | None,
        typer.Option(min=1, help="Resamples of the test; default: 10,000 permutations or 1,000 bootstrap samples."),
    ] = None,
    alpha: Annotated[
        float, typer.Option(min=0, max=1, help="Significance level: differences with a smaller p are significant.")
    ] = 0.05,
    confidence_level: Level = 0.95,
    interval: IntervalKind = Interval.percentile,
    seed: Seed = 12345,
    format: Form = Format.text,
    out: Out = None,
    segments: Segments = None,
    segment: Annotated[
        int | None,
        typer.Option(
            min=1, help="Show the segment with this number, all systems side by side, instead of the tables."
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Folder for one TSV file per system, with the columns source, candidate (the system's texts) and "
            "reference; texts as in --segments."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Compare systems: scores with intervals, differences from a baseline, and which of them are significant."""
    specs = _metrics(metric)
    _check_before(format, out, segments)
    if export is not None:
        check_folder(export)
    others = {"--format": format is not Format.text, "--segments": segments, "--export": export}
    given = [name for name, value in others.items() if value]
    if segment is not None and given:
        raise OptionError(
            f"--segment shows one segment as text and excludes {', '.join(given)}: give only one of them."
        )
    outputs, inputs = {"--out": out, "--segments": segments}, _inputs(files, references, source, specs)
    check_outputs(outputs, inputs)
    sets = read_test_sets(
        files, references=references or (), source=source, systems=system or (),
        reference_columns=reference_column or (), source_column=source_column,
        need_references=_need_references(specs),
    )  # fmt: skip
    if export is not None:
        exported = export_paths(sets, export)
        check_outputs({**outputs, **{f"--export of {path.name}": path for path in exported}}, inputs)
    for each in sets:
        warn_of(each)
    if segment is not None:
        _write(_segment_text(sets, specs, segment, baseline, _coloured(out)), out)
        return
    found = [
        compare(
            each, specs, baseline=baseline, test=test.value, n_resamples=n_resamples,
            confidence_level=confidence_level, interval=interval.value, alpha=alpha, seed=seed,
            progress=not quiet and sys.stderr.isatty(),
        )
        for each in sets
    ]  # fmt: skip
    for each in sets if export is not None else ():
        for path in export_systems(each, Path(str(export))):
            typer.echo(visible(path), err=True)
    _finish(found, format, out, segments)


def _metrics(written: Sequence[str] | None) -> list[MetricSpec]:
    specs = [parse_metric(each) for each in written or ["bleu_multi"]]
    for spec in specs:
        spec.scorer()  # refuses options before the files are read and their oddities told
    return specs


def _need_references(metrics: Sequence[MetricSpec]) -> bool:
    return any(spec.takes_references for spec in metrics)


def _inputs(
    files: Sequence[str], references: Sequence[str] | None, source: str | None, metrics: Sequence[MetricSpec]
) -> list[str]:
    """Return all files that are read; options of metrics may name some too."""
    values = (value for spec in metrics for value in spec.options.values() if isinstance(value, str))
    means = (spec.metric for spec in metrics)
    named = filter(os.path.isfile, [*values, *means])
    return [*files, *(references or ()), *(() if source is None else (source,)), *named]


def _coloured(out: Path | None) -> bool:
    return out is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _segment_text(
    sets: Sequence[TestSet], specs: Sequence[MetricSpec], segment: int, baseline: str | None, colour: bool
) -> str:
    width = Console().width
    return "\n".join(
        side_by_side(each, segment, specs, baseline=baseline, width=width, colour=colour) for each in sets
    )


def _finish(found: Sequence[Comparison], format: Format, out: Path | None, segments: Path | None) -> None:
    if len(found) > 1:
        typer.echo(
            "warning: scores of different test sets or languages cannot be compared with each other: a BLEU of 30 "
            "may be good in one and poor in another.",
            err=True,
        )
    if segments is not None:
        export_segments(found, segments)
    _write(_rendered(found, format, out), out)


def _rendered(found: Sequence[Comparison], format: Format, out: Path | None) -> str:
    forms: dict[Format, Callable[[Sequence[Comparison]], str]] = {
        Format.json: to_json,
        Format.tsv: to_tsv,
        Format.markdown: to_markdown,
        Format.latex: to_latex,
    }
    if format in forms:
        return forms[format](found)
    if format is Format.html:
        from tercet.report.page import to_html  # templates and plots, which no other form needs

        return to_html(found, command=shlex.join(["tercet", *sys.argv[1:]]))
    terminal = out is None and sys.stdout.isatty()
    return to_text(found, width=Console().width if terminal else 200, colour=_coloured(out))


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    else:
        with write_text_file(out) as file:
            file.write(text)
        typer.echo(visible(out), err=True)


def _check_before(format: Format, *paths: Path | None) -> None:
    """Say before long work that its result could not be made or written."""
    if format is Format.html:
        from tercet.report.page import check_installed

        check_installed()
    for path in paths:
        if path is not None:
            check_file(path)
