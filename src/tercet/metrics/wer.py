"""Error rates of words and characters (Morris et al. 2004): the fewest edits that turn a text into its reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.has_tokenizer import HasTokenizer
from tercet.base.metric import Metric
from tercet.base.options import option
from tercet.base.rows import as_rows, leave_out
from tercet.base.shared_options import MISSING_REFERENCES, shared_labels
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import changed_texts, is_read_by_engine, rows_by_engine, texts_and_reading
from tercet.corpus.tokenizers import tokenize
from tercet.corpus.transcripts import transcript_change
from tercet.engine.chosen import engine
from tercet.engine.counting import nearest_edits
from tercet.engine.planned import Entry, TextPlan
from tercet.explanation.edits import Edits, Step, steps_of, words_in
from tercet.explanation.explanation import Matched
from tercet.explanation.matches import Word
from tercet.explanation.parts import score_on_scale
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The rates, in the engine's order.
_RATES = ("wer", "cer", "mer", "wil", "wip", "character_mer")

#: The steps of an alignment that are counted, of words and of characters.
_COUNTS = ("hits", "substitutions", "deletions", "insertions")


class Wer(HasTokenizer):
    """WER, the word error rate, with CER, the same of characters, MER, of matches, and WIL, of information lost.

    Examples
    --------
    >>> import tercet
    >>> wer = tercet.Wer(lowercase=True, no_punct=True)
    >>> result = wer(["A cat, on mat"], ["a cat on the mat"])
    >>> result["wer"], round(result["cer"], 3)
    (0.2, 0.25)
    """

    # A row holds the base columns, and the hits H, substitutions S, deletions D and insertions I of words, then those
    # of characters. WER is (S + D + I) / (H + S + D), MER (S + D + I) / (H + S + D + I), and WIL 1 - WIP, of which
    # WIP is the product of the shares of hits in both texts: see engine/plain_wer.py, `error_rates`.

    name = "wer"
    primary = "wer"
    title = "WER"
    about = from_card()
    takes_systems = True
    higher_is_better = False
    unit = "rate"
    at_zero = "compares them with an empty text"
    facts = _COUNTS
    columns = (*Metric.base_columns, *_COUNTS, *(f"character_{count}" for count in _COUNTS))
    score_names = ("wer", "cer", "mer", "wil")

    #: Whether the edits of characters are counted: drop-ins that give rates of words alone do without.
    counts_characters = True

    tokenizer: Literal["blanks", "unicode", "char", "zh", "ja", "jieba"] | Callable[[str], Iterable[str]] = option(
        default="blanks",
        doc='How texts are split into words. "blanks": at blanks, as jiwer does. The others, for languages written '
        "without blanks, as in bleu_multi; a callable gets a text and returns its words.",
    )
    lowercase: bool = option(default=False, doc="Lowercase the texts first: jiwer's ToLowerCase.")
    no_punct: bool = option(default=False, doc="Remove punctuation marks of all scripts: jiwer's RemovePunctuation.")
    standardize: bool = option(
        default=False,
        doc="Change the texts as jiwer's wer_standardize. In lower case, without English contractions and <unk>.",
    )
    missing_references: Literal["error", "skip", "zero"] = MISSING_REFERENCES

    def new_signature(self) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        parts = {
            "tok": self.label,
            "case": "lc" if self.lowercase else "mixed",
            "punct": not self.no_punct,
            "std": self.standardize,
            **shared_labels(self),
            "equals": "jiwer" if self.tokenizer == "blanks" and self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    @cached_property
    def change(self) -> Callable[[str], str] | None:
        """What is done to each text before it is split, if anything."""
        return transcript_change(self.lowercase, self.no_punct, self.standardize)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores."""
        return score.upper()

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :func:`~tercet.engine.plain_wer.edit_counts`."""
        texts, reading = texts_and_reading(batch, self.tokenizer, prepare=self.change)
        if self.counts_characters and reading == self.tokenizer:
            rows = rows_by_engine(batch, engine.error_rows, texts, reading)
        else:
            rows = rows_by_engine(batch, partial(engine.error_rows, with_characters=False), texts, reading)
        if self.counts_characters and reading != self.tokenizer:
            # The characters are those of the texts, without the blanks that a tokenizer in Python puts between words.
            texts = changed_texts(batch, prepare=self.change)
            rows[:, 8:] = rows_by_engine(batch, engine.error_rows, texts, reading)[:, 8:]
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(), self.columns, rows)

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step; None where Python has a part in it."""
        if not is_read_by_engine(self.tokenizer) or self.change is not None:
            return None
        rules = rules_of_plan(count_letters=self.needs_blanks)
        return engine.error_plan(rules, self.tokenizer, self.counts_characters, self.scale)

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the rates."""
        rates = self.rates(totals)
        return {name: rates[name] for name in self.score_names}

    def rates(self, totals: NDArray[np.float64]) -> Scores:
        """Return the rates, and the information preserved, as jiwer does."""
        rates = engine.error_rates(as_rows(totals, self.columns), self.scale)
        rates = rates.reshape(*totals.shape[:-1], len(_RATES))
        return {name: rates[..., column] for column, name in enumerate(_RATES)}

    def report(self, totals: NDArray[np.float64], stats: SegmentStats | None) -> dict[str, Any]:
        """Return the rates, the information preserved, and jiwer's counts of words."""
        (rates,) = engine.error_rates(as_rows(totals, self.columns), self.scale).tolist()
        return self._entries(rates, totals.tolist())

    @cached_property
    def _keys(self) -> list[Entry]:
        """The rates, with jiwer's counts before the last."""
        *rates, character_mer = [Entry(name, "score", number) for number, name in enumerate(_RATES)]
        counts = [Entry(name, "count", self.columns.index(name)) for name in _COUNTS]
        return [*rates, *counts, character_mer]

    def explained(self, batch: Corpus, context: Any = None) -> WerEdits:
        """Explain a batch of one item."""
        ((reference, steps),) = self.alignments(batch)
        scores = self.finalize(self.segment_stats(batch).rows[0])
        return WerEdits(
            score=score_on_scale(float(scores["wer"]), self.scale),
            reference=reference,
            n_references=int(batch.reference_counts[0]),
            signature=str(self.signature()),
            steps=steps,
        )

    def alignments(self, batch: Corpus) -> list[tuple[int, list[Step]]]:
        """Return for each item which reference needs the fewest edits, and the alignment with it."""
        tokens, words = tokenize(batch, self.tokenizer, prepare=self.change)
        spelling = np.array(words(), object)
        documents = tokens.tokens.pieces()
        texts, references = tokens.pairs
        first_pairs = tokens.pair_offsets.tolist()
        _, nearest_pairs = nearest_edits(tokens)
        alignments = []
        for pair in nearest_pairs.tolist():
            item = int(texts[pair])
            text_ids = documents[item]
            reference_ids = documents[int(references[pair])]
            kinds = engine.edit_steps(text_ids, reference_ids, tokens.n_types)
            steps = steps_of(kinds, spelling[text_ids].tolist(), spelling[reference_ids].tolist())
            alignments.append((pair - first_pairs[item], steps))
        return alignments

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds the words that match: those without an edit."""

        def words(batch: Corpus) -> list[list[Word]]:
            return [words_in(steps, "prediction") for _, steps in self.alignments(batch)]

        return Matched(WerEdits.levels, words)


class WerEdits(Edits):
    """The edits of words behind the word error rate of one prediction."""

    called = "Word error rate"
