"""Plans in plain Python: what a metric asks of the engine, put together once, and then one call for lists of texts.

A plan reads the lists, counts, adds up the rows and applies the formula, by the functions of the other files; what is
odd about the texts it does not judge, but returns what shows it. Where they are not lists or tuples of strings with
references, or are many, it returns None, and the long road (`base/scoring.py`) reads them: it has all messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np

from .plain_bleu import bleu_rows, bleu_scores
from .plain_chrf import chrf_rows, f_scores
from .plain_rouge import item_means, rouge_rows
from .plain_rows import gleu_rows, gleu_scores
from .plain_sums import sum_rows
from .plain_ter import ter_rows, ter_scores
from .plain_text import LoneSurrogateError, TooMuchMemoryError, is_plain, letters, lowered, paired_strings
from .plain_wer import error_rates, error_rows
from .planned import Scored, TextRules

#: The columns that all rows begin with.
_BASE = 4
#: The columns of an order of chrF.
_PARTS = 3

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


class UncountedError(Exception):
    """Texts are so long that ROUGE has no table for W, or for Lsum: see :func:`.plain_rouge.rouge_rows`."""


class Plan:
    """What is counted in texts, and what the counts become."""

    def __init__(
        self, rules: TextRules, rows_of: Callable[..., Array], scores_of: Callable[[Array], Array],
        choose_reading: Callable[[Any], tuple[Any, ...]] = lambda counted: (),
    ) -> None:  # fmt: skip
        # Rows are made of texts, and of what `choose_reading` returns of their letters: a reading, of ROUGE alone.
        self._rules = rules
        self._rows_of = rows_of
        self._scores_of = scores_of
        self._choose_reading = choose_reading

    def score(self, predictions: Any, references: Any, each: bool = False) -> Scored | None:
        """Return the score of predictions against references; with `each`, that of each item too."""
        if type(predictions) not in (list, tuple) or type(references) not in (list, tuple):
            return None
        if not 0 < len(predictions) <= self._rules.most_items:
            return None
        # It is enough to look at the first: `paired_strings` refuses strings among lists.
        if self._rules.only_strings and not (references and type(references[0]) is str):
            return None
        strings = paired_strings(predictions, references)
        if strings is None:
            return None
        texts, flat, ends = strings
        n_references = [1]  # of each item
        if ends is not None:
            n_references = [end - start for start, end in pairwise(ends)]
        if 0 in n_references:
            return None
        both = texts + flat
        ascii_without_marks = is_plain(both, self._rules.marks)
        has_few_references = max(n_references) < self._rules.fewest_odd_references
        is_few = len(texts) < self._rules.fewest_odd_items and has_few_references
        may_be_odd = not (ascii_without_marks and is_few)
        try:
            # Only letters beyond ASCII choose a reading. Texts about which nothing can be odd have none to count.
            counted = letters(flat) if self._rules.count_letters and may_be_odd else None
            read = lowered(both) if self._rules.lowercase else both
            offsets = None if ends is None else np.array(ends)
            rows = self._rows_of(read, len(texts), offsets, *self._choose_reading(counted))
        except (LoneSurrogateError, TooMuchMemoryError, UncountedError):
            return None
        sums = sum_rows(rows)
        (scores,) = self._scores_of(sums[None]).tolist()  # the sums are a table of one row
        scores_of_items = None
        if each:
            scores_of_items = self._scores_of(rows).T.tolist()  # a list for each score
        return Scored(
            texts=both,
            n=len(texts),
            ends=ends,
            fewest=min(n_references),
            most=max(n_references),
            sums=sums.tolist(),
            scores=scores,
            scores_of_items=scores_of_items,
            ascii_without_marks=ascii_without_marks,
            needs_look=may_be_odd or 0.0 in sums[self._rules.watched],
            letters=counted,
        )


def bleu_plan(
    rules: TextRules, reading: str, max_order: int, divisors: bool, next_order: bool, formula: Sequence[Any]
) -> Plan:
    """Return the plan that counts by :func:`.plain_bleu.bleu_rows`, and scores by :func:`.plain_bleu.bleu_scores`.

    `formula` is what the latter takes besides rows.
    """
    length_column, method, smooth_value, effective, weights, scale = formula
    rows_of = partial(bleu_rows, reading=reading, max_order=max_order, divisors=divisors, next_order=next_order)
    weights_of_orders = np.array(weights)

    def scores_of(rows: Array) -> Array:
        return bleu_scores(rows, length_column, method, smooth_value, effective, weights_of_orders, scale)

    return Plan(rules, rows_of, scores_of)


def rouge_plan(
    rules: TextRules, reading: str | None, types: Sequence[tuple[str, float]], beta: float, porter: bool,
    scale: float, means: Sequence[int],
) -> Plan:  # fmt: skip
    """Return what :func:`.plain_rouge.rouge_rows` counts; its scores are `means` of :func:`.plain_rouge.item_means`.

    Without a reading, the letters choose it: "unicode", in lower case, where more of them are beyond ASCII than in
    it, else "rouge". With the type W there must be one reference each: which of several is the best one is known only
    when roots are taken, after all are counted.
    """

    def rows_of(read: list[str], n: int, offsets: NDArray[np.int64] | None, chosen: str) -> Array:
        was_chosen_by_letters = reading is None
        if was_chosen_by_letters and chosen == "unicode":
            read = lowered(read)  # "rouge" lowers texts itself
        rows, _, uncounted = rouge_rows(read, n, offsets, chosen, types, beta, False, porter=porter)
        if uncounted:
            raise UncountedError
        return rows

    def choose(counted: tuple[int, int, int, int] | None) -> tuple[str]:
        if reading is not None:
            return (reading,)
        of_ascii, others, _, _ = counted or (0, 0, 0, 0)
        return ("unicode",) if others > of_ascii else ("rouge",)

    if reading is None and not rules.count_letters:
        raise ValueError("letters that choose the reading must be counted")
    if any(name == "W" for name, _ in types) and not rules.only_strings:
        raise ValueError("the type W takes texts with one reference each")
    return Plan(rules, rows_of, lambda rows: item_means(rows, scale)[:, means], choose)


def chrf_plan(
    rules: TextRules, char_order: int, word_orders: list[int], whitespace: bool, beta: float, eps_smoothing: bool,
    scale: float,
) -> Plan:  # fmt: skip
    """Return what :func:`.plain_chrf.chrf_rows` and :func:`.plain_chrf.f_scores` do, a score an order of words."""

    def rows_of(read: list[str], n: int, offsets: NDArray[np.int64] | None) -> Array:
        return chrf_rows(read, n, offsets, char_order, word_orders, whitespace, beta, eps_smoothing)

    def scores_of(rows: Array) -> Array:
        columns = []
        first = _BASE
        for order in word_orders:
            n_orders = char_order + order
            columns.append(f_scores(rows, first, n_orders, beta, eps_smoothing, scale))
            first += _PARTS * n_orders
        return np.stack(columns, axis=1)

    return Plan(rules, rows_of, scores_of)


def error_plan(rules: TextRules, reading: str, with_characters: bool, scale: float) -> Plan:
    """Return what :func:`.plain_wer.error_rows` and :func:`.plain_wer.error_rates` do."""
    rows_of = partial(error_rows, reading=reading, with_characters=with_characters)
    return Plan(rules, rows_of, partial(error_rates, scale=scale))


def ter_plan(rules: TextRules, scale: float) -> Plan:
    """Return what :func:`.plain_ter.ter_rows` and :func:`.plain_ter.ter_scores` do."""
    # One score: a table of one column.
    return Plan(rules, ter_rows, lambda rows: ter_scores(rows, scale)[:, None])


def gleu_plan(rules: TextRules, reading: str, min_order: int, max_order: int, scale: float) -> Plan:
    """Return what :func:`.plain_rows.gleu_rows` and :func:`.plain_rows.gleu_scores` do."""
    rows_of = partial(gleu_rows, reading=reading, min_order=min_order, max_order=max_order)
    return Plan(rules, rows_of, lambda rows: gleu_scores(rows, scale)[:, None])
