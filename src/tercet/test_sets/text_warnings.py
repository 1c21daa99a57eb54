"""What is odd in a test set and probably a mistake: warnings, in the words of users.

Here are empty texts, texts and rows that repeat, messages of errors, and a baseline that is not the one of that name;
in `misplaced.py`, texts of other segments; in `copied_systems.py`, outputs that are copies.
What a text of one side alone has, such as markup, is found by `corpus/artefacts.py`, and how most texts are written,
as JSON or in lower case, by `corpus/styles.py`: there a metric warns of one system, and here all systems are said in
one warning.
"""

from __future__ import annotations

import operator
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tercet import numpy_later as np
from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, span_in_words, token_list_warning
from tercet.corpus.corpus import Corpus, sampled
from tercet.corpus.styles import styles_of
from tercet.errors import argument, argument_set, shorten, warn
from tercet.names_as_shown import counted
from tercet.statistics.stats import SegmentStats

from .misplaced import misplaced_texts
from .systems_in_words import system_groups, systems_have, systems_in_words
from .test_set import TestSet

#: What people call the system that others are compared with.
_BASELINES = ("baseline", "base", "main", "master")

# The numbers below are chosen, not measured.
#: In fewer segments, copies are not warned of.
_LEAST_REPEATED = 4
#: Characters of the longest text of a segment without a source, which tell it from a label such as "yes".
_LEAST_LENGTH = 20
#: So many segments, or up to twice as many, are looked at first.
_SAMPLED = 100
#: So many segments with a wrong text that repeats are warned of, and no fewer than this share of all.
_REPEATED = 4
_REPEATED_SHARE = 0.02
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


def empty_texts(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts of systems."""
    if test_set.no_texts:
        return []
    n_empty: dict[str, int] = {}
    # The number of the first, from 1.
    first_empty: dict[str, int] = {}
    for system, texts in test_set.systems.items():
        for number, text in enumerate(texts, 1):
            if not text.strip():
                n_empty[system] = n_empty.get(system, 0) + 1
                first_empty.setdefault(system, number)
    # Without references nothing is matched, as by metrics of predictions alone.
    effect = ": nothing matches there" if any(test_set.references) else ""
    messages = []
    for systems in system_groups(list(n_empty)):
        first = min(first_empty[system] for system in systems)
        number_in_words = span_in_words([n_empty[system] for system in systems])
        texts_in_words = "1 empty text" if number_in_words == "1" else f"{number_in_words} empty texts"
        messages.append(
            f"{test_set.name}: {systems_have(systems)} {texts_in_words}, the first in segment {first:,}{effect}."
        )
    return messages


def empty_references(test_set: TestSet) -> list[str]:
    """Return a warning of segments whose references are all empty."""
    if test_set.no_texts:
        return []
    n_empty = 0
    # The number of the first, from 1.
    first_empty = 0
    for number, references in enumerate(test_set.references, 1):
        # Of most segments the first reference is asked alone.
        if references and not references[0].strip() and not any(map(str.strip, references)):
            n_empty += 1
            first_empty = first_empty or number
    if not n_empty:
        return []
    segments_have = counted(n_empty, "segment has", "segments have")
    return [
        f"{test_set.name}: {segments_have} only empty references, the first is segment {first_empty:,}: "
        "nothing matches there."
    ]


def odd_segments(test_set: TestSet, *, with_references: bool = True) -> list[str]:
    """Return warnings of texts that repeat, or seem to be of other segments, as no score shows by itself."""
    if test_set.no_texts:
        return []
    messages = _repeated_rows(test_set) + _repeated_texts(test_set)
    if with_references:
        messages += misplaced_texts(test_set)
    return messages


def warn_of_artefacts(test_set: TestSet, corpus: Corpus, metrics: Iterable[Metric]) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings.

    What the metrics' ``normalize`` mends is no artefact. The texts are then `searched`.
    """
    messages: list[str] = []
    # By the texts that they score.
    metrics_of: dict[Corpus, list[Metric]] = {}
    for metric in metrics:
        if metric.takes_references:
            metrics_of.setdefault(metric.as_scored(corpus), []).append(metric)
    for texts, metrics_of_texts in metrics_of.items():
        ignores_case = all(metric.ignores_case for metric in metrics_of_texts)
        for message in _artefact_warnings(test_set, texts) + _style_warnings(test_set, texts, ignores_case):
            if message not in messages:
                messages.append(message)
        # The metrics that score them would warn again.
        texts.searched = True
    for message in messages:
        warn(message)
    return messages


def warn_of_scores(test_set: TestSet, metric: Metric, stats: Sequence[SegmentStats]) -> None:
    """Raise the warnings that the metric gives for the texts of each system."""
    by_warning: dict[str, list[str]] = {}
    for system, system_stats in zip(test_set.systems, stats, strict=True):
        warning = metric.score_warning(system_stats.total())
        if warning is not None:
            by_warning.setdefault(warning, []).append(system)
    for warning, systems in by_warning.items():
        for group in system_groups(systems):
            warn(f"{test_set.name}: {systems_in_words(group)}: {metric.name}: {warning}")


def odd_baseline(test_set: TestSet) -> list[str]:
    """Return a warning where the baseline is the first system, but another one is called so."""
    first, *others = test_set.systems
    if first.casefold() in _BASELINES:
        return []
    for name in _BASELINES:
        for system in others:
            if system.casefold() == name:
                return [
                    f"{test_set.name}: the baseline is the first system, {shorten(first)}, but another is called "
                    f"{shorten(system)}: {argument_set('baseline', system)} makes it the baseline."
                ]
    return []


def _repeated_rows(test_set: TestSet) -> list[str]:
    """Return a warning of segments of which half or more are exact copies of earlier ones."""
    if test_set.clusters is not None or test_set.n_segments < _LEAST_REPEATED:
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
    n_repeats = len(hashes) - _n_different(hashes)
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


def _is_long(references: Sequence[str], *texts: str) -> bool:
    """Return whether the longest text of a segment is more than a label."""
    return max(map(len, (*references, *texts))) >= _LEAST_LENGTH


def _mostly_differ(texts: Sequence[str]) -> bool:
    """Return whether more than half of the texts are different."""
    n = len(texts)
    # Different hashes are of different texts, and take a byte each.
    mask = (2 << n.bit_length()) - 1
    is_hash = bytearray(mask + 1)
    for text in texts:
        is_hash[hash(text) & mask] = 1
    return 2 * is_hash.count(1) > n or 2 * _n_different(array("q", map(hash, texts))) > n


def _n_different(hashes: array[int]) -> int:
    """Return how many texts, or rows of them, are different, by the hashes of all, which are put in order.

    Of many millions, the texts themselves have no room in memory. By chance, two of them have the same hash once in
    a million test sets of as many segments.
    """
    if not hashes:
        return 0
    in_order = np.frombuffer(hashes, np.int64)
    in_order.sort()
    return 1 + int(np.count_nonzero(in_order[1:] != in_order[:-1]))


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


def _repeated_texts(test_set: TestSet) -> list[str]:
    """Return warnings of a text that a system has in many segments where it is wrong, such as an error's message."""
    messages = []
    for system, segments, _, is_one_text in _repeats(test_set):
        but_for = ", but for numbers,"
        if is_one_text:
            but_for = ""
        messages.append(
            f"{test_set.name}: the system {shorten(system)} has the same text{but_for} in {len(segments):,} "
            f"of {test_set.n_segments:,} segments, the first of them segment {segments[0] + 1:,}: "
            f"{shorten(test_set.systems[system][segments[0]])}. If it is the message of an error, run these segments "
            "again, or leave them out for every system."
        )
    return messages


def repeated_errors(test_set: TestSet) -> dict[str, Sequence[int]]:
    """Return by system the segments with one wrong text that reads like an error's, beside different references."""
    errors = {}
    for system, _, wrong, _ in _repeats(test_set):
        n_different = _n_different(array("q", (hash(tuple(test_set.references[segment])) for segment in wrong)))
        if 2 * n_different > len(wrong) and _LIKE_ERROR.search(test_set.systems[system][wrong[0]]):
            errors[system] = wrong
    return errors


def _repeats(test_set: TestSet) -> Iterator[_Repeat]:
    """Yield the commonest text of each system that repeats where it is wrong."""
    references = test_set.references
    n_segments = test_set.n_segments
    sample = sampled(n_segments, _SAMPLED)
    least = max(_REPEATED, _REPEATED_SHARE * n_segments)
    for system, texts in test_set.systems.items():
        kind, times = _commonest([texts[segment] for segment in sample])
        if times < max(2, _REPEATED_SHARE * len(sample)):
            continue
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
        n_others = len(hashes_of_others)
        # Where nearly all texts differ in numbers alone, these are what is said.
        if not is_one_text and n_others < _OTHERS * n_segments:
            continue
        if _n_different(hashes_of_others) < _DIFFERENT * n_others:
            continue
        # The same answer may be right, and a text without its numbers the same as its references.
        wrong = array("q")
        for segment in segments:
            references_of_segment = references[segment]
            if references_of_segment and kind not in map(_without_numbers, references_of_segment):
                wrong.append(segment)
        if len(wrong) >= max(least, len(segments) / 2):
            yield _Repeat(system, segments, wrong, is_one_text)


def _without_numbers(text: str) -> str:
    return _NUMBERS.sub("#", text.strip().casefold())


def _commonest(texts: Iterable[str]) -> tuple[str, int]:
    """Return the commonest text without numbers that is a sentence, or stands for an answer that failed."""
    counts = Counter(map(_without_numbers, texts))
    kinds = [kind for kind in counts if len(kind) >= _LEAST_LENGTH or kind in _FAILURES]
    return max(((kind, counts[kind]) for kind in kinds), key=operator.itemgetter(1), default=("", 0))


def _artefact_warnings(test_set: TestSet, corpus: Corpus) -> list[str]:
    """Return the warnings of what the systems or the references alone have, of texts that no reader sees as such."""
    artefacts: dict[str, Artefacts] = {}
    # Segments count from 1.
    by_system = artefacts_of(corpus.numbered(1))
    # Where there are no artefacts, no system has an entry.
    if by_system:
        artefacts = dict(zip(test_set.systems, by_system, strict=True))
    names: dict[str, None] = {}
    for system_artefacts in artefacts.values():
        names |= dict.fromkeys(system_artefacts.names())
    messages = []
    for name in names:
        sides = {system: system_artefacts.alone(name) for system, system_artefacts in artefacts.items()}
        having = [system for system, side in sides.items() if side == "predictions"]
        for systems in system_groups(having):
            messages.append(_of_systems(name, artefacts, systems))
        lacking = [system for system, side in sides.items() if side == "references"]
        if lacking:
            messages.append(_of_references(name, artefacts, lacking))
    tokens = token_list_warning(corpus)
    if tokens:
        messages.append(tokens)
    return [f"{test_set.name}: {message}" for message in messages]


def _of_systems(name: str, artefacts: Mapping[str, Artefacts], systems: list[str]) -> str:
    """Return the warning of what some systems have, and the references lack."""
    first_artefacts = artefacts[systems[0]]
    in_references = first_artefacts.references.get(name, Items())
    contrast = none_or_some("no reference has", "the references have", in_references)
    items = [artefacts[system].predictions[name] for system in systems]
    return first_artefacts.message(name, items, systems_have(systems), contrast, "segment")


def _of_references(name: str, artefacts: Mapping[str, Artefacts], lacking: list[str]) -> str:
    """Return the warning of what the references have, and some systems lack."""
    most = max(artefacts[system].predictions.get(name, Items()).number for system in lacking)
    if len(lacking) == len(artefacts):
        contrast = "which no system has"
        if most:
            contrast += f" in more than {most:,}"
    elif most:
        contrast = f"which {systems_have(lacking)} in {most:,} at most"
    else:
        contrast = f"which {systems_have(lacking)} in none"
    first_artefacts = artefacts[lacking[0]]
    items = [first_artefacts.references[name]]
    return first_artefacts.message(name, items, "the references have", contrast, "segment")


def _style_warnings(test_set: TestSet, corpus: Corpus, ignores_case: bool) -> list[str]:
    """Return the warnings of how most texts of a system are written and the references are not."""
    by_system = styles_of(corpus.numbered(1), ignores_case=ignores_case, item="segment")
    styles = dict(zip(test_set.systems, by_system, strict=True))
    written_so: dict[str, list[str]] = {}
    for system, system_styles in styles.items():
        for name in system_styles:
            written_so.setdefault(name, []).append(system)
    messages = []
    for name, systems in written_so.items():
        groups = [[system] for system in systems]
        if styles[systems[0]][name].of_several:
            groups = system_groups(systems)
        for group in groups:
            messages.append(f"{test_set.name}: {styles[group[0]][name].message(systems_have(group))}")
    return messages
