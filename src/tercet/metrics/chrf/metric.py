"""chrF (Popovic 2015) and chrF++ (Popovic 2017): F of the n-grams of characters, and of words, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import as_scale, finite, integer, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.texts import lowered, of_texts
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import crossed_matches
from tercet.engine.ragged import TokenBatch
from tercet.errors import OptionError
from tercet.metric.dialect import Dialect
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.rows import PairRows, base_of_pairs, left_out
from tercet.metric.scorer import Scores
from tercet.signature import Signature
from tercet.statistics.either import as_floats
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import PARTS, explain_batch, matched

#: The longest n-gram of words, and the greatest weight of recall.
LONGEST_OF_WORDS, MOST_BETA = 10, 1000


def _check_word_order(value: Any) -> Any:
    """Return an integer, or a tuple of different ones."""
    several = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
    given = list(islice(value, LONGEST_OF_WORDS + 2)) if several else [value]
    orders = [int(each) for each in given if isinstance(each, Integral) and not isinstance(each, bool)]
    fit = {order for order in orders if 0 <= order <= LONGEST_OF_WORDS}
    if not given or len(fit) < len(given):
        raise refuse(_WORD_ORDERS)
    return tuple(orders) if several else orders[0]


_WORD_ORDERS = f"an integer from 0 to {LONGEST_OF_WORDS}, or a list of different ones, such as [0, 2]"


def _check_beta(value: Any) -> Any:
    real = finite(value)
    if real is None or not 0 <= real <= MOST_BETA:
        raise refuse(f"a number from 0 to {MOST_BETA:,}")
    return int(real) if real == int(real) else real


#: sacrebleu's defaults are the defaults.
PRESETS: dict[str, dict[str, Any]] = {"sacrebleu": {}}

#: Keys of evaluate's chrf, which calls sacrebleu.
DIALECTS = {
    "sacrebleu": Dialect(
        {"compat": "sacrebleu"}, keys={name: name for name in ("score", "char_order", "word_order", "beta")},
        left_out=("chrf",),
    ),
}  # fmt: skip


Array = NDArray[np.float64]


def _pair_counts(tokens: TokenBatch, max_order: int) -> Array:
    """Return the columns of each order, of each prediction with each reference of one segment."""
    texts, references = np.split(tokens.tokens.lengths, [tokens.n_items])
    less = np.arange(max_order)
    counts = np.empty((len(texts), len(references), max_order, len(PARTS)))
    counts[..., 1] = np.maximum(references[:, None] - less, 0)
    counts[..., 0] = np.maximum(texts[:, None, None] - less, 0) * (counts[..., 1] > 0)
    counts[..., 2] = crossed_matches(tokens.tokens, len(texts), max_order).reshape(counts.shape[:3])
    return counts.reshape(len(texts) * len(references), max_order * len(PARTS))


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
    short = "chrf"
    about = ABOUT
    takes_systems = True
    title = "chrF"
    primary = "chrf"
    original_scale = 100  # of sacrebleu
    in_floats = True
    presets = PRESETS
    dialects = DIALECTS
    replaces = (("chrf", "sacrebleu"),)

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

    @classmethod
    def known_as(cls, name: str) -> str | None:
        """Return a hint for a user who takes chrF++ for a metric of its own."""
        if name.lower() in ("chrf++", "chrfpp", "chrf_pp", "chrf_plus_plus"):
            return "It is chrf with word_order=2, as in chrf:word_order=2."
        return super().known_as(name)

    @cached_property
    def word_orders(self) -> dict[str, int]:
        """The order of words of each score, by its name."""
        orders = [self.word_order] if isinstance(self.word_order, int) else self.word_order
        return {"chrf" if place == 0 else f"chrf_w{order}": order for place, order in enumerate(orders)}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return (*self.base_columns, *(
            f"{name}_{order}_{part}" for name in self.word_orders for order in self.orders(name) for part in PARTS
        ))  # fmt: skip

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Matches are some of the n-grams of either side."""
        orders = (f"{name}_{order}" for name in self.word_orders for order in self.orders(name))
        return tuple((f"{order}_matches", f"{order}_{side}") for order in orders for side in PARTS[:2])

    @property
    def score_names(self) -> tuple[str, ...]:
        """``chrf``, for the first order of words, and ``chrf_w<order>`` for each further one."""
        return tuple(self.word_orders)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        order = self.word_orders[score]
        return f"{self.title}{'+' * order}" if order <= 2 else f"{self.title} with {order}-grams of words"

    def orders(self, name: str) -> list[str]:
        """Return the orders of n-grams of a score: c1 to c6 of characters, then w1 on of words."""
        characters = [f"c{n}" for n in range(1, self.char_order + 1)]
        return characters + [f"w{n}" for n in range(1, self.word_orders[name] + 1)]

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        parts = {  # by the names of sacrebleu's signature
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": tuple(self.word_orders.values()),
            "beta": self.beta,
            "space": self.whitespace,
            "missing": None if self.missing_references == "error" else self.missing_references,
            "equals": "sacrebleu" if self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the characters times the orders times the references."""
        texts, orders = lowered(batch) if self.lowercase else batch, [*self.word_orders.values()]
        settings = (self.char_order, orders, self.whitespace, self.beta, self.eps_smoothing)
        rows = of_texts(texts, engine.chrf_rows, *settings)
        if self.missing_references == "skip" and not batch.one_each:
            rows[left_out(rows), len(self.base_columns) :] = 0.0
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are split once."""
        reading, word_orders = "char-and-blank" if self.whitespace else "char", [*self.word_orders.values()]
        characters, _ = tokenize(crossing.batch, reading, lowercase=self.lowercase)
        words = self.words(crossing.batch)[0] if any(word_orders) else None

        def rows(texts: Places, references: Places) -> Array:
            of_characters = _pair_counts(characters.crossed(texts, references), self.char_order)
            crossed = [] if words is None else [words.crossed(texts, references)]
            of_words = [_pair_counts(each, max(word_orders)) for each in crossed]
            parts = [base_of_pairs(np.repeat(characters.tokens.lengths[texts], len(references)))]
            for order in word_orders:
                parts += [of_characters, *(each[:, : len(PARTS) * order] for each in of_words)]
            return np.concatenate(parts, axis=1)

        return rows

    def words(self, batch: Corpus) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the words that are counted, and a callable that gives the different ones by id."""
        return tokenize(batch, "chrf-words", lowercase=self.lowercase)

    def finalize(self, totals: Any) -> Scores:
        """Return chrF for each order of words."""
        first = len(self.base_columns)
        rows = np.array(totals, np.float64, order="C", ndmin=2).reshape(-1, len(self.columns))
        scores: dict[str, Any] = {}
        for name, word_order in self.word_orders.items():
            n_orders = self.char_order + word_order
            values = engine.f_scores(rows, first, n_orders, self.beta, self.eps_smoothing, self.scale)
            scores[name] = float(values[0]) if isinstance(totals, list) else values.reshape(totals.shape[:-1])
            first += n_orders * len(PARTS)
        return scores

    def report(self, totals: Any, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the scores, and the keys of evaluate's chrf: `score` is `chrf`."""
        scores, order = self.finalize(as_floats(totals)), next(iter(self.word_orders.values()))
        kept = {"score": scores["chrf"], "char_order": self.char_order, "word_order": order, "beta": self.beta}
        return {**scores, **kept}

    explained = explain_batch
    matched = matched
