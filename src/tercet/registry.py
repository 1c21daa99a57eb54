"""The metrics of the suite. A new metric adds a line here, a room, and a folder in ``metrics/``.

Whatever finds a metric's code by its name does it through this file: a Space, which holds one metric only, gets a
file of the same functions that its builder writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from .core.scorer import Scorer


class Entry(NamedTuple):
    """Where a metric lives: its room, which is also its short name, and the class in the room's file ``scorer``."""

    room: str
    scorer: str


METRICS: Mapping[str, Entry] = {
    "bleu_multi": Entry("bleu", "BleuScorer"),
    "rouge_nlws": Entry("rouge", "RougeScorer"),
    "bertscore_idf": Entry("bertscore", "BertScorer"),
}

#: The names of the options of metrics whose code is not here: none, outside of a Space.
OPTIONS_ELSEWHERE: Mapping[str, tuple[str, ...]] = {}


def scorer_class(metric: str) -> type[Scorer[Any]]:
    """Return the class that scores; `metric` is one of `METRICS`."""
    room, name = METRICS[metric]
    return getattr(import_module(f".{room}.scorer", __package__), name)  # type: ignore[no-any-return]


def explanation(metric: str) -> Callable[..., Any]:
    """Return the function that explains a score; `metric` is one of `METRICS`."""
    return import_module(f".{METRICS[metric].room}.explain", __package__).explain  # type: ignore[no-any-return]


def batch_explanation(metric: str) -> Callable[..., Any]:
    """Return the same as a function of a scorer, a batch of one item, and what the scorer learnt from the corpus."""
    return import_module(f".{METRICS[metric].room}.explain", __package__).explain_batch  # type: ignore[no-any-return]
