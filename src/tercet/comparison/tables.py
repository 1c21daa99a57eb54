"""A comparison as JSON, TSV, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tercet.metric.drawing.visible import one_cell
from tercet.signature import __version__

from .exports import name_cell
from .scores import AS_GOOD, COLUMNS, Comparison


def to_json(comparisons: Sequence[Comparison]) -> str:
    """Return all numbers as JSON: the version, and an object for each test set."""
    return json_text({"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in comparisons]})


def json_text(value: Any) -> str:
    """Return a value as strict JSON: null for NaN and infinities."""
    return json.dumps(_finite(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_tsv(comparisons: Sequence[Comparison]) -> str:
    """Return a row per score and system; names as :func:`~.exports.name_cell` writes them."""
    return lines_of_tsv(_rows(comparisons))


def to_csv(comparisons: Sequence[Comparison]) -> str:
    """Return the same as CSV."""
    return lines_of_csv(_rows(comparisons))


def _rows(comparisons: Sequence[Comparison]) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for comparison in comparisons:
        for row in comparison.records():
            yield [table_cell(value) for value in row.values()]


def table_cell(value: object) -> str:
    """Return a value as a cell of a TSV or CSV file: names as :func:`~.exports.name_cell`, "" for None."""
    if isinstance(value, str):
        return name_cell(value)
    return "" if value is None else str(value)


def lines_of_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Return one line per row; cells hold no tabs."""
    return "".join("\t".join(row) + "\n" for row in rows)


def lines_of_csv(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows as CSV of RFC 4180: lines end with CR LF, and cells with a comma or quote are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


def to_markdown(comparisons: Sequence[Comparison]) -> str:
    """Return a table with a row for each system and a column for each score."""
    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, lambda text: f"**{text}**", AS_GOOD, as_markdown)
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n")
        parts[-1] += _notes(comparison, as_markdown, lambda text: f"`{one_cell(text).replace('`', chr(39))}`")
    return "\n".join(parts)


def to_latex(comparisons: Sequence[Comparison]) -> str:
    """Return the same table for LaTeX with booktabs."""
    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, lambda text: f"\\textbf{{{text}}}", "$^\\dagger$", as_latex)
        body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
        notes = "".join(f"% {line}\n" for line in _notes(comparison, one_cell, one_cell).splitlines() if line)
        parts.append(
            f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n{' & '.join(head)} \\\\\n\\midrule\n{body}"
            f"\\bottomrule\n\\end{{tabular}}\n{notes}"
        )
    return "\n".join(parts)


def _wide(
    comparison: Comparison, bold: Callable[[str], str], as_good: str, plain: Callable[[str], str]
) -> list[list[str]]:
    """Return the header and a row per system: value, half the interval's width, and mark."""
    rows = [[plain(name) for name in ("system", *comparison.score_labels())]]
    dash = "–" if as_good == "†" else "--"
    for index, system in enumerate(comparison.test_set.systems):
        cells = [plain(system)]
        for table in comparison.tables:
            row = table.rows[index]
            value = bold(f"{row.value:.2f}") if row.best else f"{row.value:.2f}"
            mark = as_good if row.as_good and not row.best else ""
            cells.append(f"{value}{mark} ({row.low:.2f}{dash}{row.high:.2f})")
        rows.append(cells)
    return rows


def _notes(comparison: Comparison, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    signatures = dict.fromkeys(table.signature for table in comparison.tables)
    level = f"In parentheses: {100 * comparison.confidence_level:g} % intervals. "
    counted = "".join(f"\n\n{line}" for line in comparison.remarks(plain))
    return level + comparison.legend(plain) + counted + "\n\n" + "\n\n".join(map(code, signatures)) + "\n"


def as_markdown(text: str) -> str:
    """Return a name escaped for a Markdown table: no markup, HTML, link or cell separator."""
    return re.sub(r"[\\`*\[\]<>|~&!$#]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", one_cell(text))


def as_latex(text: str) -> str:
    """Return a name escaped for LaTeX, also where a bracket or star would belong to the command before it."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"{{{sign}}}" for sign in "[]*"}
    return "".join(signs.get(letter, letter) for letter in one_cell(text))
