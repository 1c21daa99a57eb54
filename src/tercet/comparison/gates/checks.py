"""What a gate, or a plan, does not take: scores without a direction, differences that no two values have."""

from __future__ import annotations

from tercet.comparison.inputs.default_metrics import placeholder_of
from tercet.comparison.notes.direction import knows_direction
from tercet.comparison.values.scores import ScoreTable
from tercet.errors import OptionError, argument_set, shorten
from tercet.metrics.column import Column
from tercet.test_sets.score_warnings import gated_oddities
from tercet.test_sets.test_set import TestSet


def check_gated(table: ScoreTable, test_set: TestSet, subject: str) -> None:
    """Raise an OptionError where nobody says which numbers of a column are better, or where all are the same.

    A message begins with `subject`, what the user asks of the score.
    """
    column = table.scorer
    if not isinstance(column, Column):
        return
    name = table.name
    number = placeholder_of(test_set, name) if name in test_set.scores else None
    if number is not None:
        raise OptionError(
            f"{subject}: {shorten(name)} is {number:g} in every segment of every system: a placeholder, by which "
            "nothing passes or fails."
        )
    odd = list(gated_oddities(test_set, name))
    if odd:
        raise OptionError(f"{subject}: {test_set.name}: {name}: {odd[0]} A gate does not take such numbers.")
    if knows_direction(test_set, column, name):
        return
    raise OptionError(
        f"{subject}: its name does not say whether higher or lower numbers of {shorten(name)} are better. A "
        f"comparison takes higher ones; a gate is told: {argument_set('scores', f'{name}:better=lower')}, or "
        "better=higher."
    )


def check_below_scale(table: ScoreTable, difference: float, subject: str) -> None:
    """Raise an OptionError, which begins with `subject`, for a difference that no two values of a share have."""
    scale = table.scorer.scale
    if is_share(table) and table.higher_is_better and difference >= scale:
        raise OptionError(f"{subject}: expected less than {scale:g}, as {table.title} goes from 0 to {scale:g}.")


def check_within(table: ScoreTable, difference: float, subject: str) -> None:
    """Raise an OptionError, which begins with `subject`, that no two of a column's numbers exceed."""
    numbers = [value for values in table.segments.values() for value in values if value is not None]
    if isinstance(table.scorer, Column) and numbers and difference >= max(numbers) - min(numbers) > 0:
        raise OptionError(
            f"{subject} is at least as large as any that {table.name} can show, whose numbers go from "
            f"{min(numbers):g} to {max(numbers):g}."
        )


def is_share(table: ScoreTable) -> bool:
    """Return whether a score goes from 0 to its scale."""
    return table.scorer.unit == "share" and all(row.value <= table.scorer.scale for row in table.rows)
