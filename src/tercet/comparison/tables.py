"""A comparison as JSON, TSV, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.metric.drawing.visible import one_cell
from tercet.signature import __version__
from tercet.statistics.paired_tests import decimals, pvalue_text

from .exports import finite, name_cell
from .scores import AS_GOOD, COLUMNS, LOWER, Comparison


def to_json(comparisons: Sequence[Comparison]) -> str:
    """Return all numbers as JSON: the version, and an object for each test set."""
    return json_text({"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in comparisons]})


def json_text(value: Any) -> str:
    """Return a value as strict JSON: null for NaN and infinities."""
    return json.dumps(finite(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


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
    """Return a value as a cell of a TSV or CSV file: names as :func:`~.exports.name_cell`, "" for None, or NaN."""
    if isinstance(value, str):
        return name_cell(value)
    return "" if value is None else "NaN" if value != value else str(value)


def lines_of_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Return one line per row; cells hold no tabs."""
    return "".join("\t".join(row) + "\n" for row in rows)


def lines_of_csv(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows as CSV of RFC 4180: lines end with CR LF, and cells with a comma or quote are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class _Style:
    """How a format writes what a table for people holds."""

    plain: Callable[[str], str]
    bold: str
    as_good: str
    lower: str
    difference: str
    dash: str
    signed: str


def to_markdown(comparisons: Sequence[Comparison]) -> str:
    """Return a table with a row for each system: each score with its interval, difference and p."""
    style, parts = _Style(as_markdown, "**{}**", AS_GOOD, LOWER, "difference", "–", "{}"), []
    for comparison in comparisons:
        head, *rows = _wide(comparison, style)
        name = [f"**{as_markdown(comparison.test_set.name)}**\n\n"] if len(comparisons) > 1 else []
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        parts.append("".join([*name, *(f"| {' | '.join(line)} |\n" for line in lines), "\n"]))
        parts[-1] += _notes(comparison, as_markdown, lambda text: f"`{one_cell(text).replace('`', chr(39))}`")
    return "\n".join(parts)


def to_latex(comparisons: Sequence[Comparison]) -> str:
    """Return the same table for LaTeX with booktabs."""
    style = _Style(as_latex, "\\textbf{{{}}}", "$^\\dagger$", "$\\downarrow$", "$\\Delta$", "--", "${}$")
    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, style)
        body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
        notes = "".join(f"% {line}\n" for line in _notes(comparison, one_cell, one_cell).splitlines() if line)
        name = title_row(comparison.test_set.name, len(head)) if len(comparisons) > 1 else ""
        parts.append(
            f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n"
            f"{name}{' & '.join(head)} \\\\\n\\midrule\n{body}"
            f"\\bottomrule\n\\end{{tabular}}\n{notes}"
        )
    return "\n".join(parts)


def title_row(name: str, width: int) -> str:
    """Return a first row of a LaTeX table that says what it is of."""
    return f"\\multicolumn{{{width}}}{{l}}{{\\textbf{{{as_latex(name)}}}}} \\\\\n"


def _wide(comparison: Comparison, style: _Style) -> list[list[str]]:
    """Return the header and a row per system: of each score value, interval and mark, and against the baseline."""
    tested = comparison.test is not None
    head = [style.plain("system")]
    rows = [[style.plain(system)] for system in comparison.test_set.systems]
    for label, table in zip(comparison.score_labels(), comparison.tables, strict=True):
        head.append(style.plain(label) + ("" if table.higher_is_better else f" {style.lower}"))
        head += [style.difference, style.plain(comparison.p_label)] if tested else []
        for cells, row in zip(rows, table.rows, strict=True):
            value = style.bold.format(decimals(row.value)) if row.best else decimals(row.value)
            mark = style.as_good if row.as_good and not row.best else ""
            cells.append(f"{value}{mark} ({decimals(row.low)}{style.dash}{decimals(row.high)})")
            if tested:
                difference, p = row.difference, row.adjusted_pvalue
                cells.append("" if difference is None else style.signed.format(decimals(difference, signed=True)))
                unknown = "" if difference is None else "NaN"
                cells.append(unknown if p is None else pvalue_text(p))
    return [head, *rows]


def _notes(comparison: Comparison, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    signatures = dict.fromkeys(table.signature for table in comparison.tables)
    level = f"In parentheses: {100 * comparison.confidence_level:g} % intervals. "
    counted = "".join(f"\n\n{line}" for line in [*comparison.remarks(plain), *map(plain, comparison.warnings)])
    return level + comparison.legend(plain) + counted + "\n\n" + "\n\n".join(map(code, signatures)) + "\n"


def as_markdown(text: str) -> str:
    """Return a name escaped for a Markdown table: no markup, HTML, link or cell separator."""
    return re.sub(r"[\\`*\[\]<>|~&!$#]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", one_cell(text))


def as_latex(text: str) -> str:
    """Return a name escaped for LaTeX, also where a bracket or star would belong to the command before it."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"{{{sign}}}" for sign in "[]*"}
    return "".join(signs.get(letter, letter) for letter in one_cell(text))
