"""A picture of how long a pair takes at every size: a panel for each, a bar for each package, on a log scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

OURS, OTHERS = "#0b6e4f", "#b8bec6"


def draw(rows: Sequence[tuple[str, int, int, dict[str, float]]], path: Path) -> None:
    """Draw the panels.

    Parameters
    ----------
    rows : sequence of (metric, pairs, words, seconds of a call by package)
    path : Path
        Of the picture.
    """
    metrics = list(dict.fromkeys(row[0] for row in rows))
    sizes = list(dict.fromkeys(row[1:3] for row in rows))
    most = [max(len(row[3]) for row in rows if row[0] == metric) for metric in metrics]
    figure, axes = plt.subplots(
        len(metrics), len(sizes), figsize=(2.1 * len(sizes), 1 + 0.3 * sum(most)), squeeze=False,
        gridspec_kw={"height_ratios": most},
    )  # fmt: skip
    packages = {
        metric: list(dict.fromkeys(name for row in rows if row[0] == metric for name in row[3])) for metric in metrics
    }
    for axis in axes.flat:
        axis.set_visible(False)  # until there is something to show
    for metric, pairs, words, seconds in rows:
        column = sizes.index((pairs, words))
        axis = axes[metrics.index(metric)][column]
        axis.set_visible(True)
        times = {name: 1e6 * took / pairs for name, took in seconds.items()}
        for place, name in enumerate(packages[metric]):
            if name in times:
                axis.barh(place, times[name], color=OURS if name == "tercet" else OTHERS)
                axis.text(times[name] * 1.2, place, _short(times[name]), va="center", fontsize=7)
            else:
                axis.text(min(times.values()) / 2, place, " left out", va="center", fontsize=7, color="#6b7280")
        axis.set_xscale("log")
        axis.set_xlim(min(times.values()) / 3, max(times.values()) * 20)
        axis.xaxis.set_visible(False)
        axis.set_ylim(len(packages[metric]) - 0.5, -0.5)
        axis.set_yticks(range(len(packages[metric])), packages[metric] if column == 0 else [], fontsize=8)
        axis.tick_params(length=0)
        axis.spines[["top", "right", "bottom"]].set_visible(False)
        if metric == metrics[0]:
            axis.set_title(f"{pairs:,} pair{'s' * (pairs > 1)} a call\n{words:,} words a text", fontsize=8)
        if column == 0:
            axis.set_ylabel(metric.replace(" of ", "\nof "), fontsize=9)
    figure.suptitle("Time of a pair, one thread (log scale: the shorter, the faster)", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _short(microseconds: float) -> str:
    """Return a time in three digits."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} us"
