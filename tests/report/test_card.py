"""A picture of a comparison to share: its size, what it says, and what it must not leave out."""

import logging
from pathlib import Path

import pytest
from PIL import Image

import tercet
from commands import command
from conftest import ROOT
from tercet.report import card

pytestmark = pytest.mark.needs("matplotlib")

DATA = ROOT / "examples" / "data"


def texts_of_card(comparison, path, monkeypatch):
    """Return what is written on the card of a comparison."""
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure", lambda **options: figures.append(Figure(**options)) or figures[-1]
    )
    card.write_card(comparison, path)
    figure = figures[-1]
    for text in figure.texts:
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= card.WIDTH, text.get_text()
        assert box.y0 >= 0
    bars = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    return [text.get_text().replace("\n", " ") for text in figure.texts], bars


def test_the_command_writes_a_picture_of_1200_by_630(tmp_path):
    path = tmp_path / "card.png"
    run = command("compare", DATA / "es.tsv", "-m", "chrf", "--card", path)
    assert "large has the best chrF" in run.stdout
    assert str(path) in run.stderr
    with Image.open(path) as picture:
        assert picture.size == (1200, 630)
        # Bars are drawn: there is the blue of the best, and the grey of what is worse.
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20)}
    assert {(0x16, 0x68, 0xB3), (0xB8, 0xC0, 0xC9)} <= colours


def test_it_says_who_is_best_and_what_the_test_says_of_it(tmp_path, monkeypatch):
    (test_set,) = tercet.read_test_sets(DATA / "es.tsv")
    texts, bars = texts_of_card(tercet.compare(test_set, ["chrf", "ter"]), tmp_path / "c.png", monkeypatch)
    heading, verdict, foot = texts
    assert heading.endswith("44 segments")
    one = tercet.compare({"a": ["x"]}, "chrf", references=["x"])
    assert texts_of_card(one, tmp_path / "one.png", monkeypatch)[0][0].endswith("  1 segment")
    assert verdict.startswith("large has the best chrF: 84.23, 23.39 points above tuned")
    assert "significantly better than both others" in verdict
    assert foot.startswith("chrF, with 95 % intervals.")
    assert bars == ["large", "tuned", "baseline"]


def test_long_names_in_any_script_keep_the_test_on_the_card(tmp_path, monkeypatch):
    (test_set,) = tercet.read_test_sets(DATA / "es.tsv", systems=["tuned"])
    systems = {
        f"система {number} модель с очень длинным именем": [text[: 60 + number] for text in test_set.systems["tuned"]]
        for number in range(9)
    }
    comparison = tercet.compare(systems, "bleu", references=test_set.references, baseline=next(iter(systems)))
    texts, bars = texts_of_card(comparison, tmp_path / "c.png", monkeypatch)
    assert "alpha 0.05" in texts[1]
    assert len(bars) == card.MOST_BARS
    assert any(text == "and 3 more" for text in texts)
    # The baseline has a bar, though it is the worst.
    assert bars[-1].startswith("0")


def test_systems_of_several_runs_without_a_bar_are_counted(tmp_path, monkeypatch):
    references = [f"a cat {number} sat" for number in range(6)]
    systems = {}
    runs = {}
    for number in range(9):
        runs[f"m{number}"] = [f"m{number}-1", f"m{number}-2"]
        for run in runs[f"m{number}"]:
            systems[run] = [text[: 4 + number] for text in references]
    comparison = tercet.compare(systems, "chrf", references=references, runs=runs)
    texts, bars = texts_of_card(comparison, tmp_path / "c.png", monkeypatch)
    assert len(bars) == card.MOST_BARS
    assert "and 3 more" in texts


def test_letters_without_a_font_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr(card, "_FURTHER_FONTS", ())
    comparison = tercet.compare({"模型": ["a b"] * 6, "B": ["a c"] * 6}, "chrf", references=["a b"] * 6)
    with pytest.warns(UserWarning, match="no font of this machine has some letters"):
        card.write_card(comparison, tmp_path / "c.png")


def test_where_it_cannot_be_drawn_the_messages_of_matplotlib_stay_as_they_were(tmp_path, monkeypatch):
    comparison = tercet.compare({"猫": ["a b"] * 6, "кот": ["a c"] * 6}, "chrf", references=["a b"] * 6)
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    with pytest.raises(FileNotFoundError):
        card.write_card(comparison, tmp_path / "нет" / "c.png")
    assert logger.level == level != logging.ERROR


def test_it_is_of_one_test_set_and_a_png(tmp_path):
    several = command("compare", DATA / "es.tsv", DATA / "en.tsv", "-m", "chrf", "--card", tmp_path / "c.png", code=2)
    assert "--card shows one test set, and there are 2" in several.stderr
    other = command("compare", DATA / "es.tsv", "-m", "chrf", "--card", tmp_path / "c.svg", code=2)
    assert ".png" in other.stderr
    assert not list(Path(tmp_path).iterdir())
