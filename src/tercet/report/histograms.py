"""How the scores of segments are distributed: a histogram for each system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .scales import Scale, better_right, bounds

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable, SystemScore

_BINS = 30
#: Segments below which no chart shows how their scores or words are distributed.
_FEW = 10


def has_few_segments(comparison: Comparison) -> bool:
    """Return whether a test set is so small that no chart shows how its scores or words are distributed."""
    return len(comparison.test_set.references) < _FEW


@dataclass(frozen=True, slots=True)
class Histograms:
    """Histograms on one scale, each with its median."""

    names: Sequence[str]
    paths: Sequence[str]  # in a square of 100 by 100, upside down as SVG has it
    medians: Sequence[float]  # where each stands
    title: str
    described: str
    scale: Scale


def score_distributions(table: ScoreTable, rows: Sequence[SystemScore], names: Sequence[str]) -> Histograms | None:
    """Return the histogram of the scores of each system's segments; None without any score."""
    scores = {}
    for row, name in zip(rows, names, strict=True):
        segment_scores = [score for score in table.segments[row.system] if score is not None]
        if segment_scores:
            scores[name] = np.array(segment_scores)
    if not scores:
        return None
    numbers = np.concatenate(list(scores.values()))
    edges = np.histogram_bin_edges(numbers, _BINS, _range(float(numbers.min()), float(numbers.max())))
    counts = [np.histogram(values, edges)[0] for values in scores.values()]
    scale = better_right(bounds(edges.tolist()), lower_is_better=not table.higher_is_better)
    left, *rights = [scale.position(edge) for edge in edges.tolist()]
    highest = max(int(count.max()) for count in counts)
    paths = []
    for count in counts:
        bars = [f"V{100 - 90 * n / highest:.4g}H{right:.2f}" for n, right in zip(count, rights, strict=True)]
        paths.append(f"M{left:.2f} 100{''.join(bars)}V100z")
    medians = [float(np.median(values)) for values in scores.values()]
    in_words = "; ".join(f"{name} {median:.2f}" for name, median in zip(scores, medians, strict=True))
    return Histograms(
        names=list(scores),
        paths=paths,
        medians=[scale.position(median) for median in medians],
        title=f"{table.title} of single segments",
        described=f"Histograms of the segments' {table.title}; medians: {in_words}",
        scale=scale,
    )


def _range(low: float, high: float) -> tuple[float, float]:
    """Return where bins begin and end: numbers that are nearly the same have no bins between them."""
    size = max(abs(low), abs(high))
    if high - low > max(1e-12 * size, 1e-300):
        return low, high
    margin = max(0.5, size / 1000)
    return low - margin, high + margin
