"""How the tokens of an output that match are found for a report, and the meaning of the colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .places import Word

#: Levels of the n-grams: beyond the fourth they share a colour.
NGRAM_LEVELS = ("1-gram", "2-gram", "3-gram", "4-gram or longer")
#: The one level of tokens that match or do not.
MATCH_LEVELS = ("match",)


@dataclass(frozen=True, slots=True)
class Matched:
    """The result of ``matched`` in a metric's ``explain``, for one of its scores."""

    scorer: Any  # explains no more than this score needs
    levels: tuple[str, ...]  # meaning of the levels, from 1 on
    words: Callable[[Any], list[Word]]  # the tokens of the output, from the metric's explanation
