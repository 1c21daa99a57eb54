"""Translation edit rate (Snover et al. 2006): edits and shifts per word of the references."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from tercet.columns.batch import Batch
from tercet.core.dialect import Dialect
from tercet.core.either import Either, as_floats, column, quotient, where
from tercet.core.options import Options
from tercet.core.scorer import Scorer, Scores, left_out
from tercet.core.signature import Signature
from tercet.core.stats import SegmentStats
from tercet.engine.chosen import engine
from tercet.text.letters import LetterCounts, count_letters
from tercet.text.texts import of_texts

from .normalization import normalization
from .options import DIALECTS, PRESETS, TerOptions
from .signature import ter_signature


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
    in_floats: ClassVar[bool] = True
    options_type: ClassVar[type[Options]] = TerOptions
    takes_systems: ClassVar[bool] = True
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
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
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

    def texts(self, batch: Batch) -> tuple[list[str], list[str]]:
        """Return predictions and references as they are compared, with white space between their words."""
        predictions, references = batch.strings or (batch.predictions.to_pylist(), batch.references.to_pylist())
        change = self._change
        if change is not None:  # sacrebleu changes references twice
            return [change(text) for text in predictions], [change(change(text)) for text in references]
        if self.options.case_sensitive:
            return predictions, references
        return [text.lower() for text in predictions], [text.lower() for text in references]

    def segment_stats(self, batch: Batch, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :func:`~tercet.engine.plain_edits.ter_rows`."""
        rows = of_texts(batch.with_strings(*self.texts(batch)), engine.ter_rows)
        if self.options.missing_references == "skip" and not batch.one_each:
            rows[left_out(rows), len(self.base_columns) :] = 0.0
        return SegmentStats(self.signature(context), self.columns, rows)

    def finalize(self, totals: Either) -> Scores:
        """Return the rate; where the references have no word, any edit makes it 1 (or 100)."""
        edits, length = column(totals, -2), column(totals, -1)
        rate = where(length > 0, quotient(edits, length), where(edits > 0, 1.0, 0.0))
        return {"ter": self.options.scale * rate}

    def report(self, totals: Either, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the rate, and the keys of evaluate's ter, whose score it is."""
        totals = as_floats(totals)
        score = self.finalize(totals)["ter"]
        return {"ter": score, "score": score, "num_edits": int(totals[-2]), "ref_length": totals[-1]}
