"""What is odd in a test set and probably a mistake: warnings, in the words of users."""

from __future__ import annotations

import operator
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, span_in_words, token_list_warning
from tercet.corpus.corpus import Corpus, places
from tercet.errors import argument, argument_set, shorten
from tercet.markup import joined
from tercet.statistics.stats import SegmentStats

from .test_set import TestSet


def empty_texts(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts of systems."""
    if test_set.no_texts:
        return []
    all_empty = {
        system: [number for number, text in enumerate(texts, 1) if not text.strip()]
        for system, texts in test_set.systems.items()
    }
    messages = []
    for systems in _together([system for system, empty in all_empty.items() if empty]):
        empty = min((all_empty[system] for system in systems), key=lambda numbers: numbers[0])
        number = span_in_words([len(all_empty[system]) for system in systems])
        texts_in_words = f"{number} empty text{'s' * (number != '1')}, the first in segment {empty[0]:,}"
        # Without references nothing is matched, as by metrics of predictions alone.
        effect = ": nothing matches there" if any(test_set.references) else ""
        has = "has" if len(systems) == 1 else "have"
        messages.append(f"{test_set.name}: {_named(systems)} {has} {texts_in_words}{effect}.")
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


#: In fewer segments, copies are not warned of.
_LEAST_REPEATED = 4
#: Characters of the longest text of a segment without a source, which tell it from a label such as "yes".
_LEAST_LENGTH = 20


def _same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    by_texts: dict[tuple[str, ...], list[str]] = {}
    for system, texts in test_set.systems.items():
        by_texts.setdefault(tuple(texts), []).append(system)
    return [
        f"{test_set.name}: {_named(systems)} have the same texts."
        for systems in by_texts.values()
        if len(systems) > 1
    ]


def _repeated_rows(test_set: TestSet) -> list[str]:
    """Return a warning of segments of which half or more are exact copies of earlier ones."""
    if test_set.clusters is not None or test_set.n_segments < _LEAST_REPEATED:
        return []
    references = map(tuple, test_set.references)
    columns = [*test_set.systems.values(), *([] if test_set.source is None else [test_set.source])]
    rows = [*zip(references, *columns, strict=True)]
    if test_set.source is None:
        rows = [row for row in rows if max(map(len, (*row[0], *row[1:]))) >= _LEAST_LENGTH]
    n_repeats = len(rows) - len({*rows})
    if 2 * n_repeats < test_set.n_segments:
        return []
    return [
        f"{test_set.name}: {n_repeats:,} of {test_set.n_segments:,} segments are exact copies of earlier ones, so "
        f"that {test_set.n_segments - n_repeats:,} are different: intervals and tests take copies as independent "
        f"segments, and are too sure. Remove the copies, or resample them together ({argument('cluster')})."
    ]


#: A text that so many segments have, and one in so many, is warned of.
_REPEATED, _REPEATED_SHARE = 4, 50


def _repeated_texts(test_set: TestSet) -> list[str]:
    """Return warnings of a text that a system has in many different segments, such as the message of an error."""
    references, source, messages = test_set.references, test_set.source, []
    for system, texts in test_set.systems.items():
        if len(texts) - len({*texts}) < _REPEATED - 1:
            continue
        text, number = max(
            ((text, number) for text, number in Counter(texts).items() if len(text.strip()) >= _LEAST_LENGTH),
            key=operator.itemgetter(1),
            default=("", 0),
        )
        if number < max(_REPEATED, len(texts) / _REPEATED_SHARE):
            continue
        numbers = [place for place, other in enumerate(texts) if other == text]
        segments = {(*references[place], source[place] if source else "") for place in numbers}
        if 2 * len(segments) > number:
            messages.append(
                f"{test_set.name}: the system {shorten(system)} has the same text in {number:,} of {len(texts):,} "
                f"segments, the first of them segment {numbers[0] + 1:,}: {shorten(text)}. Is it an answer, or a "
                "message of an error?"
            )
    return messages


#: So many segments are looked at for texts in the wrong place, and so many of them, or this share, must be there.
_SAMPLED, _FEWEST, _SHARE = 100, 3, 0.2
#: Texts of fewer words show nothing, and those that share more with their references are in their places.
_FEWEST_WORDS, _SHARED = 4, 0.25
#: A word in more segments shows nothing.
_RARE = 10


def _misplaced_texts(test_set: TestSet) -> list[str]:
    """Return a warning of systems whose texts have little in common with their references, and much with others."""
    sample = {place: _words(*test_set.references[place]) for place in places(test_set.n_segments, _SAMPLED)}
    suspects = {
        system: strangers
        for system, texts in test_set.systems.items()
        if len(strangers := _strangers(texts, sample)) >= max(_FEWEST, len(sample) * _SHARE)
    }
    if not suspects:
        return []
    references = [_words(*texts) for texts in test_set.references]
    # By word, the segments with a reference that has it.
    segments_with: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(references):
        for word in words:
            segments_with[word].append(place)
    rare = {word: segments for word, segments in segments_with.items() if len(segments) <= _RARE}
    examples = {}
    for system, strangers in suspects.items():
        pairs = [(place, _home(words, references, rare)) for place, words in strangers.items()]
        at_home = [(place, home) for place, home in pairs if home is not None]
        if 2 * len(at_home) >= len(pairs):
            examples[system] = at_home[0]
    messages = []
    for systems in _together([*examples]):
        place, home = examples[systems[0]]
        messages.append(
            f"{test_set.name}: texts of {_named(systems)} seem to be of other segments: that of segment "
            f"{place + 1:,} is like the reference of segment {home + 1:,}. Is a line missing, or one too many, or "
            "are the texts in another order? They are paired by their places."
        )
    return messages


def _words(*texts: str) -> set[str]:
    """Return the words of texts; pairs of characters of those without blanks between words."""
    words: set[str] = set()
    for text in texts:
        words_of_text = text.lower().split()
        has_blanks = len(text) < 12 * len(words_of_text)
        words.update(words_of_text if has_blanks else map("".join, pairwise(text)))
    return words


def _strangers(texts: Sequence[str], references: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Return the words of the texts that share few with their references, by place."""
    words_of_texts = {place: _words(texts[place]) for place in references}
    return {
        place: words
        for place, words in words_of_texts.items()
        if len(words) >= _FEWEST_WORDS and len(words & references[place]) < _SHARED * len(words)
    }


def _home(words: set[str], references: Sequence[set[str]], rare: dict[str, list[int]]) -> int | None:
    """Return the segment whose references have at least half of the words, some of them rare ones; None without."""
    shared = Counter(place for word in words for place in rare.get(word, ()))
    place, n_rare = max(shared.items(), key=operator.itemgetter(1), default=(0, 0))
    return place if n_rare > 1 and 2 * len(words & references[place]) >= len(words) else None


def _odd_references(test_set: TestSet) -> list[str]:
    """Return warnings of empty references, and of a system that repeats them."""
    messages = []
    empty = [
        number
        for number, references in enumerate(test_set.references, 1)
        if references and not any(map(str.strip, references))
    ]
    if empty:
        ending = "s have" if len(empty) > 1 else " has"
        messages.append(
            f"{test_set.name}: {len(empty):,} segment{ending} only empty references, the first is segment "
            f"{empty[0]:,}: nothing matches there."
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


def warn_of_artefacts(test_set: TestSet, corpus: Corpus, metrics: Iterable[Metric]) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings.

    What the metrics' ``normalize`` mends is no artefact.
    """
    messages: list[str] = []
    scored: list[Corpus] = []
    for metric in metrics:
        if metric.takes_references and (texts := metric.as_scored(corpus)) not in scored:
            scored.append(texts)
            messages += [message for message in _artefact_warnings(test_set, texts) if message not in messages]
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=3)
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
        for systems in _together([system for system, side in sides.items() if side == "predictions"]):
            first_artefacts = artefacts[systems[0]]
            contrast = none_or_some(
                "no reference has", "the references have", first_artefacts.references.get(name, Items())
            )
            subject = f"{_named(systems)} {'has' if len(systems) == 1 else 'have'}"
            items = [artefacts[system].predictions[name] for system in systems]
            messages.append(first_artefacts.message(name, items, subject, contrast, "segment"))
        lacking = [system for system, side in sides.items() if side == "references"]
        if lacking:
            messages.append(_of_references(name, artefacts, lacking))
    tokens = token_list_warning(corpus)
    return [f"{test_set.name}: {message}" for message in [*messages, *([tokens] if tokens else [])]]


def _of_references(name: str, artefacts: dict[str, Artefacts], lacking: list[str]) -> str:
    """Return the warning of what the references have, and some systems lack."""
    commonest = max(
        (artefacts[system].predictions.get(name, Items()) for system in lacking), key=lambda items: items.number
    )
    first_artefacts = artefacts[lacking[0]]
    if len(lacking) == len(artefacts):
        contrast = f"which no system has{f' in more than {commonest.number:,}' if commonest.number else ''}"
    else:
        systems = f"{_named(lacking)} {'has' if len(lacking) == 1 else 'have'}"
        contrast = f"which {systems} in {f'{commonest.number:,} at most' if commonest.number else 'none'}"
    items = [first_artefacts.references[name]]
    return first_artefacts.message(name, items, "the references have", contrast, "segment")


def warn_of_scores(test_set: TestSet, metric: Metric, stats: Sequence[SegmentStats]) -> None:
    """Raise the warnings that the metric gives for the texts of each system."""
    by_warning: dict[str, list[str]] = {}
    for system, system_stats in zip(test_set.systems, stats, strict=True):
        warning = metric.score_warning(system_stats.total())
        if warning is not None:
            by_warning.setdefault(warning, []).append(system)
    for warning, systems in by_warning.items():
        for group in _together(systems):
            message = f"{test_set.name}: {_named(group)}: {metric.name}: {warning}"
            warnings.warn(message, UserWarning, stacklevel=3)


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


#: So many times the mean of another system's numbers, which go from 0 to 1, seems to be of another scale.
_OTHER_SCALE = 10


#: Numbers that stand for a missing one, and the greatest of the others where the mark is above them.
_MARKS_OF_MISSING = {-1: 0, -9: 0, -99: 0, -999: 0, -9999: 0, 99: 1, 999: 100, 9999: 100}
#: In fewer segments, numbers of systems may be alike by chance.
_LEAST_NUMBERS = 5
#: Of so many systems, no differences are looked for.
_MANY = 10
#: How far rounded numbers are from those that they were made of.
_ROUNDED = 6e-4


def odd_numbers(test_set: TestSet, names: Iterable[str]) -> list[str]:
    """Return warnings of scores on two scales, with numbers for missing ones, or made of those of other systems."""
    messages = []
    for name in names:
        numbers = {system: column[~np.isnan(column)] for system, column in test_set.scores.get(name, {}).items()}
        odd = [*_odd_scales(numbers), *_marks_of_missing(numbers), *_made_of_others(test_set.scores.get(name, {}))]
        messages += [f"{test_set.name}: {name}: {message}" for message in odd]
    return messages


def _odd_scales(numbers: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield a warning where one system seems to have shares of 1, and another percent."""
    present = {system: column for system, column in numbers.items() if len(column) and column.min() >= 0}
    shares = [system for system, column in present.items() if 0 < column.max() <= 1]
    if not shares:
        return
    least = max(_OTHER_SCALE * float(present[system].mean()) for system in shares)
    larger = [system for system, column in present.items() if column.max() > 2 and column.mean() >= least]
    if larger:
        low, high = present[larger[0]].min(), present[larger[0]].max()
        yield (
            f"the numbers of {_named(shares)} are from 0 to 1, those of {_named(larger[:1])} from {low:g} to "
            f"{high:g}: are they of one scale? They are compared as given."
        )


def _marks_of_missing(numbers: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield a warning for each system of which a number, such as -1, seems to say that there is none."""
    for system, column in numbers.items():
        for mark in {column.min(), column.max()} & _MARKS_OF_MISSING.keys() if len(column) else ():
            others = column[column != mark]
            low, high = (others.min(), others.max()) if len(others) else (np.nan, np.nan)
            # -1, 0 and 1 are grades of their own.
            if len(others) >= 3 and (low >= 0 if mark < 0 else high <= _MARKS_OF_MISSING[mark]):
                if mark == -1 and not {*others.tolist()} - {0.0, 1.0}:
                    continue
                number = len(column) - len(others)
                yield (
                    f"{number:,} number{'s' * (number > 1)} of {_named([system])} "
                    f"{'are' if number > 1 else 'is'} {mark:g}, the others are from {low:g} to {high:g}: if that "
                    "stands for a missing score, leave it empty."
                )


def _made_of_others(numbers: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """Yield warnings of systems whose numbers are the mean of all others', or the difference of two."""
    if len(numbers) < 3 or min(map(len, numbers.values())) < _LEAST_NUMBERS:
        return
    made_of = {
        system: "the means of the others'"
        for system, column in numbers.items()
        if _are_equal(column, np.mean([other for name, other in numbers.items() if name != system], axis=0))
    }
    differences = {
        system: f"those of {shorten(name)} less those of {shorten(other)}"
        for system, name, other in permutations(numbers if len(numbers) < _MANY else (), 3)
        if _are_equal(numbers[system], numbers[name] - numbers[other])
    }
    # What is left of b - a = d as a = b - d.
    for system in sorted(differences, key=lambda system: float(np.nanmean(np.abs(numbers[system]))))[:1]:
        made_of[system] = differences[system]
    for system, origin in made_of.items():
        if not any(_are_equal(numbers[system], other) for name, other in numbers.items() if name != system):
            yield (
                f"the numbers of {_named([system])} are {origin}: is it a system? Name those that are "
                f"({argument('systems')})."
            )


def _are_equal(column: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Return whether numbers are the same but for rounding; the first tells most of them apart."""
    if abs(column[0] - other[0]) > _ROUNDED:
        return False
    return bool(np.allclose(column, other, rtol=0, atol=_ROUNDED, equal_nan=True) and np.nanstd(column) > _ROUNDED)


#: So many systems are each warned of what they have alike, and more of them together.
_APART = 3
#: Names of systems in a warning.
_NAMED = 8


def _together(systems: list[str]) -> list[list[str]]:
    """Return the systems of each warning, of those that have something alike."""
    if len(systems) > _APART:
        return [systems]
    return [[system] for system in systems]


def _named(systems: list[str]) -> str:
    """Return what warnings call systems."""
    if len(systems) == 1:
        return f"the system {shorten(systems[0])}"
    return f"the systems {joined([*map(shorten, systems)], _NAMED)}"
