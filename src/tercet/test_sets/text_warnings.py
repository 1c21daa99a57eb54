"""What is odd in a test set and probably a mistake: warnings, in the words of users.

Here are empty texts, and a baseline that is not the one of that name; in `repeated_segments.py`, rows and texts that
repeat, and messages of errors; in `misplaced.py`, texts of other segments; in `copied_systems.py`, copies of systems.
What a text of one side alone has, such as markup, is found by `corpus/artefacts.py`, and how most texts are written,
as JSON or in lower case, by `corpus/styles.py`: there a metric warns of one system, and here all systems are said in
one warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some, span_in_words, token_list_warning
from tercet.corpus.corpus import Corpus
from tercet.corpus.styles import styles_of
from tercet.errors import argument_set, shorten, warn
from tercet.names_as_shown import counted
from tercet.statistics.stats import SegmentStats

from .misplaced import misplaced_texts
from .repeated_segments import repeated_rows, repeated_texts
from .systems_in_words import system_groups, systems_have, systems_in_words
from .test_set import TestSet

#: What people call the system that others are compared with.
_BASELINES = ("baseline", "base", "main", "master")


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
    messages = repeated_rows(test_set) + repeated_texts(test_set)
    if with_references:
        messages += misplaced_texts(test_set)
    return messages


def warn_of_artefacts(test_set: TestSet, corpus: Corpus, metrics: Iterable[Metric]) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings.

    What the metrics' ``normalize`` mends is no artefact.
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
        texts.warned.add_form(texts.normalizer)
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
