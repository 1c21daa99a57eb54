"""The references of an evaluation: its labels, a list, or the result of a function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from typing import Any

from tercet.corpus.containers import readable
from tercet.corpus.items import read_items
from tercet.errors import InputError

from .evaluation import Evaluation


class References:
    """The source of the references."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self._lists: list[list[str]] | None = None
        if given is not None and not callable(given):
            with readable("references"):
                if isinstance(given, Iterator):
                    self.given = given = list(given)
                n_items = len(given) if isinstance(given, Sized) else 0
            self._lists = read_items([""] * n_items, given).reference_lists()

    @property
    def listed(self) -> bool:
        """Whether they are a list, as long as the evaluation set."""
        return self._lists is not None

    def of(self, evaluation: Evaluation, labels: list[Any] | None, n_items: int, first: int) -> Any:
        """Return the references of the items from `first` on: fewer than `n_items` if the rest repeats items.

        Processes pad their last batches with earlier items, so that there may be more predictions than items in
        the evaluation set.
        """
        if callable(self.given):
            return self.given(evaluation)
        if self._lists is None:
            if labels is None:
                raise InputError("There are no labels: give labels, or references when the function is made.")
            return labels
        found = self._lists[first : first + n_items]
        if len(found) < n_items and int(os.environ.get("WORLD_SIZE", "1")) == 1:
            self.check_number(first + n_items)
        _check_order(labels, found)
        return found

    def check_number(self, seen: int) -> None:
        """Raise an InputError unless the number of items matches."""
        if self._lists is not None and seen != len(self._lists):
            raise InputError(
                f"references has {len(self._lists)} entries, but there are {seen} predictions: give one entry for "
                "each item of the evaluation set, or a function from an evaluation to its references."
            )


def _check_order(labels: list[Any] | None, lists: list[list[str]]) -> None:
    """Raise an InputError if the labels match mostly the references of other items: the order differs."""
    own = elsewhere = 0
    every = {text for texts in lists for text in texts}
    for label, texts in zip(labels or (), lists, strict=False):
        if isinstance(label, str) and label in every:
            own, elsewhere = own + (label in texts), elsewhere + (label not in texts)
    if elsewhere > own:
        raise InputError(
            f"The references are not in the order of the items: {elsewhere} labels are references of other items, "
            f"{own} of their own. A Trainer that groups by length evaluates in an order of its own: switch that off, "
            "or give references as a function from an evaluation to its references."
        )
