"""Checked texts -> a batch: one column of bytes in UTF-8, which the engine reads as it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .ragged import ranges


class Corpus(Protocol):
    """Checked texts, of which parts are encoded when they are asked for."""

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        ...

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        ...

    def part(self, start: int, stop: int) -> Batch:
        """Return the items `start` to `stop`, or to the last one.

        Raises
        ------
        InputError
            Names the first text that cannot be encoded (a lone surrogate).
        """
        ...


class Batch:
    """Checked texts: first the n predictions, then all references, item by item.

    Parameters
    ----------
    texts : pyarrow.LargeStringArray, shape (n + m,), or callable
        Or what makes it of `strings`, when somebody asks.
    reference_offsets : ndarray of int64, shape (n + 1,), optional
        Item i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``, counted from the
        first reference. An item may have none. None, with `strings`, where every item has one.
    first_item : int
        The number of the first item in the corpus, for messages.
    strings : tuple of two lists of str, optional
        The predictions and all references as Python strings, where the user has them so. The engine reads these as
        they are, and nothing is encoded.
    """

    __slots__ = ("_offsets", "_texts", "first_item", "strings")

    def __init__(
        self, texts: Any, reference_offsets: NDArray[np.int64] | None, first_item: int = 0,
        strings: tuple[list[str], list[str]] | None = None,
    ) -> None:  # fmt: skip
        self._texts, self.strings = texts, strings
        self._offsets, self.first_item = reference_offsets, first_item

    @property
    def texts(self) -> Any:
        """UTF-8 bytes and offsets in two buffers of a pyarrow.LargeStringArray, shape (n + m,).

        Raises
        ------
        InputError
            Names the first text that cannot be encoded (a lone surrogate).
        """
        if callable(self._texts):
            self._texts = self._texts()
        return self._texts

    @property
    def reference_offsets(self) -> NDArray[np.int64]:
        """Where the references of each item begin, shape (n + 1,)."""
        if self._offsets is None:
            self._offsets = np.arange(self.n_items + 1)
        return self._offsets

    def __reduce__(self) -> Any:
        return Batch, (self.texts, self.reference_offsets, self.first_item)

    def with_texts(self, texts: Any) -> Batch:
        """Return a batch of other texts for the same items."""
        return Batch(texts, self.reference_offsets, self.first_item)

    def numbered(self, first_item: int) -> Batch:
        """Return the same texts as items from another number on."""
        return Batch(self._texts, self._offsets, first_item, self.strings)

    def with_strings(self, predictions: list[str], references: list[str]) -> Batch:
        """Return a batch of Python strings that are made of the same texts; its `texts` are the latter."""
        return Batch(self._texts, self._offsets, self.first_item, (predictions, references))

    @property
    def n_items(self) -> int:
        """Number of predictions."""
        return len(self.reference_offsets) - 1 if self.strings is None else len(self.strings[0])

    @property
    def one_each(self) -> bool:
        """Whether every item has exactly one reference."""
        return self._offsets is None or is_one_each(self._offsets)

    @property
    def reference_counts(self) -> NDArray[np.int64]:
        """Number of references of each item, shape (n,)."""
        return np.diff(self.reference_offsets)

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        return np.flatnonzero(self.reference_counts == 0).tolist()

    @property
    def predictions(self) -> Any:
        """The texts of the predictions, in Arrow's memory."""
        return self.texts.slice(0, self.n_items)

    @property
    def references(self) -> Any:
        """The texts of all references, in Arrow's memory."""
        return self.texts.slice(self.n_items)

    def part(self, start: int, stop: int) -> Batch:
        """Return the items `start` to `stop`; bytes are copied, nothing is encoded."""
        if start <= 0 and stop >= self.n_items:
            return self
        offsets = self.reference_offsets[start : stop + 1]
        references = self.references.slice(offsets[0], offsets[-1] - offsets[0])
        texts = pa.concat_arrays([self.predictions.slice(start, len(offsets) - 1), references])
        return Batch(texts, offsets - offsets[0], self.first_item + start)

    def columns(self) -> dict[str, list[Any]]:
        """Return predictions, and a list of references per item, as Python strings."""
        lists = in_lists(self.references.to_pylist(), self.reference_offsets)
        return {"predictions": self.predictions.to_pylist(), "references": lists}

    def arrays(self) -> tuple[Any, Any]:
        """Return the predictions, and a list of references per item, in Arrow's memory; texts are not copied."""
        return self.predictions, pa.LargeListArray.from_arrays(pa.array(self.reference_offsets), self.references)


def is_one_each(reference_offsets: NDArray[np.int64]) -> bool:
    """Return whether every item has exactly one reference."""
    n = len(reference_offsets) - 1
    return reference_offsets[n] == n and (n <= 1 or bool((np.diff(reference_offsets) == 1).all()))


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Return the items of one or more batches as one batch; bytes are copied, nothing is encoded.

    Examples
    --------
    >>> from tercet.columns.reading import read_batch
    >>> both = join_batches([read_batch(["a"], [["b", "c"]]), read_batch(["d"], ["e"])])
    >>> both.texts.to_pylist(), both.reference_offsets.tolist()
    (['a', 'd', 'b', 'c', 'e'], [0, 2, 3])
    """
    if len(batches) == 1:
        return batches[0]
    n_items, n_texts = (
        np.array(sizes) for sizes in zip(*((each.n_items, len(each.texts)) for each in batches), strict=True)
    )
    starts = np.cumsum(n_texts) - n_texts
    places = np.concatenate([ranges(starts, n_items), ranges(starts + n_items, n_texts - n_items)])
    texts = pa.concat_arrays([each.texts for each in batches]).take(pa.array(places))
    return Batch(texts, join_offsets([each.reference_offsets for each in batches]))


def join_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the offsets of what several offsets describe, one after the other.

    Examples
    --------
    >>> join_offsets([np.array([0, 2, 3]), np.array([0]), np.array([0, 1])]).tolist()
    [0, 2, 3, 4]
    """
    ends = np.cumsum([len(each) for each in parts])[:-1]
    return np.append(0, np.cumsum(np.delete(np.diff(np.concatenate(parts)), ends - 1)))


def in_lists(references: list[str], offsets: NDArray[np.int64]) -> list[list[str]]:
    """Return the references of all items as one list per item."""
    return [references[start:stop] for start, stop in pairwise(offsets.tolist())]
