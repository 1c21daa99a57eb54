"""Why the BLEU of a corpus is 0 although words match: an order of n-grams has no match, or no n-gram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .options import ADD_ONE
from .row import BleuRow
from .weightings import Weightings

#: The smoothing of the package being reproduced.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


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


class WhyZero:
    """Finds in the sums of a corpus what makes its BLEU 0, by the options of a metric, a Bleu."""

    def __init__(self, bleu: Any, row: BleuRow, weightings: Weightings) -> None:
        self._compat = bleu.compat
        self._leaves_out_unreached = bleu.effective_order
        self._matches = row.matches
        self._ngrams = row.ngrams
        self._is_smoothed = _is_smoothed(bleu)
        #: The columns in which a sum of 0 may be what makes the score 0.
        self.watched = _columns_to_watch(bleu, row)
        #: Whether an order has a weight, in the named weightings if there are any.
        self._has_weight = _weighted_orders(bleu, weightings)

    def orders(self, sums: list[float]) -> ZeroOrders | None:
        """Return the orders that make the score 0 although words match; None where there are none."""
        # The check that is fast comes first: most corpora match, or at least have, n-grams of every order.
        if 0.0 not in sums[self.watched]:
            return None
        matches = sums[self._matches]
        ngrams = sums[self._ngrams]
        if matches[0] == 0:
            return None
        unmatched: list[int] = []
        unreached: list[int] = []
        of_orders = zip(self._has_weight, matches, ngrams, strict=True)
        for order, (has_weight, n_matches, n_ngrams) in enumerate(of_orders, start=1):
            if not has_weight:
                continue
            if n_ngrams == 0 and not self._leaves_out_unreached:
                unreached.append(order)
            if n_ngrams > 0 and n_matches == 0 and not self._is_smoothed:
                unmatched.append(order)
        if not unmatched and not unreached:
            return None
        return ZeroOrders(unmatched, unreached, matches[0], ngrams[0])

    def warning(self, sums: list[float]) -> str | None:
        """Return why the score is 0 although words match, and how to avoid that; None where it is not."""
        zero = self.orders(sums)
        if zero is None:
            return None
        remedies: list[str] = []
        if self._compat in _SMOOTHING and not self._is_smoothed:
            # It also gives a score to orders that no prediction reaches.
            remedies.append(_SMOOTHING[self._compat])
        else:
            if zero.unmatched:
                remedies.append("smooth_method='exp'")
            if zero.unreached:
                remedies.append("effective_order=True")
        called = "next to 0" if self._compat == "nltk" else "0"
        of_words = f"of order 1, {zero.n_matches:.0f} of {zero.n_words:.0f} match"
        return (
            f"BLEU is {called} only because {zero.reason} ({of_words}). {' with '.join(remedies)} gives such a "
            "corpus a nonzero score."
        )


def _is_smoothed(bleu: Any) -> bool:
    """Return whether orders without a match are smoothed: a smooth_value of 0 adds nothing."""
    if bleu.method in ("floor", "add-k"):
        return bool(bleu.smooth_value != 0)
    return bool(bleu.method != "none")


def _columns_to_watch(bleu: Any, row: BleuRow) -> slice:
    if not _is_smoothed(bleu):
        return row.matches
    smooths_unreached = bleu.method in (ADD_ONE, "add-k") or bleu.scores_like_nltk
    if smooths_unreached:
        return slice(0)  # no column
    # "exp" and "floor" do not smooth an order without n-grams.
    return row.ngrams


def _weighted_orders(bleu: Any, weightings: Weightings) -> list[bool]:
    of_scores = list(weightings.values())
    if isinstance(bleu.weights, Mapping):
        of_scores = of_scores[1:]  # the first one is uniform: `bleu`, which is scored besides the named ones
    return [any(weights) for weights in zip(*of_scores, strict=True)]
