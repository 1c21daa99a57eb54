"""The references of an evaluation's items."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from itertools import chain
from typing import Any

from tercet.corpus.items import read_items, readable
from tercet.errors import InputError, word_after

from .eval_predictions import Evaluation
from .repeated_items import n_processes


class ReferenceSource:
    """The source of the references: a list or a function, or None for the labels."""

    def __init__(self, references: Any) -> None:
        self.source = references
        self._lists: list[list[str]] | None = None
        if references is not None and not callable(references):
            with readable("references"):
                if isinstance(references, Iterator):
                    self.source = list(references)
                n_items = len(self.source) if isinstance(self.source, Sized) else 0
            self._lists = read_items([""] * n_items, self.source).reference_lists()

    @property
    def is_list(self) -> bool:
        """Whether they are a list, as long as the evaluation set."""
        return self._lists is not None

    def select(self, evaluation: Evaluation, labels: list[Any] | None, n_items: int, first_item: int) -> Any:
        """Return the references of the items from `first_item` on: fewer than `n_items` if the rest repeats items.

        Processes pad their last batches with earlier items, so that there may be more predictions than items in
        the evaluation set.
        """
        if callable(self.source):
            return self.source(evaluation)
        if self._lists is None:
            if labels is None:
                raise InputError("There are no labels: give labels, or references when the function is made.")
            return labels
        lists = self._lists[first_item : first_item + n_items]
        # Only the processes of a distributed run pad their batches: in a single one all references must be there.
        if len(lists) < n_items and n_processes() == 1:
            self.check_number(first_item + n_items)
        if labels is not None:
            _check_order(labels, lists)
        return lists

    def check_number(self, n_items: int) -> None:
        """Raise an InputError unless the number of items matches."""
        if self._lists is not None and n_items != len(self._lists):
            entries = word_after(len(self._lists), "entry", "entries")
            there_are = word_after(n_items, "there is 1 prediction", f"there are {n_items} predictions")
            raise InputError(
                f"references has {len(self._lists)} {entries}, but {there_are}: give one entry for "
                "each item of the evaluation set, or a function from an evaluation to its references."
            )


def _check_order(labels: list[Any], lists: list[list[str]]) -> None:
    """Raise an InputError if the labels match mostly the references of other items: the order differs."""
    all_references = set(chain.from_iterable(lists))
    n_own = 0
    n_elsewhere = 0
    for label, texts in zip(labels, lists, strict=False):
        if not isinstance(label, str):
            continue
        if label in texts:
            n_own += 1
        elif label in all_references:
            n_elsewhere += 1
    if n_elsewhere > n_own:
        labels_are = word_after(n_elsewhere, "label is a reference", "labels are references")
        raise InputError(
            f"The references are not in the order of the items: {n_elsewhere} {labels_are} of other items, "
            f"{n_own} of their own. A Trainer that groups by length evaluates in an order of its own: switch that "
            "off, or give references as a function from an evaluation to its references."
        )
