"""Many against many: the score of each hypothesis against each reference, in blocks that bound the memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts
from tercet.errors import OptionError

from .scorer import Scorer

#: Pairs whose rows are made at a time.
BLOCK = 1 << 14


def pair_scores(scorer: Scorer, hypotheses: list[str], references: list[str]) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not scorer.takes_references:
        raise OptionError(f"{scorer.name} scores texts without references: there are no pairs to compare.")
    check_texts(hypotheses, "hypotheses")
    check_texts(references, "references")
    name = dict(zip(scorer.score_names, scorer.segment_names, strict=True))[scorer.primary]
    scores = [scorer.segment_scores(rows)[name] for rows in _blocks(scorer, hypotheses, references)]
    return np.concatenate([*scores, np.zeros(0)]).reshape(len(hypotheses), len(references))


def _blocks(scorer: Scorer, hypotheses: list[str], references: list[str]) -> Iterator[NDArray[np.float64]]:
    """Yield the rows of the pairs, those of the first hypothesis first."""
    n = len(references)
    context = scorer.fit(Corpus(hypotheses[:1] * n, references))
    step = max(1, BLOCK // max(1, n))
    for start in range(0, len(hypotheses), step):
        own = hypotheses[start : start + step]
        repeated = list(chain.from_iterable([each] * n for each in own))
        yield scorer.segment_stats(Corpus(repeated, references * len(own)), context).rows
