"""What bounds the time that a degenerate completion takes, and what makes gaming a score worth less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.tokenizers import tokenize
from tercet.engine.counting import ngram_ids
from tercet.metric.lengths import brevity_penalty

Array = NDArray[np.float64]

#: No completion is cut to fewer characters: beside a reference of one word, a few sentences are not degenerate.
LEAST = 1000

#: The length of the n-grams whose repetitions count, as in seq-rep-4 (Welleck et al. 2020).
_ORDER = 4


@dataclass(frozen=True)
class Guards:
    """Cuts completions, and says what their scores are multiplied by."""

    max_length_ratio: float
    length_penalty: bool
    repetition_penalty: bool
    tokenizer: str  # of the n-grams

    def applied(self, corpus: Corpus) -> tuple[Corpus, Array | float]:
        """Return the texts to score, every item of which has a reference, and a factor for each, or for all."""
        assert corpus.strings is not None
        texts, references = corpus.strings
        if not self.length_penalty and not self.repetition_penalty and max(map(len, texts)) <= LEAST:
            return corpus, 1.0
        lengths = np.array(list(map(len, texts)), float)
        shortest, longest = _least_and_most(np.array(list(map(len, references)), float), corpus)
        limits = np.maximum(LEAST, min(self.max_length_ratio, 1e9) * longest).astype(np.int64)  # 1e9: no limit
        factors = limits / np.maximum(lengths, limits)
        if factors.min() < 1:
            cut = [text[:limit] for text, limit in zip(texts, limits.tolist(), strict=True)]
            corpus = Corpus(cut, references, None if corpus.one_each else corpus.reference_offsets, corpus.names)
        if self.length_penalty:  # BLEU's brevity penalty, and its mirror image
            factors = factors * brevity_penalty(lengths, shortest) * brevity_penalty(longest, lengths)
        if self.repetition_penalty:
            factors = factors * _share_of_different(corpus, self.tokenizer)
        return corpus, factors


def _least_and_most(values: Array, corpus: Corpus) -> tuple[Array, Array]:
    """Return the least and the greatest value of the references of each item."""
    starts = corpus.reference_offsets[:-1]
    of_segments = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.tile(of_segments[0], corpus.n_systems), np.tile(of_segments[1], corpus.n_systems)


def _share_of_different(corpus: Corpus, tokenizer: str) -> Array:
    """Return the share of different n-grams, relative to that of the most repetitive reference, and at most 1."""
    tokens, _ = tokenize(corpus.encoded(), tokenizer)
    ngrams, n_types = ngram_ids(tokens.tokens, _ORDER, tokens.n_types)
    n, sizes = len(ngrams.lengths), ngrams.lengths
    places = np.unique(np.repeat(np.arange(n), sizes) * n_types + ngrams.values) // max(n_types, 1)
    shares = np.where(sizes > 0, np.bincount(places, minlength=n) / np.maximum(sizes, 1), 1.0)
    own, references = shares[: corpus.n_items], shares[corpus.n_items :]
    return np.asarray(np.minimum(1.0, own / _least_and_most(references, corpus)[0]))
