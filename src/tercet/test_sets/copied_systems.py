"""Systems that are copies of each other, of the references or of the sources: warnings."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from tercet.errors import shorten

from .systems_in_words import systems_in_words
from .test_set import TestSet


def copy_warnings(test_set: TestSet, *, with_references: bool = True) -> list[str]:
    """Return warnings of systems that are copies of each other, of the references or of the sources."""
    if test_set.no_texts:
        return []
    messages = _same_systems(test_set)
    if with_references:
        messages += _copied_references(test_set)
        messages += _copied_sources(test_set)
    return messages


def _same_systems(test_set: TestSet) -> list[str]:
    """Return warnings of systems with the same texts."""
    #: By the first of them.
    alike: dict[str, list[str]] = {}
    for system, texts in test_set.systems.items():
        first = system
        for other in alike:
            if test_set.systems[other] == texts:
                first = other
                break
        alike.setdefault(first, []).append(system)
    messages = []
    for systems in alike.values():
        if len(systems) > 1:
            messages.append(f"{test_set.name}: {systems_in_words(systems)} have the same texts.")
    return messages


def _copied_references(test_set: TestSet) -> list[str]:
    """Return warnings of systems that repeat a reference in every segment."""
    messages = []
    for system, texts in test_set.systems.items():
        if any(map(str.strip, texts)) and all(map(operator.contains, test_set.references, texts)):
            messages.append(
                f"{test_set.name}: the system {shorten(system)} is identical to a reference in every segment: is it "
                "a copy of the references?"
            )
    return messages


def _copied_sources(test_set: TestSet) -> list[str]:
    """Return warnings of references, and of systems, that are the sources in every segment."""
    source = test_set.source
    if source is None or not any(map(str.strip, source)):
        return []
    messages = []
    if _are_sources(test_set.references, source):
        messages.append(
            f"{test_set.name}: the references are identical to the source in every segment: is one of them given in "
            "the place of the other?"
        )
    for system, texts in test_set.systems.items():
        if texts == source:
            messages.append(
                f"{test_set.name}: the system {shorten(system)} is identical to the source in every segment: are its "
                "texts copies of the source?"
            )
    return messages


def _are_sources(reference_lists: Sequence[Sequence[str]], source: Sequence[str]) -> bool:
    """Return whether the references, of which there must be some, are the sources."""
    has_references = False
    for references, text in zip(reference_lists, source, strict=True):
        if not references:
            continue
        has_references = True
        if any(reference != text for reference in references):
            return False
    return has_references
