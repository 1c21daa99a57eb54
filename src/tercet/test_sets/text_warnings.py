"""What is odd in a test set and probably a mistake: warnings, in the words of users."""

from __future__ import annotations

import operator
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tercet import numpy_later as np
from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, span_in_words, token_list_warning
from tercet.corpus.corpus import Corpus, sampled
from tercet.corpus.styles import styles_of
from tercet.errors import argument, argument_set, shorten, warn
from tercet.markup import joined
from tercet.statistics.stats import SegmentStats

from .test_set import TestSet


def empty_texts(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts of systems."""
    if test_set.no_texts:
        return []
    #: How many texts of a system are empty, and the number of the first.
    n_empty: dict[str, int] = {}
    first_empty: dict[str, int] = {}
    for system, texts in test_set.systems.items():
        for number, text in enumerate(texts, 1):
            if not text.strip():
                n_empty[system] = n_empty.get(system, 0) + 1
                first_empty.setdefault(system, number)
    messages = []
    for systems in together([*n_empty]):
        first = min(first_empty[system] for system in systems)
        number_in_words = span_in_words([n_empty[system] for system in systems])
        ending = "" if number_in_words == "1" else "s"
        texts_in_words = f"{number_in_words} empty text{ending}, the first in segment {first:,}"
        # Without references nothing is matched, as by metrics of predictions alone.
        effect = ": nothing matches there" if any(test_set.references) else ""
        has = "has" if len(systems) == 1 else "have"
        messages.append(f"{test_set.name}: {named(systems)} {has} {texts_in_words}{effect}.")
    return messages


def copies(test_set: TestSet, *, with_references: bool = True) -> list[str]:
    """Return warnings of systems that are copies of each other, of the references or of the sources."""
    if test_set.no_texts:
        return []
    return _same_systems(test_set) + (_odd_references(test_set) if with_references else [])


def odd_segments(test_set: TestSet, *, with_references: bool = True) -> list[str]:
    """Return warnings of texts that repeat, or seem to be of other segments, as no score shows by itself."""
    if test_set.no_texts:
        return []
    messages = _repeated_rows(test_set) + _repeated_texts(test_set)
    return messages + (_misplaced_texts(test_set) if with_references else [])


def warn_of_artefacts(test_set: TestSet, corpus: Corpus, metrics: Iterable[Metric]) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings.

    What the metrics' ``normalize`` mends is no artefact.
    """
    messages: list[str] = []
    #: With the metrics that score them.
    scored: dict[Corpus, list[Metric]] = {}
    for metric in metrics:
        if metric.takes_references:
            scored.setdefault(metric.as_scored(corpus), []).append(metric)
    for texts, metrics_of_texts in scored.items():
        ignores_case = all(metric.ignores_case for metric in metrics_of_texts)
        found = _artefact_warnings(test_set, texts) + _style_warnings(test_set, texts, ignores_case)
        messages += [message for message in found if message not in messages]
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
        for group in together(systems):
            message = f"{test_set.name}: {named(group)}: {metric.name}: {warning}"
            warn(message)


#: What people call the system that others are compared with.
_BASELINES = ("baseline", "base", "main", "master")


def odd_baseline(test_set: TestSet) -> list[str]:
    """Return a warning where the baseline is the first system, but another one is called so."""
    first, *others = test_set.systems
    meant = next((system for name in _BASELINES for system in others if system.casefold() == name), None)
    if meant is None or first.casefold() in _BASELINES:
        return []
    return [
        f"{test_set.name}: the baseline is the first system, {shorten(first)}, but another is called "
        f"{shorten(meant)}: {argument_set('baseline', meant)} makes it the baseline."
    ]


#: In fewer segments, copies are not warned of.
_LEAST_REPEATED = 4
#: Characters of the longest text of a segment without a source, which tell it from a label such as "yes".
_LEAST_LENGTH = 20


def _same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    if len(test_set.systems) == 1:
        return []
    groups: list[list[str]] = []
    for system, texts in test_set.systems.items():
        alike = next((systems for systems in groups if test_set.systems[systems[0]] == texts), None)
        if alike is None:
            groups.append([system])
        else:
            alike.append(system)
    return [f"{test_set.name}: {named(systems)} have the same texts." for systems in groups if len(systems) > 1]


def _repeated_rows(test_set: TestSet) -> list[str]:
    """Return a warning of segments of which half or more are exact copies of earlier ones."""
    if test_set.clusters is not None or test_set.n_segments < _LEAST_REPEATED:
        return []
    columns = [*test_set.systems.values(), *([] if test_set.source is None else [test_set.source])]
    # Copies of a row are copies in each of its columns.
    if any(map(_mostly_differ, columns)):
        return []
    references = map(tuple, test_set.references)
    rows: Iterable[tuple[Any, ...]] = zip(references, *columns, strict=True)
    if test_set.source is None:
        rows = (row for row in rows if max(map(len, (*row[0], *row[1:]))) >= _LEAST_LENGTH)
    hashes = array("q", map(hash, rows))
    n_repeats = len(hashes) - _n_different(hashes)
    if 2 * n_repeats < test_set.n_segments:
        return []
    return [
        f"{test_set.name}: {n_repeats:,} of {test_set.n_segments:,} segments are exact copies of earlier ones, so "
        f"that {test_set.n_segments - n_repeats:,} are different: intervals and tests take copies as independent "
        f"segments, and are too sure. Remove the copies, or resample them together ({argument('cluster')})."
    ]


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


#: So many segments, or up to twice as many, are looked at first.
_SAMPLED = 100
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


def is_failure(text: str) -> bool:
    """Return whether a text stands for an answer that failed, such as ``API error`` or ``Error code: 429 - ...``."""
    return text.strip().casefold() in _FAILURES or _ERROR_MESSAGE.match(text) is not None


#: So many segments, and this share of all, with a wrong text that repeats are warned of.
_REPEATED, _REPEATED_SHARE = 4, 0.02
#: If fewer of the other texts are different, they are of few kinds, as labels and templates are.
_DIFFERENT = 0.8
#: This share of the texts, or more, must be others than those that differ in numbers alone.
_OTHERS = 0.25


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
        but_for = "" if is_one_text else ", but for numbers,"
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


#: So many segments, or this share, must have texts of other segments.
_FEWEST, _SHARE = 3, 0.05
#: So many times as many texts as those that are like the neighbour on the other side are shifted.
_MUCH_MORE = 4
#: Texts of fewer words show nothing, and those that share more with their references are in their rows.
_FEWEST_WORDS, _SHARED = 4, 0.25
#: A word in more segments, or in a larger share of them, shows nothing.
_RARE, _RARE_SHARE = 10, 0.1
#: Characters of a word, and more than that where words are written without blanks.
_LONGEST_WORDS = 12


def _misplaced_texts(test_set: TestSet) -> list[str]:
    """Return a warning of systems whose texts have little in common with their references, and much with others."""
    sample = {
        segment: _words_of_texts(*test_set.references[segment]) for segment in sampled(test_set.n_segments, _SAMPLED)
    }
    examples = _shifted(test_set, sample)
    least = max(_FEWEST, len(sample) * _SHARE)
    suspects = {}
    for system, texts in test_set.systems.items():
        if system in examples:
            continue
        strangers = _strangers(texts, sample)
        if len(strangers) >= least:
            suspects[system] = strangers
    if suspects:
        examples |= _at_home(test_set, suspects)
    if len(examples) == len(test_set.systems) > 1:
        segment, home = next(iter(examples.values()))
        return [
            f"{test_set.name}: the references seem to be of other segments than the texts of all systems: the texts "
            f"of segment {segment + 1:,} are like the reference of segment {home + 1:,}. {_MISPLACED}"
        ]
    messages = []
    for systems in together([*examples]):
        segment, home = examples[systems[0]]
        messages.append(
            f"{test_set.name}: texts of {named(systems)} seem to be of other segments: that of segment "
            f"{segment + 1:,} is like the reference of segment {home + 1:,}. {_MISPLACED}"
        )
    return messages


_MISPLACED = (
    "Is a line missing, or one too many, or are the texts in another order? They are paired by their places; in a "
    "table, those of a row are."
)


def _shifted(test_set: TestSet, sample: Mapping[int, set[str]]) -> dict[str, tuple[int, int]]:
    """Return by system a segment whose text is like the next or the last reference, where many are."""
    neighbours = {
        segment + offset: _words_of_texts(*test_set.references[segment + offset])
        for segment in sample
        for offset in (-1, 1)
        if 0 <= segment + offset < test_set.n_segments
    }
    examples = {}
    for system, texts in test_set.systems.items():
        moved: dict[int, list[int]] = {-1: [], 1: []}
        for segment, own_words in sample.items():
            words = _words_of_texts(texts[segment])
            least = max(len(words) / 2, 2 * len(words & own_words), 1)
            for offset, segments in moved.items():
                if len(words) >= _FEWEST_WORDS and len(words & neighbours.get(segment + offset, set())) >= least:
                    segments.append(segment)
        (_, few), (offset, many) = sorted(moved.items(), key=lambda item: len(item[1]))
        # By chance, as many are like the one as like the other.
        if len(many) >= max(_FEWEST + _MUCH_MORE * len(few), 2 * _SHARE * len(sample)):
            examples[system] = (many[0], many[0] + offset)
    return examples


def _at_home(test_set: TestSet, suspects: Mapping[str, Mapping[int, set[str]]]) -> dict[str, tuple[int, int]]:
    """Return by system a segment whose text is like the reference of another, where most strangers are."""
    most = max(2, min(_RARE, _RARE_SHARE * test_set.n_segments))
    wanted = {word for strangers in suspects.values() for words in strangers.values() for word in words}
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
        homes = {segment: _home(words, test_set.references, rare) for segment, words in strangers.items()}
        pairs = [(segment, home) for segment, home in homes.items() if home is not None]
        # Texts that were moved have rows of their own; those that are bad may be like one and the same.
        if 2 * len(pairs) < len(homes) or 10 * len({home for _, home in pairs}) < 9 * len(pairs):
            continue
        # Where lines were lost, most are as far from their rows.
        ((offset, _),) = Counter(home - segment for segment, home in pairs).most_common(1)
        examples[system] = next(pair for pair in pairs if pair[1] - pair[0] == offset)
    return examples


def _words_of_texts(*texts: str) -> set[str]:
    """Return the words of texts; pairs of characters of those without blanks between words."""
    words: set[str] = set()
    for text in map(str.lower, texts):
        words_of_text = text.split()
        has_blanks = len(text) < _LONGEST_WORDS * len(words_of_text)
        words.update(words_of_text if has_blanks else map("".join, pairwise(text)))
    return words


def _strangers(texts: Sequence[str], references: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Return the words of the texts that share few with their references, by segment."""
    words_of_texts = {segment: _words_of_texts(texts[segment]) for segment in references}
    return {
        segment: words
        for segment, words in words_of_texts.items()
        if len(words) >= _FEWEST_WORDS and len(words & references[segment]) < _SHARED * len(words)
    }


def _home(words: set[str], references: Sequence[Sequence[str]], rare: Mapping[str, list[int]]) -> int | None:
    """Return the segment whose references have at least half of the words, some of them rare ones; None without."""
    shared = Counter(segment for word in words for segment in rare.get(word, ()))
    home, n_rare = max(shared.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
    if n_rare > 1 and 2 * len(words & _words_of_texts(*references[home])) >= len(words):
        return home
    return None


def _odd_references(test_set: TestSet) -> list[str]:
    """Return warnings of empty references, and of a system that repeats them."""
    messages = []
    n_empty = first_empty = 0
    for number, references in enumerate(test_set.references, 1):
        # Of most segments the first reference is asked alone.
        if references and not references[0].strip() and not any(map(str.strip, references)):
            n_empty += 1
            first_empty = first_empty or number
    if n_empty:
        ending = "s have" if n_empty > 1 else " has"
        messages.append(
            f"{test_set.name}: {n_empty:,} segment{ending} only empty references, the first is segment "
            f"{first_empty:,}: nothing matches there."
        )
    for system, texts in test_set.systems.items():
        if any(map(str.strip, texts)) and all(map(operator.contains, test_set.references, texts)):
            messages.append(
                f"{test_set.name}: the system {shorten(system)} is identical to a reference in every segment: is it "
                "a copy of the references?"
            )
    return messages + _copied_sources(test_set)


def _copied_sources(test_set: TestSet) -> list[str]:
    """Return warnings of references, and of systems, that are the sources in every segment."""
    source = test_set.source
    if source is None or not any(map(str.strip, source)):
        return []
    messages = []
    repeats = [
        references
        for references, text in zip(test_set.references, source, strict=True)
        if references and {*references} == {text}
    ]
    if repeats and len(repeats) == sum(map(bool, test_set.references)):
        messages.append(
            f"{test_set.name}: the references are identical to the source in every segment: is one of them given in "
            "the place of the other?"
        )
    messages += [
        f"{test_set.name}: the system {shorten(system)} is identical to the source in every segment: are its texts "
        "copies of the source?"
        for system, texts in test_set.systems.items()
        if texts == source
    ]
    return messages


def _artefact_warnings(test_set: TestSet, corpus: Corpus) -> list[str]:
    """Return the warnings of what the systems or the references alone have, of texts that no reader sees as such."""
    # Segments count from 1. Where there are no artefacts, the list of them is empty.
    artefacts = dict(zip(test_set.systems, artefacts_of(corpus.numbered(1)), strict=False))
    # The numbered corpus was marked as searched; this one goes to the metrics, which would warn again.
    corpus.searched = True
    messages = []
    for name in dict.fromkeys(name for system_artefacts in artefacts.values() for name in system_artefacts.names()):
        sides = {system: system_artefacts.alone(name) for system, system_artefacts in artefacts.items()}
        for systems in together([system for system, side in sides.items() if side == "predictions"]):
            first_artefacts = artefacts[systems[0]]
            contrast = none_or_some(
                "no reference has", "the references have", first_artefacts.references.get(name, Items())
            )
            items = [artefacts[system].predictions[name] for system in systems]
            messages.append(first_artefacts.message(name, items, _have(systems), contrast, "segment"))
        lacking = [system for system, side in sides.items() if side == "references"]
        if lacking:
            messages.append(_of_references(name, artefacts, lacking))
    tokens = token_list_warning(corpus)
    if tokens:
        messages.append(tokens)
    return [f"{test_set.name}: {message}" for message in messages]


def _have(systems: Sequence[str]) -> str:
    """Return systems as a subject, with its verb."""
    verb = "has" if len(systems) == 1 else "have"
    return f"{named(systems)} {verb}"


def _style_warnings(test_set: TestSet, corpus: Corpus, ignores_case: bool) -> list[str]:
    """Return the warnings of how most texts of a system are written and the references are not."""
    by_system = styles_of(corpus.numbered(1), ignores_case=ignores_case, item="segment")
    styles = dict(zip(test_set.systems, by_system, strict=True))
    messages = []
    for name in dict.fromkeys(name for found in styles.values() for name in found):
        systems = [system for system, found in styles.items() if name in found]
        first = styles[systems[0]][name]
        groups = together(systems) if first.of_several else [[system] for system in systems]
        for group in groups:
            messages.append(f"{test_set.name}: {styles[group[0]][name].message(_have(group))}")
    return messages


def _of_references(name: str, artefacts: dict[str, Artefacts], lacking: list[str]) -> str:
    """Return the warning of what the references have, and some systems lack."""
    commonest = max(
        (artefacts[system].predictions.get(name, Items()) for system in lacking), key=lambda items: items.number
    )
    first_artefacts = artefacts[lacking[0]]
    if len(lacking) == len(artefacts):
        contrast = "which no system has"
        if commonest.number:
            contrast += f" in more than {commonest.number:,}"
    else:
        most = f"{commonest.number:,} at most" if commonest.number else "none"
        contrast = f"which {_have(lacking)} in {most}"
    items = [first_artefacts.references[name]]
    return first_artefacts.message(name, items, "the references have", contrast, "segment")


#: So many systems are each warned of what they have alike, and more of them together.
_APART = 3
#: Names of systems in a warning.
_NAMED = 8


def together(systems: list[str]) -> list[list[str]]:
    """Return the systems of each warning, of those that have something alike."""
    if len(systems) > _APART:
        return [systems]
    return [[system] for system in systems]


def named(systems: Sequence[str]) -> str:
    """Return what warnings call systems."""
    if len(systems) == 1:
        return f"the system {shorten(systems[0])}"
    return f"the systems {joined([*map(shorten, systems)], _NAMED)}"
