"""chrF (Popovic 2015) and chrF++ (Popovic 2017): F of the n-grams of characters, and of words, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.peers import Peers, by_sacrebleu
from tercet.base.rows import PairRows, as_rows, base_of_pairs, leave_out
from tercet.base.shared_options import shared_labels
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import Crossing, Indices, changed_texts, read_batch, rows_by_engine
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import crossed_matches
from tercet.engine.planned import Entry, TextPlan
from tercet.engine.ragged import TokenBatch, first_greatest
from tercet.errors import OptionError
from tercet.explanation.explanation import CHARACTER_LEVELS, NGRAM_LEVELS, Explanation, Matched
from tercet.explanation.levels import levels_of_pairs, words_of_pairs
from tercet.explanation.matches import Word
from tercet.explanation.parts import Heading, Line, Part, Share, Table, orders_legend, reference_label, score_on_scale
from tercet.option_checks import as_scale, finite, integer, refuse
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The longest n-gram of words.
_LONGEST_OF_WORDS = 10
#: The greatest weight of recall.
_MOST_BETA = 1000

#: The columns of each order of n-grams.
_PARTS = ("prediction", "reference", "matches")


def _check_word_order(value: Any) -> Any:
    """Return an integer, or a tuple of different ones."""
    is_list = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
    # Of a list, which may have no end, at most one more is read than there are orders.
    values = list(islice(value, _LONGEST_OF_WORDS + 2)) if is_list else [value]
    orders = [int(order) for order in values if isinstance(order, Integral) and not isinstance(order, bool)]
    fit = {order for order in orders if 0 <= order <= _LONGEST_OF_WORDS}
    if not values or len(fit) < len(values):
        raise refuse(_WORD_ORDERS)
    return tuple(orders) if is_list else orders[0]


_WORD_ORDERS = f"an integer from 0 to {_LONGEST_OF_WORDS}, or a list of different ones, such as [0, 2]"


def _check_beta(value: Any) -> Any:
    beta = finite(value)
    if beta is None or not 0 <= beta <= _MOST_BETA:
        raise refuse(f"a number from 0 to {_MOST_BETA:,}")
    return int(beta) if beta == int(beta) else beta


#: sacrebleu's defaults are the defaults.
PRESETS: dict[str, dict[str, Any]] = {"sacrebleu": {}}

#: Keys of evaluate's chrf, which calls sacrebleu.
DIALECTS = {
    "sacrebleu": Dialect(
        {"compat": "sacrebleu"},
        keys={"score": "chrf", "char_order": "char_order", "word_order": "word_order", "beta": "beta"},
        left_out=("chrf",),
    ),
}


Array: TypeAlias = "NDArray[np.float64]"


class Chrf(Metric):
    """chrF: the n-grams of characters and words that predictions share with a reference.

    Examples
    --------
    >>> import tercet
    >>> chrf = tercet.Chrf(word_order=2)  # chrF++
    >>> round(chrf(["The cat sat on a mat."], ["The cat sat on the mat."])["chrf"], 1)
    68.4
    """

    # A row holds the base columns and, for each score and each order of characters (c1 to c6) and words (w1, w2),
    # the n-grams of the prediction, those of the reference, and the matches. Of several references it is the one
    # with the greatest F of the item. An order that the reference is too short for does not count in the prediction
    # either.

    name = "chrf_multi"
    about = from_card()
    takes_systems = True
    title = "chrF"
    primary = "chrf"
    original_scale = 100  # of sacrebleu
    presets = PRESETS
    dialects = DIALECTS

    char_order: int = option(
        default=6, doc="The longest n-gram of characters; with 0, words alone count.", check=integer(0, 20)
    )
    word_order: int | Sequence[int] = option(
        default=0,
        doc="The longest n-gram of words. 0 is chrF, 1 chrF+, 2 chrF++. A list such as [0, 2] computes several "
        "scores in one pass. The first is `chrf`, each further one is named by its order, such as `chrf_w2`.",
        check=_check_word_order,
    )
    beta: float = option(default=2, doc="How many times as important recall is as precision.", check=_check_beta)
    lowercase: bool = option(default=False, doc="Lowercase the texts first.")
    whitespace: bool = option(
        default=False,
        doc="Count white space as characters.",
        only_with=OnlyWith(
            "char_order above 0 (compat='sacrebleu' takes it with 0 too, as sacrebleu does)",
            lambda o: o.char_order > 0 or o.compat is not None,
        ),
    )
    eps_smoothing: bool = option(
        default=False,
        doc="Average the F of all orders, as chrF++.py, Moses and NLTK do. An order that a text is too short for "
        "then counts as one without a match. By default F is computed from the averages of precision and recall over "
        "the orders that both texts are long enough for.",
    )
    compat: Literal["sacrebleu"] | None = option(
        default=None,
        doc='The score equals sacrebleu\'s in any case. `load("chrf_multi", "sacrebleu")` sets it too, and then the '
        "result has only the four keys of evaluate's chrf.",
    )
    scale: Literal[1, 100] = option(
        default=100,
        doc="Scores in percent, as sacrebleu and evaluate's chrf print them, or from 0 to 1.",
        check=as_scale,
    )

    def check(self) -> None:
        """Raise an OptionError for n-grams neither of characters nor of words."""
        if self.char_order == 0 and 0 in self.word_orders.values():
            raise OptionError(
                "chrf_multi: with char_order=0 and word_order=0 there is nothing to count. Give word_order=2, or "
                "leave char_order out."
            )

    @cached_property
    def word_orders(self) -> dict[str, int]:
        """The order of words of each score, by its name."""
        if isinstance(self.word_order, int):
            return {"chrf": self.word_order}
        first, *others = self.word_order
        return {"chrf": first, **{f"chrf_w{order}": order for order in others}}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        counts = (
            f"{name}_{order}_{part}" for name in self.word_orders for order in self.orders(name) for part in _PARTS
        )
        return (*self.base_columns, *counts)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Matches are some of the n-grams of either side."""
        orders = (f"{name}_{order}" for name in self.word_orders for order in self.orders(name))
        return tuple((f"{order}_matches", f"{order}_{side}") for order in orders for side in _PARTS[:2])

    @property
    def score_names(self) -> tuple[str, ...]:
        """``chrf``, for the first order of words, and ``chrf_w<order>`` for each further one."""
        return tuple(self.word_orders)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        order = self.word_orders[score]
        if order <= 2:
            return f"{self.title}{'+' * order}"
        return f"{self.title} with {order}-grams of words"

    def orders(self, name: str) -> list[str]:
        """Return the orders of n-grams of a score: c1 to c6 of characters, then w1 on of words."""
        characters = [f"c{n}" for n in range(1, self.char_order + 1)]
        return characters + [f"w{n}" for n in range(1, self.word_orders[name] + 1)]

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        # The names are those of sacrebleu's signature.
        parts = {
            "case": "lc" if self.lowercase else "mixed",
            # The effective order: orders that a text is too short for are left out.
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": tuple(self.word_orders.values()),
            "beta": self.beta,
            "space": self.whitespace,
            **shared_labels(self),
            "equals": "sacrebleu" if self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the characters times the orders times the references."""
        texts = changed_texts(batch, lowercase=self.lowercase)
        rows = rows_by_engine(batch, engine.chrf_rows, texts, *self._settings)
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    @cached_property
    def _settings(self) -> tuple[Any, ...]:
        """What the engine counts."""
        orders = list(self.word_orders.values())
        return self.char_order, orders, self.whitespace, self.beta, self.eps_smoothing

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are split once."""
        reading = "char-and-blank" if self.whitespace else "char"
        characters, _ = tokenize(crossing.batch, reading, lowercase=self.lowercase)
        word_orders = list(self.word_orders.values())
        words: TokenBatch | None = None
        if any(word_orders):
            words, _ = self.words(crossing.batch)

        def rows(texts: Indices, references: Indices) -> Array:
            character_counts = _pair_counts(characters.crossed(texts, references), self.char_order)
            word_counts = None
            if words is not None:
                word_counts = _pair_counts(words.crossed(texts, references), max(word_orders))
            parts = [base_of_pairs(np.repeat(characters.tokens.lengths[texts], len(references)))]
            for order in word_orders:
                parts.append(character_counts)
                if word_counts is not None:
                    parts.append(word_counts[:, : len(_PARTS) * order])
            return np.concatenate(parts, axis=1)

        return rows

    def words(self, batch: Corpus) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the words that are counted, and a callable that gives the different ones by id."""
        return tokenize(batch, "chrf-words", lowercase=self.lowercase)

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step."""
        rules = rules_of_plan(lowercase=self.lowercase)
        char_order, orders, whitespace, beta, eps_smoothing = self._settings
        return engine.chrf_plan(rules, char_order, orders, whitespace, beta, eps_smoothing, self.scale)

    def finalize(self, totals: Array) -> Scores:
        """Return chrF for each order of words."""
        scores = self._scores_of_rows(as_rows(totals, self.columns, by_column=True))
        return {name: values.reshape(totals.shape[:-1]) for name, values in scores.items()}

    def _scores_of_rows(self, rows: Array) -> Scores:
        scores: Scores = {}
        first = len(self.base_columns)
        for name, word_order in self.word_orders.items():
            n_orders = self.char_order + word_order
            scores[name] = engine.f_scores(rows, first, n_orders, self.beta, self.eps_smoothing, self.scale)
            first += n_orders * len(_PARTS)
        return scores

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the scores, and the keys of evaluate's chrf: `score` is `chrf`."""
        scores = self._scores_of_rows(as_rows(totals, self.columns))
        return self._entries([float(values[0]) for values in scores.values()], totals.tolist())

    @cached_property
    def _keys(self) -> list[Entry]:
        """The scores, and the options that evaluate's chrf returns."""
        return [
            *self._score_keys(),
            Entry("score", "score", 0),
            Entry("char_order", "given", self.char_order),
            Entry("word_order", "given", next(iter(self.word_orders.values()))),
            Entry("beta", "given", self.beta),
        ]

    def explained(self, batch: Corpus, context: Any = None) -> ChrfMatches:
        """Explain a batch of one item."""
        prediction, *references = batch.texts.to_pylist()
        pairs = self.segment_stats(read_batch([prediction] * len(references), references))
        by_reference = self.finalize(pairs.rows)
        tokens, spelling = self.words(batch)
        words: list[list[str]] = []
        if any(self.word_orders.values()):
            for ids in tokens.tokens.lists():
                words.append([spelling()[i] for i in ids])
        score_matches = []
        for name, word_order in self.word_orders.items():
            # The reference with the greatest chrF need not have the greatest chrF++.
            best = int(by_reference[name].argmax())
            counts = []
            for order in self.orders(name):
                parts = [int(pairs.column(f"{name}_{order}_{part}")[best]) for part in _PARTS]
                counts.append(OrderCounts(order, *parts))
            texts = [prediction, references[best]]
            characters, reference_characters = _characters(self, texts, texts[::-1])
            prediction_words: list[Word] = []
            reference_words: list[Word] = []
            if word_order:
                sides = [words[0], words[1 + best]]
                prediction_words, reference_words = words_of_pairs(sides, sides[::-1], range(1, word_order + 1))
            score = score_on_scale(float(by_reference[name][best]), self.scale)
            score_matches.append(
                ScoreMatches(
                    name=name,
                    score=score,
                    reference=best,
                    orders=counts,
                    prediction=characters,
                    reference_text=reference_characters,
                    prediction_words=prediction_words,
                    reference_words=reference_words,
                )
            )
        return ChrfMatches(score_matches, len(references), str(self.signature()))

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds matches: of characters, or of words if the score counts no characters."""
        word_order = self.word_orders[score]

        def words(batch: Corpus) -> list[list[Word]]:
            documents = batch.texts.to_pylist()
            text_rows, reference_rows = batch.pairs
            texts = [documents[row] for row in text_rows]
            references = [documents[row] for row in reference_rows]
            scores = self.finalize(self.segment_stats(read_batch(texts, references)).rows)[score]
            best = first_greatest(scores, np.flatnonzero(np.diff(text_rows, prepend=-1)))
            if self.char_order:
                return _characters(self, [texts[pair] for pair in best], [references[pair] for pair in best])
            tokens, spelling = self.words(batch)
            spelled = np.array(spelling(), object)
            words_of_documents = [spelled[ids].tolist() for ids in tokens.tokens.pieces()]
            predictions = [words_of_documents[row] for row in text_rows[best]]
            best_references = [words_of_documents[row] for row in reference_rows[best]]
            return words_of_pairs(predictions, best_references, range(1, word_order + 1))

        levels = CHARACTER_LEVELS[: self.char_order] if self.char_order else NGRAM_LEVELS[:word_order]
        return Matched(levels, words)


def _pair_counts(tokens: TokenBatch, max_order: int) -> Array:
    """Return the columns of each order, of each prediction with each reference of one segment."""
    texts, references = np.split(tokens.tokens.lengths, [tokens.n_items])
    shorter_by = np.arange(max_order)
    counts = np.empty((len(texts), len(references), max_order, len(_PARTS)))
    prediction, reference, matches = range(len(_PARTS))
    counts[..., reference] = np.maximum(references[:, None] - shorter_by, 0)
    # An order that the reference is too short for does not count in the prediction either.
    counts[..., prediction] = np.maximum(texts[:, None, None] - shorter_by, 0) * (counts[..., reference] > 0)
    counts[..., matches] = crossed_matches(tokens.tokens, len(texts), max_order).reshape(counts.shape[:3])
    return counts.reshape(len(texts) * len(references), max_order * len(_PARTS))


# The package that chrF is explained against.


def _metrics(sacrebleu: Any, metric: Any) -> dict[str, Any]:
    options = {
        name: getattr(metric, name) for name in ("char_order", "beta", "lowercase", "whitespace", "eps_smoothing")
    }
    return {name: sacrebleu.CHRF(word_order=order, **options) for name, order in metric.word_orders.items()}


PEERS = Peers(
    packages={"sacrebleu": by_sacrebleu(_metrics)},
    decides={
        "char_order": "the longest n-gram of characters that counts",
        "word_order": "the longest n-gram of words that counts",
        "beta": "the weight of recall in F",
        "lowercase": "whether capitals matter",
        "whitespace": "whether white space counts as characters",
        "eps_smoothing": "whether the F of all orders is averaged, or precision and recall",
    },
)


# Why a prediction has its chrF: the n-grams of characters, and of words, that it shares with its best reference.


@dataclass(frozen=True, slots=True)
class OrderCounts:
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
    def unit(self) -> str:
        """What the n-grams are of: "characters" or "words"."""
        return "characters" if self.name[0] == "c" else "words"

    @property
    def length(self) -> int:
        """How many of these an n-gram has."""
        return int(self.name[1:])

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
    orders : list of OrderCounts
    prediction, reference_text : list of Word
        The characters of the two texts; their level is the longest counted n-gram through them, and 0 for white space
        that does not count.
    prediction_words, reference_words : list of Word
        Likewise for words; empty where they do not count.
    """

    name: str
    score: float
    reference: int
    orders: list[OrderCounts]
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
        return Heading("", {score.name: score.score for score in self.scores})

    @property
    def summary(self) -> str:
        """How many n-grams match: of characters, and of words where they count."""
        # Of several scores, the one with the most orders has the n-grams of all.
        most = max(self.scores, key=lambda score: len(score.orders))
        clauses = []
        for unit in ("characters", "words"):
            orders = [order for order in most.orders if order.unit == unit]
            if orders:
                matches = sum(order.matches for order in orders)
                in_prediction = sum(order.prediction for order in orders)
                in_reference = sum(order.reference for order in orders)
                clauses.append(
                    f"n-grams of {unit} that match: {matches:,} of {in_prediction:,} in the prediction, "
                    f"of {in_reference:,} in the reference"
                )
        return "; ".join(clauses)

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and the counts."""
        return [part for score in self.scores for part in self._section(score)]

    def _section(self, score: ScoreMatches) -> list[Part]:
        n_character_orders = sum(order.unit == "characters" for order in score.orders)
        n_word_orders = len(score.orders) - n_character_orders
        reference_name = reference_label(score.reference, self.n_references)
        parts: list[Part] = [Heading(score.name, {"": score.score})] if len(self.scores) > 1 else []
        if n_character_orders:
            parts.append(orders_legend(n_character_orders, characters=True))
            parts.append(Line("prediction", score.prediction, "{}-gram of characters", spaced=False))
            parts.append(Line(reference_name, score.reference_text, "{}-gram of characters", spaced=False))
        if n_word_orders:
            parts.append(orders_legend(n_word_orders))
            parts.append(Line("words of the prediction", score.prediction_words, "{}-gram"))
            parts.append(Line(f"words of the {reference_name}", score.reference_words, "{}-gram"))
        rows = [
            (
                f"{order.length}-gram of {order.unit}",
                order.matches,
                order.prediction,
                order.reference,
                Share(order.precision),
                Share(order.recall),
            )
            for order in score.orders
        ]
        head = ("order", "matches", "prediction", "reference", "precision", "recall")
        return [*parts, Table("n-grams", head, rows)]


def _characters(options: Chrf, texts: Sequence[str], references: Sequence[str]) -> list[list[Word]]:
    """Return the characters of each text with their levels; white space that does not count has none."""

    def counts(character: str) -> bool:
        return options.whitespace or not character.isspace()

    if options.lowercase:
        texts = list(map(str.lower, texts))
        references = list(map(str.lower, references))
    counted_texts = [list(filter(counts, text)) for text in texts]
    counted_references = [list(filter(counts, text)) for text in references]
    levels = levels_of_pairs(counted_texts, counted_references, range(1, options.char_order + 1))
    word = cache(Word)  # few characters differ
    words_of_texts: list[list[Word]] = []
    for text, levels_of_text in zip(texts, levels, strict=True):
        remaining_levels = iter(levels_of_text)
        words = []
        for character in text:
            level = next(remaining_levels) if counts(character) else 0
            words.append(word(character, level))
        words_of_texts.append(words)
    return words_of_texts
