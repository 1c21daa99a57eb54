"""What a user is told about the BLEU of a corpus: what it means, why it is 0, why it has no interval."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

#: Bands of the AutoML Translation documentation, by the BLEU in percent that each starts at; a rough guide, for one
#: language and test set.
BANDS = (
    (0, "0-10: almost useless"),
    (10, "10-20: hard to get the gist"),
    (20, "20-30: the gist is clear, but has significant grammatical errors"),
    (30, "30-40: understandable to good translations"),
    (40, "40-50: high quality translations"),
    (50, "50-60: very high quality, adequate and fluent translations"),
    (60, "over 60: quality often better than human"),
)
_STARTS = [start for start, _ in BANDS]


def interpretation(percent: float) -> str:
    """Return the interpretation of a BLEU in percent.

    Scores of different languages or test sets cannot be compared, and so neither can their bands.
    """
    band = bisect_right(_STARTS, percent) - 1
    _, meaning = BANDS[band]
    return meaning


#: The smoothing of the package being reproduced.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place of "
        "the corpus, and a resampled corpus has no last item. To smooth over the corpus, leave out compat='nltk' and "
        "give tokenizer='none'; or smooth with 'nltk1' to 'nltk4'."
    )


def zero_warning(
    matches: Sequence[float],
    ngrams: Sequence[float],
    weighted: Sequence[Any],
    effective: bool,
    compat: str | None,
    smoothed: bool = False,
) -> str | None:
    """Return why the BLEU of a corpus is 0 although words match, and how to avoid that; None if it is not 0.

    The sequences have a value for each order: its matches, its n-grams, and whether it has a weight. `smoothed` says
    whether orders without a match are smoothed.
    """
    if matches[0] == 0:
        return None
    unmatched: list[int] = []
    unreached: list[int] = []
    for order, (has_weight, n_matches, n_ngrams) in enumerate(zip(weighted, matches, ngrams, strict=True), start=1):
        if not has_weight:
            continue
        if n_ngrams == 0 and not effective:
            unreached.append(order)
        if n_ngrams > 0 and n_matches == 0 and not smoothed:
            unmatched.append(order)
    if not unmatched and not unreached:
        return None

    lowest = min(unmatched + unreached)
    if lowest in unmatched:
        reason = f"no n-gram of order {lowest} matches"
    else:
        reason = f"the texts are short in tokens: no prediction has an n-gram of order {lowest}"

    remedies: list[str] = []
    if compat in _SMOOTHING and not smoothed:
        # It also gives a score to orders that no prediction reaches.
        remedies.append(_SMOOTHING[compat])
    else:
        if unmatched:
            remedies.append("smooth_method='exp'")
        if unreached:
            remedies.append("effective_order=True")

    zero = "next to 0" if compat == "nltk" else "0"
    return (
        f"BLEU is {zero} only because {reason} (of order 1, {matches[0]:.0f} of "
        f"{ngrams[0]:.0f} match). {' with '.join(remedies)} gives such a corpus a nonzero score."
    )
