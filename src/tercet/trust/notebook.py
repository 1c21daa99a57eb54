"""A correlation in a notebook: the answers, then the figures of each dimension with their intervals."""

from __future__ import annotations

from tercet.markup import clean, scores_html, sentences_html

from .answers import answer
from .result import Correlation
from .tables import note_lines, shown_figures, with_interval


def correlation_html(found: Correlation) -> str:
    """Return a fragment of HTML, for ``_repr_html_``."""
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
