"""Who is ahead, by size: the tables that `make bench-sizes` writes of its cells."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """A work at a size: the median seconds of a call of tercet, and the ratios of each round to each peer's."""

    work: str
    pairs: int
    words: int
    asked: str
    tokens: int
    seconds: float
    ratios: dict[str, list[float]]

    @property
    def size(self) -> str:
        """Pairs in a call, and words in a text."""
        return f"{self.pairs:,} x {self.words:,}"

    @property
    def peers(self) -> dict[str, float]:
        """The median ratio of each other package, the fastest first."""
        medians = {name: statistics.median(rounds) for name, rounds in self.ratios.items()}
        return dict(
            sorted(((n, m) for n, m in medians.items() if not n.startswith("tercet")), key=lambda pair: pair[1])
        )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def short(ratio: float) -> str:
    """Return a ratio in two or three digits; below 1 it is never shown as 1."""
    ratio = min(ratio, 0.99) if ratio < 1 else ratio
    return f"{ratio:.{2 if ratio < 3 else 1 if ratio < 10 else 0}f}"


def time_of(seconds: float) -> str:
    """Return a time in a unit that suits it."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.1f} us"
    return f"{1e3 * seconds:,.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def row_of(cell: Cell) -> list[str]:
    """Return all that was measured: how many times as fast as each peer tercet is; below 1 the peer is faster."""
    ratios = [
        f"{peer} **{short(statistics.median(rounds))}** ({short(min(rounds))} to {short(max(rounds))})"
        for peer, rounds in cell.ratios.items()
    ]
    per_token = f"{1e9 * cell.seconds / cell.tokens:,.0f}" if cell.tokens > 60_000 else ""  # of few it says little
    return [cell.work, cell.size, time_of(cell.seconds), per_token, ", ".join(ratios), cell.asked]


def all_cells(cells: Iterable[Cell]) -> str:
    """Return a table of all that was measured."""
    return table(["work", "pairs x words", "tercet", "ns a token", "ratio", "asked"], map(row_of, cells))


def where_a_peer_is_ahead(cells: Iterable[Cell]) -> str:
    """Return a table of the cells where tercet is slower than another package, or a sentence if there is none."""
    rows = [
        [cell.work, cell.size, peer, short(ratio)]
        for cell in cells
        for peer, ratio in cell.peers.items()
        if ratio < 1
    ]
    return table(["work", "pairs x words", "peer", "ratio"], rows) if rows else "In no cell of the last run."


def who_is_ahead(cells: Sequence[Cell]) -> str:
    """Return a table of the fastest peer of each work and size; bold where it is ahead of tercet."""
    beside = [cell for cell in cells if cell.peers]
    sizes = [size for _, _, size in sorted({(cell.words, cell.pairs, cell.size) for cell in beside})]
    rows = []
    for work in dict.fromkeys(cell.work for cell in beside):
        cells_by_size = {cell.size: _fastest(cell) for cell in beside if cell.work == work}
        rows.append([work, *(cells_by_size.get(size, "") for size in sizes)])
    return table(["work", *sizes], rows)


def _fastest(cell: Cell) -> str:
    peer, ratio = next(iter(cell.peers.items()))
    return f"{peer} {short(ratio)}" if ratio >= 1 else f"**{peer} {short(ratio)}**"


def few_pairs(cells: Sequence[Cell]) -> str:
    """Return a table of the microseconds of a call with one pair, two and three, and of a pair among many."""
    sizes = {(cell.work, cell.pairs, cell.words): cell.seconds for cell in cells}
    scores = [work for work, _, _ in sizes if work.startswith("tercet.score: ")]
    rows = []
    for score in scores:
        work = score.removeprefix("tercet.score: ")
        calls = [sizes.get((work, pairs, 25)) for pairs in (1, 2, 3)]
        many = sizes.get((work, 10_000, 25))
        columns = [*calls, sizes[score, 1, 25], many and many / 10_000]
        rows.append([work, *("" if seconds is None else f"{1e6 * seconds:.1f}" for seconds in columns)])
    return table(
        ["metric", "1 pair, prepared", "2 pairs", "3 pairs", "1 pair, `tercet.score`", "a pair of 10,000"], rows
    )
