"""How the tokens of an output that match are found for a report, and what the colours of their levels say."""

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
    """What a metric says of one of its scores, in the function ``matched`` of its room's ``explain``."""

    scorer: Any  # explains no more than this score needs
    levels: tuple[str, ...]  # what the levels of the tokens say, from 1 on
    words: Callable[[Any], list[Word]]  # the tokens of the output, from the metric's explanation
