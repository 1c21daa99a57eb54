"""How p is adjusted for looking often at a model that is trained, and how small it can be then."""

from __future__ import annotations

import math

from tercet.errors import word_after
from tercet.statistics.paired_tests import least_pvalue

#: Below which p, adjusted for how often was looked, a checkpoint is better than another.
ALPHA = 0.05
#: Draws of a test: more of them at later looks, whose p is multiplied by more, until they take a second or two.
_FEWEST_RESAMPLES = 10_000
_MOST_RESAMPLES = 100_000


def cost_of_looking(look: int) -> float:
    """Return by what p is multiplied at a look, from 1: the sum of what is divided by it is 1 over all looks."""
    return (math.pi * look) ** 2 / 6


def resamples_at(look: int) -> int:
    """Return so many resamples that their least p is a fifth of the level at a look, up to the most."""
    wanted = math.ceil(5 * cost_of_looking(look) / ALPHA)
    return min(max(wanted, _FEWEST_RESAMPLES), _MOST_RESAMPLES)


def can_be_significant(look: int, n_texts: int) -> bool:
    """Return whether the test of so many texts could find a difference at a look, were it equal in each."""
    # In units of the root mean square of the draws, such a difference is the root of the number of texts.
    bound = 2 * math.exp(-n_texts / 2)
    least = max(least_pvalue(n_texts), min(1 / (resamples_at(look) + 1), bound))
    return least * cost_of_looking(look) < ALPHA


def too_few_texts(look: int, n_texts: int) -> str:
    """Return that there are too few texts for any difference to be significant; "" where there are enough."""
    if can_be_significant(look, n_texts):
        return ""
    return f"{n_texts} {word_after(n_texts, 'text is', 'texts are')} too few to show any difference"
