"""Translation edit rate (Snover et al. 2006): edits and shifts per word of the references."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.checks import as_scale
from tercet.corpus.corpus import Corpus
from tercet.corpus.crossing import Crossing, Places
from tercet.corpus.items import read_texts
from tercet.corpus.letters import LetterCounts, count_letters
from tercet.corpus.texts import of_texts
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import pair_edits
from tercet.metric.common_options import MISSING_REFERENCES
from tercet.metric.dialect import Dialect
from tercet.metric.drawing.matched import Matched
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option
from tercet.metric.rows import PairRows, base_of_pairs, left_out
from tercet.metric.scorer import Scorer, Scores
from tercet.signature import Signature
from tercet.statistics.either import Either, as_floats, column, quotient, where
from tercet.statistics.stats import SegmentStats

from .about import ABOUT
from .explain import TerEdits, explain_batch
from .normalization import normalization

#: sacrebleu's defaults are those of this metric.
PRESETS: dict[str, dict[str, object]] = {"sacrebleu": {}}

#: How evaluate's ter is called, and answers.
DIALECTS = {
    "sacrebleu": Dialect(
        options={"compat": "sacrebleu"},
        arguments={"ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support"},
        keys={"score": "ter", "num_edits": "num_edits", "ref_length": "ref_length"},
    )
}


class Ter(Metric):
    """TER, the translation edit rate: edits and shifts that turn a prediction into a reference.

    Examples
    --------
    >>> import tercet
    >>> ter = tercet.Ter(normalized=True)
    >>> result = ter(["On the mat the cat sat."], ["The cat sat on the mat ."])
    >>> round(result["ter"], 2), result["num_edits"]
    (14.29, 1)
    """

    # A row holds the base columns, the fewest edits that turn the prediction into one of its references, and the
    # average length of these.

    name = "ter"
    short = "ter"
    about = ABOUT
    takes_systems = True
    title = "TER"
    primary = "ter"
    original_scale = 100  # of sacrebleu
    higher_is_better = False
    is_share = False
    in_floats = True
    at_zero = "compares them with an empty text"
    presets = PRESETS
    dialects = DIALECTS
    replaces = (("ter", "sacrebleu"),)
    columns = (*Scorer.base_columns, "num_edits", "ref_length")
    score_names = ("ter",)
    facts = ("num_edits", "ref_length")

    normalized: bool = option(
        default=False,
        doc="Set punctuation marks apart from words, as Tercom does. Also decodes four XML entities. By default "
        "texts are split at white space only.",
    )
    no_punct: bool = option(
        default=False,
        doc="Remove punctuation marks. They are full stops, commas, colons, semicolons, question and exclamation "
        "marks, double quotes and parentheses.",
    )
    asian_support: bool = option(
        default=False,
        doc="Treat each Chinese character and kanji as a word (with normalized). With no_punct, also remove "
        "Chinese and Japanese punctuation.",
        only_with=OnlyWith(
            "normalized=True or no_punct=True (compat='sacrebleu' takes it alone, as sacrebleu does)",
            lambda o: o.normalized or o.no_punct or o.compat is not None,
        ),
    )
    case_sensitive: bool = option(
        default=False, doc="Compare words as they are written. By default they are compared in lower case."
    )
    compat: Literal["sacrebleu"] | None = option(
        default=None,
        doc='Take the options as sacrebleu does: asian_support alone has no effect. `load("ter", "sacrebleu")` '
        "sets it too, and takes the arguments of evaluate's ter.",
    )
    missing_references: Literal["error", "skip", "zero"] = MISSING_REFERENCES
    scale: Literal[1, 100] = option(
        default=100,
        doc="Edits per 100 words of the references, or per word. sacrebleu and evaluate use 100, too.",
        check=as_scale,
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        self._change = normalization(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        parts = {  # by the names of sacrebleu's signature
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
            "missing": None if self.missing_references == "error" else self.missing_references,
            "equals": "sacrebleu" if self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    def fit(self, batch: Corpus) -> LetterCounts | None:
        """Return the letters of the references, to warn of texts that have no white space between words."""
        return None if (self.normalized and self.asian_support) or self.compat is not None else count_letters(batch)

    def corpus_warning(self, context: LetterCounts | None, corpus: Corpus | None = None) -> str | None:
        """Return a warning when texts without white space are split at it."""
        if context is None or not context.mostly_without_blanks:
            return None
        return (
            "texts are split at white space, but these references are mostly in scripts written without it. For "
            "Chinese, give normalized=True and asian_support=True; for other languages, split the texts first."
        )

    def notes(self, references: str) -> dict[str, str]:
        """Return further entries of a result's signature, always with the scale."""
        return {**super().notes(references), "scale": str(self.scale)}

    def texts(self, batch: Corpus) -> tuple[list[str], list[str]]:
        """Return predictions and references as compared, with white space between their words."""
        predictions, references = batch.strings or (batch.predictions.to_pylist(), batch.references.to_pylist())
        change = self._change
        if change is not None:  # sacrebleu changes references twice
            return [change(text) for text in predictions], [change(change(text)) for text in references]
        if self.case_sensitive:
            return predictions, references
        return [text.lower() for text in predictions], [text.lower() for text in references]

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :func:`~tercet.engine.plain_edits.ter_rows`."""
        rows = of_texts(batch.with_strings(*self.texts(batch)), engine.ter_rows)
        if self.missing_references == "skip" and not batch.one_each:
            rows[left_out(rows), len(self.base_columns) :] = 0.0
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are changed and split once, as each side is."""
        sides = [np.unique(side) for side in (crossing.hypotheses, crossing.references)]
        predictions, references = ([crossing.strings[text] for text in side.tolist()] for side in sides)
        tokens, _ = tokenize(read_texts(list(chain(*self.texts(Corpus(predictions, references))))), "none")
        lengths, n = tokens.tokens.lengths, len(sides[0])

        def rows(texts: Places, references: Places) -> NDArray[np.float64]:
            own, others = np.searchsorted(sides[0], texts), n + np.searchsorted(sides[1], references)
            own, others = np.repeat(own, len(others)), np.tile(others, len(own))
            edits = pair_edits(tokens.tokens, own, others, tokens.n_types)
            return np.column_stack([base_of_pairs(lengths[own]), edits, lengths[others]])

        return rows

    def finalize(self, totals: Either) -> Scores:
        """Return the rate; where the references have no word, any edit makes it 1 (or 100)."""
        edits, length = column(totals, -2), column(totals, -1)
        rate = where(length > 0, quotient(edits, length), where(edits > 0, 1.0, 0.0))
        return {"ter": self.scale * rate}

    def report(self, totals: Either, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the rate, and the keys of evaluate's ter, whose score it is."""
        totals = as_floats(totals)
        score = self.finalize(totals)["ter"]
        return {"ter": score, "score": score, "num_edits": int(totals[-2]), "ref_length": totals[-1]}

    explained = explain_batch

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds the words that match: those without an edit, at once or after a shift."""
        return Matched(self, TerEdits.levels, lambda found: found.prediction)
