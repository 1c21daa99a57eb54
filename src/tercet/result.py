"""What a user gets back."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Result(Mapping[str, Any]):
    """Scores with what is needed to repeat and to judge them; a mapping, as evaluate's results are.

    Attributes
    ----------
    metric : str
        Name of the metric.
    scores : dict
        The metric's own entries, as plain Python (floats, lists, strings).
    signature : str
        Options, version, and what the score equals.
    n_segments : int
        Number of items scored.
    empty_predictions : int
        How many of them had a prediction without a token (which scores 0, and should be known).
    missing_references : int
        How many items had no reference.
    intervals : dict of str to [low, high], optional
        Bootstrap intervals, when asked for.
    segments : dict of str to list, optional
        The scores of every item, when asked for; None for an item that was left out.

    Examples
    --------
    >>> result = Result("m", {"m": 0.5}, "m|tok:13a", 2)
    >>> result["m"], result["n_segments"], "m" in result
    (0.5, 2, True)
    """

    metric: str
    scores: Mapping[str, Any]
    signature: str
    n_segments: int
    empty_predictions: int = 0
    missing_references: int = 0
    intervals: Mapping[str, list[float]] | None = field(default=None)
    segments: Mapping[str, list[float | None]] | None = field(default=None)

    def _entries(self) -> dict[str, Any]:
        entries = {
            **self.scores,
            "signature": self.signature,
            "n_segments": self.n_segments,
            "empty_predictions": self.empty_predictions,
            "missing_references": self.missing_references,
        }
        if self.intervals is not None:
            entries["intervals"] = self.intervals
        if self.segments is not None:
            entries["segments"] = self.segments
        return entries

    def __getitem__(self, key: str) -> Any:
        return self._entries()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as one dict of plain Python, a copy: JSON can hold it, loggers can read it."""
        return copy.deepcopy(self._entries())
