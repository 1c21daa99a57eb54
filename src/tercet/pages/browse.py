"""Every segment of a test set, packed into a report for its script: sorted and filtered there, a page at a time."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .matches import Text, plain
from .segments import MOST_REFERENCES, Segments

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable

    from .lengths import Buckets

#: Characters of all texts, at most, and outputs whose matches are in colour: each takes a millisecond or more.
_CHARACTERS, _COLOURED = 40_000_000, 1_000


@dataclass(frozen=True, slots=True)
class Browse:
    """The segments to browse, and what a page says of them."""

    data: str  # JSON, compressed, in base64
    n_segments: int
    n_all: int
    legend: Sequence[str]
    coloured_by: str
    n_coloured: int  # segments
    unit: str  # what lengths count, and of what; empty where they are not known
    of: str


def browse(
    metrics: Sequence[Segments], titles: Sequence[str], names: dict[str, str], buckets: Buckets | None
) -> Browse:
    """Return all segments, with all scores: those first whose first score differs most between the systems.

    Texts beyond 40 million characters are left out, and matches are in colour for 1,000 outputs or so: those whose
    scores differ most, by each metric's primary score in turn. The
    matches are those of the first metric that has any.
    """
    comparison = metrics[0].comparison
    coloured_by = next((each for each in metrics if each.legend), metrics[0])
    test_set, systems = comparison.test_set, list(comparison.test_set.systems)
    kept = _fitting(comparison, _by_difference(metrics[0].table))
    most = max(1, _COLOURED // len(systems)) if coloured_by.legend else 0
    coloured = set(_first_of([_by_difference(each.table) for each in metrics], most)) & set(kept)
    shown = {
        name: [
            _pieces(coloured_by.colours.of(text, test_set.references[index]) if index in coloured else plain(text))
            for index, text in ((index, test_set.systems[name][index]) for index in kept)
        ]
        for name in systems
    }
    data = {
        "systems": [names[name] for name in systems],
        "baseline": systems.index(comparison.baseline),
        "numbers": [index + 1 for index in kept],
        "source": None if test_set.source is None else [_pieces(plain(test_set.source[index])) for index in kept],
        "references": [
            list(map(_pieces, map(plain, test_set.references[index][:MOST_REFERENCES]))) for index in kept
        ],
        "more": [max(0, len(test_set.references[index]) - MOST_REFERENCES) for index in kept],
        "coloured": [index in coloured for index in kept],
        "lengths": None if buckets is None else [buckets.lengths.get(index) for index in kept],
        "outputs": list(shown.values()),
        "scores": [
            {
                "title": title,
                "higher": table.higher_is_better,
                "values": [[_rounded(table.segments[name][index]) for index in kept] for name in systems],
            }
            for table, title in zip(comparison.tables, titles, strict=True)
        ],
    }
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    unit, of = ("", "") if buckets is None else (buckets.unit, buckets.of)
    return Browse(
        data=base64.b64encode(packed).decode(),
        n_segments=len(kept),
        n_all=len(test_set.references),
        legend=coloured_by.legend,
        coloured_by=coloured_by.table.title,
        n_coloured=len(coloured),
        unit=unit,
        of=of,
    )


def _by_difference(table: ScoreTable) -> list[int]:
    """Return all segments, those first whose scores differ most between systems; of one system the worst."""
    scores = np.array(list(table.segments.values()), np.float64)  # None becomes NaN
    if len(scores) > 1:
        order = np.nanmax(scores, axis=0, initial=-np.inf) - np.nanmin(scores, axis=0, initial=np.inf)
    else:
        order = -scores[0] if table.higher_is_better else scores[0]
    return [int(index) for index in np.argsort(-np.nan_to_num(order, nan=-np.inf), kind="stable")]


def _first_of(orders: Sequence[Sequence[int]], most: int) -> Iterator[int]:
    """Yield so many segments, from all orders in turn."""
    found: dict[int, None] = {}
    for each in zip(*orders, strict=True):
        found.update(dict.fromkeys(each))
        if len(found) >= most:
            break
    yield from list(found)[:most]


def _fitting(comparison: Comparison, order: Sequence[int]) -> list[int]:
    """Return the segments whose texts fit into a page, in the order of the test set."""
    test_set = comparison.test_set
    room, kept = _CHARACTERS, list[int]()
    for index in order:
        texts = [*test_set.references[index][:MOST_REFERENCES], *(own[index] for own in test_set.systems.values())]
        room -= sum(map(len, texts))
        if room < 0 and kept:
            break
        kept.append(index)
    return sorted(kept)


def _pieces(text: Text) -> Any:
    """Return a text, or its pieces with their levels and the number of characters that were cut."""
    if text.left_out or any(level for level, _ in text.pieces):
        return [[[level, part] for level, part in text.pieces], text.left_out]
    return "".join(part for _, part in text.pieces)


def _rounded(value: float | None) -> float | None:
    return (
        None if value is None or not np.isfinite(value) else round(value, 6)
    )  # ties are equal, and no page shows more
