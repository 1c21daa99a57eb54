"""The measures of texts that are sets, as pairs of numbers of each text: their sums give the score of a set."""

from __future__ import annotations

import gzip
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.tokenizers import tokenize
from tercet.engine.counting import ngram_ids
from tercet.metrics.bleu.metric import Bleu
from tercet.metrics.chrf.metric import Chrf

from .counts import NgramCounts, closest_others, moving_ratios, ngram_counts
from .sets import no_references

if TYPE_CHECKING:
    from .metric import Diversity

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

#: Pairs of texts that are compared at a time.
_PAIRS = 1 << 20
#: The time of day that gzip writes beside the texts, in seconds since 1970: any, as long as it is always the same.
_CLOCK = 1_700_000_000


def measures_of(o: Diversity, texts: list[str], edges: Numbers) -> tuple[Array, Numbers]:
    """Return a part and what it is a part of for each text and measure, shape (t, k, 2), and its number of tokens.

    Set s has the texts ``edges[s]`` to ``edges[s + 1]``. A measure that a text has none of, such as the self-BLEU of
    a text without others, is 0 of 0.
    """
    batch, _ = tokenize(no_references(texts), o.tokenizer, lowercase=o.lowercase)
    tokens, lengths = batch.tokens, batch.tokens.lengths
    sizes = np.diff(edges)
    sets = np.repeat(np.arange(len(sizes)), sizes)
    others = (sizes > 1)[sets].astype(np.float64)
    counts, ngrams = [], []
    for order in range(1, o.max_order + 1):
        counts.append(ngram_counts(*ngram_ids(tokens, order, batch.n_types), sets))
        ngrams.append(np.maximum(lengths - order + 1, 0).astype(np.float64))
    found = [(_bleu(o, lengths, closest_others(lengths, sets), counts) * others, others)]
    found += [(each.shares, total) for each, total in zip(counts, ngrams, strict=True)]
    found += [(moving_ratios(tokens, batch.n_types, o.window), (lengths > 0).astype(np.float64))]
    for each, total in zip(counts, ngrams, strict=True):
        again = (total - each.different) / np.maximum(total, 1)
        found.append((again, (total > 0).astype(np.float64)))
    if o.pairwise_chrf:
        found.append((_mean_chrf(o, texts, edges), others))
    sizes_in_bytes = [_compressed(texts[start:stop]) for start, stop in pairwise(edges.tolist())]
    of_text = (np.array(sizes_in_bytes, float).reshape(-1, 2) / np.maximum(sizes, 1)[:, None])[sets]
    found.append((of_text[:, 0], of_text[:, 1]))
    return np.stack([np.column_stack(each) for each in found], axis=1), lengths


def _bleu(o: Diversity, lengths: Numbers, closest: Numbers, counts: list[NgramCounts]) -> Array:
    """Return the BLEU of each text against the others of its set."""
    bleu = Bleu(max_order=o.max_order, smooth_method=o.smooth_method)
    rows = np.zeros((len(lengths), len(bleu.columns)))
    columns = {"length": lengths, "closest": closest}
    for order, each in enumerate(counts, 1):
        total = np.maximum(lengths - order + 1, 0)
        columns |= {f"match{order}": each.matches, f"total{order}": total, f"floor{order}": np.maximum(total, 1)}
    for place, name in enumerate(bleu.columns):
        if name in columns:
            rows[:, place] = columns[name]
    scores: Array = bleu.segment_scores(rows)["bleu"]
    return scores


def _mean_chrf(o: Diversity, texts: list[str], edges: Numbers) -> Array:
    """Return the mean chrF of each text against each other one of its set; the pairs are scored in blocks."""
    chrf, means = Chrf(lowercase=o.lowercase, scale=1), np.zeros(len(texts))
    for first, end in pairwise(edges.tolist()):
        own = texts[first:end]
        step = max(1, _PAIRS // len(own))
        for start in range(0, len(own) if len(own) > 1 else 0, step):
            scores = chrf.pairwise(own[start : start + step], own)
            np.fill_diagonal(scores[:, start:], 0.0)
            scores.sort(axis=1)  # the sum does not depend on the order of the texts, to the bit
            means[first + start : first + start + len(scores)] = scores.sum(axis=1) / (len(own) - 1)
    return means


def _compressed(texts: list[str]) -> tuple[int, int]:
    """Return the bytes of texts joined by blanks, and those of the file that the package `diversity` compares.

    It puts what gzip makes of the texts through gzip once more, into a file whose name is part of it.
    """
    whole, file = " ".join(texts).encode(), BytesIO()
    with gzip.GzipFile("compressed.gz", "wb", fileobj=file, mtime=0) as compressed:
        compressed.write(gzip.compress(whole, mtime=_CLOCK))
    return len(whole), len(file.getvalue())
