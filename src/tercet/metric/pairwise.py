"""Many against many: the score of each hypothesis against each reference, in blocks that bound the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.items import read_texts
from tercet.errors import OptionError

from .scorer import Scorer
from .scoring import warn

#: Of a block: most pairs, and most texts and characters of a side (but one text at least).
PAIRS, TEXTS, CHARACTERS = 1 << 15, 1 << 10, 1 << 17


def pair_scores(scorer: Scorer, hypotheses: Any, references: Any) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not scorer.takes_references:
        raise OptionError(f"{scorer.name} scores texts without references: there are no pairs to compare.")
    own = _texts(hypotheses, "hypotheses")
    others = own if references is None else _texts(references, "references")
    if not own or not others:
        return np.zeros((len(own), len(others)))
    context = scorer.fit(Corpus(own[:1] * len(others), others))
    warn(scorer, scorer.corpus_warning(context))
    crossing = Crossing.of(own, others)
    rows_of = scorer.pair_rows(crossing, context)
    (texts, of_texts), (given, of_given) = _different(crossing.hypotheses), _different(crossing.references)
    scores = np.empty((len(texts), len(given)))

    def fill(block: tuple[slice, slice]) -> None:
        rows = rows_of(texts[block[0]], given[block[1]])
        to = scores[block]
        to[:] = np.asarray(scorer.segment_scores(rows)[scorer.primary]).reshape(to.shape)

    n_jobs = 1 if scorer.loads_model else scorer.asked.n_jobs  # a network has threads of its own
    blocks = [*_blocks(crossing.strings, texts, given, n_jobs)]
    if len(blocks) == 1 or n_jobs == 1:
        for block in blocks:
            fill(block)
    else:
        pool = ThreadPoolExecutor(n_jobs)
        try:
            [*pool.map(fill, blocks)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for running blocks
    if scores.shape == (len(own), len(others)):
        return scores
    return scores[np.ix_(of_texts, of_given)]


def _different(side: Places) -> tuple[Places, Places]:
    """Return the different ones in the order in which they first come, and which of them each is."""
    place = {text: number for number, text in enumerate(dict.fromkeys(side.tolist()))}
    return np.array([*place], np.int64), np.array([place[text] for text in side.tolist()], np.int64)


def _texts(given: Any, name: str) -> list[str]:
    """Return a user's texts, checked; InputError names the first that is none, or cannot be encoded."""
    strings = read_texts(given, name).encoded().strings
    assert strings is not None
    return strings[0]


def _blocks(strings: list[str], texts: Places, references: Places, n_jobs: int) -> Iterable[tuple[slice, slice]]:
    """Return blocks of pairs, as square as can be: there the work that each text takes is shared by most pairs."""
    most = min(TEXTS, max(isqrt(PAIRS), PAIRS // len(texts)))
    own = min(TEXTS, PAIRS // min(most, len(references)), -(-len(texts) // n_jobs))
    rows, columns = (
        _spans([len(strings[text]) for text in side.tolist()], size)
        for side, size in ((texts, own), (references, most))
    )
    return product(rows, columns)


def _spans(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices of at most so many texts, of `CHARACTERS` together (but one text at least)."""
    start, total = 0, 0
    for place, size in enumerate(sizes):
        if place > start and (place - start == most or total + size > CHARACTERS):
            yield slice(start, place)
            start, total = place, 0
        total += size
    yield slice(start, len(sizes))
