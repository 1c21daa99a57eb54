"""Why a prediction has its ROUGE: the n-grams, subsequences or skip-bigrams that it shares with a reference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import and_
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.engine.ragged import TokenBatch
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import MATCH_LEVELS, Matched
from tercet.metric.drawing.parts import Heading, Legend, Line, Part, Sentence, Share, counted
from tercet.metric.drawing.places import Count, Word

from .places import PairOfTexts, Places
from .types import BY_LINE, RougeType

if TYPE_CHECKING:
    from .metric import Rouge


#: Meaning of the levels of the words, by kind.
_HINTS = {
    "n": "in a matched n-gram",
    "L": "in the longest common subsequence",
    "Lsum": "in a longest common subsequence of lines",
    "W": "run of {}",
    "S": "matched skip-bigrams: {}",
    "SU": "matches: {}",
}


@dataclass(frozen=True, slots=True, eq=False)
class TypeMatches:
    """The matching behind one type of ROUGE.

    Attributes
    ----------
    name, kind : str
        As given, such as ``rougeSU4``; n, L, Lsum, W, S or SU.
    reference : int
        Which reference: the best one (by F; with ``compat="rouge155"`` by recall).
    precision, recall, fmeasure : float
        Of the prediction and this reference, from 0 to 1.
    hits, prediction_total, reference_total : float
        What is divided: n-grams, tokens or skip-bigrams; for ROUGE-W weights.
    prediction_words, reference_words : list of Word
        Their level: 1 for a match, the length of the run for ROUGE-W, the number of matches for skip-bigrams.
    counts : list of Count
        The n-grams of the prediction, or the skip-bigrams that match; none for subsequences.
    """

    name: str
    kind: str
    reference: int
    precision: float
    recall: float
    fmeasure: float
    hits: float
    prediction_total: float
    reference_total: float
    prediction_words: list[Word]
    reference_words: list[Word]
    counts: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class RougeMatches(Explanation):
    """The matching behind the ROUGE of one prediction, type by type.

    Attributes
    ----------
    types : list of TypeMatches
    n_references : int
    signature : str
    """

    types: list[TypeMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """Nothing: each type has its own."""
        return Heading("", {})

    def parts(self) -> list[Part]:
        """Return the texts with their matches coloured, type by type."""
        return [part for each in self.types for part in self._section(each)]

    def _section(self, each: TypeMatches) -> list[Part]:
        which = "" if self.n_references == 1 else f" with reference {each.reference + 1} of {self.n_references}"
        hint = _HINTS[each.kind]
        names = [hint] if "{}" not in hint else [hint.format(number) for number in ("1", "2", "3", "4 or more")]
        shares = {"precision": each.precision, "recall": each.recall, "F": each.fmeasure}
        unit = "n-grams of the prediction" if each.kind == "n" else "matched skip-bigrams"
        return [
            Heading(f"{each.name}{which}", {name: Share(value) for name, value in shares.items()}),
            Sentence(
                f"{each.hits:g} of {each.prediction_total:g} in the prediction, of {each.reference_total:g} in the "
                "reference"
            ),
            Legend(names),
            Line("prediction", each.prediction_words, hint),
            Line("reference", each.reference_words, hint),
            *([counted(f"all {unit}", each.counts)] if each.counts else []),
        ]


def explain_batch(scorer: Rouge, batch: Corpus, context: Any = None) -> RougeMatches:
    """Explain a batch of one item."""
    context = scorer.fit(batch) if context is None else context
    tokens, words = scorer.tokens(batch, context)
    plain, plain_words = scorer.tokens(batch, context, as_written=True)
    counter, spelling, written = scorer.counter(tokens), words(), plain_words()
    cut = _shown(tokens, plain, written)
    by_line = cut
    if tokens.cut_by_line is not None and plain.cut_by_line is not None:
        by_line = _shown(tokens.cut_by_line, plain.cut_by_line, written)

    def matches(kind: RougeType) -> TypeMatches:
        counts = counter.count(kind)
        scores, rank = scorer.pair_scores(kind, counts)
        best = int(rank.argmax())
        lines, as_written = by_line if kind.kind in BY_LINE else cut
        left = None
        if lines is not cut[0]:  # a word counts as often as it occurs in the texts truncated as a whole
            left = reduce(and_, (Counter(chain.from_iterable(cut[0][text])) for text in (0, 1 + best)))
        pair = PairOfTexts(lines[0], lines[1 + best], spelling, left)
        places: Places = pair.places(kind, scorer.compat)
        precision, recall, fmeasure = scores[best].tolist()
        return TypeMatches(
            name=kind.name, kind=kind.kind, reference=best,
            precision=precision, recall=recall, fmeasure=fmeasure,
            hits=float(counts.hits[best]),
            prediction_total=float(counts.text_totals[best]), reference_total=float(counts.reference_totals[best]),
            prediction_words=pair.prediction_words(places, as_written[0]),
            reference_words=pair.reference_words(places, as_written[1 + best]),
            counts=places.counts,
        )  # fmt: skip

    return RougeMatches([matches(kind) for kind in scorer.types], len(cut[0]) - 1, str(scorer.signature(context)))


def _shown(
    tokens: TokenBatch, plain: TokenBatch, written: list[str]
) -> tuple[list[list[list[int]]], list[list[str]]]:
    """Return the documents as lines of ids, and the words of each as they were written."""
    return tokens.line_lists(), [[written[i] for i in ids] for ids in plain.tokens.lists()]


def matched(scorer: Rouge, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds the tokens that match: those of the score's own type.

    The score gives the lengths of their runs and the number of their skip-bigrams.
    """
    name = score.removesuffix("_precision").removesuffix("_recall")
    own = scorer.with_options({"rouge_types": [name]}, idle=True)
    if tokenizer is not None and scorer.tokenizer == "auto":  # as chosen for all texts, not for each by itself
        own = own.with_options({"tokenizer": tokenizer}, idle=True)
    return Matched(own, MATCH_LEVELS, lambda found: found.types[0].prediction_words)
