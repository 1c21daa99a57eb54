"""``tercet score`` and ``tercet compare``: systems in files, scores in any format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.comparison.checks import check_ending, check_folder, check_outputs
from tercet.errors import OptionError
from tercet.metric.drawing.visible import visible

from .score_options import (
    CompareOutput,
    Format,
    ScoreOutput,
    Scores,
    Tests,
    Texts,
    TextsOrParquet,
    read_specs,
    takes_groups,
)

if TYPE_CHECKING:
    from tercet.comparison.metric_specs import MetricSpec

    from .thresholds import Threshold


@takes_groups
def score_command(texts: TextsOrParquet, scores: Scores, output: ScoreOutput) -> None:
    """Score systems: each score with its interval and signature."""
    from tercet.comparison.compare import compare
    from tercet.comparison.workbook import check_segments_fit

    from .output import finish

    if texts.engine == "ray":
        from .ray_engine import refuse_with_ray, score_with_ray

        specs, thresholds, form = _checked(texts, scores, output, segments=None)
        refuse_with_ray(
            references=texts.references, source=texts.source, source_column=texts.source_column,
            format_html=form == "html", interval=scores.interval != "percentile",
        )  # fmt: skip
        finish([score_with_ray(texts, specs, scores, output)], form, output, thresholds)
        return
    if texts.id_column is not None or texts.on_bad_file != "error":
        raise OptionError("--id-column and --on-bad-file are options of --engine ray.")
    specs, thresholds, form = _checked(texts, scores, output, output.segments)
    sets = texts.test_sets(specs)
    if form == "xlsx" or _in_workbook(output.segments):
        check_segments_fit(sets)
    found = [compare(each, specs, test=None, progress=output.progress, **scores.asked) for each in sets]
    finish(found, form, output, thresholds, output.segments)


@takes_groups
def compare_command(texts: Texts, tests: Tests, output: CompareOutput) -> None:
    """Compare systems: scores with intervals, differences from a baseline, and which of them are significant."""
    from tercet.comparison.compare import compare
    from tercet.comparison.exports import export_paths, export_systems
    from tercet.comparison.workbook import check_segments_fit

    from .output import finish, segment_text, write

    specs, thresholds, form = _checked(texts, tests, output, output.segments)
    if output.segment is not None:
        output.check_segment_alone(form)
    if output.export is not None:
        check_folder(output.export)
    sets = texts.test_sets(specs)
    if output.export is not None:
        exported = {f"--export of {path.name}": path for path in export_paths(sets, output.export)}
        check_outputs({"--out": output.out, "--segments": output.segments, **exported}, texts.inputs(specs))
    if output.segment is not None:
        write(segment_text(sets, specs, output.segment, tests.baseline, output.out), output.out)
        return
    if form == "xlsx" or _in_workbook(output.segments):
        check_segments_fit(sets)
    found = [compare(each, specs, progress=output.progress, **tests.asked) for each in sets]
    if output.export is not None:
        for each in sets:
            for path in export_systems(each, output.export):
                typer.echo(visible(path), err=True)
    finish(found, form, output, thresholds, output.segments)


def _in_workbook(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() == ".xlsx"


def _checked(
    texts: Texts, scores: Scores, output: ScoreOutput, segments: Path | None
) -> tuple[list[MetricSpec], list[Threshold], Format]:
    """Return metrics, thresholds and format; invalid requests fail here, before scoring starts."""
    from tercet.comparison.workbook_file import needs_workbooks

    from .output import SEGMENT_FORMS, check_before, check_bom, chosen_format
    from .thresholds import read_thresholds

    specs = read_specs(scores.metric or ["bleu_multi"])
    thresholds, form = read_thresholds(output.fail_under, specs), chosen_format(output.format, output.out)
    if segments is not None:
        check_ending("--segments", segments, SEGMENT_FORMS)
        if _in_workbook(segments):
            needs_workbooks()
    check_bom(output.bom, form, segments)
    check_before(form, output.out, segments)
    check_outputs({"--out": output.out, "--segments": segments}, texts.inputs(specs))
    return specs, thresholds, form
