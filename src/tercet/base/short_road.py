"""The short road of lists and tuples of strings, and short columns of Arrow, to a result: one call of the engine.

It counts, adds up and applies the formula. What is odd about the texts is seen from what it returns, and then asked
and said as on the long road (`scoring.py`).
"""

from __future__ import annotations

from typing import Any

from tercet import numpy_later as np
from tercet.corpus.artefacts import FEWEST_TOKENS, MARKS_OF_ASCII
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import short_lists
from tercet.corpus.letters import LetterCounts
from tercet.corpus.styles import FEWEST, may_have_styles
from tercet.engine.planned import Scored, TextRules
from tercet.result import Result, empty_result

from .configured import Configured
from .definition import MetricDefinition
from .pieces import PIECE
from .scoring import Outcome, attributes_of, warn_of, warn_of_corpus

#: The options of a call (segments, intervals, seed ...) that every metric carries unless it was made with others.
_ASKED_BY_DEFAULT = Configured.asked
#: An item with as many references may be a text that was split into tokens, each taken for a reference.
_FEWEST_ODD_REFERENCES = FEWEST_TOKENS


def rules_of_plan(**rules: Any) -> TextRules:
    """Return how a plan reads texts: the rules are those of `TextRules` that metrics differ in."""
    return TextRules(
        most_items=PIECE,  # 8,192
        marks=MARKS_OF_ASCII,  # as in <br> or &amp;
        fewest_odd_items=FEWEST,  # 5
        fewest_odd_references=_FEWEST_ODD_REFERENCES,  # 3
        **rules,
    )


def score_lists(metric: MetricDefinition, predictions: Any, references: Any) -> Result | None:
    """Return the result of a user's columns; None where they, or what is asked of them, need the long road."""
    # Options of a call, such as segments=True, need the long road. Metrics that were made without such options share
    # one object, so that `is` suffices; where their defaults were written out, the long road has the same result.
    if metric.asked is not _ASKED_BY_DEFAULT:
        return None
    scored = scored_by_plan(metric, predictions, references)
    if scored is None:
        return None
    context = None
    if scored.needs_look:  # the texts may be odd, or a watched sum is 0
        context = warn_of_lists(metric, scored, heeds_style=True)
        warn_of(metric, metric.score_warning(scored.sums))
    scored.texts = None  # a result that is kept does not keep them
    result = empty_result(metric.name, (_details_of_lists, metric, context, scored))
    scored.enter(result, metric._keys)
    return result


def segments_of_lists(
    metric: MetricDefinition, predictions: Any, references: Any
) -> dict[str, list[float | None]] | None:
    """Return the scores of each item of a user's lists, or None, as :func:`score_lists`."""
    # A user's metric without a plan may make rows of its own, of which `segment_metric` makes scores.
    if metric._plan is None:
        return None
    segment_metric = metric.segment_metric
    scored = scored_by_plan(segment_metric, predictions, references, True)
    if scored is None:
        return None
    if scored.needs_look:
        warn_of_lists(segment_metric, scored)
    assert scored.scores_of_items is not None
    return dict(zip(metric.segment_names, scored.scores_of_items, strict=False))  # further ones are no scores


def scored_by_plan(metric: MetricDefinition, predictions: Any, references: Any, each: bool = False) -> Scored | None:
    """Return what the plan makes of a user's lists, with `each` also of every item; None for what it does not score.

    The long road scores that, or says what is wrong with it.
    """
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

    Called where the texts need a look. Messages call the predictions by the name.
    """
    # What is odd about texts is an unusual character, or shows in several references of an item, or in several items.
    predictions = scored.predictions
    references = scored.references
    only_style_may_be_odd = scored.ascii_without_marks and scored.most < _FEWEST_ODD_REFERENCES
    if only_style_may_be_odd and not (heeds_style and may_have_styles(predictions, references)):
        return None
    context = None
    if scored.letters is not None:
        context = LetterCounts(*scored.letters, len(references))
    ends = None if scored.ends is None else np.array(scored.ends)
    corpus = Corpus(predictions, references, ends, (name,))
    warn_of_corpus(metric, corpus, context, heeds_style=heeds_style)
    return context


def _details_of_lists(metric: MetricDefinition, context: Any, scored: Scored) -> dict[str, Any]:
    """Return the attributes of a result."""
    n_references = str(scored.fewest)
    if scored.fewest != scored.most:
        n_references = f"{scored.fewest}-{scored.most}"
    sums = scored.sums
    entries = metric._entries(scored.scores, sums)
    return attributes_of(metric, Outcome(metric.signature(context), n_references, sums, entries))
