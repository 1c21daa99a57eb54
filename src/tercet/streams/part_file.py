"""Parts of corpora as a file: what one process counted, for the one that puts all parts together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.columns.reading import read_batch
from tercet.core.scorer import Scorer
from tercet.core.stats import SegmentStats
from tercet.errors import InputError, TercetError, shorten, told

from .checked_file import read_checked, write_checked
from .learnt import learnt_of, plain_of
from .parts import Part

_FORMAT = "tercet-parts-1"
_TEXTS = ("predictions", "references")


@dataclass(frozen=True, slots=True, eq=False)
class HandedOver:
    """What a process handed over: a part of one corpus, or of several that have the same items.

    Attributes
    ----------
    options : mapping of str to str
        What the parts were counted with.
    said : list of dict
        Of each part: its number of items, the signature of its rows (None without rows), what the scorer learnt, and
        whether its texts are there.
    table : pyarrow.Table
        The columns of part i: ``i.row.<column>`` of the rows, and ``i.predictions`` and ``i.references``.
    """

    options: Mapping[str, str]
    said: list[dict[str, Any]]
    table: Any

    @classmethod
    def of(cls, parts: Sequence[Part], options: Mapping[str, str]) -> HandedOver:
        """Return what is handed over of parts."""
        columns, said = {}, []
        for number, part in enumerate(parts):
            if part.stats is not None:
                for name, values in zip(part.stats.columns, part.stats.rows.T, strict=True):
                    columns[f"{number}.row.{name}"] = pa.array(values)
            if part.batch is not None:
                for name, texts in zip(_TEXTS, part.batch.arrays(), strict=True):
                    columns[f"{number}.{name}"] = texts
            said.append(
                {
                    "n_items": part.n_items,
                    "signature": None if part.stats is None else str(part.stats.signature),
                    "learnt": plain_of(part.context),
                    "texts": part.batch is not None,
                }
            )
        return cls(options, said, pa.table(columns))

    def parts(self, scorer: Scorer) -> list[Part]:
        """Return the parts.

        Raises
        ------
        InputError
            For rows that this scorer, of this version, would have made in another way, and for a file that says
            something else than such files do.
        """
        try:
            return [self._part(scorer, number, said) for number, said in enumerate(self.said)]
        except TercetError:
            raise
        except Exception as error:  # whatever stands where a number or a text should
            raise InputError(f"its file is damaged. {told(error)}") from None

    def _part(self, scorer: Scorer, number: int, said: Mapping[str, Any]) -> Part:
        context, stats, batch = learnt_of(said["learnt"], scorer), None, None
        if said["signature"] is not None:
            own = scorer.signature(context)
            if said["signature"] != str(own):
                raise InputError(
                    f"its items were counted as {shorten(said['signature'], 300)}, expected {shorten(str(own), 300)}"
                )
            rows = [self.table[f"{number}.row.{name}"].to_numpy() for name in scorer.columns]
            stats = SegmentStats(own, scorer.columns, np.column_stack(rows))
        if said["texts"]:
            predictions, references = (self.table[f"{number}.{name}"] for name in _TEXTS)
            batch = read_batch(predictions, references)
            if batch.n_items != said["n_items"]:
                raise InputError(f"it has {batch.n_items} texts, and says {shorten(said['n_items'])}")
        return Part(said["n_items"], stats, context, batch)


def write_parts(path: str | PathLike[str], handed: HandedOver) -> None:
    """Write what is handed over.

    Raises
    ------
    OSError
        For a file that cannot be written.
    """
    write_checked(path, handed.table, {"format": _FORMAT, "options": dict(handed.options), "parts": handed.said})


def read_parts(path: str | PathLike[str]) -> HandedOver:
    """Return what was handed over.

    Raises
    ------
    OSError
        For a file that cannot be read.
    InputError
        For one that is damaged, or is something else.
    """
    about, table = read_checked(path, _FORMAT, "a module that gathers items")
    options, parts = about.get("options"), about.get("parts")
    if not isinstance(options, dict) or not isinstance(parts, list):
        raise InputError(f"{Path(path).name} is damaged: it does not say what it holds.")
    return HandedOver(options, parts, table)
