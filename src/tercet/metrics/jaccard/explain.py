"""Why a prediction has its Jaccard similarity: which units (tokens or n-grams) occur in both texts, or in one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import MATCH_LEVELS, Matched
from tercet.metric.drawing.parts import Heading, Legend, Line, Part, Sentence, Share, counted
from tercet.metric.drawing.places import Count, Ids, Word, ngram_levels, ngrams, words_of

if TYPE_CHECKING:
    from .metric import Jaccard, Splits


Units = Counter[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class VariantMatches:
    """The intersection of a prediction and its most similar reference, by one variant.

    Attributes
    ----------
    name : str
        The key of its score.
    reference : int
        Index of the most similar reference, also where ``multi_ref`` takes the average of all.
    score : float
        Of this reference, from 0 to 1.
    shared, either : int
        Sizes of intersection and union.
    prediction, reference_words : list of Word
        The tokens; their level is 1 within a shared unit.
    units : list of Count
        All units (tokens or n-grams) of both texts, those of the prediction first.
    """

    name: str
    reference: int
    score: float
    shared: int
    either: int
    prediction: list[Word]
    reference_words: list[Word]
    units: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class JaccardMatches(Explanation):
    """The matching behind the Jaccard similarity of one prediction, variant by variant.

    Attributes
    ----------
    variants : list of VariantMatches
        The options of the call first.
    n_references : int
    signature : str
    """

    variants: list[VariantMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """What it is; each variant has its score."""
        return Heading("Jaccard similarity", {})

    def parts(self) -> list[Part]:
        """Return the texts with shared units in colour, variant by variant."""
        return [part for each in self.variants for part in self._section(each)]

    def _section(self, each: VariantMatches) -> list[Part]:
        which = "" if self.n_references == 1 else f" with reference {each.reference + 1} of {self.n_references}"
        return [
            Heading(f"{each.name}{which}", {"": Share(each.score)}),
            Sentence(f"in both texts: {each.shared:,}; in either: {each.either:,}"),
            Legend(["in both texts"]),
            Line("prediction", each.prediction, "in both texts"),
            Line("reference", each.reference_words, "in both texts"),
            counted("all that was compared", each.units),
        ]


def explain_batch(scorer: Jaccard, batch: Corpus, context: Any = None) -> JaccardMatches:
    """Explain a batch of one item."""
    splits: Splits = {}
    found = [_matches(scorer, batch, name, splits) for name in scorer.by_name]
    return JaccardMatches(found, int(batch.reference_counts[0]), str(scorer.signature()))


def _matches(scorer: Jaccard, batch: Corpus, name: str, splits: Splits) -> VariantMatches:
    variant = scorer.by_name[name]
    tokens, words = scorer.tokens(batch, variant, splits)
    plain, plain_words = scorer.tokens(batch, variant, splits, as_written=True)
    overlaps = scorer.overlaps(variant, tokens)
    best = int(overlaps.scores.argmax())
    spelling, written = words(), plain_words()
    texts, as_written = tokens.tokens.lists(), plain.tokens.lists()

    def units(ids: Ids) -> Units:
        found = Counter(ngrams(ids, variant.ngram))
        return found if variant.multiset else Counter(dict.fromkeys(found, 1))

    def marked(document: int, other: int) -> list[Word]:
        ids, limits = texts[document], units(texts[other])
        if not variant.multiset:  # a unit is in the set wherever it occurs
            limits = Counter(dict.fromkeys(limits, len(ids)))
        levels = [int(level > 0) for level in ngram_levels(ids, {variant.ngram: limits})]
        return words_of([spelling[i] for i in ids], levels, [written[i] for i in as_written[document]])

    mine, theirs = units(texts[0]), units(texts[1 + best])
    return VariantMatches(
        name=name,
        reference=best,
        score=float(overlaps.scores[best]),
        shared=int(overlaps.shared[best]),
        either=int(overlaps.either[best]),
        prediction=marked(0, 1 + best),
        reference_words=marked(1 + best, 0),
        units=[Count(" ".join(spelling[i] for i in unit), mine[unit], theirs[unit]) for unit in mine | theirs],
    )


def matched(scorer: Jaccard, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds the tokens that match: those of the score's own variant."""
    name = score.removesuffix("_micro")
    return Matched(
        scorer, MATCH_LEVELS, lambda found: next(each.prediction for each in found.variants if each.name == name)
    )
