"""What is compared where no metric is named: the scores that came with the texts but placeholders, or else BLEU.

What `correlate` takes then is in `correlation/correlate.py`.
"""

from __future__ import annotations

import numpy as np

from tercet.base.metric import Metric
from tercet.comparison.specs.metric_specs import metric_of
from tercet.metrics.column import Column
from tercet.test_sets.test_set import TestSet

#: The metric of texts without scores.
DEFAULT_METRIC = "bleu_multi"
#: What lm-evaluation-harness calls the score of a task that it does not score.
_PLACEHOLDERS = ("bypass",)


def default_metrics(test_set: TestSet) -> list[Metric]:
    """Return what is compared where no metric is named: the scores that came with the texts, or else BLEU.

    Scores that are placeholders are none; texts beside them are compared by chrF.
    """
    if not test_set.scores:
        return [metric_of(DEFAULT_METRIC)]
    columns = [name for name in test_set.scores if placeholder_of(test_set, name) is None]
    if columns or test_set.no_texts:
        return [Column(name) for name in columns or test_set.scores]
    return [metric_of("chrf")]


def placeholder_of(test_set: TestSet, name: str) -> float | None:
    """Return the number that a column has in every segment of every system; None where numbers differ.

    Answers that are all right or all wrong, 1 or 0, are no placeholders, but for scores that a harness calls so.
    """
    numbers = np.concatenate(list(test_set.scores[name].values()))
    numbers = numbers[~np.isnan(numbers)]
    if len(numbers) < 2 or (numbers != numbers[0]).any():
        return None
    may_be_answers = numbers[0] in (0, 1) and name not in _PLACEHOLDERS
    return None if may_be_answers else float(numbers[0])


def placeholders_left_out(test_set: TestSet) -> list[str]:
    """Return a message for each column that is not compared by default, as it tells nothing apart."""
    messages = []
    for name in test_set.scores:
        number = placeholder_of(test_set, name)
        if number is not None and not test_set.no_texts:
            messages.append(
                f"{test_set.name}: {name} is {number:g} in every segment of every system: a placeholder, which is "
                "left out."
            )
    return messages
