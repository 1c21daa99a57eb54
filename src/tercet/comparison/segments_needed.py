"""How many segments each score needs to show a difference, by how much the scores of outputs vary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.values.scores import ScoredSegments
from tercet.comparison.wording.decimals import NumberT
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.power import FEWEST_DIFFERENT, PairVariation, SystemDraws, pair_variation, paired_error
from tercet.statistics.resampled_scores import bootstrap_scores
from tercet.statistics.stats import Scores, SegmentStats

from .result import Comparison

#: How closely the resampled scores of two systems correlate: most pairs of newstest2017, by BLEU, chrF and ROUGE-L.
CORRELATION = (0.5, 0.85)


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """What a score asks of a test set. Pairs of numbers are the least and the greatest.

    Attributes
    ----------
    metric, score, title, signature : str
        The metric with its options; the score's name, and what people call it.
    n_segments : int
        How many segments of this test set are scored for all systems.
    n_units : int
        How many of them are resampled: the segments themselves, or their clusters.
    n_pairs : int
        Pairs of systems whose differences were resampled; 0 where there is one system.
    n_alike : int
        Pairs left out, as they differ in fewer than 15 units, or in no more than half of a few.
    standard_error : (float, float) or None
        Of a difference of two systems on this test set; None where nothing varies, NaN where resamples score NaN.
    smallest : (float, float) or None
        The smallest difference that this test set shows; None also where it has too few units to show any.
    needed : (int, int) or None
        Segments needed, or clusters; None also where they are more than could be counted.
    as_segments : (int, int) or None
        With clusters, how many segments would seem to be needed if they were independent.
    digits : int
        With how many decimals people read the score.
    """

    metric: str
    score: str
    title: str
    signature: str
    n_segments: int
    n_units: int
    n_pairs: int
    n_alike: int
    standard_error: tuple[float, float] | None
    smallest: tuple[float, float] | None
    needed: tuple[int, int] | None
    as_segments: tuple[int, int] | None = None
    digits: int = 2

    @property
    def is_known(self) -> bool:
        """Whether it is known how much the score varies."""
        error = self.standard_error
        return error is not None and not any(map(math.isnan, error))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python."""
        entries: dict[str, Any] = {}
        for name in ("metric", "score", "signature", "n_units", "n_pairs", "n_alike"):
            entries[name] = getattr(self, name)
        for name in ("standard_error", "smallest", "needed", "as_segments"):
            least_and_greatest = getattr(self, name)
            entries[name] = None if least_and_greatest is None else list(least_and_greatest)
        return entries


class Aim(NamedTuple):
    """What is to be found, how surely, and by how many resamples; the fields are those of a :class:`Plan`."""

    difference: float
    power: float
    alpha: float
    n_resamples: int
    seed: int

    def smallest(self, variations: Sequence[PairVariation]) -> tuple[float, float] | None:
        """Return the smallest differences that a test set shows where differences vary so much."""
        return _least_and_greatest(variation.smallest(alpha=self.alpha, power=self.power) for variation in variations)

    def needed(self, variations: Sequence[PairVariation]) -> tuple[int, int] | None:
        """Return how many units show the difference where it varies so much."""
        return _least_and_greatest(
            variation.needed(self.difference, alpha=self.alpha, power=self.power) for variation in variations
        )


def score_plans(comparison: Comparison, aim: Aim) -> Iterator[ScorePlan]:
    """Yield the plan by each score."""
    clusters = comparison.test_set.clusters
    titled_tables = zip(comparison.titles(), comparison.tables, strict=True)
    for _, group in groupby(titled_tables, lambda titled: titled[1].metric):
        # The scores of a metric have its resamples in common.
        tables_of_metric = list(group)
        _, first = tables_of_metric[0]
        metric = first.scorer
        scored = ScoredSegments.of(list(first.stats.values()), clusters)
        units = scored.units()
        resampled = bootstrap_scores(metric, units, aim.n_resamples, aim.seed)
        alone = [] if clusters is None else bootstrap_scores(metric, scored.rows, aim.n_resamples, aim.seed)
        for title, table in tables_of_metric:
            exact_scale = metric.scale if table.is_exact else None
            found = _variations(resampled, units, table.name, exact_scale)
            variations = found.known
            errors = [variation.error for variation in variations]
            as_segments = None
            if clusters is not None:
                as_segments = aim.needed(_variations(alone, scored.rows, table.name).known)
            standard_error = None
            if errors:
                standard_error = (float(np.min(errors)), float(np.max(errors)))
            yield ScorePlan(
                metric=table.metric,
                score=table.name,
                title=title,
                signature=table.signature,
                n_segments=len(scored.rows[0]),
                n_units=len(units[0]),
                n_pairs=0 if len(units) == 1 else len(variations),
                n_alike=found.n_alike,
                standard_error=standard_error,
                smallest=aim.smallest(variations),
                needed=aim.needed(variations),
                as_segments=as_segments,
                digits=table.digits,
            )


class _Variations(NamedTuple):
    """How much a score's differences vary, and how many pairs of systems are too alike to tell."""

    known: list[PairVariation]
    n_alike: int = 0


def _variations(
    resampled: Sequence[Scores], units: Sequence[SegmentStats], name: str, exact_scale: float | None = None
) -> _Variations:
    """Return how much a score's differences vary; nothing is known of too few units."""
    distributions = [scores[name] for scores in resampled]
    n_units = len(units[0])
    if n_units < FEWEST_UNITS:
        return _Variations([])
    if len(distributions) == 1:
        return _Variations(_of_one_system(distributions[0], n_units, exact_scale))
    units_and_draws = zip(units, distributions, strict=True)
    systems = [SystemDraws(system_units, draws) for system_units, draws in units_and_draws]
    variations = []
    n_alike = 0
    for first, second in combinations(systems, 2):
        variation = pair_variation(first, second, exact_scale, fewest_different=least_different(n_units))
        if variation is None:
            n_alike += 1
        else:
            variations.append(variation)
    return _Variations(variations, n_alike)


def _of_one_system(draws: NDArray[np.float64], n_units: int, exact_scale: float | None) -> list[PairVariation]:
    """Return how much the system's difference from another one may vary, by how they may be correlated."""
    error = paired_error(np.zeros(len(draws)), draws)
    if error is None:
        return []
    errors = [error * math.sqrt(2 * (1 - rho)) for rho in CORRELATION]
    return [_variation_by_error(error, n_units, exact_scale) for error in errors]


def _variation_by_error(error: float, n_units: int, exact_scale: float | None) -> PairVariation:
    """Return the variation of two systems that are equally good, as the error of their difference has it."""
    if exact_scale is None:
        return PairVariation(error, n_units)
    # An item's difference is 1 or -1 where one alone is right: of no difference, its variance is the share of those.
    discordant = min(1.0, n_units * (error / exact_scale) ** 2)
    return PairVariation(error, n_units, exact_scale, discordant)


def least_different(n_units: int) -> int:
    """Return in how many units systems must differ at least: in most, where they are few."""
    return min(FEWEST_DIFFERENT, n_units // 2 + 1)


def _least_and_greatest(numbers: Iterable[NumberT | None]) -> tuple[NumberT, NumberT] | None:
    """Return the least and the greatest number; None where there is none, or one is not known."""
    known = []
    for value in numbers:
        if value is None:
            return None
        known.append(value)
    return (min(known), max(known)) if known else None
