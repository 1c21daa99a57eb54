"""``tercet compare``: systems side by side, and which differences are significant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tercet.errors import OptionError
from tercet.files.writing import check_ending, check_folder, check_outputs
from tercet.names_as_shown import visible

from .metric_arguments import MetricCommand
from .options import HOW_METRICS_ARE_WRITTEN, TestOptions, TextOptions, takes_groups
from .output_options import CompareOutput, ScoreFormat
from .request import check_fit, checked_request, default_metrics_and_gate

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.comparison.overall import Overall
    from tercet.comparison.result import Comparison
    from tercet.test_sets.test_set import TestSet


@takes_groups
def compare_command(texts: TextOptions, tests: TestOptions, output: CompareOutput) -> None:
    """Compare systems: their scores with intervals, and which differences are significant."""
    from tercet.comparison.compare import compare

    from .output import finish, write

    metrics, gate, form = checked_request(texts, tests, output, output.segments)
    _check_files_to_write(texts, metrics, output, form)
    test_sets = texts.test_sets(metrics, tests.by or ())
    if tests.runs is None:
        _note_runs(test_sets)
    metrics_of_sets = [metrics] * len(test_sets)
    if not metrics:
        metrics_of_sets, gate = default_metrics_and_gate(output, test_sets)
    gate.check(test_sets, tests.runs, tests.alpha)
    _check_card_and_export(texts, metrics, output, test_sets)
    if output.segment is not None:
        write(_one_segment(test_sets, metrics, output.segment, tests.baseline, output.out), output.out)
        return
    check_fit(form, output, test_sets)
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
    from .output import check_can_write

    if output.segment is not None:
        output.check_segment_alone(form)
    if output.card is not None:
        from tercet.report.card import needs_drawing

        check_ending("--card", output.card, (".png",))
        needs_drawing()
        check_can_write("text", output.card)
        check_outputs(
            {"--out": output.out, "--segments": output.segments, "--card": output.card}, texts.inputs(metrics)
        )
    if output.export is not None:
        check_folder(output.export)


def _check_card_and_export(
    texts: TextOptions, metrics: Sequence[Metric], output: CompareOutput, test_sets: Sequence[TestSet]
) -> None:
    """Refuse a card of several test sets, and an export without texts or over a file that is read or written."""
    from tercet.comparison.shown.exported_texts import export_paths
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
    from tercet.comparison.shown.exported_texts import export_systems

    if output.export is not None:
        for test_set in test_sets:
            for path in export_systems(test_set, output.export):
                typer.echo(visible(path), err=True)
    if output.card is not None:
        from tercet.report.card import write_card

        write_card(comparisons[0], output.card)
        typer.echo(visible(output.card), err=True)


def _one_segment(
    test_sets: Sequence[TestSet], metrics: Sequence[Metric], segment: int, baseline: str | None, out: Path | None
) -> str:
    """Return one segment of each test set, all systems side by side."""
    from tercet.comparison.inputs.default_metrics import default_metrics
    from tercet.comparison.one_segment.side_by_side import side_by_side

    from .output import has_colours, width_of

    width = width_of(out)
    colour = has_colours(out)
    texts = []
    for test_set in test_sets:
        set_metrics = metrics or default_metrics(test_set)
        texts.append(side_by_side(test_set, segment, set_metrics, baseline=baseline, width=width, colour=colour))
    return "\n".join(texts)


def _note_runs(test_sets: Sequence[TestSet]) -> None:
    """Say on standard error that systems look like runs, once where they do so in several test sets."""
    from tercet.comparison.runs.run_warnings import runs_hint

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


app = typer.Typer(rich_markup_mode=None)
app.command("compare", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(compare_command)
