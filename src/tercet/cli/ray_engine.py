"""``tercet score --engine ray``: files of any size as one test set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.of_results import to_comparison
from tercet.comparison.scores import Comparison
from tercet.errors import OptionError
from tercet.metric.drawing.visible import visible
from tercet.sums.ray import score_systems

from .score_options import ScoreOutput, Scores, TextsOrParquet


def score_with_ray(
    texts: TextsOrParquet, specs: Sequence[MetricSpec], scores: Scores, output: ScoreOutput
) -> Comparison:
    """Return the scores of all files together; warns of skipped files."""
    level, seed = scores.confidence_level, scores.seed
    scorers = [(spec, spec.scorer(scale=100, confidence_level=level, seed=seed)) for spec in specs]
    results = score_systems(
        texts.files, {spec.label: scorer for spec, scorer in scorers}, systems=texts.system,
        references=texts.reference_column, id=texts.id_column, cluster=texts.cluster, write_segments=output.segments,
        on_bad_file=texts.on_bad_file, progress=output.progress,
    )  # fmt: skip
    bad = next(iter(results.values())).bad_files
    if bad:
        subject = (
            "1 file could not be read and is" if len(bad) == 1 else f"{len(bad):,} files could not be read and are"
        )
        typer.echo(f"warning: {subject} left out: {visible('; '.join(bad[:5]))}", err=True)
    name = Path(texts.files[0]).name if len(texts.files) == 1 else f"{len(texts.files):,} files"
    return to_comparison(name, scorers, results, level, seed)


def refuse_with_ray(**given: object) -> None:
    """Raise an OptionError for options that do not work with files of any size."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if named:
        raise OptionError(f"{' and '.join(named)} {'do' if named[1:] else 'does'} not work with --engine ray.")
