"""What keeps a test set from being scored, and what is odd in one: errors and warnings, in the words of users."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, span_in_words, token_list_warning
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, argument, argument_set, did_you_mean, shorten, warn
from tercet.markup import joined
from tercet.statistics.stats import SegmentStats

from .test_set import TestSet


def check_has_texts(test_set: TestSet, reader: str) -> None:
    """Raise an InputError for a test set without the texts that are read; warn where they say little of its task."""
    if test_set.no_texts:
        raise InputError(f"{test_set.name} has no texts for {reader}: {test_set.no_texts}.")
    if test_set.exact_task:
        warn(test_set.exact_task)


def check_baseline(baseline: str | None, systems: Iterable[str]) -> None:
    """Raise an OptionError for a baseline that is not a system."""
    names = list(systems)
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise OptionError(f"There is no system {shorten(baseline)} to use as the baseline. {hint}")


def check_segment(test_set: TestSet, segment: int) -> None:
    """Raise an InputError for the number of a segment, from 1, that a test set does not have."""
    n_segments = test_set.n_segments
    if not 1 <= segment <= n_segments:
        raise InputError(
            f"{test_set.name} has no segment {segment:,}: its segments are numbered 1 to {n_segments:,}."
        )


def check_references(name: str, references: Sequence[Sequence[str]], metric: Metric, how: str) -> None:
    """Raise an InputError for the first segment without a reference, unless the options allow it.

    `how` precedes ``missing_references=skip`` on a command line.
    """
    if metric.missing_references != "error":
        return
    missing = [number for number, texts in enumerate(references, 1) if not texts]
    if missing:
        further = f" (nor do {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(
            f"{name}, segment {missing[0]} has no reference{further}; {how}missing_references=skip leaves such "
            "segments out."
        )


# Warnings.

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


def warn_of(test_set: TestSet) -> None:
    """Warn of problems in a test set."""
    for warning in test_set_warnings(test_set):
        warnings.warn(warning, UserWarning, stacklevel=2)


def test_set_warnings(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts and odd references."""
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
    return messages + same_systems(test_set) + odd_references(test_set) + repeated_rows(test_set)


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


#: So many times the mean of another system's numbers, which go from 0 to 1, seems to be of another scale.
_OTHER_SCALE = 10


def odd_scales(test_set: TestSet, names: Iterable[str]) -> list[str]:
    """Return warnings of columns of scores in which one system seems to have shares of 1, and another percent."""
    messages = []
    for name in names:
        present = {system: numbers[~np.isnan(numbers)] for system, numbers in test_set.scores.get(name, {}).items()}
        systems = {system: numbers for system, numbers in present.items() if len(numbers) and numbers.min() >= 0}
        shares = [system for system, numbers in systems.items() if 0 < numbers.max() <= 1]
        if not shares:
            continue
        least = max(_OTHER_SCALE * float(systems[system].mean()) for system in shares)
        larger = [system for system, numbers in systems.items() if numbers.max() > 2 and numbers.mean() >= least]
        if larger:
            low, high = systems[larger[0]].min(), systems[larger[0]].max()
            messages.append(
                f"{test_set.name}: {name}: the numbers of {_named(shares)} are from 0 to 1, those of "
                f"{_named(larger[:1])} from {low:g} to {high:g}: are they of one scale? They are compared as given."
            )
    return messages


#: In fewer segments, copies are not warned of.
_LEAST_REPEATED = 4
#: Characters of the longest text of a segment without a source, which tell it from a label such as "yes".
_LEAST_LENGTH = 20


def same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    if test_set.no_texts:
        return []
    by_texts: dict[tuple[str, ...], list[str]] = {}
    for system, texts in test_set.systems.items():
        by_texts.setdefault(tuple(texts), []).append(system)
    return [
        f"{test_set.name}: {_named(systems)} have the same texts."
        for systems in by_texts.values()
        if len(systems) > 1
    ]


def repeated_rows(test_set: TestSet) -> list[str]:
    """Return a warning of segments of which half or more are exact copies of earlier ones."""
    if test_set.no_texts or test_set.clusters is not None or test_set.n_segments < _LEAST_REPEATED:
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


def odd_references(test_set: TestSet) -> list[str]:
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


def check_gaps(test_set: TestSet, metric: Metric, stats: Sequence[SegmentStats]) -> None:
    """Warn of segments that were scored for some systems only: a comparison leaves them out for all.

    Where no segment is left, an InputError says how many each system has.
    """
    scored = np.array([system_stats.column("items") > 0 for system_stats in stats])
    if not scored.all(axis=0).any():
        numbers = [
            f"{shorten(system)} has {count:,}"
            for system, count in zip(test_set.systems, scored.sum(axis=1).tolist(), strict=True)
        ]
        raise InputError(
            f"{test_set.name}: {metric.name}: no segment was scored for every system: of {scored.shape[1]:,} "
            f"segments, {joined(numbers, _NAMED)}."
        )
    n_gaps = int((scored.any(axis=0) & ~scored.all(axis=0)).sum())
    if n_gaps:
        segments, verb = (f"{n_gaps:,} segments are", "are") if n_gaps > 1 else ("1 segment is", "is")
        gaps = f"{segments} not scored for every system, and {verb} left out for all of them."
        warnings.warn(f"{test_set.name}: {metric.name}: {gaps}", UserWarning, stacklevel=3)


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
