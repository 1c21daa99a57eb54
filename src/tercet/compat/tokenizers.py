"""Drop-in for ``rouge_score.tokenizers``."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from tercet.corpus.stems import stemmer_for


class Tokenizer(ABC):
    """Base class of the tokenizers that :class:`.rouge_scorer.RougeScorer` takes."""

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """Split a text into tokens."""


class DefaultTokenizer(Tokenizer):
    """Lowercased words of a-z and 0-9; every other character separates them.

    Parameters
    ----------
    use_stemmer : bool
        Stem words of more than three letters with Porter's stemmer.

    Examples
    --------
    >>> DefaultTokenizer(use_stemmer=True).tokenize("Two cats, meeting")
    ['two', 'cat', 'meet']
    """

    def __init__(self, use_stemmer: bool = False) -> None:
        self._use_stemmer = use_stemmer

    def tokenize(self, text: str) -> list[str]:
        """Split a text into tokens."""
        words = re.findall("[a-z0-9]+", text.lower())
        if self._use_stemmer:
            return list(map(stemmer_for("porter"), words))
        return words
