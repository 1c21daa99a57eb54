"""``tercet score --engine ray``: files of any size, as parts of one test set."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.of_results import to_comparison
from tercet.comparison.scores import Comparison
from tercet.display.visible import visible
from tercet.errors import OptionError
from tercet.sums.ray import score_systems


def score_with_ray(
    files: Sequence[str],
    specs: Sequence[MetricSpec],
    *,
    systems: Sequence[str],
    references: Sequence[str],
    id_column: str | None,
    on_bad_file: str,
    segments: Path | None,
    confidence_level: float,
    seed: int,
    progress: bool,
) -> Comparison:
    """Return the scores of all files together; warns of files that were left out."""
    options = {"scale": 100, "confidence_level": confidence_level, "seed": seed}
    scorers = [(spec, spec.scorer(**options)) for spec in specs]
    results = score_systems(
        list(files), {spec.label: scorer for spec, scorer in scorers}, systems=systems or None,
        references=references or None, id=id_column, write_segments=segments, on_bad_file=on_bad_file,
        progress=progress,
    )  # fmt: skip
    bad = next(iter(results.values())).bad_files
    if bad:
        told = "1 file could not be read and is" if len(bad) == 1 else f"{len(bad):,} files could not be read and are"
        typer.echo(f"warning: {told} left out: {visible('; '.join(bad[:5]))}", err=True)
    name = Path(files[0]).name if len(files) == 1 else f"{len(files):,} files"
    return to_comparison(name, scorers, results, confidence_level, seed)


def refuse_with_ray(**given: object) -> None:
    """Raise an OptionError for options that are given and have no meaning for files of any size."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if named:
        raise OptionError(f"{' and '.join(named)} {'do' if named[1:] else 'does'} not work with --engine ray.")


def shows_progress(quiet: bool) -> bool:
    """Return whether Ray Data shows its progress: in a terminal, unless it is not wanted."""
    return not quiet and sys.stderr.isatty()
