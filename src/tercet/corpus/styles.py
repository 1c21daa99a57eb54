"""How most texts of a system are written and its references are not, or what both are that is no text to be scored.

Unlike an artefact, it is no piece of a text that could be shown: the texts of a sample decide. Nothing is changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tercet.errors import shorten

from .corpus import Corpus, sampled, some_of
from .refusals import has_refusal, is_refusal

#: Of fewer segments nothing is said: they may all be short, or answers to one question.
FEWEST = 5
#: So many segments, or up to twice as many, are looked at; more for refusals, which are few.
_SAMPLED = 10
_SAMPLED_FOR_REFUSALS = 100
#: Texts of these shares are most of them, some, or few.
_MOST = 0.5
_SOME = 0.2
_FEW = 0.1
#: So many refusals, and this share of the texts, are said.
_FEWEST_REFUSALS = 2
_REFUSED_SHARE = 0.02

_MARK_APART = re.compile(r"\w [.,](?: |\Z)|\w [。，、]").search
_MARK_ATTACHED = re.compile(r"\w[.,](?:\s|\Z)|\w[。，、]").search


class Pair(NamedTuple):
    """The text of a system for a segment, and its references."""

    text: str
    references: list[str]


class Style(NamedTuple):
    """What is said of a system, after its name: the rest of a sentence, and what to do."""

    said: str
    advice: str
    #: Whether it is said of several systems at once: not where it counts texts of one.
    of_several: bool = True

    def message(self, owner: str) -> str:
        """Return the warning; the owner is as "the predictions have"."""
        return f"{owner} {self.said} {self.advice}"


def may_have_styles(texts: Sequence[str], references: Sequence[str]) -> bool:
    """Return whether the texts of a system may have a style: of most, a glance shows that they have none.

    The references are those of all texts, each of which has one or more.
    """
    if len(texts) < FEWEST:
        return False
    if _may_be_json(references[0]) or has_refusal(some_of(texts, _SAMPLED_FOR_REFUSALS)):
        return True
    seen = some_of(texts, _SAMPLED)
    if _may_be_tokens(seen):
        return True
    if _has_capitals(seen):
        return False
    # Which references are those of the sample is not known here if some texts have several.
    return len(references) != len(texts) or _has_capitals(some_of(references, _SAMPLED))


def styles_of(corpus: Corpus, *, ignores_case: bool = False, item: str = "item") -> list[dict[str, Style]]:
    """Return for each system what its texts are that the references are not, or what both are, by name."""
    if corpus.n_segments < FEWEST or not corpus.has_references:
        return [{} for _ in range(corpus.n_systems)]
    items = corpus.items(sampled(corpus.n_segments, _SAMPLED))
    by_system = []
    for system in range(corpus.n_systems):
        pairs = [Pair(texts[system], references) for texts, references in items]
        styles = {
            "json": _json(pairs),
            "tokens": _tokens(pairs),
            "refusals": _refusals(corpus, system, item),
            "lower case": None if ignores_case else _lower_case(pairs),
        }
        by_system.append({name: style for name, style in styles.items() if style is not None})
    return by_system


def style_messages(corpus: Corpus, *, ignores_case: bool) -> list[str]:
    """Return the warnings of a corpus, whose systems are called as it calls them."""
    messages = []
    for name, styles in zip(corpus.names, styles_of(corpus, ignores_case=ignores_case), strict=True):
        messages += [style.message(f"the {name} have") for style in styles.values()]
    return messages


def _lower_case(pairs: Sequence[Pair]) -> Style | None:
    if _has_capitals([pair.text for pair in pairs]):
        return None
    words = [word for pair in pairs if (word := _lowercased_word(pair)) is not None]
    if len(words) < _SOME * len(pairs):
        return None
    return Style(
        f"no capital letter, and the references write some of the same words with one, such as {shorten(words[0])}: "
        "each counts as another word.",
        "Score the texts as they were before they were lowercased, or both sides in lower case, as normalize='lower' "
        "does.",
    )


def _has_capitals(texts: Sequence[str]) -> bool:
    # The commonest systems are known by their first text.
    if texts[0] != texts[0].lower():
        return True
    joined = "\n".join(texts)
    return joined != joined.lower()


def _lowercased_word(pair: Pair) -> str | None:
    """Return a word of the references that the text has in lower case."""
    with_capitals = [reference for reference in pair.references if reference != reference.lower()]
    if not with_capitals:
        return None
    words = set(pair.text.split())
    for reference in with_capitals:
        for word in reference.split():
            lowered = word.lower()
            if lowered != word and lowered in words:
                return word
    return None


def _tokens(pairs: Sequence[Pair]) -> Style | None:
    if not _may_be_tokens([pair.text for pair in pairs]):
        return None
    apart = [pair.text for pair in pairs if _MARK_APART(pair.text)]
    if len(apart) < _MOST * len(pairs):
        return None
    apart_in_references = [pair for pair in pairs if any(map(_MARK_APART, pair.references))]
    attached = [text for pair in pairs for text in pair.references[:1] if _MARK_ATTACHED(text)]
    if len(apart_in_references) > _FEW * len(pairs) or len(attached) < _MOST * len(pairs):
        return None
    return Style(
        f"blanks before its punctuation ({shorten(apart[0])}), as tokenizers leave them, and the references have "
        f"none ({shorten(attached[0])}): many scores take that for other words.",
        "Score the texts as they were before they were tokenized, or join the tokens of both sides, as "
        "normalize='detokenize' does.",
    )


def _may_be_tokens(texts: Sequence[str]) -> bool:
    """Return whether a text has such a mark: most have none, and need no regular expression."""
    joined = "\n".join(texts)
    if " ." in joined or _is_apart(",", joined):
        return True
    return not joined.isascii() and (_is_apart("。", joined) or _is_apart("，", joined) or _is_apart("、", joined))


def _is_apart(mark: str, text: str) -> bool:
    # A character alone is found ten times as fast as two, and most marks are in no text.
    return mark in text and f" {mark}" in text


def _refusals(corpus: Corpus, system: int, item: str) -> Style | None:
    own = corpus.system(system)
    sample = sampled(corpus.n_segments, _SAMPLED_FOR_REFUSALS)
    texts = own.predictions if own.strings is None else own.strings[0]
    if not has_refusal([str(texts[segment]) for segment in sample]):
        return None
    refused = [number for number, text in enumerate(own.texts_of(0)) if is_refusal(text)]
    n_in_references = sum(any(map(is_refusal, references)) for references in own.reference_lists())
    n = corpus.n_segments
    # Where the references refuse as well, that is what was asked for.
    if len(refused) < max(_FEWEST_REFUSALS, _REFUSED_SHARE * n) or 4 * n_in_references >= len(refused):
        return None
    first = refused[0]
    return Style(
        f"what looks like a refusal in {len(refused):,} of {n:,} {item}s, the first in {item} "
        f"{corpus.first_item + first:,} ({shorten(str(texts[first]))}): it is scored as an answer.",
        "Say how many there are beside the score, or leave these out for every system.",
        of_several=False,
    )


def _json(pairs: Sequence[Pair]) -> Style | None:
    if not pairs[0].references or not _may_be_json(pairs[0].references[0]):
        return None
    references = [text for pair in pairs for text in pair.references]
    reference_objects = _objects(references)
    objects = _objects(pair.text for pair in pairs)
    # Every reference is an object; a model leaves some unfinished.
    if len(reference_objects) < len(references) or len(objects) < (1 - _FEW) * len(pairs):
        return None
    keys = _keys_of_all([*objects, *reference_objects])
    if not keys:
        return None
    first_keys = ", ".join(map(shorten, keys[:8]))
    return Style(
        f"JSON objects for texts, as the references are ({shorten(pairs[0].text)}): their keys are words that match.",
        f"Score the value of a key, as normalize='json:{keys[0]}' does; all of them have {first_keys}.",
    )


def _may_be_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _objects(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return the JSON objects among the texts."""
    objects = []
    for text in texts:
        if not _may_be_json(text):
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            objects.append(value)
    return objects


def _keys_of_all(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return the keys that all objects have, those of the longest values first: texts rather than labels."""
    keys = [key for key in objects[0] if all(key in entries for entries in objects)]
    return sorted(keys, key=lambda key: -sum(len(str(entries[key])) for entries in objects))
