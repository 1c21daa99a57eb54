"""Segments and texts that repeat in a test set, and are probably mistakes: copies, and messages of errors."""

from __future__ import annotations

import operator
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tercet import numpy_later as np
from tercet.corpus.corpus import sampled
from tercet.errors import argument, shorten

from .test_set import TestSet

# The numbers below are chosen, not measured.
#: In fewer segments, copies are not warned of.
_LEAST_SEGMENTS = 4
#: Characters of the longest text of a segment without a source, which tell it from a label such as "yes".
_LEAST_LENGTH = 20
#: So many segments, or up to twice as many, are looked at first.
_SAMPLED = 100
#: So many segments with a wrong text that repeats are warned of, and no fewer than this share of all.
_LEAST_WRONG = 4
_LEAST_WRONG_SHARE = 0.02
#: If fewer of the other texts are different, they are of few kinds, as labels and templates are.
_DIFFERENT = 0.8
#: This share of the texts, or more, must be others than those that differ in numbers alone.
_OTHERS = 0.25

#: Numbers and ids of a text, which differ between messages of the same error.
_NUMBERS = re.compile(r"\b\w*\d\w*", re.ASCII)
#: Short texts that stand for an answer that failed.
_ERROR_MESSAGE = re.compile(
    r"\W*(error code: ?\d+|\[error\]|internal server error|request timed out|rate ?limit|traceback \()", re.IGNORECASE
)
#: What a text says that repeats and is the message of an error; one that does not repeat may speak of errors.
_LIKE_ERROR = re.compile(
    r"\b(error|exception|time ?out|timed out|unavailable|overloaded|quota|too many requests|rate ?limit|traceback"
    r"|connection (reset|refused|closed))\b",
    re.IGNORECASE,
)
_FAILURES = frozenset({"error", "api error", "timeout", "n/a", "none", "null", "nan", "failed"})


def repeated_rows(test_set: TestSet) -> list[str]:
    """Return a warning of segments of which half or more are exact copies of earlier ones."""
    if test_set.clusters is not None or test_set.n_segments < _LEAST_SEGMENTS:
        return []
    columns = list(test_set.systems.values())
    if test_set.source is not None:
        columns.append(test_set.source)
    # Copies of a row are copies in each of its columns.
    if any(map(_mostly_differ, columns)):
        return []
    rows = zip(map(tuple, test_set.references), *columns, strict=True)
    if test_set.source is None:
        hashes = array("q", (hash(row) for row in rows if _is_long(*row)))
    else:
        hashes = array("q", map(hash, rows))
    n_repeats = len(hashes) - _sort_and_count_different(hashes)
    if 2 * n_repeats < test_set.n_segments:
        return []
    so_that = ""
    # Short rows that are left out may be alike, too.
    if len(hashes) == test_set.n_segments:
        so_that = f", so that {test_set.n_segments - n_repeats:,} are different"
    return [
        f"{test_set.name}: {n_repeats:,} of {test_set.n_segments:,} segments are exact copies of earlier ones"
        f"{so_that}: intervals and tests take copies as independent segments, and are too sure. Remove the "
        f"copies, or resample them together ({argument('cluster')})."
    ]


def repeated_texts(test_set: TestSet) -> list[str]:
    """Return warnings of a text that a system has in many segments where it is wrong, such as an error's message."""
    messages = []
    for repeat in _repeats(test_set):
        but_for = ", but for numbers,"
        if repeat.is_one_text:
            but_for = ""
        first = repeat.segments[0]
        messages.append(
            f"{test_set.name}: the system {shorten(repeat.system)} has the same text{but_for} in "
            f"{len(repeat.segments):,} of {test_set.n_segments:,} segments, the first of them segment {first + 1:,}: "
            f"{shorten(test_set.systems[repeat.system][first])}. If it is the message of an error, run these "
            "segments again, or leave them out for every system."
        )
    return messages


def repeated_errors(test_set: TestSet) -> dict[str, Sequence[int]]:
    """Return by system the segments with one wrong text that reads like an error's, beside different references."""
    errors = {}
    for repeat in _repeats(test_set):
        wrong = repeat.wrong
        n_different = _sort_and_count_different(
            array("q", (hash(tuple(test_set.references[segment])) for segment in wrong))
        )
        if 2 * n_different > len(wrong) and _LIKE_ERROR.search(test_set.systems[repeat.system][wrong[0]]):
            errors[repeat.system] = wrong
    return errors


def is_failure(text: str) -> bool:
    """Return whether a text stands for an answer that failed, such as ``API error`` or ``Error code: 429 - ...``."""
    return text.strip().casefold() in _FAILURES or _ERROR_MESSAGE.match(text) is not None


class _Repeat(NamedTuple):
    """A text that a system has in many segments where it is wrong."""

    system: str
    #: All segments that have it, but for numbers, and those in which no reference is like it.
    segments: Sequence[int]
    wrong: Sequence[int]
    #: Whether it has the same numbers, too.
    is_one_text: bool


def _repeats(test_set: TestSet) -> Iterator[_Repeat]:
    """Yield the commonest text of each system that repeats where it is wrong."""
    n_segments = test_set.n_segments
    sample = sampled(n_segments, _SAMPLED)
    least_wrong = max(_LEAST_WRONG, _LEAST_WRONG_SHARE * n_segments)
    for system, texts in test_set.systems.items():
        kind, times = _commonest([texts[segment] for segment in sample])
        if times < max(2, _LEAST_WRONG_SHARE * len(sample)):
            continue
        of_kind = _SegmentsOfKind.of(texts, kind)
        # Where nearly all texts differ in numbers alone, these are what is said.
        if not of_kind.is_one_text and of_kind.n_others < _OTHERS * n_segments:
            continue
        if of_kind.n_different_others < _DIFFERENT * of_kind.n_others:
            continue
        wrong = _wrong_segments(of_kind.segments, kind, test_set.references)
        if len(wrong) >= max(least_wrong, len(of_kind.segments) / 2):
            yield _Repeat(system, of_kind.segments, wrong, of_kind.is_one_text)


class _SegmentsOfKind(NamedTuple):
    """The segments in which a system has one text, but for numbers, and how different its other texts are."""

    segments: Sequence[int]
    #: Whether it has the same numbers, too.
    is_one_text: bool
    n_others: int
    n_different_others: int

    @classmethod
    def of(cls, texts: Sequence[str], kind: str) -> _SegmentsOfKind:
        # No text is kept, and no list of numbers, of which each takes as much memory as a short text.
        segments = array("q")
        hashes_of_others = array("q")
        first_text = ""
        is_one_text = True
        for segment, text in enumerate(texts):
            other = _without_numbers(text)
            if other != kind:
                hashes_of_others.append(hash(other))
                continue
            if not segments:
                first_text = text
            is_one_text = is_one_text and text == first_text
            segments.append(segment)
        return cls(segments, is_one_text, len(hashes_of_others), _sort_and_count_different(hashes_of_others))


def _wrong_segments(segments: Sequence[int], kind: str, references: Sequence[Sequence[str]]) -> Sequence[int]:
    """Return the segments no reference of which is a text of this kind; without references nobody knows it."""
    wrong = array("q")
    for segment in segments:
        references_of_segment = references[segment]
        # The same answer may be right, and a text without its numbers the same as its references.
        if references_of_segment and kind not in map(_without_numbers, references_of_segment):
            wrong.append(segment)
    return wrong


def _without_numbers(text: str) -> str:
    return _NUMBERS.sub("#", text.strip().casefold())


def _commonest(texts: Iterable[str]) -> tuple[str, int]:
    """Return the commonest text without numbers that is a sentence, or stands for an answer that failed."""
    counts = Counter(map(_without_numbers, texts))
    kinds = [kind for kind in counts if len(kind) >= _LEAST_LENGTH or kind in _FAILURES]
    return max(((kind, counts[kind]) for kind in kinds), key=operator.itemgetter(1), default=("", 0))


def _is_long(references: Sequence[str], *texts: str) -> bool:
    """Return whether the longest text of a segment is more than a label."""
    return max(map(len, (*references, *texts))) >= _LEAST_LENGTH


def _mostly_differ(texts: Sequence[str]) -> bool:
    """Return whether more than half of the texts are different."""
    n = len(texts)
    # Different hashes are of different texts. Their low bits, a byte for each, are a filter that may see too few of
    # them, and never too many: only where it sees few are all hashes sorted.
    mask = (2 << n.bit_length()) - 1
    is_hash = bytearray(mask + 1)
    for text in texts:
        is_hash[hash(text) & mask] = 1
    return 2 * is_hash.count(1) > n or 2 * _sort_and_count_different(array("q", map(hash, texts))) > n


def _sort_and_count_different(hashes: array[int]) -> int:
    """Return how many texts, or rows of them, are different, by the hashes of all, which are put in order.

    Of many millions, the texts themselves have no room in memory. By chance, two of them have the same hash once in
    a million test sets of as many segments.
    """
    if not hashes:
        return 0
    in_order = np.frombuffer(hashes, np.int64)
    in_order.sort()
    return 1 + int(np.count_nonzero(in_order[1:] != in_order[:-1]))
