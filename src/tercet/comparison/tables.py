"""A comparison as text, JSON, TSV, Markdown or LaTeX."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tercet.display.visible import one_cell

from .exports import name_cell
from .scores import AS_GOOD, BEST, COLUMNS, Comparison, ScoreTable, SystemScore

_NAME_WIDTH = 12  # of a system, at least, before other columns are left out


def to_text(comparisons: Sequence[Comparison], width: int | None = None, colour: bool = False) -> str:
    """Return tables for a terminal: a table for each score, and what it was made with."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False, soft_wrap=False)
    room = console.width
    for comparison in comparisons:
        for table in comparison.tables:
            shown, console.width = _rich_table(comparison, table, room)
            console.print(shown)
        for signature in dict.fromkeys(table.signature for table in comparison.tables):
            console.print(one_cell(signature), soft_wrap=True, markup=False)
        for remark in comparison.remarks(one_cell):
            console.print(remark, soft_wrap=True, markup=False)
        console.print(comparison.legend(one_cell), soft_wrap=True, markup=False)
    return buffer.getvalue()


def _rich_table(comparison: Comparison, table: ScoreTable, width: int) -> tuple[Table, int]:
    """Return a table of the columns for which there is room, and the width that it needs."""
    level, counts = f"{100 * comparison.confidence_level:g} %", "wins/ties/losses"
    columns: dict[str, list[str]] = {name: [] for name in ("system", table.name, level)}
    columns |= {name: [] for name in (("difference", "p", counts) if comparison.test else ())}
    for row in table.rows:
        value = f"[bold]{row.value:.2f}[/]" if row.best else f"{row.value:.2f}"
        mark = BEST if row.best else AS_GOOD if row.as_good else " "
        name = escape(one_cell(row.system)) + (" (baseline)" if comparison.test and row.difference is None else "")
        tested = _against(row) if comparison.test else ()
        cells = (name, f"{value}{mark}", f"{row.low:.2f} – {row.high:.2f}", *tested)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    for name in (counts, level):
        if _room(columns) > width:
            columns.pop(name, None)
    title = one_cell(f"{comparison.test_set.name}: {table.metric}, {table.name}")
    shown = Table(title=escape(title), box=box.SIMPLE_HEAD, title_justify="left")
    shown.add_column("system", overflow="fold")
    for name in list(columns)[1:]:
        shown.add_column(name, justify="right", no_wrap=True)
    for cells in zip(*columns.values(), strict=True):
        shown.add_row(*cells)
    return shown, max(width, _room(columns))


def _room(columns: dict[str, list[str]]) -> int:
    """Return the width of a table whose names of systems fold where they are long."""
    widths = [max(Text.from_markup(cell).cell_len for cell in [name, *cells]) for name, cells in columns.items()]
    return min(widths[0], _NAME_WIDTH) + sum(widths[1:]) + 3 * len(widths) + 1


def _against(row: SystemScore) -> tuple[str, str, str]:
    if row.difference is None or row.pvalue is None:
        return "", "", ""
    return f"{row.difference:+.2f}", pvalue_text(row.pvalue), f"{row.wins}/{row.ties}/{row.losses}"


def pvalue_text(pvalue: float) -> str:
    """Return p as it is written: three digits, four below 0.01."""
    return f"{pvalue:.4f}" if pvalue < 0.01 else f"{pvalue:.3f}"


def to_json(comparisons: Sequence[Comparison]) -> str:
    """Return all numbers as JSON: one object for a test set, a list for several."""
    found = [comparison.to_dict() for comparison in comparisons]
    return json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1) + "\n"


def to_tsv(comparisons: Sequence[Comparison]) -> str:
    """Return a line for each score of each system; names as :func:`~.exports.name_cell` writes them."""
    lines = ["\t".join(COLUMNS)]
    for comparison in comparisons:
        lines += ["\t".join(map(_tsv_cell, row.values())) for row in comparison.records()]
    return "\n".join(lines) + "\n"


def _tsv_cell(value: object) -> str:
    if isinstance(value, str):
        return name_cell(value)
    return "" if value is None else str(value)


def to_markdown(comparisons: Sequence[Comparison]) -> str:
    """Return a table with a row for each system and a column for each score."""

    def bold(text: str) -> str:
        return f"**{text}**"

    parts = []
    for comparison in comparisons:
        head, *rows = _wide(comparison, bold, AS_GOOD, as_markdown)
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
    """Return the head and a row for each system: value, half the interval's width, and the mark."""
    rows = [[plain(name) for name in ("system", *comparison.score_labels())]]
    for index, system in enumerate(comparison.test_set.systems):
        cells = [plain(system)]
        for table in comparison.tables:
            row = table.rows[index]
            value = bold(f"{row.value:.2f}") if row.best else f"{row.value:.2f}"
            mark = as_good if row.as_good and not row.best else ""
            cells.append(
                f"{value}{mark} ({row.low:.2f}–{row.high:.2f})".replace("–", "–" if as_good == "†" else "--")
            )
        rows.append(cells)
    return rows


def _notes(comparison: Comparison, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    signatures = dict.fromkeys(table.signature for table in comparison.tables)
    level = f"In parentheses: {100 * comparison.confidence_level:g} % intervals. "
    counted = "".join(f"\n\n{remark}" for remark in comparison.remarks(plain))
    return level + comparison.legend(plain) + counted + "\n\n" + "\n\n".join(map(code, signatures)) + "\n"


def as_markdown(text: str) -> str:
    """Return a name that Markdown shows as it is: no markup, no HTML, no link, no end of a cell."""
    return re.sub(r"[\\`*\[\]<>|~&!$#]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", one_cell(text))


def as_latex(text: str) -> str:
    """Return a name that LaTeX sets as it is: also where a bracket or star would belong to the command before it."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"{{{sign}}}" for sign in "[]*"}
    return "".join(signs.get(letter, letter) for letter in one_cell(text))
