"""Drop-in for ``nltk.translate.bleu_score``."""

from __future__ import annotations

import fractions
import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple

import numpy as np

from tercet.base.short_road import scored_by_plan
from tercet.corpus.corpus import Corpus
from tercet.engine.chosen import engine
from tercet.engine.plain_bleu import CLOSEST, FIRST_MATCH, LENGTH, REFERENCES
from tercet.errors import InputError, shorten, warn, word_after
from tercet.metrics.bleu.metric import Bleu

from .tokens import token_texts

Tokens = Sequence[Hashable]
#: Of each order: fractions.
Precisions = Sequence[Any]

_UNIFORM = (0.25, 0.25, 0.25, 0.25)

_NO_MATCH = (
    "\nThe hypothesis contains 0 counts of {}-gram overlaps.\nTherefore the BLEU score evaluates to 0, independently "
    "of\nhow many N-gram overlaps of lower order it contains.\nConsider using lower n-gram order or use "
    "SmoothingFunction()"
)


class Fraction(fractions.Fraction):
    """A precision whose numerator and denominator are counts: 2/4 does not become 1/2."""

    _counts: tuple[int, int]

    def __new__(cls, numerator: int = 0, denominator: int = 1) -> Fraction:  # noqa: D102
        fraction = super().__new__(cls, numerator, denominator)
        fraction._counts = numerator, denominator
        return fraction

    @property
    def numerator(self) -> int:
        """Matches."""
        return self._counts[0]

    @property
    def denominator(self) -> int:
        """N-grams, at least 1 for each text."""
        return self._counts[1]


def sentence_bleu(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Any = _UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any:
    """Return the BLEU of one list of tokens, or a list with one for each of several weightings.

    Parameters, warnings and errors as for :func:`corpus_bleu`.

    Examples
    --------
    >>> reference, hypothesis = "the cat is on the mat".split(), "the cat sat on the mat".split()
    >>> sentence_bleu([reference], hypothesis, weights=(0.5, 0.5))
    0.7071067811865476
    >>> sentence_bleu([reference], hypothesis, smoothing_function=SmoothingFunction().method1)
    0.25406637407730737
    """
    return corpus_bleu(
        [references],
        [hypothesis],
        weights=weights,
        smoothing_function=smoothing_function,
        auto_reweigh=auto_reweigh,
    )


def corpus_bleu(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Any = _UNIFORM,
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any:
    """Return the BLEU of a corpus, or a list with one for each of several weightings.

    Parameters
    ----------
    list_of_references : sequence
        A list of references, each a list of tokens, for each hypothesis.
    hypotheses : sequence
        Lists of tokens.
    weights : sequence of float or sequence of such sequences
        Weights of the n-gram orders.
    smoothing_function : callable, optional
        A method of :class:`SmoothingFunction`, or a function with its arguments.
    auto_reweigh : bool
        With fewer than four tokens in all and the default weights, use as many orders as there are tokens.

    Warns
    -----
    UserWarning
        If an order without a match makes BLEU 0, and if all texts are strings, whose tokens are their characters.

    Raises
    ------
    AssertionError
        For unequal numbers of hypotheses and lists of references.
    InputError
        For an empty corpus, for a hypothesis without reference, and for a string instead of a list of references,
        or beside lists of words.
    """
    if len(list_of_references) != len(hypotheses):
        lists = word_after(len(list_of_references), "list", "lists")
        n_hypotheses = word_after(len(hypotheses), "1 hypothesis", f"{len(hypotheses)} hypotheses")
        raise AssertionError(
            f"Expected one list of references for each hypothesis, got {len(list_of_references)} {lists} for "
            f"{n_hypotheses}."
        )
    # Columns of pandas count from any label, and lists from 0.
    reference_lists = list(list_of_references)
    token_lists = list(hypotheses)
    _check_tokens(reference_lists, token_lists)
    # One weighting, or a list of them?
    weightings = weights
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weightings = [weights]
    counts = _count(reference_lists, token_lists, max(map(len, weightings)))
    # As NLTK: without a word in common the score is 0, an integer, whatever the smoothing.
    scores: list[float] = [0] * len(weightings)
    if counts.matches[0]:
        smooth = smoothing_function or SmoothingFunction().method0
        p_n = smooth(
            list(map(Fraction, counts.matches, counts.ngrams)),
            references=reference_lists[-1],
            hypothesis=token_lists[-1],
            hyp_len=counts.length,
        )
        for number, weighting in enumerate(weightings):
            if auto_reweigh and counts.length < 4 and weighting == _UNIFORM:
                weighting = (1 / counts.length,) * counts.length
            logs = (weight * math.log(p) for weight, p in zip(weighting, p_n, strict=False) if p > 0)
            penalty = brevity_penalty(counts.reference_length, counts.length)
            scores[number] = penalty * math.exp(math.fsum(logs))
    if len(scores) == 1:
        return scores[0]
    return scores


def modified_precision(references: Sequence[Tokens], hypothesis: Tokens, n: int) -> Fraction:
    """Return the clipped precision of the n-grams of one order."""
    counts = _count([references], [hypothesis], n)
    return Fraction(counts.matches[-1], counts.ngrams[-1])


def closest_ref_length(references: Sequence[Tokens], hyp_len: int) -> int:
    """Return the length of the reference that is closest to a length, the shorter one of two."""
    return min(map(len, references), key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: int, hyp_len: int) -> float:
    """Return the brevity penalty of two lengths."""
    if hyp_len > closest_ref_len:
        return 1
    return math.exp(1 - closest_ref_len / hyp_len) if hyp_len else 0


class SmoothingFunction:
    """The smoothing methods of NLTK, to be given to :func:`sentence_bleu` and :func:`corpus_bleu`.

    Parameters
    ----------
    epsilon : float
        Of ``method1``.
    alpha : float
        Of ``method6``.
    k : float
        Of ``method4`` and ``method7``.
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Precisions, *args: Any, **kwargs: Any) -> list[float]:
        """Take the smallest normal float for an order without a match, with a warning."""
        for order, p in enumerate(p_n, 1):
            if p.numerator == 0:
                warn(_NO_MATCH.format(order))
        return _smooth("nltk0", p_n)

    def method1(self, p_n: Precisions, *args: Any, **kwargs: Any) -> list[float]:
        """Add epsilon to the matches of an order without any."""
        return _smooth("nltk1", p_n, self.epsilon)

    def method2(self, p_n: Precisions, *args: Any, **kwargs: Any) -> list[float]:
        """Add 1 to the matches and n-grams of every order but the first."""
        return _smooth("nltk2", p_n)

    def method3(self, p_n: Precisions, *args: Any, **kwargs: Any) -> list[float]:
        """Take 1/2, 1/4, 1/8 ... matches for the orders without any."""
        return _smooth("nltk3", p_n)

    def method4(
        self, p_n: Precisions, references: Any, hypothesis: Tokens, hyp_len: int | None = None, **kwargs: Any
    ) -> list[float]:
        """Do as ``method3``, with less for short hypotheses."""
        return _smooth("nltk4", p_n, self.k, hyp_len or len(hypothesis))

    def method5(
        self, p_n: Precisions, references: Any, hypothesis: Tokens, hyp_len: int | None = None, **kwargs: Any
    ) -> list[float]:
        """Average the precisions of neighbouring orders."""
        return _smooth("nltk5", p_n, above=modified_precision(references, hypothesis, 5))

    def method6(
        self, p_n: Precisions, references: Any, hypothesis: Tokens, hyp_len: int | None = None, **kwargs: Any
    ) -> list[float]:
        """Interpolate with the precision that those of the two orders below predict."""
        if not p_n[2]:
            raise AssertionError("This smoothing method requires non-zero precision for bigrams.")
        totals = [max(0, len(hypothesis) - order) for order in range(len(p_n))]
        return _smooth("nltk6", p_n, self.alpha, ngrams=totals)

    def method7(
        self, p_n: Precisions, references: Any, hypothesis: Tokens, hyp_len: int | None = None, **kwargs: Any
    ) -> list[float]:
        """Do ``method4``, then ``method5``."""
        above = modified_precision(references, hypothesis, 5)
        return _smooth("nltk7", p_n, self.k, hyp_len or len(hypothesis), above=above)


def _smooth(
    method: str,
    p_n: Precisions,
    value: float = 0.0,
    length: int = 0,
    ngrams: Sequence[int] | None = None,
    above: Fraction = Fraction(0),  # noqa: B008  nothing changes it
) -> list[float]:
    """Smooth by the suite's method; `ngrams` and `above` are of the last hypothesis, the only one that NLTK shows."""
    if not p_n:
        if method in ("nltk5", "nltk7"):  # their means begin with the first
            raise IndexError("index 0 is out of bounds for axis 0 with size 0")
        return []
    matches = [p.numerator for p in p_n]
    denominators = [p.denominator for p in p_n]
    totals = denominators if ngrams is None else ngrams
    # Division by 0 is to be an error, and not infinity: with k=0, and with alpha=0 for a short hypothesis.
    if method in ("nltk4", "nltk7") and value == 0:
        raise FloatingPointError("divide by zero encountered in divide")
    if method == "nltk6":
        for n_matches, total in zip(matches[2:], totals[2:], strict=True):
            if total + value == 0:
                kind = "divide by zero" if n_matches else "invalid value"
                raise FloatingPointError(f"{kind} encountered in scalar divide")
    columns = [*matches, *totals, *denominators, above.numerator, above.denominator]
    row = np.zeros(FIRST_MATCH + len(columns))
    row[REFERENCES] = 1
    row[LENGTH] = length
    row[FIRST_MATCH:] = columns
    n_orders = len(p_n)
    precisions = engine.nltk_precisions(row[np.newaxis], CLOSEST, method, value, n_orders)
    smoothed: list[float] = precisions[0, :n_orders].tolist()
    return smoothed


@lru_cache
def _bleu(max_order: int) -> Bleu:
    return Bleu(compat="nltk", max_order=max_order)


class _Counts(NamedTuple):
    """What BLEU is computed from."""

    matches: list[int]  # of each order
    ngrams: list[int]  # of each order, at least 1 for each text
    length: int
    reference_length: int


def _count(list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], max_order: int) -> _Counts:
    """Return the counts of a corpus, up to the longest n-grams asked for."""
    documents = [*hypotheses, *chain.from_iterable(list_of_references)]
    texts = _join_words(documents) or token_texts(documents)
    n_hypotheses = len(hypotheses)
    predictions = texts[:n_hypotheses]
    references = texts[n_hypotheses:]
    metric = _bleu(max_order)
    items: list[Any] = references
    if len(references) != n_hypotheses:
        remaining = iter(references)
        items = [list(islice(remaining, len(entries))) for entries in list_of_references]
    scored = scored_by_plan(metric, predictions, items)
    if scored is not None:
        sums = scored.sums
    else:
        offsets = np.array([0, *accumulate(map(len, list_of_references))])
        sums = metric.segment_stats(Corpus(predictions, references, offsets)).total().tolist()
    columns = list(map(int, sums))
    first_divisor = FIRST_MATCH + 2 * max_order
    return _Counts(
        matches=columns[FIRST_MATCH : FIRST_MATCH + max_order],
        ngrams=columns[first_divisor : first_divisor + max_order],
        length=columns[LENGTH],
        reference_length=columns[CLOSEST],
    )


def _join_words(documents: list[Tokens]) -> list[str] | None:
    """Return the tokens of each document, if all are words of ASCII, with a blank between them; None for all else."""
    texts = []
    for tokens in documents:
        if type(tokens) is not list or not engine.all_strings(tokens) or not all(tokens):
            return None
        letters = "".join(tokens)
        if not letters.isascii() or letters.split() != [letters]:
            return None
        texts.append(" ".join(tokens))
    return texts


def _check_tokens(list_of_references: Sequence[Any], hypotheses: Sequence[Any]) -> None:
    """Refuse what has no score, and strings beside lists of words, whose characters NLTK would take for tokens."""
    if not len(hypotheses):
        raise InputError("The corpus is empty: there must be at least one hypothesis.")
    characters = False
    for item, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses, strict=True)):
        if isinstance(references, str) or not len(references):
            raise InputError(
                f"The references of item {item} must be a list of at least one reference, each a list of tokens. Got "
                f"{shorten(references)} instead."
            )
        strings = []
        token_lists = []
        for text in (hypothesis, *references):
            if isinstance(text, str):
                strings.append(text)
            else:
                token_lists.append(text)
        words = chain.from_iterable(token_lists)
        if strings and any(isinstance(token, str) and len(token) > 1 for token in words):
            raise InputError(
                f"item {item} has lists of words and the string {shorten(strings[0])}, whose tokens would be its "
                "characters: give a list of words for the hypothesis, and a list of such lists for its references."
            )
        characters = characters or bool(strings)
    if characters:
        warn(
            "The tokens of a string are its characters, as in NLTK. To compare words, split the texts, as in "
            "text.split()."
        )
