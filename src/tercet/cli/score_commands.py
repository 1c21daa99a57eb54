"""``tercet score`` and ``tercet compare``: systems in files, scores in the form that is wanted."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from tercet.comparison.checks import check_folder, check_outputs
from tercet.display.visible import visible
from tercet.errors import OptionError

from .score_options import (
    Alpha,
    BadFile,
    Baseline,
    Engine,
    EngineName,
    Export,
    FailUnder,
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
    Resamples,
    Seed,
    Segment,
    Segments,
    SegmentsOrParquet,
    Source,
    SourceColumn,
    Systems,
    TestName,
    Verbose,
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
    format: Form = None,
    out: Out = None,
    segments: SegmentsOrParquet = None,
    engine: EngineName = Engine.memory,
    id_column: IdColumn = None,
    on_bad_file: OnBadFile = BadFile.error,
    fail_under: FailUnder = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Score systems: each score with its interval and signature."""
    from tercet.comparison.compare import compare
    from tercet.comparison.remarks import warn_of
    from tercet.comparison.test_sets import read_test_sets

    from .output import check_before, chosen_format, finish
    from .specs import need_references, read_files, read_specs
    from .thresholds import read_thresholds

    specs = read_specs(metric)
    thresholds, form = read_thresholds(fail_under, specs), chosen_format(format, out)
    if engine is Engine.ray:
        from .ray_engine import refuse_with_ray, score_with_ray, shows_progress

        html, other = form is Format.html, interval is not Interval.percentile
        sources = {"source": source, "source_column": source_column}
        refuse_with_ray(references=references, **sources, format_html=html, interval=other)
        check_before(form, out)
        check_outputs({"--out": out}, read_files(files, None, None, specs))
        scored = score_with_ray(
            files, specs, systems=system or (), references=reference_column or (), id_column=id_column,
            on_bad_file=on_bad_file.value, segments=segments, confidence_level=confidence_level, seed=seed,
            progress=shows_progress(quiet),
        )  # fmt: skip
        finish([scored], form, out, None, verbose, thresholds)
        return
    if id_column is not None or on_bad_file is not BadFile.error:
        raise OptionError("--id-column and --on-bad-file are options of --engine ray.")
    check_before(form, out, segments)
    inputs = read_files(files, references, source, specs)
    check_outputs({"--out": out, "--segments": segments}, inputs)
    sets = read_test_sets(
        files, references=references or (), source=source, systems=system or (),
        reference_columns=reference_column or (), source_column=source_column,
        need_references=need_references(specs),
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
    finish(found, form, out, segments, verbose, thresholds)


def compare_command(
    files: Files,
    references: References = None,
    source: Source = None,
    system: Systems = None,
    reference_column: ReferenceColumns = None,
    source_column: SourceColumn = None,
    metric: Metrics = None,
    baseline: Baseline = None,
    test: TestName = PairedTest.permutation,
    n_resamples: Resamples = None,
    alpha: Alpha = 0.05,
    confidence_level: Level = 0.95,
    interval: IntervalKind = Interval.percentile,
    seed: Seed = 12345,
    format: Form = None,
    out: Out = None,
    segments: Segments = None,
    segment: Segment = None,
    export: Export = None,
    fail_under: FailUnder = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Compare systems: scores with intervals, differences from a baseline, and which of them are significant."""
    from tercet.comparison.compare import compare
    from tercet.comparison.exports import export_paths, export_systems
    from tercet.comparison.remarks import warn_of
    from tercet.comparison.test_sets import read_test_sets

    from .output import check_before, chosen_format, coloured, finish, segment_text, write
    from .specs import need_references, read_files, read_specs
    from .thresholds import read_thresholds

    specs = read_specs(metric)
    thresholds, form = read_thresholds(fail_under, specs), chosen_format(format, out)
    check_before(form, out, segments)
    if export is not None:
        check_folder(export)
    others = {
        "--format": form is not Format.text,
        "--segments": segments,
        "--export": export,
        "--fail-under": fail_under,
    }
    given = [name for name, value in others.items() if value]
    if segment is not None and given:
        raise OptionError(
            f"--segment shows one segment as text and excludes {', '.join(given)}: give only one of them."
        )
    outputs, inputs = {"--out": out, "--segments": segments}, read_files(files, references, source, specs)
    check_outputs(outputs, inputs)
    sets = read_test_sets(
        files, references=references or (), source=source, systems=system or (),
        reference_columns=reference_column or (), source_column=source_column,
        need_references=need_references(specs),
    )  # fmt: skip
    if export is not None:
        exported = export_paths(sets, export)
        check_outputs({**outputs, **{f"--export of {path.name}": path for path in exported}}, inputs)
    for each in sets:
        warn_of(each)
    if segment is not None:
        write(segment_text(sets, specs, segment, baseline, coloured(out)), out)
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
    finish(found, form, out, segments, verbose, thresholds)
