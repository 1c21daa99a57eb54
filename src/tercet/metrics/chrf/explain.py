"""Why a prediction has its chrF: the n-grams of characters, and of words, that it shares with its best reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import read_batch
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import NGRAM_LEVELS, Matched
from tercet.metric.drawing.parts import Heading, Line, Part, Share, Table, orders_legend
from tercet.metric.drawing.places import Word, ngram_levels, ngram_limits
from tercet.metric.drawing.words_html import reference_label

if TYPE_CHECKING:
    from .metric import Chrf

#: The columns of each order.
PARTS = ("prediction", "reference", "matches")


@dataclass(frozen=True, slots=True)
class OrderMatches:
    """The counts of one order of n-grams.

    Attributes
    ----------
    name : str
        "c1" to "c6" for characters, "w1" on for words.
    prediction, reference, matches : int
        N-grams of the prediction, of the reference, and those that both have.
    """

    name: str
    prediction: int
    reference: int
    matches: int

    @property
    def precision(self) -> float:
        """Matches of the prediction's n-grams; 0 where it has none."""
        return self.matches / self.prediction if self.prediction else 0.0

    @property
    def recall(self) -> float:
        """Matches of the reference's n-grams; 0 where it has none."""
        return self.matches / self.reference if self.reference else 0.0


@dataclass(frozen=True, slots=True)
class ScoreMatches:
    """The matching behind one score.

    Attributes
    ----------
    name : str
        The key of the score.
    score : float
        Of this prediction alone, on the scale of the options: from 0 to 100, unless ``scale=1`` was given.
    reference : int
        Index of the reference with the greatest F.
    orders : list of OrderMatches
    prediction, reference_text : list of Word
        The characters of the two texts; their level is the longest counted n-gram through them, and 0 for white space
        that does not count.
    prediction_words, reference_words : list of Word
        Likewise for words; empty where they do not count.
    """

    name: str
    score: float
    reference: int
    orders: list[OrderMatches]
    prediction: list[Word]
    reference_text: list[Word]
    prediction_words: list[Word]
    reference_words: list[Word]


@dataclass(frozen=True, slots=True, eq=False)
class ChrfMatches(Explanation):
    """The matching behind the chrF of one prediction.

    Attributes
    ----------
    scores : list of ScoreMatches
        One for each requested order of words.
    n_references : int
    signature : str
    """

    scores: list[ScoreMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """The scores."""
        return Heading("", {each.name: Share(each.score) for each in self.scores})

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and the counts."""
        return [part for each in self.scores for part in self._section(each)]

    def _section(self, each: ScoreMatches) -> list[Part]:
        of_characters = sum(order.name.startswith("c") for order in each.orders)
        which = reference_label(each.reference, self.n_references)
        parts: list[Part] = [Heading(each.name, {"": Share(each.score)})] if len(self.scores) > 1 else []
        parts.append(orders_legend(max(of_characters, len(each.orders) - of_characters)))
        if of_characters:
            parts.append(Line("prediction", each.prediction, "{}-gram", spaced=False))
            parts.append(Line(which, each.reference_text, "{}-gram", spaced=False))
        if len(each.orders) > of_characters:
            parts.append(Line("words of the prediction", each.prediction_words, "{}-gram"))
            parts.append(Line(f"words of the {which}", each.reference_words, "{}-gram"))
        rows = [
            (_spelled(n.name), n.matches, n.prediction, n.reference, Share(n.precision), Share(n.recall))
            for n in each.orders
        ]
        head = ("order", "matches", "prediction", "reference", "precision", "recall")
        return [*parts, Table("n-grams", head, rows)]


def _spelled(order: str) -> str:
    return f"{order[1:]}-gram of {'characters' if order[0] == 'c' else 'words'}"


def explain_batch(scorer: Chrf, batch: Corpus, context: Any = None) -> ChrfMatches:
    """Explain a batch of one item."""
    prediction, *references = batch.texts.to_pylist()
    pairs = scorer.segment_stats(read_batch([prediction] * len(references), references))
    by_reference = scorer.finalize(pairs.rows)
    tokens, spelling = scorer.words(batch)
    words = (
        [[spelling()[i] for i in ids] for ids in tokens.tokens.lists()] if any(scorer.word_orders.values()) else []
    )
    found = []
    for name, word_order in scorer.word_orders.items():
        best = int(by_reference[name].argmax())
        counts = [
            OrderMatches(order, *(int(pairs.column(f"{name}_{order}_{part}")[best]) for part in PARTS))
            for order in scorer.orders(name)
        ]
        shown, wanted = _characters(scorer, prediction, references[best])
        own, others = _words(words[0], words[1 + best], word_order) if word_order else ([], [])
        score = float(by_reference[name][best])
        found.append(ScoreMatches(name, score, best, counts, shown, wanted, own, others))
    return ChrfMatches(found, len(references), str(scorer.signature()))


def _characters(options: Chrf, prediction: str, reference: str) -> tuple[list[Word], list[Word]]:
    """Return the characters of both texts with their levels; white space that does not count has none."""
    texts = [text.lower() if options.lowercase else text for text in (prediction, reference)]
    counted = [[ord(each) for each in text if options.whitespace or not each.isspace()] for text in texts]
    orders = range(1, options.char_order + 1)
    sides = []
    for text, own, other in zip(texts, counted, counted[::-1], strict=True):
        levels = iter(ngram_levels(own, ngram_limits([other], orders)))
        sides.append([
            Word(each, next(levels) if options.whitespace or not each.isspace() else 0) for each in text
        ])  # fmt: skip
    return sides[0], sides[1]


def _words(prediction: list[str], reference: list[str], order: int) -> tuple[list[Word], list[Word]]:
    """Return the words of both texts with their levels."""
    numbers = {word: number for number, word in enumerate({*prediction, *reference})}
    texts = prediction, reference
    sides = []
    for text, other in zip(texts, texts[::-1], strict=True):
        limits = ngram_limits([[numbers[word] for word in other]], range(1, order + 1))
        levels = ngram_levels([numbers[word] for word in text], limits)
        sides.append([Word(word, level) for word, level in zip(text, levels, strict=True)])
    return sides[0], sides[1]


def matched(scorer: Chrf, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matches: of characters, or of words if the score counts no characters."""
    of_characters = scorer.char_order > 0
    levels = NGRAM_LEVELS[: scorer.char_order or scorer.word_orders[score]]

    def words(found: ChrfMatches) -> list[Word]:
        own = next(each for each in found.scores if each.name == score)
        return own.prediction if of_characters else own.prediction_words

    return Matched(scorer, levels, words)
