"""The name of a column -> the role that its words say, and how clearly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .vocabulary import (
    ABOUT,
    BARE_REFERENCES,
    BARE_SOURCES,
    CLEAR_REFERENCES,
    CLEAR_SOURCES,
    CLEAR_SYSTEMS,
    FILLERS,
    OF_MODELS,
    OTHER_ABOUT,
    OTHER_FILLERS,
    OTHER_REFERENCES,
    OTHER_SOURCES,
    OTHER_SYSTEMS,
    PERHAPS_DOCUMENTS,
    QUALIFIERS,
    REFERENCES,
    SOURCES,
    SYSTEMS,
    TARGETS,
    WHOLE_OTHER_ABOUT,
    WHOLE_OTHER_REFERENCES,
    WHOLE_OTHER_SOURCES,
    WHOLE_REFERENCES,
    WHOLE_SOURCES,
)
from .words import folded_name

_ALL_ABOUT = ABOUT | OTHER_ABOUT
_ALL_FILLERS = FILLERS | OTHER_FILLERS
# The words that leave a name that of a role.
_KNOWN = frozenset().union(
    *(_ALL_ABOUT, _ALL_FILLERS, QUALIFIERS, REFERENCES, OTHER_REFERENCES, SYSTEMS, OTHER_SYSTEMS, TARGETS, SOURCES),
    *(OTHER_SOURCES, BARE_REFERENCES, BARE_SOURCES, WHOLE_SOURCES, PERHAPS_DOCUMENTS),
    *(name.split() for name in WHOLE_REFERENCES),
)
_WHOLE_OTHERS = {
    "reference": WHOLE_OTHER_REFERENCES,
    "source": WHOLE_OTHER_SOURCES,
    "about": WHOLE_OTHER_ABOUT,
}
#: A version, which says nothing of another role behind a word of references: "gold_v2".
_VERSION = re.compile(r"v\d+")


class NameRole(NamedTuple):
    """What the name of a column says of its role.

    Attributes
    ----------
    role : {"source", "reference", "system", "about"}
        "system" where no word says a role.
    word : str
        The word that says it; "" where none does.
    is_whole : bool
        Whether the name has no other word: with one, as in ``human-dpo``, it may be a system's.
    """

    role: str
    word: str
    is_whole: bool


def name_role(name: str) -> NameRole:
    """Return what the name of a column says of its role, in any case, with numbers or letters after its words.

    >>> name_role("reference_2"), name_role("human-dpo").is_whole, name_role("gpt-4o").word
    (NameRole(role='reference', word='reference', is_whole=True), False, '')
    """
    folded, words, codes = words_of_name(name)
    whole = _without_last_numbers(" ".join(folded.split()))
    for role_of_names, names in _WHOLE_OTHERS.items():
        if whole in names:
            return NameRole(role_of_names, whole, is_whole=True)
    if not words:
        return NameRole("system", "", is_whole=False)
    role, word = _role_of_words(folded, words)
    if word in REFERENCES | OTHER_REFERENCES:
        codes = [code for code in codes if not _VERSION.fullmatch(code)]
    is_whole = bool(word) and not codes and _KNOWN.issuperset(words)
    if role == "reference" and OF_MODELS.intersection(words):
        is_whole = False
    return NameRole(role, word, is_whole)


def _without_last_numbers(name: str) -> str:
    # From the end on: a pattern that ends with "$" is tried from each place of every number.
    n_kept = len(name)
    while n_kept and (name[n_kept - 1].isspace() or name[n_kept - 1].isdecimal()):
        n_kept -= 1
    return name[:n_kept]


def role_of(name: str) -> str:
    """Return the role that the name of a column says: source, reference, system, or about.

    A name of which only a part says that it is a source or a reference is that of a system.
    """
    role, _, is_whole = name_role(name)
    if is_whole or role == "about":
        return role
    return "system"


def clear_role(name: str) -> str:
    """Return the only role that a column or file of this name has, or "" where it may have another.

    A "summary" may be a reference or a system's, "human" a system too; a "ref" or "source" is what it says.
    """
    words = words_of_name(name).words
    if not words or _ALL_ABOUT.intersection(words):
        return ""
    if (CLEAR_REFERENCES | OTHER_REFERENCES).intersection(words):
        return "reference"
    if words[0] in CLEAR_SOURCES or "src" in words or OTHER_SOURCES.intersection(words):
        return "source"
    if words[0] in CLEAR_SYSTEMS:
        return "system"
    return ""


class SplitName(NamedTuple):
    """A name in lower case, the words by which it is judged, and its codes, such as T5 or v2."""

    folded: str
    words: list[str]
    codes: list[str]


def words_of_name(name: str) -> SplitName:
    """Return the words by which a name is judged."""
    whole = folded_name(name)
    tokens = re.findall(r"[^\W_]+", whole)
    codes: list[str] = []
    all_words: list[str] = []
    for token in tokens:
        word = re.sub(r"\d+", "", token)
        if word == token or len(word) > 1:
            all_words.append(word)
        elif word:
            codes.append(token)
    words = [word for word in all_words if len(word) > 1 and word not in _ALL_FILLERS]
    return SplitName(whole, words or all_words[:1], codes)


def _role_of_words(folded: str, words: Sequence[str]) -> tuple[str, str]:
    """Return the role that words say, and the one that says it."""
    first = words[0]
    is_bare = len(words) == 1
    if " ".join(words) in WHOLE_REFERENCES:
        return "reference", " ".join(words)
    if about := _first_in(words, _ALL_ABOUT):
        return "about", about
    if first in REFERENCES:
        return "reference", first
    if reference := _first_in(words, OTHER_REFERENCES):
        return "reference", reference
    # "alt_reference" and "summary_ref" are references, "T5-ref" is none.
    reference = _first_in(words, CLEAR_REFERENCES)
    if reference and _KNOWN.issuperset(words) and not (SYSTEMS | OTHER_SYSTEMS).intersection(words):
        return "reference", reference
    if system := _first_in(words, SYSTEMS | OTHER_SYSTEMS):
        return "system", system
    if first in TARGETS or (is_bare and first in BARE_REFERENCES):
        return "reference", first
    if folded in WHOLE_SOURCES or first in SOURCES or (is_bare and first in BARE_SOURCES | PERHAPS_DOCUMENTS):
        return "source", first
    if source := _first_in(words, OTHER_SOURCES):
        return "source", source
    return "system", ""


def _first_in(words: Sequence[str], words_of_role: frozenset[str]) -> str:
    return next((word for word in words if word in words_of_role), "")
