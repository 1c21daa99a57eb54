"""Texts that seem to be of other segments, as where a line is missing: warnings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tercet.corpus.corpus import sampled

from .systems_in_words import system_groups, systems_in_words
from .test_set import TestSet

# The numbers below are chosen, not measured.
#: So many segments, or up to twice as many, are looked at first.
_SAMPLED = 100
#: So many segments, or this share, must have texts of other segments.
_LEAST_MISPLACED = 3
_LEAST_MISPLACED_SHARE = 0.05
#: Texts of fewer words show nothing.
_LEAST_WORDS = 4
#: So many times as many texts as those that are like the neighbour on the other side are shifted.
_MUCH_MORE = 4
#: Texts that share more of their words with their references are in their rows.
_SHARED = 0.25
#: A word in more segments, or in a larger share of them, shows nothing.
_RARE = 10
_RARE_SHARE = 0.1
#: Characters of a word, and more than that where words are written without blanks.
_LONGEST_WORDS = 12

_ADVICE = (
    "Is a line missing, or one too many, or are the texts in another order? They are paired by their places; in a "
    "table, those of a row are."
)


class _Misplaced(NamedTuple):
    """A segment whose text is like the reference of another one, its home."""

    segment: int
    home: int


def misplaced_texts(test_set: TestSet) -> list[str]:
    """Return a warning of systems whose texts have little in common with their references, and much with others."""
    sample: dict[int, set[str]] = {}
    for segment in sampled(test_set.n_segments, _SAMPLED):
        sample[segment] = _words_of_texts(*test_set.references[segment])
    examples = _shifted_examples(test_set, sample)
    least_segments = max(_LEAST_MISPLACED, len(sample) * _LEAST_MISPLACED_SHARE)
    suspects = {}
    for system, texts in test_set.systems.items():
        if system in examples:
            continue
        strangers = _strangers(texts, sample)
        if len(strangers) >= least_segments:
            suspects[system] = strangers
    if suspects:
        examples |= _moved_examples(test_set, suspects)
    if len(examples) == len(test_set.systems) > 1:
        example = next(iter(examples.values()))
        return [
            f"{test_set.name}: the references seem to be of other segments than the texts of all systems: the texts "
            f"of segment {example.segment + 1:,} are like the reference of segment {example.home + 1:,}. {_ADVICE}"
        ]
    messages = []
    for systems in system_groups(list(examples)):
        example = examples[systems[0]]
        messages.append(
            f"{test_set.name}: texts of {systems_in_words(systems)} seem to be of other segments: that of segment "
            f"{example.segment + 1:,} is like the reference of segment {example.home + 1:,}. {_ADVICE}"
        )
    return messages


def _shifted_examples(test_set: TestSet, sample: Mapping[int, set[str]]) -> dict[str, _Misplaced]:
    """Return by system a segment whose text is like the next or the last reference, where many are."""
    neighbours: dict[int, set[str]] = {}
    for segment in sample:
        for neighbour in (segment - 1, segment + 1):
            if 0 <= neighbour < test_set.n_segments:
                neighbours[neighbour] = _words_of_texts(*test_set.references[neighbour])
    examples = {}
    for system, texts in test_set.systems.items():
        like_last = []
        like_next = []
        for segment, reference_words in sample.items():
            words = _words_of_texts(texts[segment])
            if len(words) < _LEAST_WORDS:
                continue
            least_shared = max(len(words) / 2, 2 * len(words & reference_words))
            if len(words & neighbours.get(segment - 1, set())) >= least_shared:
                like_last.append(_Misplaced(segment, segment - 1))
            if len(words & neighbours.get(segment + 1, set())) >= least_shared:
                like_next.append(_Misplaced(segment, segment + 1))
        few, many = sorted([like_next, like_last], key=len)
        # By chance, as many are like the one as like the other.
        least_segments = max(_LEAST_MISPLACED + _MUCH_MORE * len(few), 2 * _LEAST_MISPLACED_SHARE * len(sample))
        if len(many) >= least_segments:
            examples[system] = many[0]
    return examples


def _strangers(texts: Sequence[str], references: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Return the words of the texts that share few with their references, by segment."""
    strangers = {}
    for segment, reference_words in references.items():
        words = _words_of_texts(texts[segment])
        if len(words) >= _LEAST_WORDS and len(words & reference_words) < _SHARED * len(words):
            strangers[segment] = words
    return strangers


def _moved_examples(test_set: TestSet, suspects: Mapping[str, Mapping[int, set[str]]]) -> dict[str, _Misplaced]:
    """Return by system a segment whose text is like the reference of another, where most strangers are."""
    most = max(2, min(_RARE, _RARE_SHARE * test_set.n_segments))
    wanted: set[str] = set()
    for strangers in suspects.values():
        wanted.update(*strangers.values())
    # By word, the segments with a reference that has it.
    segments_with: dict[str, list[int]] = defaultdict(list)
    for segment, texts in enumerate(test_set.references):
        for word in _words_of_texts(*texts) & wanted:
            # One more than the most says that a word is in more.
            if len(segments_with[word]) <= most:
                segments_with[word].append(segment)
    rare = {word: segments for word, segments in segments_with.items() if len(segments) <= most}
    examples = {}
    for system, strangers in suspects.items():
        misplaced = []
        for segment, words in strangers.items():
            home = _home(words, test_set.references, rare)
            if home is not None:
                misplaced.append(_Misplaced(segment, home))
        n_homes = len({one.home for one in misplaced})
        # Texts that were moved have rows of their own; those that are bad may be like one and the same.
        if 2 * len(misplaced) < len(strangers) or 10 * n_homes < 9 * len(misplaced):
            continue
        # Where lines were lost, most are as far from their rows.
        offsets = [one.home - one.segment for one in misplaced]
        commonest = max(offsets, key=offsets.count)
        examples[system] = misplaced[offsets.index(commonest)]
    return examples


def _home(words: set[str], references: Sequence[Sequence[str]], rare: Mapping[str, list[int]]) -> int | None:
    """Return the segment whose references have at least half of the words, some of them rare ones; None without."""
    n_rare = Counter[int]()
    for word in words:
        n_rare.update(rare.get(word, ()))
    most = max(n_rare.values(), default=0)
    if most < 2:
        return None
    home = min(segment for segment, number in n_rare.items() if number == most)
    if 2 * len(words & _words_of_texts(*references[home])) < len(words):
        return None
    return home


def _words_of_texts(*texts: str) -> set[str]:
    """Return the words of texts; pairs of characters of those without blanks between words."""
    words: set[str] = set()
    for text in map(str.lower, texts):
        words_of_text = text.split()
        if len(text) < _LONGEST_WORDS * len(words_of_text):
            words.update(words_of_text)
        else:
            words.update(map("".join, pairwise(text)))
    return words
