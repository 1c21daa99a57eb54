"""The BERTScore of unrelated texts, in every layer of an encoder: what a file of baselines has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.corpus.items import check_texts
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, shorten

from .metric import BertScore
from .options import MEASURES

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Pairs that are scored at a time.
_PIECE = 10_000


@dataclass(frozen=True, slots=True)
class Baseline:
    """Means over random pairs of texts."""

    means: NDArray[np.float64]  # precision, recall and F; layer 0 is the embeddings
    errors: NDArray[np.float64]  # standard errors of the means
    n_pairs: int
    signature: str


def make_baseline(
    texts: Sequence[str], model_type: str, *, n_pairs: int = 10_000, seed: int = 12345, **options: Any
) -> Baseline:
    """Score random pairs of a corpus' texts with every layer, as bert-score's authors did for their baselines.

    Source: Zhang et al. 2020, section 5 (rescaling), who took a million pairs from Common Crawl.
    """
    if isinstance(texts, str) or n_pairs < 1:
        raise InputError(f"A baseline needs a list of texts and at least one pair, got {shorten(texts)}, {n_pairs}.")
    check_texts(texts, "texts")
    different = list(dict.fromkeys(text for text in texts if text.strip()))
    if len(different) < 2:
        raise InputError(f"A baseline needs at least two different texts, got {len(different)}.")
    metric = BertScore.from_options({"idf": False, **options, "model_type": model_type, "all_layers": True})
    first, second = _pairs(len(different), n_pairs, np.random.default_rng(seed))
    batch = read_batch([different[index] for index in first], [different[index] for index in second])
    context = metric.fit(batch)
    total = squares = np.zeros(1)
    for start in range(0, len(first), _PIECE):
        stats = metric.segment_stats(batch.part(start, start + _PIECE), context)
        total = total + stats.rows.sum(axis=0)
        squares = squares + (stats.rows**2).sum(axis=0)
        columns = stats.columns
        signature = stats.signature
    measures = [columns.index(name) for name in metric.segment_names]
    means = total[measures] / len(first)
    variances = np.maximum(squares[measures] / len(first) - means**2, 0)
    errors = np.sqrt(variances / len(first))
    shape = -1, len(MEASURES)
    return Baseline(means.reshape(shape), errors.reshape(shape), len(first), str(signature))


def _pairs(n_texts: int, n_pairs: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return neighbours in shuffled circles of all texts."""
    first: list[int] = []
    second: list[int] = []
    while len(first) < n_pairs:
        order = rng.permutation(n_texts)
        first += order.tolist()
        second += np.roll(order, -1).tolist()
        if n_texts == 2:  # there are no other pairs
            break
    return first[:n_pairs], second[:n_pairs]
