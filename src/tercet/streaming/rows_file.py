"""The file in which a process hands over the rows of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.base.metric import Metric
from tercet.corpus.artefacts import Artefacts
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, TercetError, first_line, shorten
from tercet.statistics.stats import SegmentStats

from .arrow_file import read_arrow_file, write_arrow_file
from .contexts import context_of, plain_context
from .rows import KeptRows

_TEXTS = ("predictions", "references")


def write_rows(path: str | PathLike[str], parts: Sequence[KeptRows], options: Mapping[str, str]) -> None:
    """Write the rows of a process for one corpus, or for several of the same items; OSError if that fails.

    The columns of part i are ``i.row.<column>``, ``i.predictions`` and ``i.references``.
    """
    columns: dict[str, Any] = {}
    descriptions = []
    for number, part in enumerate(parts):
        signature = None
        if part.stats is not None:
            signature = str(part.stats.signature)
            for name, values in zip(part.stats.columns, part.stats.rows.T, strict=True):
                columns[f"{number}.row.{name}"] = pa.array(values)
        if part.batch is not None:
            for name, texts in zip(_TEXTS, part.batch.arrays(), strict=True):
                columns[f"{number}.{name}"] = texts
        artefacts = None
        if part.artefacts is not None:
            artefacts = part.artefacts.plain()
        descriptions.append(
            {
                "signature": signature,
                "context": plain_context(part.context),
                "texts": part.batch is not None,
                "artefacts": artefacts,
            }
        )
    write_arrow_file(path, "rows", {"options": dict(options), "parts": descriptions}, pa.table(columns))


class RowsFile:
    """The file of a process: its options and rows; OSError if it cannot be read."""

    def __init__(self, path: str | PathLike[str]) -> None:
        header, self._table = read_arrow_file(path, "rows")
        self.options: dict[str, str] = header.get("options")  # type: ignore[assignment]
        self._parts: list[dict[str, Any]] = header.get("parts")  # type: ignore[assignment]
        if not isinstance(self.options, dict) or not isinstance(self._parts, list):
            raise InputError(f"{Path(path).name} is damaged: its options or parts are missing.")

    def rows(self, metric: Metric) -> list[KeptRows]:
        """Return the rows of each corpus; InputError if this metric would count them differently."""
        try:
            return [self._rows(metric, number, part) for number, part in enumerate(self._parts)]
        except TercetError:
            raise
        except Exception as error:
            # Any type may stand instead of a number or text.
            raise InputError(f"its file is damaged. {first_line(error)}") from None

    def _rows(self, metric: Metric, number: int, part: Mapping[str, Any]) -> KeptRows:
        context = context_of(part["context"], metric)
        stats = None
        batch = None
        if part["signature"] is not None:
            signature = metric.signature(context)
            if part["signature"] != str(signature):
                raise InputError(
                    f"its items were counted as {shorten(part['signature'], 300)}, "
                    f"expected {shorten(str(signature), 300)}"
                )
            rows = [self._table[f"{number}.row.{name}"].to_numpy() for name in metric.columns]
            stats = SegmentStats(signature, metric.columns, np.column_stack(rows))
        if part["texts"]:
            predictions, references = (self._table[f"{number}.{name}"] for name in _TEXTS)
            batch = read_batch(predictions, references)
        artefacts = part.get("artefacts")
        if artefacts is not None:
            artefacts = Artefacts.of_plain(artefacts)
        return KeptRows(stats, context, batch, artefacts)
