"""Sets of texts: one, whose texts are the items, or one an item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from tercet.corpus.containers import as_entry, as_list
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts, read_texts
from tercet.errors import InputError

#: The prediction of an item that is a set, whose texts are then its references: ASCII's group separator.
GROUP = "\x1d"

_MIXED = "give either texts, which are one set, or a list of texts per item, each a set"


def read_sets(predictions: Any) -> Corpus:
    """Return a user's texts, or lists of texts, checked; InputError names the first item that is neither."""
    given = as_list(predictions, "predictions", "one text, or one list of texts, per item", 2)
    if not given or not isinstance(as_entry(given[0], "item 0 of predictions"), list):
        return read_texts(given)
    groups = [as_entry(each, f"item {index} of predictions") for index, each in enumerate(given)]
    texts: list[str] = []
    sizes = []
    for index, group in enumerate(groups):
        if not isinstance(group, list):
            raise InputError(f"item {index} of predictions is no list, but an earlier one is: {_MIXED}.")
        if not group:
            raise InputError(f"item {index} of predictions is an empty list: expected at least one text.")
        check_texts(group, f"item {index} of predictions")
        texts += group
        sizes.append(len(group))
    return Corpus([GROUP] * len(groups), texts, np.cumsum([0, *sizes]))


def no_references(texts: list[str]) -> Corpus:
    """Return texts as a corpus."""
    return Corpus(texts, [], np.zeros(len(texts) + 1, np.int64))


def texts_of(batch: Corpus) -> list[str]:
    """Return the predictions of all systems, one behind the other."""
    found: list[str] = batch.predictions.to_pylist() if batch.strings is None else batch.strings[0]
    return found


@dataclass(frozen=True, eq=False)
class Sets:
    """What the rows of a text depend on: all texts of its system; nothing where items are sets (`grouped`)."""

    texts: list[list[str]]  # of each system
    grouped: bool | None  # None without an item

    @cached_property
    def systems(self) -> list[Sets]:
        """The set of each system."""
        return [Sets([texts], self.grouped) for texts in self.texts]

    @cached_property
    def found(self) -> dict[str, Any]:
        """The rows of each text, once they are known: no field, as they follow from the texts."""
        return {}

    @classmethod
    def of(cls, batch: Corpus) -> Sets:
        """Return the sets of a batch; InputError if some of its items are texts, and others sets."""
        texts, n = texts_of(batch), batch.n_segments
        counts = batch.reference_counts.tolist()
        marked = [text == GROUP and count > 0 for text, count in zip(texts, counts, strict=True)]
        if len(set(marked)) > 1:
            index = batch.first_item + marked.index(not marked[0]) % n
            raise InputError(f"item {index} of predictions is of another kind than those before: {_MIXED}.")
        grouped = marked[0] if marked else None
        of_systems = [texts[place * n : (place + 1) * n] for place in range(batch.n_systems)]
        return cls([] if grouped else of_systems, grouped)

    def __add__(self, other: Sets) -> Sets:
        """Return the sets of both parts of a corpus; InputError as :meth:`of`."""
        kinds = {self.grouped, other.grouped} - {None}
        if len(kinds) > 1:
            raise InputError(f"Some items of predictions are texts, and others lists of texts: {_MIXED}.")
        nothing: list[str] = []
        joined = [[*one, *more] for one, more in zip_longest(self.texts, other.texts, fillvalue=nothing)]
        return Sets(joined, next(iter(kinds), None))
