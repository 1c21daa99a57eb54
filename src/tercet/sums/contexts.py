"""Contexts that scorers fit to texts, such as their letters, as plain data to send between processes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from tercet.corpus.reading import read_batch
from tercet.metric.scorer import Scorer


def plain_context(context: Any) -> Any:
    """Return a context as data that JSON can hold."""
    if is_dataclass(context) and not isinstance(context, type):
        return {each.name: plain_context(getattr(context, each.name)) for each in fields(context)}
    if isinstance(context, np.ndarray):
        return context.tolist()
    return [plain_context(each) for each in context] if isinstance(context, tuple) else context


def context_of(plain: Any, scorer: Scorer) -> Any:
    """Return the context from :func:`plain_context`, fitted by a scorer of the same options."""
    return None if plain is None else _like(plain, empty_context(scorer))


def empty_context(scorer: Scorer) -> Any:
    """Return the context of no texts."""
    return scorer.fit(read_batch([], []))


def summable(context: Any) -> dict[str, int]:
    """Return a context as numbers that add up; empty for any other context."""
    plain = plain_context(context)
    is_numbers = isinstance(plain, dict) and all(isinstance(each, int) for each in plain.values())
    return plain if is_numbers else {}


def _like(plain: Any, example: Any) -> Any:
    """Return plain data as values of the same types as an example."""
    if is_dataclass(example) and not isinstance(example, type):
        return replace(example, **{name: _like(value, getattr(example, name)) for name, value in plain.items()})
    if isinstance(example, np.ndarray):
        return np.array(plain, example.dtype)
    if isinstance(example, tuple):
        return tuple(_like(value, each) for value, each in zip(plain, example, strict=True))
    return plain
