"""The bootstrap of figures: how often each system and item is drawn, figures of all resamples, intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tercet.statistics.draws import bootstrap_weights
from tercet.statistics.progress import bar_of

from .figures import FIGURES, PointEstimate
from .samples import Array, Numbers, Once, Sample

#: The most weights of items that are held.
_WEIGHTS_AT_ONCE = 4_000_000

#: The resampled unit, and what the interval then holds for.
UNITS: Mapping[str, str] = {
    "items": "for other items and the same systems",
    "systems": "for other systems and the same items",
    "both": "for other items and other systems",
}


def distributions(
    point_estimates: Mapping[str, Sequence[PointEstimate]],
    wholes: Sequence[Sample],
    unit: str,
    n_resamples: int,
    seed: int,
    clusters: Numbers | None = None,
) -> dict[str, Array]:
    """Return figures of all metrics in the same resamples, by name, shape (k, B).

    `wholes` are the outputs of each metric, `point_estimates` its figures by name.
    """
    n_systems, n_items = wholes[0].human.shape
    parts: dict[str, list[Array]] = {name: [] for name in point_estimates}
    with bar_of("intervals", "resampled figures", n_resamples * len(point_estimates) * len(wholes)) as bar:
        for system_weights, item_weights in resample_weights(n_systems, n_items, unit, n_resamples, seed, clusters):
            of_grades = Once()
            samples = [
                whole.resampled(system_weights, item_weights, of_grades, has_single_items=clusters is None)
                for whole in wholes
            ]
            for name, estimates in point_estimates.items():
                rows = []
                for sample, estimate in zip(samples, estimates, strict=True):
                    rows.append(replicates(name, sample, estimate))
                    bar.update(len(rows[-1]))
                parts[name].append(np.array(rows))
    return {name: np.concatenate(chunks, axis=1) for name, chunks in parts.items()}


def replicates(name: str, sample: Sample, estimate: PointEstimate) -> Array:
    """Return a figure of each resample, shape (B,)."""
    figure = FIGURES[name]
    if figure.resampled is not None:
        return figure.resampled(sample, estimate)
    return figure.function(sample)


def resample_weights(
    n_systems: int, n_items: int, unit: str, n_resamples: int, seed: int, clusters: Numbers | None = None
) -> Iterator[tuple[Array, Array]]:
    """Yield how often each system and item is drawn, in chunks of resamples: shapes (b or 1, n) and (b or 1, m).

    The same seed gives the same items, whether or not systems are drawn too. Items of a cluster are drawn together.
    """
    of_systems = np.ones((1, n_systems))
    if unit != "items":
        of_systems = np.concatenate(list(bootstrap_weights(n_systems, n_resamples, seed + 1)))
    if unit == "systems":
        yield of_systems, np.ones((1, n_items))
        return
    n_units = n_items if clusters is None else int(clusters.max()) + 1
    start = 0
    for units in _join_chunks(bootstrap_weights(n_units, n_resamples, seed), n_items):
        items = units if clusters is None else units[:, clusters]
        stop = start + len(items)
        yield of_systems[start:stop] if unit == "both" else of_systems, items
        start = stop


def _join_chunks(chunks: Iterator[Array], n_items: int) -> Iterator[Array]:
    """Yield weights of more resamples at a time: for each chunk of them all figures of all metrics begin anew."""
    parts: list[Array] = []
    n_resamples = 0
    for chunk in chunks:
        parts.append(chunk)
        n_resamples += len(chunk)
        if (n_resamples + len(chunk)) * n_items > _WEIGHTS_AT_ONCE:
            yield np.concatenate(parts)
            parts = []
            n_resamples = 0
    if parts:
        yield np.concatenate(parts)


def percentile_interval(distribution: Array, value: float, confidence_level: float) -> tuple[float, float]:
    """Return the percentile interval, widened to hold the value; NaN if no resample has the figure."""
    defined = distribution[~np.isnan(distribution)]
    if not len(defined) or np.isnan(value):
        return float("nan"), float("nan")
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(min(low, value)), float(max(high, value))
