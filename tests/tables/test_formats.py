"""One table in every format: what each escapes, marks and leaves out."""

import csv
import json
from xml.etree import ElementTree

import pytest
from rich.table import Table as Grid

from tercet.table_formats import (
    BOM,
    FOR_PEOPLE,
    Cell,
    Column,
    Table,
    json_text,
    to_latex,
    to_lines,
    to_markdown,
    to_notebook,
    to_terminal,
    write_lines,
)

NAMES = ["plain", "a_b", "_x_", "[i]|`c` <b>$&#~^*", "50 % {y}\\", "=1+1", "new\n line"]


def people(name="system", **lines):
    """Return a table for people of one row."""
    columns = [Column(name, "name"), Column("ter", after=" ↓"), Column("difference", "difference")]
    return Table("", columns, [[name, Cell("1.50", True, "† (1.00–2.00)"), "-0.50"]], **lines)


def test_markdown_has_titles_lines_and_signatures():
    table = Table("a|b", *(getattr(people(), name) for name in ("columns", "rows")), ["*x*"], ["y_"], ["m|a`b"])
    assert to_markdown([table, people()]) == (
        "**a\\|b**\n\n\\*x\\*\n\n| system | ter ↓ | difference |\n| --- | ---: | ---: |\n"
        "| system | **1.50**† (1.00–2.00) | -0.50 |\n\ny\\_\n\n`m|a'b`\n\n"
        "| system | ter ↓ | difference |\n| --- | ---: | ---: |\n| system | **1.50**† (1.00–2.00) | -0.50 |\n"
    )


def test_latex_has_its_own_signs_and_comments():
    table = Table("t_1", *(getattr(people(), name) for name in ("columns", "rows")), ["above\n%"], ["below"], ["m|a"])
    assert to_latex([table]) == (
        "% \\usepackage{booktabs}\n"
        "% above %\n\\begin{tabular}{@{}lrr@{}}\n\\toprule\n\\multicolumn{3}{@{}l}{\\textbf{t\\_1}} \\\\\n"
        "system & ter $\\downarrow$ & $\\Delta$ \\\\\n\\midrule\n"
        "system & \\textbf{1.50}$^\\dagger$ (1.00--2.00) & $-0.50$ \\\\\n"
        "\\bottomrule\n\\end{tabular}\n% below\n% m|a\n"
    )
    assert "multicolumn" not in to_latex([people()])


def test_latex_writes_signs_by_mathematics_and_dashes_by_hyphens():
    columns = [Column("3–12 <words>", "name"), Column("95 %"), Column("±"), Column("p"), Column("x", after=" ±")]
    table = Table("a – b", columns, [["c|d ± †", "1.00 – 2.00", 0.5, "<0.0001", Cell("1", after=" (1–2 <3)")]])
    text = to_latex([table])
    assert "\\textbf{a -- b}" in text
    assert "3--12 $<$words$>$ & 95 \\% & $\\pm$ & p & x $\\pm$ \\\\\n" in text
    assert "\nc$|$d $\\pm$ $^\\dagger$ & 1.00--2.00 & 0.5 & $<$0.0001 & 1 (1--2 $<$3) \\\\\n" in text
    assert text.isascii()


def test_latex_says_once_which_package_it_needs():
    text = to_latex([people(), people()])
    assert text.startswith("% \\usepackage{booktabs}\n\\begin{tabular}")
    assert text.count("booktabs") == 1


def test_a_terminal_breaks_tables_and_no_lines():
    grid = Grid("a", "b", box=None)
    grid.add_row("[bold]x[/]", "y " * 20)
    line = "[b]not bold[/] " * 20
    for colour in (False, True):
        *rows, last = to_terminal([grid, line], 20, colour).splitlines()
        assert last == line
        assert len(rows) > 2
        assert ("\x1b[1m" in rows[1]) == colour


def test_a_notebook_marks_the_best_by_a_star():
    shown = ElementTree.fromstring(to_notebook(people("<b>", notes=["n"], signatures=["m|a"])))
    head, row = ([cell.text or cell[0].text for cell in line] for line in shown.iter("tr"))
    assert head == ["<b>", "ter ↓", "difference"]
    assert row == ["<b>", "1.50*† (1.00 – 2.00)", "-0.50"]
    assert [line[0].text for line in shown.findall("p")] == ["n", "m|a"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_a_table_or_is_markup(name):
    *_, row = to_markdown([people(name)]).splitlines()
    assert len(row.replace("\\|", "").split("|")) == 5
    *_, row = (line for line in to_latex([people(name)]).splitlines() if line.endswith("\\\\"))
    assert row.replace("\\&", "").count("&") == 2
    assert {form(()) for form in FOR_PEOPLE.values()} <= {"", "\n"}


def test_lines_hold_names_escaped_and_texts_as_they_are(tmp_path):
    columns = [Column("system"), Column("value"), Column("text", "text"), Column("references", "text")]
    rows = [
        ["=a\tb", Cell(0.1, best=True), "=a\t b", ["c", "d, e"]],
        ["x", None, "", []],
        ["y", float("nan"), "", []],
    ]
    table = Table("", columns, rows)
    assert to_lines(table, "tsv") == (
        "system\tvalue\ttext\treferences\n'=a b\t0.1\t=a b\tc | d, e\nx\t\t\t\ny\tNaN\t\t\n"
    )
    assert [*csv.reader(to_lines(table, "csv").split("\r\n"))][1] == ["'=a b", "0.1", "=a\t b", "c | d, e"]
    for form in ("tsv", "csv"):
        write_lines(tmp_path / "t", table, form, bom=True)
        assert (tmp_path / "t").read_bytes().decode() == f"{BOM}{to_lines(table, form)}"
    write_lines(tmp_path / "t", Table("", columns[2:], iter([["a", ["b"]]])), "jsonl", bom=True)
    assert (tmp_path / "t").read_text() == '{"text": "a", "references": ["b"]}\n'


def test_json_has_null_for_what_it_has_no_number_for():
    value = {"a": float("nan"), "b": [float("inf"), 1.0], "c": ("ä", True)}
    assert json.loads(json_text(value), parse_constant=pytest.fail) == {"a": None, "b": [None, 1.0], "c": ["ä", True]}
