"""Measure tercet at every size, beside the fastest peers there are, and with texts in columns of several packages.

``python benchmarks/sizes.py`` prints the tables and writes their section of benchmarks/RESULTS.md, and docs/speed.md;
``--small`` runs every cell once on few texts, for the tests; ``--only WORD`` keeps the works that name it. Equal scores
are asserted before anything is timed.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"  # what is written in Rust would else take every core

import numpy as np
import pyarrow as pa
import pyarrow.feather

from ahead import Cell, all_cells, few_pairs, row_of, table, where_a_peer_is_ahead, who_is_ahead
from chart import draw
from fast_peers import MISSING, OPTIONAL, ROWS, Row, Side, Sides
from results import machine, write_between, write_section
from work import Work, make_work

TITLE = "Results of the last `make bench-sizes`"
DOCS = Path(__file__).resolve().parents[1] / "docs"
#: Pairs that differ; more of them are the same again.
DIFFERENT = 10_000
#: Seconds after which no further round of a cell begins.
BUDGET = 8
#: What a peer's score may differ by where it is rounded.
ROUNDED = {"fastwer": 1e-6}
#: Of these there is a picture.
PICTURED = ("ROUGE 1+2+L", "BLEU", "chrF", "chrF of each pair")


@cache
def different(pairs: int, words: int, lines: int = 1) -> Work:
    """Return texts that differ."""
    return make_work("size", pairs, words, lines=lines)


def texts_of(pairs: int, *size: int) -> Work:
    """Return texts of a size, of which the first 10,000 differ."""
    work = different(min(pairs, DIFFERENT), *size)
    times = pairs // len(work.predictions)
    return Work("size", work.predictions * times, work.references * times, work.tokens * times)


def check(work: str, sides: Sides) -> None:
    """Assert that all sides give the same scores."""
    expected = sides["tercet"].read(sides["tercet"].call())
    for name, side in sides.items():
        if name != "tercet":
            np.testing.assert_allclose(
                side.read(side.call()), expected, rtol=1e-9, atol=ROUNDED.get(name, 0), err_msg=f"{work} {name}"
            )


def seconds(side: Side, clock: Callable[[], float], least: float) -> float:
    """Return the seconds of a call: of a short one the best mean of five that take so long together."""

    def mean(calls: int) -> float:
        begin = clock()
        for _ in range(calls):
            side.call()
        return (clock() - begin) / calls

    once = mean(1)
    calls = int(least / 5 / max(once, 1e-6))
    return min(mean(calls) for _ in range(5)) if calls > 1 else once


def measured(row: Row, work: Work, rounds: int, least: float) -> dict[str, list[float]]:
    """Return the seconds of each side by round; the sides take turns."""
    sides = row.sides(work)
    if len(sides) > 1:
        check(row.work, sides)
    gc.collect()
    gc.freeze()  # the texts are no garbage that the calls would look through
    times: dict[str, list[float]] = {name: [] for name in sides}
    begin = row.clock()
    while not times["tercet"] or (len(times["tercet"]) < rounds and row.clock() - begin < BUDGET):
        for name, side in sides.items():
            times[name].append(seconds(side, row.clock, least))
    gc.unfreeze()
    return times


def cells_of(rows: list[Row], small: bool) -> Iterator[tuple[Cell, dict[str, float]]]:
    """Return the cells, and the median seconds of each side, as they are measured."""
    for row in rows:
        sizes = row.sizes
        if small:
            sizes = {
                (min(pairs, 20), min(words, 60), *lines): asked for (pairs, words, *lines), asked in sizes.items()
            }
        for (pairs, words, *lines), asked in sizes.items():
            work = texts_of(pairs, words, *lines)
            times = measured(row, work, 1 if small else 5, 0.001 if small else 0.1)
            medians = {name: statistics.median(rounds) for name, rounds in times.items()}
            ratios = {
                name: [theirs / ours for theirs, ours in zip(rounds, times["tercet"], strict=True)]
                for name, rounds in times.items()
                if name != "tercet"
            }
            yield Cell(row.work, pairs, words, asked, work.tokens, medians["tercet"], ratios), medians


MEMORY = """
import re, sys
from pathlib import Path
import pyarrow.feather, tercet
table = pyarrow.feather.read_table(sys.argv[1], memory_map=False)
columns = table["p"], table["r"]
if sys.argv[2] == "lists":
    columns = tuple(column.to_pylist() for column in columns)
    del table
tercet.score("bleu", columns[0][:100], columns[1][:100])

def megabytes(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

before = megabytes("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
tercet.score("bleu", *columns)
print(before, megabytes("VmHWM") - before)
"""


def memory(file: Path, kind: str) -> tuple[float, float]:
    """Return the memory of a fresh process that holds the texts, and by how much its peak grows as it scores BLEU, in MB."""
    run = subprocess.run([sys.executable, "-c", MEMORY, file, kind], capture_output=True, text=True, check=True)
    held, grown = map(float, run.stdout.split())
    return held, grown


def memory_rows(pairs: int) -> list[list[str]]:
    """Return a row for texts in lists, and in Arrow's memory."""
    if not Path("/proc/self/clear_refs").exists():
        return []
    work, rows = texts_of(pairs, 25), []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.feather"
        columns = {"p": work.predictions, "r": work.first_references}
        pyarrow.feather.write_feather(pa.table(columns), file, compression="uncompressed")
        for kind in ("lists", "Arrow"):
            rows.append([kind, *(f"{megabytes:,.0f} MB" for megabytes in memory(file, kind))])
    return rows


def main() -> None:
    """Run every cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", help="keep the works whose name holds this word")
    options = parser.parse_args()
    for package in MISSING:
        print(f"{package} is not installed here, and left out.")
    cells, bars = [], []
    for cell, medians in cells_of([row for row in ROWS if options.only.lower() in row.work.lower()], options.small):
        print(f"| {' | '.join(row_of(cell))} |", flush=True)
        cells.append(cell)
        if cell.work in PICTURED and (cell.pairs not in (2, 3) or cell.words > 25):
            bars.append((cell.work, cell.pairs, cell.words, medians))
    grown = memory_rows(200 if options.small else 1_000_000)
    print(
        "", "Where a peer is ahead:", where_a_peer_is_ahead(cells), who_is_ahead(cells), few_pairs(cells), sep="\n\n"
    )
    if options.small or options.only:
        return
    draw(bars, DOCS / "speed.png")
    packages = machine(
        [
            "tercet",
            "rouge_score",
            "sacrebleu",
            "nltk",
            *(peer for peer in OPTIONAL if peer not in MISSING),
            "pyarrow",
            "datasets",
            "pandas",
            "polars",
        ]
    )
    parts = [
        f"{packages}.",
        "One thread (what is written in Rust is limited to one), warm, from Python strings to the scores; equal scores (1e-9) before the time is taken. Processor time, also of whole processes; of two threads the time that passes. A call of a prepared `tercet.scorer` where nothing else is said. The ratio is how many times as fast as the peer tercet is: median (min to max) of up to five rounds in alternation; what is asked is a ratio to the fastest peer, or a time. Peers whose calls would take too long are left out. sacrebleu's caches of tokenized lines are emptied before each of its calls. Peers named tercet are tercet itself, done otherwise: from lists, or in one thread.",
        all_cells(cells),
        "## Who is ahead, by size",
        "The fastest peer, and its time over tercet's; bold where the peer is ahead.",
        who_is_ahead(cells),
        "## Microseconds of few pairs of 25 words",
        few_pairs(cells),
        "## Memory",
        "Of a process with 1,000,000 pairs of 25 words, and by how much its peak grows as BLEU scores them:",
        table(["texts in", "before", "more"], grown),
    ]
    write_section(TITLE, "\n\n".join(parts))
    parts = [
        "## Where a peer is ahead",
        where_a_peer_is_ahead(cells),
        "## Who is ahead, by size",
        f"The fastest peer in each cell, and its time divided by tercet's: above 1 tercet is faster; bold where the peer is. {packages}.",
        who_is_ahead(cells),
        "Microseconds of a call with few pairs of 25 words, and of a pair of many:",
        few_pairs(cells),
    ]
    write_between("bench-sizes", "\n\n".join(parts), DOCS / "speed.md")


if __name__ == "__main__":
    main()
