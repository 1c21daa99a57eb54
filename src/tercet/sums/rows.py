"""Parts of a corpus whose rows are kept and joined as if the corpus had been given at once; and their file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.corpus.artefacts import Artefacts, artefacts_of, warn_of
from tercet.corpus.corpus import Corpus, join_batches
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, TercetError, first_line, shorten
from tercet.metric.pieces import corpus_stats, joined_context
from tercet.metric.scorer import Scorer
from tercet.metric.scoring import batch_stats, score_batch, summarize, warn
from tercet.result import Result
from tercet.statistics.stats import SegmentStats

from .contexts import context_of, plain_context
from .file import read_packed, write_packed

_TEXTS = ("predictions", "references")


@dataclass(frozen=True, slots=True)
class Rows:
    """Items of a corpus: their statistics and the context fitted to them, their texts, or both.

    `artefacts` are those of texts that were counted, unless they were searched before, for another metric.
    """

    stats: SegmentStats | None = None
    context: Any = None
    batch: Corpus | None = None
    artefacts: Artefacts | None = None

    @classmethod
    def of_texts(cls, batch: Corpus) -> Rows:
        """Return items that are counted once all parts have arrived."""
        return cls(batch=batch)

    @classmethod
    def counted(cls, scorer: Scorer, batch: Corpus) -> Rows:
        """Return items that are counted now, if possible.

        BERTScore with ``idf=True`` waits for all parts. ROUGE with ``tokenizer="auto"`` is counted with the tokenizer
        that this part chooses, and its texts are kept for the case that the corpus chooses another.
        """
        if not batch.n_items or (scorer.needs_corpus and not scorer.signature_tells):
            return cls.of_texts(batch)
        stats, context = corpus_stats(scorer, batch)
        artefacts = None
        if scorer.takes_references and not batch.searched:
            artefacts = next(iter(artefacts_of(batch)), Artefacts(batch.n_items))
        return cls(stats, context, batch if scorer.needs_corpus else None, artefacts)

    def __len__(self) -> int:
        if self.stats is not None:
            return len(self.stats)
        return 0 if self.batch is None else self.batch.n_items

    @property
    def missing(self) -> list[int]:
        """Indices of the items without a reference."""
        if self.stats is not None:
            return np.flatnonzero(self.stats.column("missing")).tolist()
        return [] if self.batch is None else self.batch.missing


def result_of_rows(scorer: Scorer, parts: Sequence[Rows]) -> Result:
    """Return the result of a corpus in parts, in their order: that of :func:`tercet.score`, to the bit."""
    if len(parts) == 1 and parts[0].stats is None and parts[0].batch is not None:
        return score_batch(scorer, parts[0].batch)
    stats = stats_of_rows(scorer, parts)
    warn(scorer, scorer.score_warning(stats.total()))
    return summarize(scorer, stats)


def stats_of_rows(scorer: Scorer, parts: Sequence[Rows]) -> SegmentStats:
    """Return the statistics of a corpus in parts; errors have the items' numbers in the corpus."""
    ends = np.cumsum([len(part) for part in parts]).tolist()
    starts = [end - len(part) for part, end in zip(parts, ends, strict=True)]
    scorer.check_missing([start + index for part, start in zip(parts, starts, strict=True) for index in part.missing])
    found = [_filled(scorer, part, start) for part, start in zip(parts, starts, strict=True) if len(part)]
    _warn_of_artefacts(found)
    stats = [part.stats for part in found if part.stats is not None]
    if found and len(stats) == len(found):
        context = joined_context([part.context for part in found])
        if not scorer.needs_corpus or {each.signature for each in stats} == {scorer.signature(context)}:
            warn(scorer, scorer.corpus_warning(context))
            return SegmentStats.concatenate(stats)
    joined = join_batches([part.batch for part in parts if part.batch is not None])
    joined.searched = any(part.stats is not None for part in found)
    return batch_stats(scorer, joined)


def _warn_of_artefacts(parts: Sequence[Rows]) -> None:
    """Warn of what one side of the parts alone has, counted over all of them."""
    artefacts = Artefacts()
    for part in parts:
        if part.artefacts is not None:
            artefacts += part.artefacts
    for message in artefacts.messages().values():
        warn_of(message)


def _filled(scorer: Scorer, part: Rows, start: int) -> Rows:
    """Return a part with its statistics, where those do not depend on the other parts."""
    if part.stats is not None or part.batch is None or scorer.needs_corpus:
        return part
    return Rows.counted(scorer, part.batch.numbered(start))


class Running:
    """A scorer and the parts counted so far; texts are discarded, unless the metric needs the whole corpus."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self._items = 0
        self._parts = [Rows.of_texts(read_batch([], []))]

    def count(self, batch: Corpus) -> Rows:
        """Return the rows of a part, without adding it; errors give the items' numbers in the corpus."""
        self.scorer.check_missing([self._items + index for index in batch.missing])
        numbered = batch.numbered(self._items)
        rows = Rows.counted(self.scorer, numbered)
        batch.searched = numbered.searched  # not once more for the next metric
        return rows

    def add(self, part: Rows) -> None:
        """Add the rows of a part."""
        self._items += len(part)
        self._parts.append(part)

    def result(self) -> Result:
        """Return the result of all parts, equal to that of the whole corpus."""
        return result_of_rows(self.scorer, self._parts)


def write_rows(path: str | PathLike[str], parts: Sequence[Rows], options: Mapping[str, str]) -> None:
    """Write the rows of a process for one corpus, or for several of the same items; OSError if that fails.

    The columns of part i are ``i.row.<column>``, ``i.predictions`` and ``i.references``.
    """
    columns: dict[str, Any] = {}
    described = []
    for number, part in enumerate(parts):
        if part.stats is not None:
            for name, values in zip(part.stats.columns, part.stats.rows.T, strict=True):
                columns[f"{number}.row.{name}"] = pa.array(values)
        if part.batch is not None:
            columns.update(zip((f"{number}.{name}" for name in _TEXTS), part.batch.arrays(), strict=True))
        signature = None if part.stats is None else str(part.stats.signature)
        described.append({
            "signature": signature, "context": plain_context(part.context), "texts": part.batch is not None,
            "artefacts": None if part.artefacts is None else part.artefacts.plain(),
        })  # fmt: skip
    write_packed(path, "rows", {"options": dict(options), "parts": described}, pa.table(columns))


class RowsFile:
    """The file of a process: its options and rows; OSError if it cannot be read."""

    def __init__(self, path: str | PathLike[str]) -> None:
        header, self._table = read_packed(path, "rows")
        self.options: dict[str, str] = header.get("options")  # type: ignore[assignment]
        self._parts: list[dict[str, Any]] = header.get("parts")  # type: ignore[assignment]
        if not isinstance(self.options, dict) or not isinstance(self._parts, list):
            raise InputError(f"{Path(path).name} is damaged: its options or parts are missing.")

    def rows(self, scorer: Scorer) -> list[Rows]:
        """Return the rows of each corpus; InputError if this scorer would count them differently."""
        try:
            return [self._rows(scorer, number, part) for number, part in enumerate(self._parts)]
        except TercetError:
            raise
        except Exception as error:  # any type in the place of a number or text
            raise InputError(f"its file is damaged. {first_line(error)}") from None

    def _rows(self, scorer: Scorer, number: int, part: Mapping[str, Any]) -> Rows:
        context, stats, batch = context_of(part["context"], scorer), None, None
        if part["signature"] is not None:
            own = scorer.signature(context)
            if part["signature"] != str(own):
                raise InputError(
                    f"its items were counted as {shorten(part['signature'], 300)}, expected {shorten(str(own), 300)}"
                )
            rows = [self._table[f"{number}.row.{name}"].to_numpy() for name in scorer.columns]
            stats = SegmentStats(own, scorer.columns, np.column_stack(rows))
        if part["texts"]:
            batch = read_batch(*(self._table[f"{number}.{name}"] for name in _TEXTS))
        artefacts = part.get("artefacts")
        return Rows(stats, context, batch, None if artefacts is None else Artefacts.of_plain(artefacts))
