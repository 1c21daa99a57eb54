"""Metrics with a tokenizer to choose, which may need blanks between words."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

from tercet.corpus.corpus import Corpus
from tercet.corpus.letters import LetterCounts, count_letters, unspaced_language, why_not_split
from tercet.corpus.reading import is_read_by_engine
from tercet.corpus.tokenizers import tokenizer_label
from tercet.signature import Signature

from .metric import Metric


class HasTokenizer(Metric):
    """A metric with a tokenizer to choose, which warns of one that cannot split the texts."""

    extras = ("languages",)
    tokenizer: Any

    @cached_property
    def _signatures(self) -> dict[str, Signature]:
        """The signature by the label of the tokenizer, whose model may be another file at the next call."""
        return {}

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        label = self.label
        if label not in self._signatures:
            self._signatures[label] = self.new_signature()
        return self._signatures[label]

    @abstractmethod
    def new_signature(self) -> Signature:
        """Return the signature, of the tokenizer as it is now."""

    def check(self) -> None:
        """Refuse a tokenizer whose package or model is missing, before texts are read."""
        _ = self.label

    @property
    def label(self) -> str:
        """The name of the tokenizer in a signature."""
        # Of the others, a package or a file has a say, which may change between two calls.
        return self._plain_label or tokenizer_label(self.tokenizer)

    @cached_property
    def _plain_label(self) -> str:
        """The name of a tokenizer of the engine; "" for all others."""
        return self.tokenizer if is_read_by_engine(self.tokenizer) else ""

    @cached_property
    def needs_blanks(self) -> bool:
        """Whether the tokenizer finds no words in scripts without spaces, or as "zh" in Chinese alone."""
        return isinstance(self.tokenizer, str) and self.tokenizer in _SPLIT_AT

    def fit(self, batch: Corpus) -> LetterCounts | None:
        """Count the letters of the references, to warn of a tokenizer that cannot split them."""
        return count_letters(batch) if self.needs_blanks else None

    def why_worst(self, totals: Any, corpus: Corpus) -> str:
        """Return that texts are not split into words, by a tokenizer that splits at blanks; "" where they are."""
        letters = self.fit(corpus)
        if self.corpus_warning(letters, corpus) is None:
            return ""
        return why_not_split(letters)

    def corpus_warning(self, context: LetterCounts | None, corpus: Corpus | None = None) -> str | None:
        """Return a warning when a tokenizer that splits at blanks meets texts without any."""
        if context is None or not context.mostly_without_blanks:
            return None
        language = None if corpus is None else unspaced_language(corpus)
        where = f"tokenizer={self.tokenizer!r} splits at {_SPLIT_AT[self.tokenizer]}"
        if language is not None:
            return (
                f"{where}, but these references are mostly in scripts written without spaces ({language}). Give "
                "tokenizer='char' or 'unicode'."
            )
        if self.tokenizer == "zh":
            return None
        return (
            f"{where}, but these references are mostly in scripts written without spaces. Give tokenizer='zh', 'ja', "
            "'jieba', 'char' or 'unicode'."
        )


#: Where tokenizers split that find no words in scripts without spaces.
_SPLIT_AT = {
    "13a": "spaces and punctuation",
    "intl": "spaces and punctuation",
    "none": "spaces",
    "blanks": "spaces",
    "zh": "Chinese characters, spaces and punctuation",
}
