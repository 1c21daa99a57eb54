"""What stands below the table of one score: what its marks and numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.names_as_shown import Name, Sentence

from .marks import Marks
from .score_tables import Column

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.statistics.kinds_of_tests import TestKind


def notes_of_score(comparison: Comparison, names: dict[str, str], column: Column, marks: Marks) -> list[Sentence]:
    """Return what is said below the table of one score; its names are that of the baseline."""
    notes: list[Sentence] = []
    if marks.has_best and len(column.cells) > 1:
        alpha = f" (alpha {comparison.alpha:g})" if marks.has_as_good else ""
        notes.append((f"The best is first and in bold{marks.as_good_in_words}{alpha}.",))
    if marks.has_lower:
        notes.append(("Lower is better. Lower scores are drawn further right.",))
    if comparison.has_intervals:
        level = f"{100 * comparison.confidence_level:g} %"
        notes.append((f"{level} intervals: {comparison.intervals_in_words([column.table])}.",))
    inference = comparison.inference_of(column.table)
    if inference.test is not None:
        notes.append(_against_baseline(comparison, names, column))
        notes.append((_origin_of_p(comparison, inference.test, inference.adjust),))
    if column.is_ranked:
        notes.append((column.ranks_in_words,))
    return [*notes, (marks.key(),)]


def _against_baseline(comparison: Comparison, names: dict[str, str], column: Column) -> Sentence:
    """Return which numbers are of a system and the baseline, and what their signs are."""
    numbers = f"Difference, {comparison.p_in_words} and the numbers of {comparison.unit}s won, tied and lost"
    baseline: Sentence = ("the baseline",)
    if names[comparison.baseline] != "baseline":
        baseline = ("the baseline ", Name(names[comparison.baseline]))
    signs = ""
    if any(cell.outcome for cell in column.cells):
        signs = ": ▲ significantly better, ▼ worse"
    return (f"{numbers} are against ", *baseline, f"{signs}.")


def _origin_of_p(comparison: Comparison, test: TestKind, adjust: str) -> str:
    """Return of which test p is, and how it is adjusted."""
    test_in_words = test.title.replace("'", "’")
    if test.is_resampled:
        test_in_words = f"the {test_in_words} ({comparison.resamples_in_words()})"
    adjusted = ""
    if comparison.p_label != "p":
        how = "Holm’s method" if adjust == "holm" else "the step-down maximum"
        adjusted = f", adjusted for all pairs of systems by {how}"
    return f"{comparison.p_at_start} is of {test_in_words}{adjusted}."
