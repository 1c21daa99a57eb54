"""Non-fatal problems in a test set."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from tercet.corpus.artefacts import Artefacts, Items, artefacts_of, none_or_some
from tercet.corpus.corpus import Corpus
from tercet.corpus.token_lists import token_list_warning
from tercet.errors import shorten
from tercet.metric.scorer import Scorer
from tercet.statistics.stats import SegmentStats

from .test_sets import TestSet


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Record the warnings of a block, each once, and raise them after it."""
    sentences: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield sentences
    finally:
        sentences += dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, UserWarning))
        for each in {str(each.message): each for each in caught}.values():
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno, source=each.source)


def warn_of(test_set: TestSet) -> None:
    """Warn of problems in a test set."""
    for warning in test_set_warnings(test_set):
        warnings.warn(warning, UserWarning, stacklevel=2)


def warn_of_scores(test_set: TestSet, system: str, scorer: Scorer, stats: SegmentStats) -> None:
    """Raise the warnings that the metric gives for a system's texts."""
    warning = scorer.score_warning(stats.total())
    if warning is not None:
        message = f"{test_set.name}: the system {shorten(system)}: {scorer.name}: {warning}"
        warnings.warn(message, UserWarning, stacklevel=3)


def warn_of_gaps(test_set: TestSet, scorer: Scorer, stats: Sequence[SegmentStats]) -> None:
    """Warn of segments that were scored for some systems only: a comparison leaves them out for all."""
    scored = np.array([each.column("items") > 0 for each in stats])
    n = int((scored.any(axis=0) & ~scored.all(axis=0)).sum())
    if n:
        segments, are = (f"{n:,} segments are", "are") if n > 1 else ("1 segment is", "is")
        missed = f"{segments} not scored for every system, and {are} left out for all of them."
        warnings.warn(f"{test_set.name}: {scorer.name}: {missed}", UserWarning, stacklevel=3)


def warn_of_artefacts(test_set: TestSet, corpus: Corpus) -> list[str]:
    """Warn of what the systems or the references alone have, once for all metrics, and return the warnings."""
    said = artefact_warnings(test_set, corpus)
    for message in said:
        warnings.warn(message, UserWarning, stacklevel=3)
    return said


def artefact_warnings(test_set: TestSet, corpus: Corpus) -> list[str]:
    """Return the warnings of what the systems or the references alone have, of texts that no reader sees as such."""
    found = dict(zip(test_set.systems, artefacts_of(corpus.numbered(1)), strict=False))
    corpus.searched = True
    said = []
    for name in dict.fromkeys(name for own in found.values() for name in own.names()):
        alone = {system: own.alone(name) for system, own in found.items()}
        for system in (system for system, side in alone.items() if side == "predictions"):
            own = found[system]
            which = none_or_some("no reference has", "the references have", own.references.get(name, Items()))
            has = f"the system {shorten(system)} has"
            said.append(own.message(name, own.predictions[name], has, which, "segment"))
        lacking = [system for system, side in alone.items() if side == "references"]
        if lacking:
            said.append(_of_references(name, found, lacking))
    tokens = token_list_warning(corpus)
    return [f"{test_set.name}: {each}" for each in [*said, *([tokens] if tokens else [])]]


def _of_references(name: str, found: dict[str, Artefacts], lacking: list[str]) -> str:
    """Return the warning of what the references have, and some systems lack."""
    most = max((found[system].predictions.get(name, Items()) for system in lacking), key=lambda each: each.number)
    first = found[lacking[0]]
    if len(lacking) == len(found):
        which = f"which no system has{f' in more than {most.number:,}' if most.number else ''}"
    else:
        names = ", ".join(map(shorten, lacking))
        systems = f"the system {names} has" if len(lacking) == 1 else f"the systems {names} have"
        which = f"which {systems} in {f'{most.number:,} at most' if most.number else 'none'}"
    return first.message(name, first.references[name], "the references have", which, "segment")


def too_little(
    test: str | None, n_resamples: int | None, n_units: int, unit: str, n_systems: int, alpha: float
) -> str | None:
    """Return why no difference could be significant, however large; None if one could.

    Of the 2ⁿ permutations of n segments, two (none and all exchanged) differ by as much as the systems do. The
    observed difference counts as one of the resamples. Holm multiplies the least p by the number of pairs.
    """
    if test is None or n_resamples is None:
        return None
    n_pairs = n_systems * (n_systems - 1) // 2
    adjusted = f", adjusted for {n_pairs} pairs of systems" if n_pairs > 1 else ""
    of_units = 2.0 ** (1 - n_units) if test == "permutation" else 0.0
    by_number = (of_units, f"{n_units:,} {unit}"), (1 / (n_resamples + 1), f"{n_resamples:,} resample")
    for least, what in by_number:
        if n_pairs * least >= alpha:
            several = "" if what.startswith("1 ") else "s"
            p = f"{min(1, n_pairs * least):.3g}"
            # chance decides how often these two are drawn
            bound = "always 1" if p == "1" else f"about {p} or more" if least == of_units else f"at least {p}"
            return (
                f"No difference can be significant here: with {what}{several}{adjusted}, p is {bound}. "
                f"More {what.split()[-1]}s would help."
            )
    return None


def test_set_warnings(test_set: TestSet) -> list[str]:
    """Return warnings of empty texts and odd references."""
    found = []
    for system, texts in test_set.systems.items():
        empty = [number for number, text in enumerate(texts, 1) if not text.strip()]
        if empty:
            several = f"{len(empty):,} empty text{'s' * (len(empty) > 1)}, the first in segment {empty[0]:,}"
            then = ": nothing matches there" if any(test_set.references) else ""  # the claim needs references
            found.append(f"{test_set.name}: the system {shorten(system)} has {several}{then}.")
    return found + same_systems(test_set) + odd_references(test_set)


def same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    by_texts: dict[tuple[str, ...], list[str]] = {}
    for system, texts in test_set.systems.items():
        by_texts.setdefault(tuple(texts), []).append(shorten(system))
    return [
        f"{test_set.name}: the systems {', '.join(names[:-1])} and {names[-1]} have the same texts."
        for names in by_texts.values()
        if len(names) > 1
    ]


def odd_references(test_set: TestSet) -> list[str]:
    """Return warnings of empty references, and of a system that repeats them."""
    found = []
    empty = [number for number, own in enumerate(test_set.references, 1) if own and not any(map(str.strip, own))]
    if empty:
        several = "s have" if len(empty) > 1 else " has"
        found.append(
            f"{test_set.name}: {len(empty):,} segment{several} only empty references, the first is segment "
            f"{empty[0]:,}: nothing matches there."
        )
    for system, texts in test_set.systems.items():
        if any(map(str.strip, texts)) and all(map(operator.contains, test_set.references, texts)):
            found.append(
                f"{test_set.name}: the system {shorten(system)} is identical to a reference in every segment: is it "
                "a copy of the references?"
            )
    return found + copied_sources(test_set)


def copied_sources(test_set: TestSet) -> list[str]:
    """Return warnings of references, and of systems, that are the sources in every segment."""
    source = test_set.source
    if source is None or not any(map(str.strip, source)):
        return []
    found = []
    repeats = [own for own, text in zip(test_set.references, source, strict=True) if own and {*own} == {text}]
    if repeats and len(repeats) == sum(map(bool, test_set.references)):
        found.append(
            f"{test_set.name}: the references are identical to the source in every segment: is one of them given in "
            "the place of the other?"
        )
    found += [
        f"{test_set.name}: the system {shorten(system)} is identical to the source in every segment: are its texts "
        "copies of the source?"
        for system, texts in test_set.systems.items()
        if texts == source
    ]
    return found
