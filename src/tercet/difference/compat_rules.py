"""Rules of other packages that no single option of a scorer stands for, and scorers that follow some of them.

With ``compat`` a scorer follows all rules of a package at once. To say what each of them does to a score, the scorers
here follow those up to one of them and leave the others off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.bleu.metric import Bleu
from tercet.columns.ragged import TokenBatch
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats
from tercet.rouge.counts import PairCounter, PairCounts
from tercet.rouge.metric import Rouge
from tercet.rouge.package import EPSILON, PACKAGES, PackageCounter
from tercet.rouge.perl import first_words, recall_rank
from tercet.rouge.perl import stemmer as script_stemmer
from tercet.rouge.references import pair_scores
from tercet.rouge.types import BY_LINE, RougeType
from tercet.text.sentences import truncate_words

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CompatRule:
    """A rule of another package: what it decides, from our way to theirs.

    Attributes
    ----------
    applies : callable
        Given the options under ``compat``, whether the rule can change a score at all.
    """

    name: str
    description: str
    ours: str
    theirs: str
    applies: Callable[[Any], bool]


def _has_kind(*kinds: str) -> Callable[[Rouge], bool]:
    return lambda options: any(each.kind in kinds for each in options.types)


def _package_rules(ends: str, subsequence: CompatRule | None) -> tuple[CompatRule, ...]:
    """Return the rules of the packages rouge and rouge_chinese, which share most."""
    rules = (
        CompatRule(
            "sentences", "where sentences end (a blank one counts as an empty word)", "at line ends", ends,
            lambda options: options.tokenizer == "none",
        ),
        CompatRule(
            "repetition", "how often ROUGE-N counts a repeated n-gram", "as often as both have it", "once",
            _has_kind("n"),
        ),
        subsequence,
        CompatRule("1e-8", "what F divides by", "P + R", "P + R + 1e-8", lambda options: True),
    )  # fmt: skip
    return tuple(rule for rule in rules if rule is not None)


#: In the order in which a chain follows them; those that decide tokens first. sacrebleu and rouge_score need none:
#: options reach them.
COMPAT_RULES: dict[str, tuple[CompatRule, ...]] = {
    "evaluate": (
        CompatRule(
            "right end", "whether 13a strips the right end of a text first", "stripped", "as it stands",
            lambda options: options.tokenizer == "13a",
        ),
    ),
    "nltk": (
        CompatRule(
            "zero order", "precision of an order without a match", "0", "the smallest positive float",
            lambda options: options.smooth_method == "none",
        ),
        CompatRule(
            "short texts", "number of n-grams counted for a text shorter than n", "0", "1",
            lambda options: options.smooth_method == "none",  # NLTK's methods bring this rule along
        ),
        CompatRule(
            "last item", "which n-grams the smoothing of the corpus looks at", "of all items", "of the last item",
            lambda options: options.smooth_method in ("nltk5", "nltk6", "nltk7"),
        ),
    ),
    "rouge155": (
        CompatRule(
            "letters", "whether İ and the kelvin sign, which lowercase to i and k, count as letters", "yes", "no",
            lambda options: options.tokenizer == "rouge" and not options.use_stemmer,  # it would bring this along
        ),
        CompatRule(
            "stemmer", "which stemmer -m is", "NLTK's Porter",
            "the script's Porter, irregular forms of WordNet first", lambda options: options.use_stemmer,
        ),
        CompatRule(
            "words", "which words max_words counts", "those between any white space",
            "those between white space of ASCII, and an empty one before a blank that begins a line",
            lambda options: options.max_words is not None,
        ),
        CompatRule(
            "lines", "what ROUGE-L finds subsequences in", "the whole text", "line by line", _has_kind("L"),
        ),
        CompatRule(
            "bytes", "what max_bytes limits for ROUGE-L and W", "the text", "each line by itself",
            lambda options: options.max_bytes is not None and _has_kind(*BY_LINE)(options),
        ),
        CompatRule(
            "last word", "which words ROUGE-SU adds to the pairs", "all", "all but the last", _has_kind("SU"),
        ),
        CompatRule(
            "best reference", "which measure selects the best reference", "F", "recall",
            lambda options: options.multi_ref == "best",
        ),
        CompatRule(
            "average", "what is averaged over references", "scores", "counts, before the ratios are taken",
            lambda options: options.multi_ref == "average",
        ),
        CompatRule(
            "five decimals", "how precision, recall and F are rounded; F is computed from the rounded two",
            "unrounded", "to five decimals", lambda options: options.rounded is not False,
        ),
    ),
    "rouge": _package_rules(
        "at full stops",
        CompatRule(
            "union", "what ROUGE-L counts", "the longest common subsequence of the texts",
            "the different words of those of every two sentences", _has_kind("L"),
        ),
    ),
    "rouge_chinese": _package_rules("at 。！？…… and line ends", None),
}  # fmt: skip


def rules_of(scorer: Scorer) -> tuple[CompatRule, ...]:
    """Return the rules of the scorer's ``compat`` that apply to its other options.

    Examples
    --------
    >>> from tercet.api import make_scorer
    >>> [rule.name for rule in rules_of(make_scorer("bleu_multi", {"compat": "nltk"}))]
    ['zero order', 'short texts']
    >>> rules_of(make_scorer("bleu_multi", {"compat": "sacrebleu"}))
    ()
    """
    return tuple(rule for rule in COMPAT_RULES.get(scorer.compat, ()) if rule.applies(scorer))


def without(scorer: Scorer, off: Collection[str]) -> Scorer:
    """Return a scorer that follows the rules of the given one's ``compat``, but for those named in `off`.

    Rules that decide tokens or come first of all cannot be left off: chains begin with them.
    """
    if not off:
        return scorer
    kind: Any = _PartOfNltk
    given = dict(scorer.given)
    if not isinstance(scorer, Bleu):
        kind = _PartOfPackage if getattr(scorer, "compat", None) in PACKAGES else _PartOfScript
        if kind is _PartOfScript and given.pop("use_stemmer", False):
            given["stemmer"] = script_stemmer()
    part: Scorer = kind.made(given, idle=True)
    part._off = off
    part.check()
    return part


class _PartOfNltk(Bleu):
    """BLEU under ``compat="nltk"`` without some of its rules."""

    _off: Collection[str]

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums that the score is made from, with all items' n-grams or none for short texts."""
        totals = stats.total() if "last item" in self._off else super().corpus_totals(stats)
        if "short texts" in self._off:
            for order in range(1, self.max_order + 1):
                totals[self.columns.index(f"floor{order}")] = totals[self.columns.index(f"total{order}")]
        return totals


class _PartOfScript(Rouge):
    """ROUGE under ``compat="rouge155"`` without some of its rules; figures are never rounded."""

    _off: Collection[str]

    def check(self) -> None:
        """Take the rules that are off into account."""
        super().check()
        self._by_script = "average" not in self._off
        self._cut_by_line &= "bytes" not in self._off
        self._cut = truncate_words if "words" in self._off else first_words

    def counter(self, tokens: TokenBatch) -> PairCounter:
        """Return what counts, by the script for the types whose rule is on."""
        kinds = {kind for rule, kind in (("lines", "L"), ("last word", "SU")) if rule not in self._off}
        types = self.types
        return _MixedCounter(tokens, types, kinds, PairCounter(tokens, types, True))

    def pair_scores(self, kind: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return the scores of each pair, and by what its best reference is chosen."""
        scores = pair_scores(counts, self.beta, alpha=self.alpha)
        if "best reference" in self._off:
            return scores, scores[:, 2]
        return scores, recall_rank(kind.kind, counts)


class _PartOfPackage(Rouge):
    """ROUGE under ``compat="rouge"`` or ``"rouge_chinese"`` without some of its rules."""

    _off: Collection[str]

    def counter(self, tokens: TokenBatch) -> PairCounter:
        """Return what counts, by the package for the types whose rule is on."""
        kinds = {kind for rule, kind in (("repetition", "n"), ("union", "L")) if rule not in self._off}
        return _MixedCounter(tokens, self.types, kinds, super().counter(tokens))

    def pair_scores(self, kind: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return the scores of each pair, and by what its best reference is chosen."""
        scores = pair_scores(counts, self.beta, 0.0 if "1e-8" in self._off else EPSILON)
        return scores, scores[:, 2]


class _MixedCounter(PairCounter):
    """Counts as another implementation for some kinds of types, as Lin 2004 for the others."""

    def __init__(
        self,
        tokens: TokenBatch,
        types: tuple[RougeType, ...],
        kinds: Collection[str],
        theirs: PairCounter | PackageCounter,
    ) -> None:
        super().__init__(tokens, types, False)
        self._kinds = kinds
        self._theirs = theirs

    def count(self, kind: RougeType) -> PairCounts:
        """Return the counts of one type."""
        return self._theirs.count(kind) if kind.kind in self._kinds else super().count(kind)
