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
    figure, axes = plt.subplots(
        len(metrics), len(sizes), figsize=(2.3 * len(sizes), 1.5 + 1.7 * len(metrics)), squeeze=False, sharex="col",
        gridspec_kw={"height_ratios": [max(len(row[3]) for row in rows if row[0] == metric) for metric in metrics]},
    )  # fmt: skip
    for metric, pairs, words, seconds in rows:
        axis = axes[metrics.index(metric)][sizes.index((pairs, words))]
        names = list(seconds)[::-1]
        times = [1e6 * seconds[name] / pairs for name in names]
        axis.barh(names, times, color=[OURS if name == "tercet" else OTHERS for name in names])
        axis.set_xscale("log")
        axis.set_xlim(min(times) / 2, max(times) * 12)
        for place, value in enumerate(times):
            axis.text(
                value * 1.15, place, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", va="center", fontsize=7
            )
        axis.tick_params(labelsize=7, length=0)
        axis.set_xticks([])
        axis.spines[["top", "right", "bottom"]].set_visible(False)
        if metric == metrics[0]:
            axis.set_title(f"{pairs:,} pair{'s' * (pairs > 1)} a call\n{words:,} words a text", fontsize=8)
        axis.set_ylabel(metric, fontsize=8) if sizes.index((pairs, words)) == 0 else None
    figure.suptitle("Microseconds a pair, one thread (log scale; shorter is faster)", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
