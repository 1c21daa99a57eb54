"""Translation edit rate (Snover et al. 2006): edits and shifts per word of the references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.columns.batch import Batch
from tercet.columns.ragged import Ragged, TokenBatch
from tercet.core.dialect import Dialect
from tercet.core.options import Options
from tercet.core.scorer import Scorer, Scores
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.text.letters import LetterCounts, count_letters
from tercet.text.tokenizers import tokenize

from .edits import edit_counts
from .normalization import normalization
from .options import DIALECTS, PRESETS, TerOptions
from .signature import ter_signature

Array = NDArray[np.float64]


class Pairs(NamedTuple):
    """The pairs of predictions and references that are compared.

    Attributes
    ----------
    documents : Ragged of int32
        Token ids of all texts, and of an empty one behind them.
    texts, references : ndarray of int64, shape (m,)
        The two documents of each pair; an item without reference is compared with the empty one.
    starts : ndarray of int64, shape (n,)
        First pair of each item.
    """

    documents: Ragged
    texts: NDArray[np.int64]
    references: NDArray[np.int64]
    starts: NDArray[np.int64]


class TerScorer(Scorer[TerOptions]):
    """Translation edit rate of a corpus, of its segments, and of resamples.

    A row holds the base columns, the fewest edits that turn the prediction into one of its references, and the
    average length of these.

    Examples
    --------
    >>> from tercet.columns.reading import read_batch
    >>> scorer = TerScorer.from_options({})
    >>> stats = scorer.segment_stats(read_batch(["sat the cat"], [["the cat sat down", "a cat"]]), None)
    >>> dict(zip(stats.columns[4:], stats.rows[0, 4:].tolist()))
    {'num_edits': 2.0, 'ref_length': 3.0}
    """

    name: ClassVar[str] = "ter"
    primary: ClassVar[str] = "ter"
    original_scale = 100  # of sacrebleu
    higher_is_better: ClassVar[bool] = False
    is_share: ClassVar[bool] = False
    options_type: ClassVar[type[Options]] = TerOptions
    at_zero: ClassVar[str] = "compares them with an empty text"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    columns = (*Scorer.base_columns, "num_edits", "ref_length")
    score_names = ("ter",)
    facts = ("num_edits", "ref_length")

    def __init__(self, options: TerOptions) -> None:
        super().__init__(options)
        o = options
        self._change = normalization(o.normalized, o.no_punct, o.asian_support, o.case_sensitive)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return ter_signature(self.name, self.options)

    def fit(self, batch: Batch) -> LetterCounts | None:
        """Return the letters of the references, to warn of texts that have no white space between words."""
        o = self.options
        return None if (o.normalized and o.asian_support) or o.compat is not None else count_letters(batch)

    def notice(self, context: LetterCounts | None) -> str | None:
        """Return a warning when texts without white space are split at it."""
        if context is None or not context.mostly_without_blanks:
            return None
        return (
            "texts are split at white space, but these references are mostly in scripts written without it. For "
            "Chinese, give normalized=True and asian_support=True; for other languages, split the texts first."
        )

    def notes(self, references: str) -> dict[str, str]:
        """Return what the signature of a result says besides how its rows were made: the scale in any case."""
        return {**super().notes(references), "scale": str(self.options.scale)}

    def tokens(self, batch: Batch) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the words that are compared, and a callable that returns the distinct ones by id."""
        change = self._change
        if change is None:
            return tokenize(batch, "none", lowercase=not self.options.case_sensitive)
        texts = [change(text) for text in batch.texts.to_pylist()]
        texts[batch.n_items :] = map(change, texts[batch.n_items :])  # sacrebleu changes references twice
        return tokenize(batch.with_texts(pa.array(texts, pa.large_string())), "none")

    def _words(self, text: str, is_reference: bool) -> list[str]:
        """Return the words of one text."""
        if self._change is None:
            return (text if self.options.case_sensitive else text.lower()).split()
        changed = self._change(text)
        return (self._change(changed) if is_reference else changed).split()

    @staticmethod
    def pairs(tokens: TokenBatch) -> Pairs:
        """Return what is compared with what."""
        n_references = np.diff(tokens.reference_offsets)
        counts = np.maximum(n_references, 1)
        nothing = len(tokens.tokens.lengths)
        references = np.full(int(counts.sum()), nothing)
        references[np.repeat(n_references > 0, counts)] = np.arange(tokens.n_items, nothing)
        documents = Ragged(tokens.tokens.values, np.append(tokens.tokens.offsets, tokens.tokens.offsets[-1]))
        return Pairs(documents, np.repeat(np.arange(tokens.n_items), counts), references, np.cumsum(counts) - counts)

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :func:`.edits.edit_counts`."""
        tokens, _ = self.tokens(batch)
        documents, texts, references, starts = self.pairs(tokens)
        edits = edit_counts(documents, texts, references, tokens.n_types)
        lengths = documents.lengths
        sums = np.add.reduceat(lengths[references], starts)
        base = self.base_rows(batch, lengths[: tokens.n_items])
        own = np.minimum.reduceat(edits, starts), sums / np.maximum(np.diff(tokens.reference_offsets), 1)
        rows = np.column_stack([base, *own])
        rows[base[:, 0] == 0, len(self.base_columns) :] = 0.0  # items left out
        return SegmentStats(self.signature(context), self.columns, rows)

    def finalize(self, totals: Array) -> Scores:
        """Return the rate; where the references have no word, any edit makes it 1 (or 100)."""
        edits, length = totals[..., -2], totals[..., -1]
        rates = np.where(length > 0, edits / np.where(length > 0, length, 1.0), edits > 0)
        return {"ter": self.options.scale * rates}

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the rate, and the keys of evaluate's ter, whose score it is."""
        score = self.finalize(totals)["ter"].tolist()
        return {"ter": score, "score": score, "num_edits": self.total_of(totals, "num_edits"),
                "ref_length": float(totals[-1])}  # fmt: skip
