"""Columns of texts and references -> which of them say something else than the references do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from tercet.engine.kinds import UNSPACED

#: In fewer rows, texts may share words by chance, or none.
LEAST_ROWS = 4
# Rows that are compared, of a larger table: spread over all of it.
_MOST_ROWS = 300
# How many other rows' references a text is compared with.
_SHIFTS = 5
# What a column must share beyond chance, as part of what the best shares, and of at most this.
_LEAST_PART, _ENOUGH = 0.3, 0.5
# What the best must share beyond chance for anything to be said.
_LEAST_BEST = 0.1

Words = frozenset[str]


def unrelated(columns: Mapping[str, Sequence[Any]], references: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns that hardly share a word with the references of their rows, while others do.

    What counts is how much more a text shares with the references of its row than with those of other rows: remarks
    in the language of the references share its articles with any. Letters of scripts without blanks are words.
    """
    # one row of those with the same references: another row's would say nothing
    rows = sorted({tuple(texts): row for row, texts in enumerate(references) if texts}.values())
    rows = rows[:: max(1, -(-len(rows) // _MOST_ROWS))]
    if len(rows) < LEAST_ROWS or len(columns) < 2:
        return []
    targets = [_words(references[row]) for row in rows]
    shares = {name: _shares([_words([cells[row] or ""]) for row in rows], targets) for name, cells in columns.items()}
    best, most = max(beyond for _, beyond in shares.values()), max(share for share, _ in shares.values())
    if best < _LEAST_BEST:
        return []
    least = _LEAST_PART * min(best, _ENOUGH)
    return [name for name, (share, beyond) in shares.items() if beyond < least and 2 * share < most]


def _shares(texts: Sequence[Words], targets: Sequence[Words]) -> tuple[float, float]:
    """Return the mean share of words in common with the own references, and how much more it is than with others."""
    own = _mean(zip(texts, targets, strict=True))
    shifts = range(1, min(_SHIFTS, len(targets) - 1) + 1)
    others = [_mean(zip(texts, [*targets[shift:], *targets[:shift]], strict=True)) for shift in shifts]
    return own, own - sum(others) / len(others)


def _mean(pairs: Iterable[tuple[Words, Words]]) -> float:
    # of the shorter text: an answer of one word is all in a long explanation
    shares = [len(text & target) / min(len(text), len(target)) for text, target in pairs if text and target]
    return sum(shares) / len(shares) if shares else 0.0


def _words(texts: Iterable[str]) -> Words:
    return frozenset(word for text in texts for word in _pattern().findall(text.casefold()))


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(rf"[{UNSPACED}]\p{{M}}*|[\p{{L}}\p{{N}}][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*", regex.V1)
