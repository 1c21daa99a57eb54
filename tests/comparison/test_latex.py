"""Tables for a paper: the scores below each other, as wide as the page, with the names that people know."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from samples import sample
from tercet.comparison.compare import compare
from tercet.comparison.shown.tables import in_format

#: The text of an article at 10 points, which is also what Computer Modern's widths below are for.
TEXT_WIDTH = 345
#: Between two columns: twice \\tabcolsep.
BETWEEN = 12

EN = sample("en")


@pytest.fixture(scope="module")
def latex():
    domains = ["news and politics", "talks [2020]", "chat", "law_&_order"]
    by = {"domain": [domains[number % 4] for number in range(EN.n_segments)]}
    found = compare(EN, ["bleu", "chrf:word_order=2", "ter"], n_resamples=50, by=by)
    return in_format([found], "latex")


def tables_of(latex):
    return re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", latex, flags=re.DOTALL)


def width_of(cell):
    """Return about how wide a cell is in points: digits are 5 wide, stops 2.8, signs of mathematics 7.8."""
    cell = re.sub(r"\\text(bf|it)\{(.*)\}", r"\2", cell)
    cell = (
        cell.replace("--", "-").replace("$\\Delta$", "DD").replace("$\\downarrow$", "D").replace("$^\\dagger$", "D")
    )
    cell = re.sub(r"\\(.)", r"\1", re.sub(r"[${}]", "", cell))
    total = 0.0
    for letter in cell:
        if letter in ".,[] ":
            total += 3.4
        elif letter in "+=":
            total += 7.8
        elif letter.isupper() or letter in "mw":
            total += 7.5
        else:
            total += 5.2
    return total


def width_of_table(table):
    rows = [line.removesuffix(" \\\\").split(" & ") for line in table.splitlines() if " & " in line]
    assert len({len(row) for row in rows}) == 1
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + BETWEEN * (len(widths) - 1)


def test_scores_stand_below_each_other_with_their_names(latex):
    first, *slices = tables_of(latex)
    assert re.findall(r"textit\{(.*)\}\} ", first) == ["BLEU", "chrF++", "TER $\\downarrow$"]
    assert first.count("\nlarge & ") == 3
    assert "system & score & $\\Delta$ & adj. p & rank" in first
    assert [re.search(r"textbf\{(.*?)\}", each)[1] for each in slices] == [
        f"{name}: Slices by domain" for name in ("BLEU", "chrF++", "TER")
    ]
    assert "textit{talks {[}2020{]}, 11 segments}" in slices[0]


def test_every_table_is_as_wide_as_the_text_or_less(latex):
    widths = [width_of_table(table) for table in tables_of(latex)]
    assert len(widths) == 4
    assert max(widths) <= TEXT_WIDTH, widths
    # The measure can fail: side by side, the same scores would be wider than the page.
    assert sum(widths[:1] * 3) > TEXT_WIDTH


def test_each_score_has_its_own_order_and_lines():
    systems = {"b": ["the cat"] * 9, "a": ["the cat sat"] * 9, "c": ["a dog"] * 9}
    texts = replace(EN, systems=systems, references=[["the cat sat"]] * 9, source=None, ids=None)
    found = compare(texts, ["ter", "chrf"], n_resamples=50)
    (table,) = tables_of(in_format([found], "latex"))
    names = re.findall(r"^([abc]) &", table, flags=re.MULTILINE)
    orders = [[of_score.rows[place].system for place in of_score.order] for of_score in found.tables]
    assert names == [name for order in orders for name in order]


def test_one_score_is_the_head_of_its_column():
    latex = in_format([compare(EN, "ter", n_resamples=50)], "latex")
    assert "system & TER $\\downarrow$ & $\\Delta$" in latex
    assert "textit" not in latex


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed")
def test_tex_sets_every_table_within_the_text(latex, tmp_path):
    head = (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\\begin{document}\n\\noindent\n"
    )
    (tmp_path / "paper.tex").write_text(f"{head}{latex}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_a_slice_of_one_segment_is_counted_as_one():
    texts = {"a": ["the cat", "it rains"] * 4, "b": ["a cat", "rain"] * 4, "c": ["cats", "it rained"] * 4}
    by = {"domain": ["news"] * 7 + ["chat"]}
    found = compare(texts, "chrf", references=["the cat", "it rains"] * 4, by=by, test=None)
    latex = in_format([found], "latex")
    assert "textit{news, 7 segments}" in latex
    assert "textit{chat, 1 segment}" in latex
