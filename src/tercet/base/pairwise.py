"""Many against many: the score of each hypothesis against each reference, in blocks that bound the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import ceil, isqrt
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_texts
from tercet.corpus.reading import Crossing, Indices
from tercet.errors import OptionError
from tercet.threads import in_threads

from .definition import MetricDefinition
from .scoring import warn_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Of a block: most pairs, and most texts and characters of a side (but one text at least).
PAIRS = 1 << 15
TEXTS = 1 << 10
CHARACTERS = 1 << 17


def pair_scores(metric: MetricDefinition, hypotheses: Any, references: Any) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not metric.takes_references:
        raise OptionError(f"{metric.name} scores texts without references: there are no pairs to compare.")
    hypothesis_texts = _encoded_texts(metric, hypotheses, "hypotheses")
    reference_texts = hypothesis_texts if references is None else _encoded_texts(metric, references, "references")
    if not hypothesis_texts or not reference_texts:
        return np.zeros((len(hypothesis_texts), len(reference_texts)))
    context = metric.fit(Corpus(hypothesis_texts[:1] * len(reference_texts), reference_texts))
    warn_of(metric, metric.corpus_warning(context))
    crossing = Crossing.of(hypothesis_texts, reference_texts)
    rows_of = metric.pair_rows(crossing, context)
    scores_of = metric.segment_metric.finalize
    # repeats are scored once: candidates that a model samples are often equal
    distinct_texts, row_of = _distinct(crossing.hypotheses)
    distinct_references, column_of = _distinct(crossing.references)
    scores = np.empty((len(distinct_texts), len(distinct_references)))

    def fill(block: tuple[slice, slice]) -> None:
        of_texts, of_references = block
        rows = rows_of(distinct_texts[of_texts], distinct_references[of_references])
        primary_scores = np.asarray(scores_of(rows)[metric.primary])
        scores[block] = primary_scores.reshape(scores[block].shape)

    n_jobs = 1 if metric.loads_model else metric.asked.n_jobs  # a network has threads of its own
    blocks = list(_blocks(crossing.strings, distinct_texts, distinct_references, n_jobs))
    for _ in in_threads(fill, blocks, n_jobs):
        pass
    if scores.shape == (len(hypothesis_texts), len(reference_texts)):
        return scores
    return scores[np.ix_(row_of, column_of)]


def _distinct(texts: Indices) -> tuple[Indices, Indices]:
    """Return the different ones in the order in which they first come, and which of them each is."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts.tolist()))}
    return np.array(list(numbers), np.int64), np.array([numbers[text] for text in texts.tolist()], np.int64)


def _encoded_texts(metric: MetricDefinition, values: Any, name: str) -> list[str]:
    """Return a user's texts, as scored; InputError names the first that is none, or cannot be encoded."""
    strings = metric.as_scored(read_texts(values, name)).encoded().strings
    assert strings is not None
    return strings[0]


def _blocks(strings: list[str], texts: Indices, references: Indices, n_jobs: int) -> Iterable[tuple[slice, slice]]:
    """Return blocks of pairs, as square as can be: there the work that each text takes is shared by most pairs."""
    # Where there are few rows, a block has more columns than a square has.
    most_columns = min(TEXTS, max(isqrt(PAIRS), PAIRS // len(texts)))
    columns_used = min(most_columns, len(references))
    share_of_thread = ceil(len(texts) / n_jobs)
    most_rows = min(TEXTS, PAIRS // columns_used, share_of_thread)
    rows = _spans([len(strings[text]) for text in texts.tolist()], most_rows)
    columns = _spans([len(strings[text]) for text in references.tolist()], most_columns)
    return product(rows, columns)


def _spans(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices of at most so many texts, of `CHARACTERS` together (but one text at least)."""
    start = 0
    total = 0
    for text, size in enumerate(sizes):
        if text > start and (text - start == most or total + size > CHARACTERS):
            yield slice(start, text)
            start = text
            total = 0
        total += size
    yield slice(start, len(sizes))
