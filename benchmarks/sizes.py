"""Measure tercet at every size, beside the fastest peers there are, and with texts in columns of several packages.

``python benchmarks/sizes.py`` prints the tables and writes their section of benchmarks/RESULTS.md; ``--small`` runs
every row once on few texts, for the tests. Equal scores are asserted before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["RAYON_NUM_THREADS"] = "1"  # what is written in Rust would else take every core

import datasets
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.feather

import tercet
from chart import draw
from fast_peers import MISSING, OPTIONAL, TYPES, Call, bleu_calls, chrf_calls, chrf_pair_calls, rouge_calls
from results import machine, write_section
from work import Work, make_work

TITLE = "Results of the last `make bench-sizes`"
#: Pairs in a call, and words in a text.
SIZES = [(1, 25), (8, 25), (64, 25), (10_000, 25), (1_000_000, 25), (100, 800), (2, 20_000)]
#: Pairs that differ; more of them are the same again.
DIFFERENT = 10_000
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "speed.png"


def seconds(call: Call, least: float) -> float:
    """Return the seconds of one call, the best of some that take at least so long together."""
    begin = time.perf_counter()
    call()
    once = max(time.perf_counter() - begin, 1e-7)
    number = max(1, min(1000, int(least / 5 / once)))
    times = []
    while not times or (len(times) < 5 and sum(times) * number < least):
        begin = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - begin) / number)
    return min(times)


def measured(name: str, calls: dict[str, Call], rounds: int) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Return the median seconds of a call of each package, and of each peer how many times as fast tercet is."""
    own, *peers = calls
    expected = calls[own]()
    for peer in peers:
        np.testing.assert_allclose(np.array(calls[peer]()), np.array(expected), rtol=1e-9, err_msg=f"{name} {peer}")
    times: dict[str, list[float]] = {each: [] for each in calls}
    for _ in range(rounds):
        for each in calls:
            times[each].append(seconds(calls[each], 0.2))
    ratios = {peer: [one / other for one, other in zip(times[peer], times[own], strict=True)] for peer in peers}
    return {each: statistics.median(found) for each, found in times.items()}, ratios


def row_of_size(name: str, n: int, words: int, took: float, ratios: dict[str, list[float]]) -> str:
    """Return a row: how many times as fast as each peer tercet is; below 1 the peer is faster."""
    cells = [
        f"{peer} **{statistics.median(each):.1f}** ({min(each):.1f} to {max(each):.1f})"
        for peer, each in ratios.items()
    ]
    unit = f"{1e6 * took:.0f} us" if took < 1e-3 else f"{1e3 * took:,.1f} ms"
    row = f"| {name} | {n:,} | {words:,} | {unit} | {', '.join(cells)} |"
    print(row, flush=True)
    return row


def columns_of(work: Work) -> dict[str, tuple[Any, Any]]:
    """Return the texts as users of several packages hold them."""
    texts, references = work.predictions, work.first_references
    table = pa.table({"p": texts, "r": references})
    of_datasets, of_polars = datasets.Dataset(table), polars.from_arrow(table)
    of_pandas = table.to_pandas(types_mapper=pd.ArrowDtype)
    return {
        "lists": (texts, references),
        "pyarrow": (table["p"], table["r"]),
        "datasets": (of_datasets["p"], of_datasets["r"]),
        "pandas": (of_pandas["p"], of_pandas["r"]),
        "polars": (of_polars["p"], of_polars["r"]),
    }


def rows_of_columns(work: Work, rounds: int) -> list[str]:
    """Return a row for each kind of column: processor time per token of BLEU and of ROUGE."""
    rows, options = [], {"bleu": {}, "rouge": {"rouge_types": TYPES}}
    expected = {
        metric: tercet.score(metric, *columns_of(work)["lists"], **given) for metric, given in options.items()
    }
    for kind, columns in columns_of(work).items():
        cells = []
        for metric, given in options.items():
            times = []
            for _ in range(rounds):
                begin = time.process_time()
                found = tercet.score(metric, *columns, **given)
                times.append(time.process_time() - begin)
                assert found == expected[metric], (kind, metric)
            cells.append(f"{1e9 * min(times) / work.tokens:.0f}")
        rows.append(f"| {kind} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


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


def memory_rows(items: int, times: int) -> list[str]:
    """Return a row for texts in lists, and in Arrow's memory."""
    work = make_work("MT", items, 25)
    texts = {"p": work.predictions * times, "r": work.first_references * times}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.feather"
        pyarrow.feather.write_feather(pa.table(texts), file, compression="uncompressed")
        for kind in ("lists", "Arrow"):
            held, grown = memory(file, kind)
            rows.append(f"| {kind} | {held:,.0f} MB | {grown:,.0f} MB |")
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    sizes = [(min(n, 20), min(words, 60)) for n, words in SIZES] if small else SIZES
    rounds = 1 if small else 5
    for package in MISSING:
        print(f"{package} is not installed here, and left out.")
    rows, bars = [], []
    for n, words in sizes:
        work = make_work("size", min(n, DIFFERENT), words)
        times = n // len(work.predictions)
        work = Work("size", work.predictions * times, work.references * times, work.tokens * times)
        kinds = {
            "ROUGE 1+2+L": rouge_calls,
            "BLEU": bleu_calls,
            "chrF": chrf_calls,
            "chrF of each pair": chrf_pair_calls,
        }
        for name, calls_of in kinds.items():
            calls = calls_of(work)
            took, ratios = measured(name, calls, min(rounds, 3 if n * words > 20_000 else rounds))
            rows.append(row_of_size(name, n, words, took["tercet"], ratios))
            bars.append((name, n, words, took))
    columns = rows_of_columns(make_work("MT", 200 if small else 100_000, 25), rounds)
    grown = (
        memory_rows(200 if small else 10_000, 2 if small else 100) if Path("/proc/self/clear_refs").exists() else []
    )
    if small:
        return
    draw(bars, PICTURE)
    parts = [
        f"{machine(('tercet', 'rouge_score', *(each for each in OPTIONAL if each not in MISSING), 'sacrebleu', 'pyarrow', 'datasets'))}.",
        "One thread. ROUGE of each pair beside rouge_score, rouge-score-rs and rouge-rust (Rust), and rapidrouge; BLEU of the corpus "
        "beside sacrebleu; chrF beside sacrebleu and sacrebleu-mojo (Mojo), and of each pair beside fastchrf (Rust); a prepared `tercet.scorer`. Packages that would take minutes are left out of a row. The ratio is how many "
        "times as fast as the peer tercet is, median (min to max).",
        "\n".join(["| work | pairs | words a text | tercet | ratio |", "|---|---|---|---|---|", *rows]),
        "Nanoseconds of processor time per token, 100,000 pairs of 25 words in one call of `tercet.score`:",
        "\n".join(["| texts in | BLEU | ROUGE 1+2+L |", "|---|---|---|", *columns]),
        "Memory of a process with 1,000,000 pairs of 25 words, and by how much its peak grows as BLEU scores them:",
        "\n".join(["| texts in | before | more |", "|---|---|---|", *grown]),
    ]
    write_section(TITLE, "\n\n".join(parts))


if __name__ == "__main__":
    main()
