"""What a plan says in words: of each score how many segments it needs, and where that is from."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tercet.comparison.notes.smallest_differences import chances
from tercet.comparison.values.design import unit_of
from tercet.comparison.wording.decimals import between, figures, in_two_digits
from tercet.names_as_shown import Name, Sentence, counted, listed
from tercet.statistics.intervals import FEWEST_UNITS
from tercet.statistics.power import MANY
from tercet.test_sets.test_set import TestSet

from .segments_needed import CORRELATION, Aim, ScorePlan, least_different

_WHY_CORRELATION = (
    "10th to 90th percentile of its 120 pairs of systems: BLEU 0.58 to 0.80, chrF 0.65 to 0.82, ROUGE-L 0.69 to 0.85"
)


def plan_sentences(test_set: TestSet, aim: Aim, scores: Sequence[ScorePlan]) -> list[Sentence]:
    """Return what a plan says."""
    unit = unit_of(test_set)
    sentences = [_sentence_of(score, aim, test_set) for score in scores]
    known = [score for score in scores if score.is_known]
    if any(score.n_units < MANY for score in known):
        few = f"With fewer than {MANY} {unit}s, how much scores vary is itself uncertain"
        sentences.append((f"{few}: take this as a guess.",))
    if known:
        sentences.append(_source(list(test_set.systems), aim, unit))
    return sentences


def _sentence_of(score: ScorePlan, aim: Aim, test_set: TestSet) -> Sentence:
    """Return how many units a score needs, and what those of the test set show."""
    unit = unit_of(test_set)
    title = Name(score.title)
    if not score.is_known:
        return (title, f": how many {unit}s show a difference is not known, as {_why_unknown(score, unit)}.")
    opening = f"To see a difference of {aim.difference:g} "
    chance = f" ({chances(aim.power, aim.alpha)})"
    ending = f": {_units_needed(score, unit)}. {_units_here(score)}{_pairs_left_out(score, unit)}"
    clusters = test_set.clusters
    if clusters is None or not clusters.name:
        return (opening, title, f"{chance}{ending}")
    return (opening, title, f"{chance}, by ", Name(clusters.name), ending)


def _why_unknown(score: ScorePlan, unit: str) -> str:
    """Return why it is not known how much a score varies."""
    if score.n_units < FEWEST_UNITS:
        return f"{counted(score.n_units, unit)} cannot tell how much scores vary"
    if score.standard_error is not None:
        return "resamples of this set score NaN, not a number"
    if score.n_alike:
        return f"no two systems differ in {least_different(score.n_units)} {unit}s or more"
    return "the score does not vary"


def _units_needed(score: ScorePlan, unit: str) -> str:
    """Return how many units show the difference, and of how many segments, and what that depends on."""
    needed = f"more {unit}s than can be counted"
    size = score.n_segments / score.n_units
    if score.needed is not None:
        needed = f"about {_rounded_range(score.needed)} {unit}s"
        if round(size) > 1:
            segments = _rounded_range([math.ceil(count * size) for count in score.needed])
            needed += f" of about {size:.0f} segments ({segments} segments)"
    if score.n_pairs != 1:
        on_what = "the systems" if score.n_pairs else "how alike the other system is"
        needed += f", depending on {on_what}"
    if score.as_segments is not None:
        needed += f"; as single segments it would look like {_rounded_range(score.as_segments)}"
    return needed


def _units_here(score: ScorePlan) -> str:
    """Return which differences the units of the test set show."""
    if score.smallest is None:
        return f"This set has {score.n_units:,}, too few for any difference to be significant."
    smallest = between(score.smallest, lambda difference: figures(difference, score.digits))
    return f"This set has {score.n_units:,}, which show {smallest} or more."


def _pairs_left_out(score: ScorePlan, unit: str) -> str:
    """Return how many pairs of systems are too alike to tell; "" for none."""
    if not score.n_alike:
        return ""
    pairs = counted(score.n_alike, "pair of systems differs", "pairs differ")
    return f" {pairs} in fewer than {least_different(score.n_units)} {unit}s, and did not count."


def _source(systems: Sequence[str], aim: Aim, unit: str) -> Sentence:
    """Return where the figures are from."""
    resamples = f"over {aim.n_resamples:,} resamples of {unit}s (seed {aim.seed})"
    if len(systems) == 1:
        low, high = CORRELATION
        return (
            "A rough estimate: with one system, ",
            Name(systems[0]),
            f", there is no difference to resample. It is from how its score varies {resamples}, where the "
            f"resampled scores of another system are taken to correlate with its own by {low:g} to {high:g}, as "
            f"those of most systems of newstest2017 do ({_WHY_CORRELATION}).",
        )
    if len(systems) == 2:
        return (
            "An estimate, from how the difference of ",
            *listed(systems),
            f" varies {resamples}, not from how large it is.",
        )
    return (
        f"An estimate, from how the differences of all pairs of {len(systems)} systems vary {resamples}, not "
        "from how large they are.",
    )


def _rounded_range(counts: Sequence[int]) -> str:
    return between(counts, in_two_digits)
