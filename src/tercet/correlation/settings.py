"""The settings of `correlate`: their checks, and options of the command, are made from these."""

from __future__ import annotations

from typing import Literal

from tercet.base.options import option
from tercet.comparison.inputs.settings import Settings
from tercet.option_checks import MOST_RESAMPLES, integer

Ties = Literal["scored", "exact"]
Unit = Literal["items", "systems", "both"]

#: Permutations of the tests of metrics, by default.
PERMUTATIONS = 1_000


class CorrelateSettings(Settings):
    """What `correlate` takes besides texts, metrics and grades."""

    unit: Unit = option(default="items", doc="Unit that the intervals resample.")
    n_resamples: int = option(default=1000, check=integer(1, MOST_RESAMPLES), doc="Resamples of the intervals.")
    n_permutations: int = option(
        default=PERMUTATIONS, check=integer(1, MOST_RESAMPLES), doc="Permutations of the tests."
    )
    ties: Ties = option(
        default="scored",
        doc="When two scores of a metric tie: if equal to the last bit (scored), or to 12 significant digits "
        "(exact).",
    )
    standardize: bool = option(default=False, doc="Use the z-scores of each rater.")
