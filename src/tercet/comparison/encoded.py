"""What systems wrote for the same segments, and the references, read and encoded once for all that scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tercet.columns.batch import Batch, join_offsets
from tercet.columns.items import read_items, read_texts


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Checked texts in Arrow's memory.

    Attributes
    ----------
    names : tuple of str
        What the predictions of each system are called in messages, and in :meth:`columns`.
    predictions : tuple of pyarrow.LargeStringArray, shape (n,) each
    references : pyarrow.LargeStringArray, shape (m,)
        Of all segments, segment by segment.
    reference_offsets : ndarray of int64, shape (n + 1,)
        Segment i has the references ``reference_offsets[i]`` to ``reference_offsets[i + 1]``.
    """

    names: tuple[str, ...]
    predictions: tuple[Any, ...]
    references: Any
    reference_offsets: NDArray[np.int64]

    @classmethod
    def read(cls, names: Sequence[str], predictions: Sequence[Any], references: Any) -> Encoded:
        """Check and encode the texts of one or more systems; references may be an iterator, None for none.

        Raises
        ------
        InputError
            Names the item that is no text, or cannot be encoded, and lengths that differ.

        Examples
        --------
        >>> encoded = Encoded.read(["one", "other"], [["a"], ["b"]], iter(["c"]))
        >>> [encoded.batch(index).texts.to_pylist() for index in (0, 1)]
        [['a', 'c'], ['b', 'c']]
        """
        if references is None:
            first = read_texts(predictions[0], names[0])
        else:
            first = read_items(predictions[0], references, names[0])
        texts, flat = [first.encode(first.predictions)], first.encode(first.references)
        for name, given in zip(names[1:], predictions[1:], strict=True):
            other = first.of_other_system(given, name)
            texts.append(other.encode(other.predictions))
        return cls(tuple(names), tuple(texts), flat, first.reference_offsets)

    @classmethod
    def joined(cls, parts: Sequence[Encoded]) -> Encoded:
        """Return the segments of one or more parts, of the same systems, one after the other."""
        texts = [pa.concat_arrays(each) for each in zip(*(part.predictions for part in parts), strict=True)]
        references = pa.concat_arrays([part.references for part in parts])
        offsets = join_offsets([part.reference_offsets for part in parts])
        return cls(parts[0].names, tuple(texts), references, offsets)

    @property
    def n_items(self) -> int:
        """Number of segments."""
        return len(self.reference_offsets) - 1

    def batch(self, system: int) -> Batch:
        """Return what a system wrote, with the references; bytes are copied, nothing is encoded."""
        return Batch(pa.concat_arrays([self.predictions[system], self.references]), self.reference_offsets)

    def columns(self) -> dict[str, list[Any]]:
        """Return the systems' texts, and a list of references per segment, as Python strings."""
        others = {name: texts.to_pylist() for name, texts in zip(self.names, self.predictions, strict=True)}
        return {**others, "references": self.batch(0).columns()["references"]}
