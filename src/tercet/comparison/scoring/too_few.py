"""Why no difference of a score could be significant, however large: too few units, or too few resamples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tercet.comparison.inputs.settings import RESAMPLES
from tercet.comparison.values.design import Design
from tercet.errors import argument_set
from tercet.names_as_shown import counted
from tercet.option_checks import MOST_RESAMPLES
from tercet.statistics.inference import Inference
from tercet.statistics.kinds_of_tests import TestKind


def why_too_few(design: Design, pvalues: NDArray[np.float64], n_units: int, inference: Inference) -> str | None:
    """Return why no difference of a score could be significant, by its p of all pairs; None if one could, or one is.

    Holm multiplies the least p by the number of pairs; the step-down maximum does not.
    """
    test = inference.test
    if test is None:
        return None
    # The bootstrap test calls many equal systems different where no test of exchanges could.
    may_err = test.errs_more and 2.0 ** (1 - n_units) >= design.alpha
    if may_err:
        units = counted(n_units, design.unit)
        return f"Too few {design.unit}s for any test: with {units}, chance alone may favour one system in all."
    if (pvalues < design.alpha).any():
        return None
    n_pairs = 1
    adjusted = ""
    if inference.adjust == "holm" and len(design.systems) > 2:
        n_pairs = design.n_pairs
        adjusted = f", adjusted for {n_pairs:,} pairs of systems"
    too_few_units = _too_few_units(design, test, n_units, n_pairs, adjusted)
    if too_few_units is not None:
        return too_few_units
    return _too_few_resamples(design, test, n_pairs, adjusted)


def _too_few_units(design: Design, test: TestKind, n_units: int, n_pairs: int, adjusted: str) -> str | None:
    """Return that p of so many units is always too large; None if it is not.

    Of the 2ⁿ permutations of n segments, two (none and all exchanged) differ by as much as the systems do.
    """
    least = n_pairs * 2.0 ** (1 - n_units)
    if not test.exchanges or least < design.alpha:
        return None
    bound = "always 1" if least >= 1 else f"{least:.3g} or more"
    if test.is_resampled and not test.resamples(n_units, design.n_resamples or 0).are_all and least < 1:
        # Chance decides how often these two permutations are drawn.
        bound = f"about {bound}"
    return f"Too few {design.unit}s for any test: with {counted(n_units, design.unit)}{adjusted}, p is {bound}."


def _too_few_resamples(design: Design, test: TestKind, n_pairs: int, adjusted: str) -> str | None:
    """Return that p of so many resamples is always too large; None if it is not.

    The observed difference counts as one of the resamples.
    """
    n_resamples = design.n_resamples or 0
    least = n_pairs / (n_resamples + 1)
    if not test.is_resampled or least < design.alpha:
        return None
    enough = max(RESAMPLES[test.name], math.floor(n_pairs / design.alpha))
    resamples = counted(n_resamples, "resample")
    advice = f"{argument_set('n_resamples', enough)} would do."
    if enough > MOST_RESAMPLES:
        fewer_systems = " or fewer systems" if n_pairs > 1 else ""
        advice = (
            f"{MOST_RESAMPLES:,}, the most there can be, are too few as well: a greater alpha"
            f"{fewer_systems} would do."
        )
    return (
        f"Too few resamples to tell systems apart: with {resamples}{adjusted}, p is at least {min(1, least):.3g}. "
        f"{advice}"
    )
