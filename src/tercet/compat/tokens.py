"""Tokens that were made elsewhere, for metrics that read texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import count


def token_texts(documents: Iterable[Iterable[Hashable]]) -> list[str]:
    """Return a text for each list of tokens, with a word for each: the engine reads texts faster than lists."""
    words: defaultdict[Hashable, str] = defaultdict(map(str, count()).__next__)
    return [" ".join(map(words.__getitem__, tokens)) for tokens in documents]
