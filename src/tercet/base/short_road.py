"""The short road of lists and tuples of strings, and short columns of Arrow, to a result: one call of the engine.

It counts, adds up and applies the formula. What is odd about the texts is seen from what it returns, and then asked
and said as on the other road (`scoring.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tercet import numpy_later as np
from tercet.corpus.artefacts import FEWEST_TOKENS, MARKS_OF_ASCII
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import short_lists
from tercet.corpus.letters import LetterCounts
from tercet.corpus.styles import may_have_styles
from tercet.engine.planned import Scored, TextRules
from tercet.result import Result

from .configured import Configured
from .definition import MetricDefinition
from .pieces import PIECE
from .scoring import Outcome, attributes_of, warn_of, warn_of_corpus


def rules_of_plan(*, lowercase: bool = False, count_letters: bool = False, one_each: bool = False) -> TextRules:
    """Return how a plan reads texts."""
    return TextRules(PIECE, MARKS_OF_ASCII, lowercase, count_letters, one_each)


def score_lists(metric: MetricDefinition, predictions: Any, references: Any) -> Result | None:
    """Return the result of a user's columns; None where they, or what is asked of them, need the other road."""
    # The cheap test: a metric made with options of a call, were they the defaults, takes the long road to the same.
    if metric.asked is not Configured.asked:
        return None
    scored = scored_by_plan(metric, predictions, references)
    if scored is None:
        return None
    context = warn_of_lists(metric, scored, heeds_style=True)
    message = metric.score_warning(scored.sums)
    if message is not None:
        warn_of(metric, message)
    entries = metric._entries(scored.scores, scored.sums)
    details = partial(_details_of_lists, metric, context, scored.fewest, scored.most, scored.sums, entries)
    return Result._lazy(entries, metric.name, details)


def segments_of_lists(
    metric: MetricDefinition, predictions: Any, references: Any
) -> dict[str, list[float | None]] | None:
    """Return the scores of each item of a user's lists, or None, as :func:`score_lists`."""
    # A user's metric without a plan may make rows of its own, of which `segment_metric` makes scores.
    if metric._plan is None:
        return None
    scored = scored_by_plan(metric.segment_metric, predictions, references, each=True)
    if scored is None:
        return None
    warn_of_lists(metric.segment_metric, scored)
    assert scored.scores_of_items is not None
    lists: dict[str, list[float | None]] = {}
    for name, number in zip(metric.segment_names, metric.scores_of_plan.values(), strict=True):
        lists[name] = list(scored.scores_of_items[number])
    return lists


def scored_by_plan(
    metric: MetricDefinition, predictions: Any, references: Any, *, each: bool = False
) -> Scored | None:
    """Return what the plan makes of a user's lists, with `each` of every item too; None where the other road does."""
    plan = metric._plan
    if plan is None:
        return None
    scored: Scored | None = plan.score(predictions, references, each)
    if scored is None:
        lists = short_lists(predictions, references)
        if lists is not None:
            scored = plan.score(*lists, each)
    return scored


def warn_of_lists(
    metric: MetricDefinition, scored: Scored, name: str = "predictions", *, heeds_style: bool = False
) -> Any:
    """Warn of texts as :func:`batch_stats` does; return the context of the metric, None where it changes nothing.

    Messages call the predictions by the name.
    """
    # What is odd about texts is an unusual character, or shows in several references of an item, or in several items.
    is_usual = scored.plain and scored.most < FEWEST_TOKENS
    if is_usual and not (heeds_style and may_have_styles(scored.predictions, scored.references)):
        return None
    context = None
    if scored.letters is not None:
        context = LetterCounts(*scored.letters, len(scored.references))
    ends = None if scored.ends is None else np.array(scored.ends)
    corpus = Corpus(scored.predictions, scored.references, ends, (name,))
    warn_of_corpus(metric, corpus, context, heeds_style=heeds_style)
    return context


def _details_of_lists(
    metric: MetricDefinition, context: Any, fewest: int, most: int, sums: list[float], entries: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the attributes of a result; an item has from the fewest to the most references."""
    references = str(fewest) if fewest == most else f"{fewest}-{most}"
    return attributes_of(metric, Outcome(metric.signature(context), references, sums, entries))
