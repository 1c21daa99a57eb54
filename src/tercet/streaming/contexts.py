"""Contexts that metrics fit to texts, such as their letters, as plain data to send between processes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from tercet.base.metric import Metric
from tercet.corpus.reading import read_batch


def plain_context(context: Any) -> Any:
    """Return a context as data that JSON can hold."""
    if is_dataclass(context) and not isinstance(context, type):
        return {field.name: plain_context(getattr(context, field.name)) for field in fields(context)}
    if isinstance(context, np.ndarray):
        return context.tolist()
    if isinstance(context, tuple):
        return [plain_context(item) for item in context]
    return context


def context_of(plain: Any, metric: Metric) -> Any:
    """Return the context from :func:`plain_context`, fitted by a metric of the same options."""
    if plain is None:
        return None
    return _like(plain, empty_context(metric))


def empty_context(metric: Metric) -> Any:
    """Return the context of no texts."""
    return metric.fit(read_batch([], []))


def _like(plain: Any, example: Any) -> Any:
    """Return plain data as values of the same types as an example."""
    if is_dataclass(example) and not isinstance(example, type):
        values = {name: _like(value, getattr(example, name)) for name, value in plain.items()}
        return replace(example, **values)
    if isinstance(example, np.ndarray):
        return np.array(plain, example.dtype)
    if isinstance(example, tuple):
        return tuple(_like(value, item) for value, item in zip(plain, example, strict=True))
    return plain
