"""What scorers learn from texts, such as their letters, as plain data: so it travels between processes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from tercet.columns.reading import read_batch
from tercet.core.scorer import Scorer


def plain_of(learnt: Any) -> Any:
    """Return what a scorer learnt as data that JSON can hold.

    Examples
    --------
    >>> from tercet.text.letters import LetterCounts
    >>> plain_of(LetterCounts(3, 1, 0, 0, 1))
    {'ascii': 3, 'other': 1, 'without_blanks': 0, 'lost': 0, 'references': 1}
    """
    if is_dataclass(learnt) and not isinstance(learnt, type):
        return {each.name: plain_of(getattr(learnt, each.name)) for each in fields(learnt)}
    if isinstance(learnt, np.ndarray):
        return learnt.tolist()
    return [plain_of(each) for each in learnt] if isinstance(learnt, tuple) else learnt


def learnt_of(plain: Any, scorer: Scorer) -> Any:
    """Return what a scorer of the same options learnt, of what :func:`plain_of` made of it."""
    return None if plain is None else _like(plain, scorer.fit(read_batch([], [])))


def numbers_of(learnt: Any) -> dict[str, int]:
    """Return what a scorer learnt as numbers that add up; nothing where it is something else."""
    plain = plain_of(learnt)
    is_numbers = isinstance(plain, dict) and all(isinstance(each, int) for each in plain.values())
    return plain if is_numbers else {}


def _like(plain: Any, example: Any) -> Any:
    """Return plain data as values of the kind that an example is."""
    if is_dataclass(example) and not isinstance(example, type):
        return replace(example, **{name: _like(value, getattr(example, name)) for name, value in plain.items()})
    if isinstance(example, np.ndarray):
        return np.array(plain, example.dtype)
    if isinstance(example, tuple):
        return tuple(_like(value, each) for value, each in zip(plain, example, strict=True))
    return plain
