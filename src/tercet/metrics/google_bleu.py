"""GLEU (Wu et al. 2016): matching n-grams of all lengths, per n-gram of the longer text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.has_tokenizer import HasTokenizer
from tercet.base.metric import Metric
from tercet.base.options import option
from tercet.base.rows import PairRows, as_rows, base_of_pairs, leave_out
from tercet.base.shared_options import shared_labels
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import Crossing, Indices, is_read_by_engine, rows_by_engine, texts_and_reading
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import crossed_matches, pair_matches
from tercet.engine.planned import TextPlan
from tercet.engine.ragged import TokenBatch, first_greatest
from tercet.errors import OptionError
from tercet.explanation.explanation import NGRAM_LEVELS, Matched
from tercet.explanation.levels import words_of_pairs
from tercet.explanation.matches import Word
from tercet.explanation.ngrams import NgramTexts, ngram_fields
from tercet.metrics.bleu.options import TOKENIZER_OF_BLEU, TokenizerName
from tercet.option_checks import integer
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray


class GoogleBleu(HasTokenizer):
    """GLEU, or Google BLEU: the smaller of precision and recall, of n-grams of all lengths together.

    Examples
    --------
    >>> import tercet
    >>> gleu = tercet.GoogleBleu(max_len=2)
    >>> round(gleu(["the cat sat down"], ["the cat sat on the mat"])["google_bleu"], 4)
    0.4545
    """

    # A row holds the base columns, and of the best reference the n-grams of all lengths that match, and those of the
    # longer text. Divided by the n-grams of the longer text, matches give the smaller of precision and recall.

    name = "google_bleu"
    primary = "google_bleu"
    title = "GLEU"
    about = from_card()
    takes_systems = True
    at_zero = "compares them with an empty text"
    columns = (*Metric.base_columns, "matches", "ngrams")
    ascending = (("matches", "ngrams"),)  # the n-grams of the longer side
    score_names = ("google_bleu",)

    tokenizer: TokenizerName | str | PathLike[str] | Callable[[str], Iterable[str]] = TOKENIZER_OF_BLEU
    lowercase: bool = option(default=False, doc="Lowercase the texts first.")
    min_len: int = option(default=1, doc="The shortest n-gram.", check=integer(1, 20))
    max_len: int = option(default=4, doc="The longest n-gram.", check=integer(1, 20))

    def check(self) -> None:
        """Refuse lengths of which there are none, and a tokenizer that is not installed."""
        super().check()
        if self.min_len > self.max_len:
            raise OptionError(f"The option 'min_len' must be at most 'max_len', {self.max_len}. Got {self.min_len}.")

    def new_signature(self) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        parts = {
            "tok": self.label,
            "case": "lc" if self.lowercase else "mixed",
            "orders": f"{self.min_len}-{self.max_len}",
            **shared_labels(self),
            "equals": "nltk" if self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    def tokens(self, batch: Corpus) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens, and a callable that gives the different ones by id."""
        return tokenize(batch, self._tokenizer_as_read, lowercase=self.lowercase)

    @property
    def _tokenizer_as_read(self) -> Any:
        """The tokenizer: evaluate's 13a strips no end."""
        return "13a-unstripped" if self.tokenizer == "13a" else self.tokenizer

    def ngrams(self, lengths: Any) -> Any:
        """Return how many n-grams there are in texts of these lengths."""
        return np.sum([np.maximum(lengths - n, 0) for n in range(self.min_len - 1, self.max_len)], axis=0)

    def pair_counts(self, matches: NDArray[np.int64], texts: Any, references: Any) -> NDArray[np.int64]:
        """Return matches and n-grams of each pair, shape (m, 2), from the matches of each order."""
        return np.stack([matches[:, self.min_len - 1 :].sum(axis=1), np.maximum(texts, references)], 1)

    def counts(self, tokens: TokenBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return matches and n-grams of each item, shape (n, 2), and the pair of its best reference: NLTK's first."""
        texts, references = tokens.pairs
        totals = self.ngrams(tokens.tokens.lengths)
        matches = pair_matches(tokens.tokens, texts, references, tokens.n_types, max_order=self.max_len).ngrams
        pairs = self.pair_counts(matches, totals[texts], totals[references])
        # A pair without n-grams is the worst, because NLTK skips it.
        shares = np.where(pairs[:, 1] > 0, pairs[:, 0] / np.maximum(pairs[:, 1], 1), -1.0)
        best = first_greatest(shares, tokens.pair_offsets[:-1][tokens.reference_counts > 0])
        # An item without a reference has no matches, but its own n-grams.
        counts = np.stack([np.zeros_like(totals), totals], axis=1)[: tokens.n_items]
        counts[texts[best]] = pairs[best]
        return counts, best

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item, without counts if left out; time is linear in the tokens of all pairs."""
        texts, reading = texts_and_reading(batch, self._tokenizer_as_read, lowercase=self.lowercase)
        rows = rows_by_engine(batch, engine.gleu_rows, texts, reading, self.min_len, self.max_len)
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)

        def rows(texts: Indices, references: Indices) -> NDArray[np.float64]:
            crossed = tokens.crossed(texts, references)
            matches = crossed_matches(crossed.tokens, len(texts), self.max_len)
            lengths = [crossed.tokens.lengths[side] for side in crossed.pairs]
            return np.hstack([base_of_pairs(lengths[0]), self.pair_counts(matches, *map(self.ngrams, lengths))])

        return rows

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step; None where Python has a part in it."""
        if not is_read_by_engine(self._tokenizer_as_read):
            return None
        rules = rules_of_plan(lowercase=self.lowercase, count_letters=self.needs_blanks)
        return engine.gleu_plan(rules, self._tokenizer_as_read, self.min_len, self.max_len, self.scale)

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the matches per n-gram of the text of each pair that has more."""
        scores = engine.gleu_scores(as_rows(totals, self.columns), self.scale)
        return {"google_bleu": scores.reshape(totals.shape[:-1])}

    def explained(self, batch: Corpus, context: Any = None) -> GleuMatches:
        """Explain a batch of one item."""
        tokens, words = self.tokens(batch)
        counts, (best,) = self.counts(tokens)
        text, *references = tokens.tokens.lists()
        pair = [text, references[best]]
        precision, recall = (float(counts[0, 0]) / max(1, int(self.ngrams(len(side)))) for side in pair)
        return GleuMatches(
            **ngram_fields(pair, words(), range(self.min_len, self.max_len + 1)),
            score=min(precision, recall),
            precision=precision,
            recall=recall,
            signature=str(self.signature()),
        )

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds matched tokens: by their longest matched n-gram."""

        def words(batch: Corpus) -> list[list[Word]]:
            tokens, spelling = self.tokens(batch)
            spelled = np.array(spelling(), object)
            _, best = self.counts(tokens)
            documents = [spelled[ids].tolist() for ids in tokens.tokens.pieces()]
            text_rows, reference_rows = tokens.pairs
            texts = [documents[row] for row in text_rows[best]]
            references = [documents[row] for row in reference_rows[best]]
            return words_of_pairs(texts, references, range(self.min_len, self.max_len + 1))

        return Matched(NGRAM_LEVELS[: self.max_len], words)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GleuMatches(NgramTexts):
    """The matching behind the GLEU of one prediction: with its best reference alone."""

    called = "GLEU"
    precision: float
    recall: float
