"""What minimum Bayes risk chose: a candidate per group, the runner-up, and the margin between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

from tercet.markup import scores_html

#: Groups that a notebook shows.
_MOST_SHOWN = 20
#: A margin below this share of the score is called small.
_SMALL = 0.01


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate that was chosen in a group.

    Attributes
    ----------
    index : int
        Its place in the group; the first place of candidates that are equal.
    text : str
    score : float
        Its expected score.
    runner_up : int or None
        The place of the best candidate with another text; None where there is none.
    runner_up_text : str or None
    margin : float or None
        How much better the choice is than the runner-up: at least 0, also where lower scores are better.
    scores : tuple of float
        The expected score of each candidate.
    """

    index: int
    text: str
    score: float
    runner_up: int | None
    runner_up_text: str | None
    margin: float | None
    scores: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain Python."""
        return {**asdict(self), "scores": list(self.scores)}


@dataclass(frozen=True, slots=True, repr=False)
class Choices:
    """The choice in each group, and how it was made: a sequence of :class:`Choice`.

    Attributes
    ----------
    metric, score : str
        The metric, and its score that is expected to be best.
    higher_is_better : bool
    signature : str
        The metric's, and what was done with its scores. An entry that groups differ in is ``by-group``.
    groups : list of Choice
    """

    metric: str
    score: str
    higher_is_better: bool
    signature: str
    groups: list[Choice]

    @property
    def texts(self) -> list[str]:
        """The chosen text of each group."""
        return [each.text for each in self.groups]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.groups)

    def __getitem__(self, index: int) -> Choice:
        return self.groups[index]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        own = {name: getattr(self, name) for name in ("metric", "score", "higher_is_better", "signature")}
        return {**own, "groups": [each.to_dict() for each in self.groups]}

    def summary(self) -> list[str]:
        """Return in words: how many groups, their mean expected score, and how clear the choices are."""
        sizes = [len(each.scores) for each in self.groups]
        span = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
        lower = "" if self.higher_is_better else " (lower is better)"
        lines = [
            f"{_counted(len(self))} of {span} candidate{'s' * (max(sizes) > 1)}. Expected {self.score} of the "
            f"chosen, on average: {self._mean:.4g}{lower}."
        ]
        margins = [(each.margin, abs(each.score)) for each in self.groups if each.margin is not None]
        if margins:
            n_small = sum(margin < _SMALL * score for margin, score in margins)
            lines.append(
                f"Margin to the runner-up: median {median(margin for margin, _ in margins):.3g}; below {_SMALL:.0%} "
                f"of the score in {n_small:,} of {_counted(len(margins))}."
            )
        if alone := len(self) - len(margins):
            lines.append(f"Without a runner-up, as there is one text only: {_counted(alone)}.")
        return lines

    def __repr__(self) -> str:
        return (
            f"<Choices in {_counted(len(self))} by {self.metric}: expected {self.score} {self._mean:.4g} on average>"
        )

    @property
    def _mean(self) -> float:
        return fmean(each.score for each in self.groups)

    def _repr_html_(self) -> str:
        """Show the first groups as a table in a notebook, the signature below."""
        rows = [
            [str(number), each.text, f"{each.score:.4f}", *_shown(each)]
            for number, each in enumerate(self.groups[:_MOST_SHOWN])
        ]
        more = [f"{len(self) - _MOST_SHOWN:,} more"] if len(self) > _MOST_SHOWN else []
        head = ["group", "chosen", f"expected {self.score}", "runner-up", "margin"]
        return scores_html(head, rows, [*more, *self.summary(), self.signature])


def _counted(n_groups: int) -> str:
    return f"{n_groups:,} group{'s' * (n_groups != 1)}"


def _shown(choice: Choice) -> tuple[str, str]:
    return (choice.runner_up_text or "", "" if choice.margin is None else f"{choice.margin:.4f}")
