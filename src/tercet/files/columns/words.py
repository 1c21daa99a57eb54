"""The words of a name: how they are told apart and compared, and how many first ones names share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

#: Between words of camelCase; "chrF" is one.
_NEXT_WORD = re.compile("(?<=[a-z])(?<!chr)(?=[A-Z])")


def folded(text: str) -> str:
    """Return a text in lower case, without accents."""
    signs = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


def words(text: str) -> frozenset[str]:
    """Return the words of a list of them, as those of names are compared."""
    return frozenset(folded(text).split())


def names_of(text: str) -> frozenset[str]:
    """Return the names of a list, in which commas divide them, as names are compared."""
    return frozenset(" ".join(folded(name).split()) for name in text.split(","))


def folded_name(name: str) -> str:
    """Return a name in lower case, without accents, with blanks between the words of camelCase."""
    return folded(_NEXT_WORD.sub(" ", name))


def words_of(name: str) -> list[str]:
    """Return the words of a name, or of several names, in their order: letters alone.

    >>> words_of("exactMatch"), words_of("chrF_2"), words_of("taux d'accélération")
    (['exact', 'match'], ['chrf'], ['taux', 'd', 'acceleration'])
    """
    return re.findall(r"[^\W\d_]+", folded_name(name))


def n_first_shared(names: Iterable[Sequence[str]]) -> int:
    """Return how many first words all names share, each as its words in their order."""
    n_first = 0
    for words_at_place in zip(*names, strict=False):
        if len(set(words_at_place)) > 1:
            break
        n_first += 1
    return n_first
