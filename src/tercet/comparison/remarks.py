"""What is odd in a test set although it can be scored."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats
from tercet.errors import shorten

from .test_sets import TestSet


def warn_of(test_set: TestSet) -> None:
    """Warn of what is odd in a test set."""
    for remark in remarks(test_set):
        warnings.warn(remark, UserWarning, stacklevel=2)


def warn_of_scores(test_set: TestSet, system: str, scorer: Scorer[Any], stats: SegmentStats) -> None:
    """Warn of what a call of the metric on a system's texts would warn of."""
    remark = scorer.remark(stats.total())
    if remark is not None:
        told = f"{test_set.name}: the system {shorten(system)}: {scorer.name}: {remark}"
        warnings.warn(told, UserWarning, stacklevel=3)


def warn_of_gaps(test_set: TestSet, scorer: Scorer[Any], stats: Sequence[SegmentStats]) -> None:
    """Warn where a segment was scored for some systems only: a comparison leaves it out for all of them."""
    scored = np.array([each.column("items") > 0 for each in stats])
    n = int((scored.any(axis=0) & ~scored.all(axis=0)).sum())
    if n:
        told, are = (f"{n:,} segments are", "are") if n > 1 else ("1 segment is", "is")
        message = (
            f"{test_set.name}: {scorer.name}: {told} not scored for every system, and {are} left out for all of them."
        )
        warnings.warn(message, UserWarning, stacklevel=3)


def remarks(test_set: TestSet) -> list[str]:
    """Return what is odd in a test set that can be scored: empty texts, and systems that repeat the references.

    Examples
    --------
    >>> remarks(TestSet("news", {"A": ["a cat", ""], "B": ["a dog", "a bird"]}, [["a dog"], ["a bird"]], None))
    ["news: the system 'A' has 1 empty text, the first in segment 2: nothing matches there.", \
"news: the system 'B' is identical to a reference in every segment: is it a copy of the references?"]
    """
    found = []
    for system, texts in test_set.systems.items():
        empty = [number for number, text in enumerate(texts, 1) if not text.strip()]
        if empty:
            several = f"{len(empty):,} empty text{'s' * (len(empty) > 1)}, the first in segment {empty[0]:,}"
            then = ": nothing matches there" if any(test_set.references) else ""  # metrics without references decide
            found.append(f"{test_set.name}: the system {shorten(system)} has {several}{then}.")
        if len(empty) < len(texts) and all(map(operator.contains, test_set.references, texts)):
            found.append(
                f"{test_set.name}: the system {shorten(system)} is identical to a reference in every segment: is it "
                "a copy of the references?"
            )
    return found
