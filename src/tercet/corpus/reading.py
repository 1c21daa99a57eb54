"""A user's predictions and references -> a corpus: lists of strings, or columns in Arrow's memory."""

from __future__ import annotations

from .arrow_items import read_arrow
from .corpus import Corpus
from .items import read_items, read_texts


def read_corpus(predictions: object, references: object) -> Corpus:
    """Check predictions and references; columns that are Arrow inside are neither copied nor made Python strings."""
    if type(predictions) is list and type(references) is list:
        return read_items(predictions, references)
    return read_arrow(predictions, references) or read_items(predictions, references)


def read_batch(predictions: object, references: object) -> Corpus:
    """Check and encode predictions and references."""
    return read_corpus(predictions, references).encoded()


def read_predictions(predictions: object) -> Corpus:
    """Check and encode predictions that have no references."""
    return read_texts(predictions).encoded()
