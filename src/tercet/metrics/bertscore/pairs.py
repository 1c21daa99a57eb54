"""From texts to the precision, recall and F of every pair of a prediction and a reference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.embeddings import Store, order_of, windows_of
from tercet.encoders.encoder import Encoder
from tercet.encoders.subwords import Subwords
from tercet.engine.ragged import Ragged, different_rows, ranges
from tercet.statistics.progress import bar_of

from .matching import match
from .weights import Weights

#: Bytes of embeddings held at a time, besides those of references kept between calls.
STORE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a batch as ids: documents are the n predictions, then the m references."""

    rows: Ragged  # ids of the different texts
    shares: NDArray[np.float32]  # weight of each token over the sum of its text's
    text: NDArray[np.int64]  # the text of each document
    unweighted: NDArray[np.bool_]  # texts that have tokens, but whose weights sum to 0


def prepare_texts(documents: Ragged, weights: Weights, subwords: Subwords, zero_weight: str) -> Texts:
    """Find the different texts and the share of each token in them."""
    rows, text = different_rows(documents)
    lengths, values = rows.lengths, rows.values
    of_token = weights.of(values).astype(np.float64)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.bincount(owner, weights=of_token, minlength=len(lengths))
    content = lengths - subwords.n_special
    unweighted = (sums == 0) & (content > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = of_token / sums[owner]
    if zero_weight == "uniform":
        position = np.arange(len(values)) - np.repeat(rows.offsets[:-1], lengths)
        inside = (position >= len(subwords.head)) & (position < lengths[owner] - len(subwords.tail))
        shares = np.where(unweighted[owner], inside / np.maximum(content, 1)[owner], shares)
    return Texts(rows, shares.astype(np.float32), text, unweighted)


def score_pairs(
    texts: Texts,
    encoder: Encoder,
    predictions: NDArray[np.int64],
    references: NDArray[np.int64],
    *,
    limit: int | None,
    batch_size: int,
    verbose: bool,
    floors: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall of pairs, shape (layers, pairs) each.

    Pairs are taken in order, as many at a time as `STORE_BYTES` of embeddings allow. Memory: that, `KEPT_BYTES` for
    references, and what the encoder itself needs for a batch.
    """
    both = np.zeros((2, encoder.n_layers, len(predictions)))
    n_texts = len(np.unique(np.concatenate([predictions, references])))
    with _progress_bar(verbose, n_texts) as bar:
        for part in _parts(texts, predictions, references, STORE_BYTES // encoder.token_bytes):
            chosen, place = np.unique(np.concatenate([predictions[part], references[part]]), return_inverse=True)
            order = order_of(texts.rows.rows(chosen))
            chosen, place = chosen[order], np.argsort(order)[place]
            n_pairs = part.stop - part.start
            keep = np.zeros(len(chosen), bool)
            keep[place[n_pairs:]] = True
            store, shares = embedded(texts, encoder, chosen, keep, limit, batch_size, bar)
            near = None if floors is None else (floors[0][part], floors[1][part])
            both[:, :, part] = match(store, shares, place[:n_pairs], place[n_pairs:], near)
    return both[0], both[1]


def embedded(
    texts: Texts, encoder: Encoder, chosen: NDArray[np.int64], keep: NDArray[np.bool_], limit: int | None,
    batch_size: int, bar: Any = None,
) -> tuple[Store, NDArray[np.float32]]:  # fmt: skip
    """Return the embeddings of some texts, of which the encoder keeps some, and the share of each token."""
    rows = texts.rows.rows(chosen)
    windows = windows_of(rows, limit, encoder.subwords)
    if bar is not None:
        bar.total = max(bar.total or 0, bar.n + len(windows.first))
    store = encoder.embed(windows, rows, keep, batch_size, bar)
    return store, texts.shares[ranges(texts.rows.offsets[chosen], rows.lengths)]


def _parts(texts: Texts, predictions: NDArray[np.int64], references: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Yield slices of pairs whose different texts have at most so many tokens (but one pair at least)."""
    lengths = texts.rows.lengths.tolist()
    start, total = 0, 0
    held: set[int] = set()
    for pair, both in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        more = sum(lengths[text] for text in {*both} - held)
        if held and total + more > most:
            yield slice(start, pair)
            start, total, held = pair, 0, set()
            more = sum(lengths[text] for text in {*both})
        total += more
        held.update(both)
    if start < len(predictions):
        yield slice(start, len(predictions))


def _progress_bar(verbose: bool, n_texts: int) -> AbstractContextManager[Any]:
    if not verbose:
        return bar_of("encoding", "texts", n_texts, delay=0)
    from tqdm.auto import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=0, unit="text", desc="bertscore_idf: encoding")
    return bar
