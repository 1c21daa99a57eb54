"""Every segment of a test set, packed into a report for its script: sorted and filtered there, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.test_sets.length_buckets import Buckets

from .coloured_texts import LONGEST, MOST_REFERENCES, Text, more_references_of, plain, references_of, source_of
from .rendering import Packed
from .segments import SegmentChooser

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.values.scores import ScoreTable

#: Characters of all texts as they are shown, at most.
_CHARACTERS = 40_000_000
#: Outputs whose matches are in colour, at most: each takes .05 ms, or 1 ms by ROUGE.
_COLOURED = 1_000
#: Numbers that a letter stands for.
_HALF = 1 << 15


@dataclass(frozen=True, slots=True)
class Browse:
    """The segments to browse, and what a page says of them."""

    data: Packed
    titles: Sequence[str]  # of the scores
    systems: Sequence[str]  # as they stand in each segment: the best of the whole set first
    n_segments: int
    n_all: int
    coloured_by: SegmentChooser  # the metric whose matches are in colour
    n_coloured: int  # segments
    buckets: Buckets | None  # by whose lengths segments are chosen, where these are known


def browse(choosers: Sequence[SegmentChooser], names: dict[str, str], buckets: Buckets | None) -> Browse:
    """Return all segments, with all scores, in the order of the test set.

    Of more than 40 million characters, those stay whose first score differs most between the systems. Matches are in
    colour for 1,000 outputs or so: those whose scores differ most, by each metric's primary score in turn. They are
    of the first metric that has any.
    """
    comparison = choosers[0].comparison
    test_set = comparison.test_set
    first = comparison.tables[0]
    titles = comparison.titles()
    systems = [first.rows[index].system for index in first.order]
    indices = _fitting(comparison, _by_difference(choosers[0].table))
    coloured_by = _first_with_colours(choosers)
    coloured: set[int] = set()
    if coloured_by.legend:
        orders = [_by_difference(chooser.table) for chooser in choosers]
        coloured = _first_of(orders, max(1, _COLOURED // len(systems))).intersection(indices)
    coloured_by.colour(systems, coloured)
    lengths = None
    if buckets is not None:
        lengths = [buckets.lengths.get(index) for index in indices]
    data = {
        "systems": [names[name] for name in systems],
        "baseline": systems.index(comparison.baseline),
        "numbers": [index + 1 for index in indices],
        "has_source": test_set.source is not None,
        "more": [more_references_of(test_set, index) for index in indices],
        "coloured": [index in coloured for index in indices],
        "lengths": lengths,
        "slices": [slices.numbers[indices].tolist() for slices in comparison.slices],
        # By segment, since the texts of one segment are alike: so they take a third of the room.
        "texts": [_texts(coloured_by, index, systems, in_colour=index in coloured) for index in indices],
        "scores": _scores(comparison, titles, systems, indices),
    }
    return Browse(
        data=Packed.of(data),
        titles=titles,
        systems=systems,
        n_segments=len(indices),
        n_all=len(test_set.references),
        coloured_by=coloured_by,
        n_coloured=len(coloured),
        buckets=buckets,
    )


def _first_with_colours(choosers: Sequence[SegmentChooser]) -> SegmentChooser:
    """Return the first metric whose matches have colours; the first one if none has."""
    for chooser in choosers:
        if chooser.legend:
            return chooser
    return choosers[0]


def _texts(chooser: SegmentChooser, index: int, systems: Sequence[str], *, in_colour: bool) -> list[Any]:
    """Return the texts of a segment in pieces: its source, its references, and the outputs of systems."""
    test_set = chooser.comparison.test_set
    texts = references_of(test_set, index)
    source = source_of(test_set, index)
    if source is not None:
        texts.insert(0, source)
    for system in systems:
        output = test_set.systems[system][index]
        if in_colour:
            texts.append(chooser.colours.text(output, test_set.references[index]))
        else:
            texts.append(plain(output))
    return [_pieces(text) for text in texts]


def _scores(
    comparison: Comparison, titles: Sequence[str], systems: Sequence[str], indices: Sequence[int]
) -> list[dict[str, Any]]:
    """Return each score of these segments: segment by segment, in the order of the systems."""
    scores = []
    for table, title in zip(comparison.tables, titles, strict=True):
        values = []
        for index in indices:
            values += [table.segments[name][index] for name in systems]
        entry = {"title": title, "higher": table.higher_is_better, "digits": table.digits}
        scores.append({**entry, **_numbered(values, table)})
    return scores


def _by_difference(table: ScoreTable) -> list[int]:
    """Return all segments, those first whose scores differ most between systems; of one system the worst."""
    # None becomes NaN.
    scores = np.array(list(table.segments.values()), np.float64)
    if len(scores) > 1:
        # Of a segment without any score, -inf: `initial` keeps numpy from warning of it.
        telling = np.nanmax(scores, axis=0, initial=-np.inf) - np.nanmin(scores, axis=0, initial=np.inf)
    elif table.higher_is_better:
        telling = -scores[0]
    else:
        telling = scores[0]
    in_order: list[int] = np.argsort(-np.nan_to_num(telling, nan=-np.inf), kind="stable").tolist()
    return in_order


def _first_of(orders: Sequence[Sequence[int]], most: int) -> set[int]:
    """Return as many segments as `most`, from all orders in turn."""
    chosen: set[int] = set()
    for segments in zip(*orders, strict=True):
        for index in segments:
            if len(chosen) == most:
                return chosen
            chosen.add(index)
    return chosen


def _fitting(comparison: Comparison, order: Sequence[int]) -> list[int]:
    """Return the segments whose texts fit into a page, in the order of the test set."""
    test_set = comparison.test_set
    room = _CHARACTERS
    fitting: list[int] = []
    for index in order:
        outputs = [texts_of_system[index] for texts_of_system in test_set.systems.values()]
        texts = [*test_set.references[index][:MOST_REFERENCES], *outputs]
        if test_set.source is not None:
            texts.append(test_set.source[index])
        room -= sum(min(len(text), LONGEST) for text in texts)
        # the first segment is shown, however long it is
        if room < 0 and fitting:
            break
        fitting.append(index)
    return sorted(fitting)


def _pieces(text: Text) -> Any:
    """Return a text, or its pieces with their levels and the number of characters that were cut."""
    if text.left_out or any(piece.level for piece in text.pieces):
        return [text.pieces, text.left_out]
    return "".join(piece.text for piece in text.pieces)


def _numbered(scores: Sequence[float | None], table: ScoreTable) -> dict[str, Any]:
    """Return the distinct scores as steps from one to the next, and which of them each score is, in two texts.

    A page needs two digits more than it shows, for differences. The first is that of segments without a score.
    """
    digits = table.digits + 2
    rounded: list[int | None] = []
    for score in scores:
        if score is None:
            rounded.append(None)
        else:
            # rounded, so that ties are equal
            rounded.append(round(round(score, digits) * 10**digits))
    distinct = sorted({number for number in rounded if number is not None})
    steps = [number - before for before, number in pairwise([0, *distinct])]
    index_of = {None: 0} | {number: index for index, number in enumerate(distinct, 1)}
    indices = [index_of[number] for number in rounded]
    # In two halves, as a text has no letter for each number: those from U+D800 to U+DFFF are none.
    high = "".join(chr(index // _HALF) for index in indices)
    low = "".join(chr(index % _HALF) for index in indices)
    return {"steps": steps, "high": high, "low": low}
