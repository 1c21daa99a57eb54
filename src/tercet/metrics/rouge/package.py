"""What the packages ``rouge`` (PyPI, by pltrdy) and ``rouge_chinese`` count, for ``compat`` of these names.

They split at blanks, keep capitals and marks, count repeated n-grams once, and find sentences by their marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tercet.engine.counting import pair_matches
from tercet.engine.ragged import TokenBatch
from tercet.errors import OptionError
from tercet.metric.drawing.places import lcs_places, ngrams

from .counts import PairCounts
from .types import RougeType

#: epsilon in F's denominator.
EPSILON = 1e-8

#: The types that they compute by default.
DEFAULT_TYPES = ("rouge1", "rouge2", "rougeL")

# rouge_chinese puts a line end between the two groups of each; one after the other.
_CHINESE_ENDS = (
    re.compile(r"([。！？?])([^”’])"),
    re.compile(r"(\.{6})([^”’])"),
    re.compile(r"(…{2})([^”’])"),
    re.compile(r"([。！？?][”’])([^，。！？?])"),
)


def _by_point(text: str) -> list[str]:
    return text.split(".")


def _by_chinese_marks(text: str) -> list[str]:
    for end in _CHINESE_ENDS:
        text = end.sub(r"\1\n\2", text)
    return text.rstrip().split("\n")


#: How each package finds sentences.
PACKAGES: dict[str, Callable[[str], list[str]]] = {"rouge": _by_point, "rouge_chinese": _by_chinese_marks}


def check_types(package: str, types: tuple[RougeType, ...]) -> None:
    """Raise an OptionError for a type that the packages do not have."""
    for each in types:
        if each.kind != "L" and not 1 <= each.order <= 5:
            raise OptionError(
                f"The package {package} has the types rouge1 to rouge5 and rougeL: with compat={package!r} the "
                f"'rouge_types' option must name these. Got {each.name!r} instead."
            )


def mark_sentences(text: str, package: str) -> str:
    r"""Put each sentence on a line, behind a mark: one of blanks only is an empty word there, and not no word."""
    return "\n".join("." + " ".join(sentence.split()) for sentence in PACKAGES[package](text) if sentence)


def split_marked(line: str) -> list[str]:
    """Return the words of a line that :func:`mark_sentences` made."""
    return line[1:].split(" ") if line else []


class PackageCounter:
    """Counts of pairs as a package makes them; the interface is that of :class:`tercet.rouge_counts.PairCounter`.

    ROUGE-N counts different n-grams. ROUGE-L of ``rouge`` counts the different words of the longest common
    subsequences of all pairs of sentences; that of ``rouge_chinese`` is one subsequence of the whole texts.
    """

    def __init__(self, tokens: TokenBatch, package: str) -> None:
        self._tokens = tokens
        self._package = package
        self._texts, self._references = tokens.pairs

    @cached_property
    def _documents(self) -> list[list[int]]:
        return self._tokens.tokens.lists()

    def count(self, kind: RougeType) -> PairCounts:
        """Return the counts of one type."""
        t = self._tokens
        if kind.kind == "L" and self._package == "rouge_chinese":
            hits = pair_matches(t.tokens, self._texts, self._references, t.n_types, with_lcs=True).common
            return self._counts(hits, t.tokens.lengths)
        order = 1 if kind.kind == "L" else kind.order
        different = [set(ngrams(ids, order)) for ids in self._documents]
        totals = np.array([len(each) for each in different], np.int64)
        if kind.kind == "L":
            lines = t.line_lists()
            found = [len(union_words(lines[text], lines[other])) for text, other in self._pairs()]
        else:
            found = [len(different[text] & different[other]) for text, other in self._pairs()]
        return self._counts(np.array(found, np.int64), totals)

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self._texts.tolist(), self._references.tolist(), strict=True))

    def _counts(self, hits: NDArray[np.int64], totals: NDArray[np.int64]) -> PairCounts:
        values = totals.astype(np.float64)
        return PairCounts(hits.astype(np.float64), values[self._texts], values[self._references])


def union_words(text: list[list[int]], reference: list[list[int]]) -> set[int]:
    """Return the different words of the longest common subsequences of each two sentences.

    Of several longest ones it is that of the package: from the ends, a match first, else back in the text unless that
    would shorten it.
    """
    return {line[place] for line in reference for other in text for place in lcs_places(line, other)[0]}
