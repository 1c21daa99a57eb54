"""What readable forms show of a dimension: figures, cells, lines around tables; and all of it in a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tercet.markup import clean, scores_html, sentences_html

from .answers import answer
from .figures import FigureValue

if TYPE_CHECKING:
    from .result import Correlation, DimensionTable

#: Figures of the readable tables, where defined; JSON and TSV have all of them.
SHOWN = (
    *("pooled.pearson", "pooled.kendall_b", "item.kendall_b", "item.acc_eq", "item.darr"),
    *("system.pearson", "system.pairwise_accuracy", "system.spa"),
)
#: Before the p-value of a pair whose difference is significant.
MARKS = {"better": "▲ ", "worse": "▼ ", "": ""}
#: Figures beside the one of the ranking, in a terminal.
_BESIDE = 4


def shown_figures(table: DimensionTable) -> list[str]:
    """Return the figure of the ranking, and the next ones of those that are shown."""
    known = next(iter(table.figures.values()))
    others = [name for name in SHOWN if name in known and name != table.rank_by]
    others = [name for name in others if name != "item.darr"] or others
    return [table.rank_by, *others[:_BESIDE], *others[-1:]] if len(others) > _BESIDE else [table.rank_by, *others]


def pairs(found: Correlation, table: DimensionTable) -> list[list[tuple[float | None, str]]]:
    """Return adjusted p of each two metrics, the best first, and whether the row is significantly better or worse.

    There is no p of a metric and itself.
    """

    def pair(one: str, other: str) -> tuple[float | None, str]:
        return None if one == other else table.pair_p(one, other), table.significance(one, other, found.alpha)

    return [[pair(one, other) for other in table.ranking] for one in table.ranking]


def agreement_lines(table: DimensionTable) -> list[str]:
    """Return the agreement of the raters, in words; nothing for one rater."""
    if not table.agreement:
        return []
    ordinal, interval, raw = map(number, table.agreement.values())
    alpha = f"Krippendorff's alpha {ordinal} (ordinal), {interval} (interval)"
    return [f"Inter-rater agreement: {alpha}; share of equal grades {raw}."]


def answer_lines(found: Correlation, table: DimensionTable) -> list[str]:
    """Return the answer, and the warnings about it."""
    return [" ".join("".join(sentence) for sentence in answer(found, table)), *table.remarks]


def note_lines(found: Correlation, table: DimensionTable) -> list[str]:
    """Return the agreement of raters, and the best layers."""
    return [*agreement_lines(table), *(each.summary(found.alpha) for each in table.layers)]


def with_interval(figure: FigureValue) -> str:
    """Return a figure and its interval for a cell of a table."""
    return f"{number(figure.value)} ({number(figure.low)} to {number(figure.high)})"


def number(value: float) -> str:
    """Return a figure as text."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def correlation_html(found: Correlation) -> str:
    """Return the answers, then the figures of each dimension with their intervals, as HTML for a notebook."""
    parts = [sentences_html([*answer(found, table), *((line,) for line in table.remarks)]) for table in found.tables]
    names = list(dict.fromkeys(name for table in found.tables for name in shown_figures(table)))
    for table in found.tables:
        shown = shown_figures(table)
        graded = f"{table.n_graded:,} graded outputs of {table.n_items:,} items"
        rows = [
            [
                found.titles()[label],
                str(table.clusters[label]),
                *(with_interval(table.figures[label][name]) for name in shown),
            ]
            for label in table.ranking
        ]
        last = table is found.tables[-1]
        below = [found.legend(), *found.about(names), *found.signatures()] if last else []
        parts.append(f"<p><b><bdi>{clean(table.dimension)}</bdi></b>: {graded}</p>")
        parts.append(scores_html(["metric", "cluster", *shown], rows, [*note_lines(found, table), *below]))
    return f"<div>{''.join(parts)}</div>"
