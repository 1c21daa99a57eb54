"""What a text repeats of itself: its n-grams that occur more than once, where they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.corpus.corpus import Corpus
from tercet.corpus.tokenizers import tokenize
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.parts import Heading, Line, Part, Sentence, Share, Table, orders_legend
from tercet.metric.drawing.places import Word, ngram_levels, ngrams, words_of

if TYPE_CHECKING:
    from .metric import Diversity
    from .sets import Sets


@dataclass(frozen=True, slots=True)
class Repeated:
    """An n-gram that a text has more than once.

    Attributes
    ----------
    text : str
        Its tokens, joined by blanks.
    count : int
        How often it occurs.
    """

    text: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Repetitions(Explanation):
    """What one text repeats of itself.

    Attributes
    ----------
    prediction : list of Word
        The tokens; the level of each is the longest n-gram through it that the text has more than once.
    repeated : list of Repeated
        These n-grams, the longest first, then those that occur most often.
    scores : dict of str to float
        Of a set of this text alone: ``distinct_1`` and so on, ``mattr``, ``rep_1`` and so on.
    signature : str
    """

    prediction: list[Word]
    repeated: list[Repeated]
    scores: dict[str, float]
    signature: str

    @property
    def title(self) -> Heading:
        """What it is."""
        return Heading("What the text repeats of itself", {})

    def parts(self) -> list[Part]:
        """Return the text in colour, its scores, and a table of what it repeats."""
        rows = [(each.text, each.count) for each in self.repeated]
        return [
            orders_legend(sum(name.startswith("rep_") for name in self.scores)),
            Sentence("Diversity is that of a set of texts; of one text, what it repeats is shown."),
            Line("text", self.prediction, "repeated {}-gram"),
            Table("", ("measure", "score"), [(name, Share(score)) for name, score in self.scores.items()]),
            *([Table("repeated", ("tokens", "times"), rows)] if rows else []),
        ]


def explain_batch(scorer: Diversity, batch: Corpus, context: Sets | None = None) -> Repetitions:
    """Explain a batch of one text, which nothing else of its set changes."""
    tokens, words = tokenize(batch, scorer.tokenizer, lowercase=scorer.lowercase)
    spelling, ids = words(), tokens.tokens.lists()[0]
    limits, repeated = {}, []
    for order in range(scorer.max_order, 0, -1):
        found = Counter(ngrams(ids, order))
        limits[order] = Counter({ngram: count for ngram, count in found.items() if count > 1})
        for ngram, count in limits[order].most_common():
            repeated.append(Repeated(" ".join(spelling[each] for each in ngram), count))
    stats = scorer.segment_stats(batch)
    scores = scorer.finalize(scorer.corpus_totals(stats))
    shown = {name: float(value) for name, value in scores.items() if name.startswith(("distinct", "mattr", "rep"))}
    spelled = [spelling[each] for each in ids]
    levels = ngram_levels(ids, limits)
    return Repetitions(words_of(spelled, levels, spelled), repeated, shown, str(stats.signature))
