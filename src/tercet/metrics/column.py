"""Scores that came with the texts: numbers of segments that another program computed, as a metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tercet import numpy_later as np
from tercet.base.metric import Metric
from tercet.base.options import option
from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, shorten
from tercet.option_checks import refuse
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _name(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise refuse("the name of a column of scores, such as 'COMET'")


class Column(Metric):
    """Numbers that came with the texts: the score of each segment by another program, such as COMET.

    :func:`tercet.compare` and :func:`tercet.correlate` take it as one of their `scores`. The score of a system is the
    mean of its segments. Where all numbers are 0 or 1, it is in percent, and tests and intervals are exact ones.

    Examples
    --------
    >>> import tercet
    >>> comet = tercet.Column("COMET")
    >>> scores = {comet: {"base": [0.7, 0.6, 0.9], "tuned": [0.8, 0.9, 1.0]}}
    >>> comparison = tercet.compare(scores=scores, test=None)
    >>> [(row.system, round(row.value, 3)) for row in comparison.tables[0].rows]
    [('base', 0.733), ('tuned', 0.9)]
    """

    # A row holds the base columns and the number, so that a system's score is the sum of numbers over that of items.

    takes_references = False
    columns = (*Metric.base_columns, "value")

    name: str = option(default="column", doc="The name of the column.", check=_name)  # type: ignore[misc]
    better: Literal["higher", "lower"] = option(default="higher", doc="Which numbers are better.")
    missing: Literal["skip", "zero", "error"] = option(
        default="skip",
        doc='What to do with a segment that has no number. Leave it out for all systems ("skip"), count it as 0, as '
        'an answer that failed ("zero"), or refuse the column ("error"); results count such segments.',
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            *,
            better: Literal["higher", "lower"] = ...,
            missing: Literal["skip", "zero", "error"] = ...,
            missing_references: Literal["error", "skip", "zero"] = ...,
            scale: Literal[1, 100] = ...,
        ) -> None: ...

    else:

        def __init__(self, name: str, **options: Any) -> None:
            super().__init__(name=name, **options)

    def check(self) -> None:
        """Refuse zeros for missing numbers of which lower ones are better."""
        super().check()
        if self.normalize is not None:
            raise OptionError(f"{self.name}: normalize= would do nothing: the numbers are no function of texts.")
        if self.missing == "zero" and self.better == "lower":
            raise OptionError(
                f"{self.name}: missing='zero' would reward an answer that failed, as lower numbers are better. Leave "
                "such segments out (missing='skip'), or give a number that is bad."
            )

    # What is known of a metric's class is known of a column from its options.

    @property
    def title(self) -> str:  # type: ignore[override]
        """What people call the score: the name of the column."""
        return self.name

    @property
    def primary(self) -> str:  # type: ignore[override]
        """The name of the score: that of the column."""
        return self.name

    @property
    def score_names(self) -> tuple[str, ...]:
        """The name of the score."""
        return (self.name,)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether higher numbers are better."""
        return self.better == "higher"

    @property
    def unit(self) -> Literal["share", None]:  # type: ignore[override]
        """A share, where it is shown in percent; what other numbers are is not known."""
        return "share" if self.scale == 100 else None

    @property
    def written(self) -> dict[str, Any]:
        """The options as a user wrote them; the name is that of the metric."""
        return {name: value for name, value in super().written.items() if name != "name"}

    def score_title(self, score: str) -> str:
        """Return the name of the column."""
        return self.name

    def signature(self, context: Any = None) -> Signature:
        """Return what is known of the numbers."""
        missing = None if self.missing == "skip" else self.missing
        return Signature.of(self.name, {"column": "mean", "better": self.better, "missing": missing})

    @classmethod
    def corpus(cls, predictions: Any, references: Any = None) -> Corpus:
        """Raise an OptionError: a column is no function of texts."""
        raise OptionError(_NO_TEXTS)

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Raise an OptionError: the numbers are no function of texts."""
        raise OptionError(_NO_TEXTS)

    def of_shares(self, numbers: Iterable[NDArray[np.float64]]) -> Column:
        """Return the column in percent, if all of the systems' numbers are 0 or 1 and no scale was given."""
        return self.with_defaults(scale=100) if _are_shares(numbers) else self

    def are_shares(self, stats: Sequence[SegmentStats]) -> bool:
        """Return whether all numbers in the rows of systems are 0 or 1."""
        return _are_shares(system_stats.column("value") for system_stats in stats)

    def stats_of(self, numbers: Mapping[str, NDArray[np.float64]]) -> list[SegmentStats]:
        """Return the rows of each system from its numbers, NaN where there is none; InputError names the system."""
        return [self._rows_of_system(system, values) for system, values in numbers.items()]

    def _rows_of_system(self, system: str, values: NDArray[np.float64]) -> SegmentStats:
        is_missing = np.isnan(values)
        if is_missing.all():
            raise InputError(f"the system {shorten(system)} has no number in the column {shorten(self.name)}.")
        if self.missing == "error" and is_missing.any():
            segment = int(is_missing.argmax()) + 1
            n_missing = int(is_missing.sum())
            further = f" (nor in {n_missing - 1:,} others)" if n_missing > 1 else ""
            raise InputError(
                f"the system {shorten(system)} has no number in the column {shorten(self.name)} in segment "
                f"{segment:,}{further}; missing=skip leaves such segments out, missing=zero counts them as 0."
            )
        rows = np.zeros((len(values), len(self.columns)))
        rows[:, 0] = ~is_missing if self.missing == "skip" else 1.0
        rows[:, 2] = is_missing
        rows[:, -1] = np.where(is_missing, 0.0, values) + 0.0  # as in any sum, no zero is negative
        return SegmentStats(self.signature(), self.columns, rows)

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the mean of the numbers."""
        return {self.name: self.scale * (totals[..., -1] / np.maximum(totals[..., 0], 1))}


_NO_TEXTS = (
    "A Column has numbers that came with the texts, and scores none itself: give it to tercet.compare or "
    "tercet.correlate, as in tercet.compare(systems, scores={'COMET': {'base': numbers, 'tuned': numbers}})."
)


def _are_shares(numbers: Iterable[NDArray[np.float64]]) -> bool:
    return all(bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()) for values in numbers)
