"""Whether higher or lower values of a score are better, where nobody says it."""

from __future__ import annotations

from tercet.base.metric import Metric
from tercet.comparison.values.scores import ScoreTable
from tercet.comparison.values.sections import Section
from tercet.errors import argument_set, shorten
from tercet.metrics.column import Column
from tercet.test_sets.test_set import TestSet


def knows_direction(test_set: TestSet, metric: Metric, name: str) -> bool:
    """Return whether somebody, or the score's name, says which of its values are better."""
    is_said = name in test_set.lower_is_better or name in test_set.higher_is_better
    return is_said or not isinstance(metric, Column) or "better" in metric.written


def direction_section(test_set: TestSet, table: ScoreTable) -> Section | None:
    """Return that higher numbers of a score are taken as better, where nobody says it; None where it is known."""
    name = table.name
    if len(table.rows) < 2 or knows_direction(test_set, table.scorer, name):
        return None
    sentence = (
        f"Whether higher or lower numbers of {shorten(name)} are better is not known: higher ones are taken as "
        f"better ({argument_set('scores', f'{name}:better=lower')} takes lower ones)."
    )
    return Section("direction", f"Direction of {table.title}", [(sentence,)], None, {"assumed": "higher"})
