"""Tables in a window of any width: columns are left out whole, and said; no number and no name is cut."""

import re

import numpy as np
import pytest
from rich import box
from rich.cells import cell_len
from rich.table import Table as Grid

import tercet
from tercet.comparison.shown.table_width import (
    Fitted,
    TerminalColumn,
    fitted,
    folded,
    in_parts,
    left_out_in_words,
    printed,
)
from tercet.comparison.shown.terminal import to_text
from tercet.correlation.tables import to_text as correlation_text
from tercet.errors import for_command_line

SENTENCE = "der Hund läuft schnell über die Brücke und кот сидит дома 猫 が 走る the river runs under a house"
WORDS = SENTENCE.split()
NAMES = [
    "meta-llama/Llama-3.1-70B-Instruct-step-12000",
    "mistralai/Mixtral-8x22B-Instruct-v0.1",
    "переводчик-с-длинным-именем",
    "verylongnamewithoutanyjointsinit",
]
LEFT_OUT = re.compile(r"Left out, as there was no room: ([^.]*)\. A wider window")


@pytest.fixture(scope="module")
def compared():
    """A comparison of systems with long names, in slices, and one of their runs."""
    rng = np.random.default_rng(12)
    references = [" ".join(rng.choice(WORDS, 9)) for _ in range(40)]

    def worsened(share):
        return [
            " ".join(word if rng.random() > share else rng.choice(WORDS) for word in reference.split())
            for reference in references
        ]

    systems = {name: worsened(share) for name, share in zip(NAMES, (0.1, 0.2, 0.3, 0.4), strict=True)}
    runs = {f"{name}-{run}": worsened(share) for name, share in (("base", 0.3), ("tuned", 0.2)) for run in (1, 2, 3)}
    runs |= {f"large-{run}": worsened(0.1) for run in (1, 2, 3)}
    domains = [("medical documents", "news", "спорт")[number % 3] for number in range(40)]
    few = {"references": references, "n_resamples": 200}
    metrics = ["chrf", "bleu", "ter"]
    return {
        "slices": tercet.compare(systems, metrics, by={"domain": domains}, **few),
        "runs": tercet.compare(runs, metrics[:2], runs=r"(\w+)-(\d)", by={"domain": domains}, references=references),
        "two": tercet.compare({name: systems[name] for name in NAMES[:2]}, "chrf", by={"domain": domains}, **few),
    }


def tables_of(text):
    """Return the tables of a text, each as the rows between its head and the next empty line, in cells."""
    tables = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if any(set(line.strip()) == {"─"} for line in lines):
            tables.append(lines)
    return tables


#: The columns that stay are 64 cells wide where slices have one for each of two long names.
WIDTHS = [(kind, width) for kind in ("slices", "runs", "two") for width in (60, 70, 80, 100, 140)]
WIDTHS.remove(("two", 60))


@pytest.mark.parametrize(("kind", "width"), WIDTHS)
class TestWidth:
    def test_no_table_is_wider_and_nothing_is_cut(self, compared, kind, width):
        text = to_text([compared[kind]], width)
        tables = tables_of(text)
        assert tables
        for lines in tables:
            assert max(map(cell_len, lines)) <= width
        assert "…" not in text

    def test_what_is_left_out_is_said(self, compared, kind, width):
        text, whole = (to_text([compared[kind]], each) for each in (width, 400))
        assert not LEFT_OUT.search(whole)
        said = LEFT_OUT.search(text.replace("\n", " "))
        lacks = {
            "wins/ties/losses": "wins/ties/losses" in whole and "wins/ties/losses" not in text,
            "intervals of differences": "difference [95 %]" in whole and "difference [95 %]" not in text,
            "rank": " rank " in whole and " rank " not in text,
        }
        names = set(said[1].split(", ")) if said else set()
        for name, is_lacking in lacks.items():
            # A table may lack what another one of the same text has.
            assert name in names or not is_lacking

    def test_every_score_and_p_is_whole(self, compared, kind, width):
        comparison = compared[kind]
        text = to_text([comparison], width)
        for table in comparison.tables:
            for row in table.rows:
                assert re.search(rf"(?<![\d.]){row.value:.2f}(?!\d)", text)


def test_a_wide_table_lacks_nothing(compared):
    for plain in (False, True):
        text = to_text([compared["slices"]], 60 if plain else 300, plain=plain)
        assert "Left out" not in text
        assert all(word in text for word in ("wins/ties/losses", "difference [95 %]", "segments", "rank"))


def numbers(values):
    return [f"{value:.2f}" for value in values]


#: What fits in 19, 31 and 46 cells, by hand: 3 for each column and 1, and the widest of each.
SHORTER = TerminalColumn("diff", ["+1.00", "-2.00"])
COLUMNS = [
    TerminalColumn("system", ["a", "bb"], is_name=True),
    TerminalColumn("bleu", numbers([10, 20.5])),
    TerminalColumn("95 %", ["1 – 2", "3 – 4"], leaves=2, said="intervals"),
    TerminalColumn("diff [95 %]", ["+1.00 (0, 2)", "-2.00 (-3, 1)"], shorter=SHORTER, shortens=3),
    TerminalColumn("wins", ["1", "2"], leaves=1),
]


def drawn(width):
    return fitted(Grid(box=box.SIMPLE_HEAD), COLUMNS, width)


@pytest.mark.parametrize(
    ("width", "needs", "left_out"),
    [
        (49, 49, []),  # 6 + 5 + 5 + 13 + 4 and 5 * 3 + 1
        (48, 42, ["wins"]),
        (41, 34, ["wins", "intervals"]),
        (33, 26, ["wins", "intervals", "diff [95 %]"]),
        (5, 26, ["wins", "intervals", "diff [95 %]"]),
    ],
)
def test_steps_are_taken_until_the_table_fits(width, needs, left_out):
    assert (drawn(width).width, list(drawn(width).left_out)) == (needs, left_out)
    shown = printed([drawn(width)], width, colour=False)
    assert max(map(len, shown.splitlines())) == needs
    assert "20.50" in shown
    assert "-2.00" in shown


def test_what_was_left_out_is_said_once_and_what_shows_it():
    tables = [drawn(41), drawn(48)]
    assert isinstance(tables[0], Fitted)
    assert left_out_in_words([drawn(60)], "--plain") == []
    line = "Left out, as there was no room: wins, intervals."
    assert left_out_in_words(tables, "--plain") == [f"{line} A wider window shows them."]
    with for_command_line():
        assert left_out_in_words(tables, "--plain") == [f"{line} A wider window or --plain shows them."]


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("meta-llama/Llama-3.1-8B", 12, ["meta-llama/", "Llama-3.1-8B"]),
        ("base", 12, ["base"]),
        ("a b c", 3, ["a b ", "c"]),
        ("кот-и-пёс", 6, ["кот-и-", "пёс"]),
        ("猫-犬-馬", 5, ["猫-", "犬-馬"]),
        ("unbreakable", 4, ["unbreakable"]),
    ],
)
def test_a_name_goes_on_in_the_next_line_at_a_joint(name, width, lines):
    assert folded(name, width).split("\n") == lines
    assert folded(name, None) == name


def test_columns_that_do_not_fit_stand_in_further_tables():
    first = TerminalColumn("p", ["a", "b"], is_name=True)
    others = [TerminalColumn(str(number), ["0.1234", "0.5"]) for number in range(5)]
    # 1 + 4 for the names and their blanks, 9 for each other column.
    parts = [[column.title for column in part] for part in in_parts(first, others, 24)]
    assert parts == [["p", "0", "1"], ["p", "2", "3"], ["p", "4"]]
    assert len(list(in_parts(first, others, 3))) == 5


@pytest.fixture
def graded(tmp_path):
    rng = np.random.default_rng(3)
    rows = ["output\treference\tgrade"]
    for _ in range(30):
        reference = rng.choice(WORDS, 7)
        share = rng.random()
        output = [word if rng.random() > share else "und" for word in reference]
        rows.append(f"{' '.join(output)}\t{' '.join(reference)}\t{10 * (1 - share) + rng.normal():.1f}")
    path = tmp_path / "graded.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_ranking_of_metrics_leaves_figures_out_and_keeps_the_interval(graded):
    metrics = ("bleu", "chrf", "ter", "jaccard", "google_bleu", "wer")
    correlation = tercet.correlate(str(graded), list(metrics), n_resamples=100, n_permutations=100)
    for width in (60, 80, 100):
        text = correlation_text(correlation, width)
        assert "…" not in text
        assert re.search(r"0\.\d{3} \(-?0\.\d{3} to 0\.\d{3}\)", text)
        for lines in tables_of(text):
            assert max(map(cell_len, lines)) <= width
    # Six metrics have nine scores: p in two tables of 60 cells, or in one of 200.
    n_tables = [len(tables_of(correlation_text(correlation, width))) for width in (60, 200)]
    assert n_tables == [3, 2]
