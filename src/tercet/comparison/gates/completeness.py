"""What a system lacks: segments without an answer or a number, which a gate must not take for a good sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tercet.comparison.result import Comparison
from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.wording.decimals import percent
from tercet.errors import argument, shorten
from tercet.metrics.column import Column
from tercet.test_sets.repeated_segments import is_failure, repeated_errors
from tercet.test_sets.score_warnings import n_marked
from tercet.test_sets.test_set import TestSet

#: What stands where an answer should be.
AN_ERROR = "an error's message"


class Gaps(NamedTuple):
    """The segments that a system lacks.

    Attributes
    ----------
    system : str
    counts : dict of str to int
        How many, by what is wrong with them, in words.
    n_segments : int
        Of all, with those that are left out.
    """

    system: str
    counts: dict[str, int]
    n_segments: int

    @property
    def share(self) -> float:
        """Which share of the segments the system lacks, from 0 to 1."""
        return sum(self.counts.values()) / self.n_segments if self.n_segments else 0.0

    def in_words(self, most: float) -> str:
        """Return what is missing and how much may be, as a sentence."""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items() if count)
        total = sum(self.counts.values())
        return (
            f"{shorten(self.system)} lacks {total:,} of {self.n_segments:,} segments ({kinds}); at most "
            f"{percent(most)} may be missing ({argument('max_missing')})."
        )


def too_many_gaps(comparison: Comparison, tables: Iterable[ScoreTable], most: float) -> Iterator[Gaps]:
    """Yield for each score what systems lack that lack more than this share of the segments."""
    kinds_of = _kinds_of_gaps(comparison.test_set)
    for table in tables:
        for gaps in _gaps(comparison.test_set, table, kinds_of):
            if gaps.share > most:
                yield gaps


def _kinds_of_gaps(test_set: TestSet) -> dict[str, dict[int, str]]:
    """Return for each system which segments were not answered, as its files or its texts say, and how."""
    # Without any reference every segment asks for a text, with some those that have one that is not blank.
    has_references = any(test_set.references)
    errors = {} if test_set.no_texts else repeated_errors(test_set)
    kinds_of = {}
    for system, texts in test_set.systems.items():
        # A segment counts once, whatever it lacks.
        kinds = dict(test_set.wrong_ends.get(system, {}))
        if not test_set.no_texts:
            for number, (text, references) in enumerate(zip(texts, test_set.references, strict=True)):
                is_asked = not has_references or any(reference.strip() for reference in references)
                kind = _lacking_text(text, references) if is_asked else ""
                if kind:
                    kinds.setdefault(number, kind)
            for number in errors.get(system, ()):
                kinds.setdefault(number, AN_ERROR)
        kinds_of[system] = kinds
    return kinds_of


def _gaps(test_set: TestSet, table: ScoreTable, kinds_of: Mapping[str, Mapping[int, str]]) -> Iterator[Gaps]:
    """Yield what each system lacks: what was not answered, and what has no number in this score."""
    for system, kinds in kinds_of.items():
        counts = Counter(test_set.lost.get(system, {}))
        counts.update(kinds.values())
        is_counted = np.zeros(test_set.n_segments, bool)
        is_counted[list(kinds)] = True
        # Who counts missing numbers as 0 sees them in the score.
        if isinstance(table.scorer, Column) and table.scorer.missing != "zero" and table.name in test_set.scores:
            numbers = test_set.scores[table.name][system]
            counts["without a number"] = int((np.isnan(numbers) & ~is_counted).sum())
            counts["with a number that stands for a missing one"] = n_marked(numbers[~is_counted])
        yield Gaps(system, counts, test_set.n_expected)


def _lacking_text(text: str, references: Sequence[str]) -> str:
    """Return what is wrong with a text that is no answer; "" for an answer, such as one that is like a reference."""
    if text in references:
        return ""
    if not text.strip():
        return "empty"
    return AN_ERROR if is_failure(text) else ""
