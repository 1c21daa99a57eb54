"""What a user is told about the BLEU of a corpus: what it means, why it is 0, why it has no interval."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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


def line_of_sacrebleu(report: Mapping[str, Any], scale: float) -> str:
    """Return what a result says besides its score, as sacrebleu prints it, in percent."""
    percent = 100 / scale
    precisions = "/".join(f"{percent * precision:.1f}" for precision in report["precisions"])
    return (
        f"BLEU = {percent * report['bleu']:.1f} {precisions} "
        f"(BP = {report['brevity_penalty']:.3f} ratio = {report['length_ratio']:.3f} "
        f"hyp_len = {report['translation_length']} ref_len = {report['reference_length']:g})"
    )


#: The smoothing of the package being reproduced.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place of "
        "the corpus, and a resampled corpus has no last item. To smooth over the corpus, leave out compat='nltk' and "
        "give tokenizer='none'; or smooth with 'nltk1' to 'nltk4'."
    )


class ZeroOrders(NamedTuple):
    """Orders of n-grams that make the BLEU of a corpus 0 although words match."""

    #: Of which n-grams none matches.
    unmatched: list[int]
    #: Of which no prediction has n-grams.
    unreached: list[int]
    #: Of order 1: how many n-grams match, and how many there are.
    n_matches: float
    n_words: float

    @property
    def reason(self) -> str:
        """Why the BLEU is 0."""
        lowest = min(self.unmatched + self.unreached)
        if lowest in self.unmatched:
            return f"no n-gram of order {lowest} matches"
        return f"the texts are short in tokens: no prediction has an n-gram of order {lowest}"


def zero_orders(
    matches: Sequence[float], ngrams: Sequence[float], weighted: Sequence[bool], effective: bool, smoothed: bool
) -> ZeroOrders | None:
    """Return the orders that make the BLEU of a corpus 0 although words match; None where there are none.

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
    return ZeroOrders(unmatched, unreached, matches[0], ngrams[0])


def zero_warning(zero: ZeroOrders, compat: str | None, smoothed: bool) -> str:
    """Return why the BLEU of a corpus is 0 although words match, and how to avoid that."""
    remedies: list[str] = []
    if compat in _SMOOTHING and not smoothed:
        # It also gives a score to orders that no prediction reaches.
        remedies.append(_SMOOTHING[compat])
    else:
        if zero.unmatched:
            remedies.append("smooth_method='exp'")
        if zero.unreached:
            remedies.append("effective_order=True")
    called = "next to 0" if compat == "nltk" else "0"
    of_words = f"of order 1, {zero.n_matches:.0f} of {zero.n_words:.0f} match"
    return (
        f"BLEU is {called} only because {zero.reason} ({of_words}). {' with '.join(remedies)} gives such a corpus a "
        "nonzero score."
    )
