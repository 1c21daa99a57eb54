"""Bars and lines appear where they are asked for, count up to their total, and are gone afterwards."""

import numpy as np
import pytest

import tercet
from tercet.statistics.progress import bar_of, bars_within, count_on_bar, line_of


class Bar:
    """Stands in for tqdm, and keeps what it is told."""

    made = ()

    def __init__(self, **options):
        self.options, self.updates, self.texts = options, [], []
        self.total, self.n = options.get("total"), 0
        Bar.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, number):
        self.updates.append(number)
        self.n += number

    def set_description_str(self, text):
        self.texts.append(text)


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", Bar)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_every_bar_of_a_comparison_counts_up_to_its_total(bars, test):
    random = np.random.default_rng(2)
    scores = {"качество": {name: random.random(40).tolist() for name in ("база", "猫", "c")}}
    tercet.compare(scores=scores, test=test, n_resamples=700, progress=True)
    counting = [bar for bar in bars if "total" in bar.options]
    assert {bar.options["desc"] for bar in counting} == {"resampling", "testing"}
    assert all(sum(bar.updates) == bar.options["total"] > 0 for bar in counting)
    assert all(bar.options["leave"] is False for bar in bars)


def test_chunks_are_counted_by_what_they_hold_when_the_next_is_asked_for(bars):
    chunks = iter(count_on_bar(["ab", "", "кот"], "encoding", "texts", 5))
    with bars_within(True):
        assert next(chunks) == "ab"
        (bar,) = bars
        assert (bar.options["total"], bar.options["unit"], bar.options["desc"]) == (5, " texts", "encoding")
        assert bar.updates == []
        assert list(chunks) == ["", "кот"]
        assert bar.updates == [2, 0, 3]


def test_a_line_is_cut_and_shows_other_texts(bars):
    with bars_within(True), line_of("б" * 99) as show:
        show("загрузка")
        show("в" * 71)
    (line,) = bars
    assert line.options["desc"] == "б" * 70
    assert line.options["leave"] is False
    assert line.texts == ["загрузка", "в" * 70]


def test_hidden_ones_count_on_nothing_and_what_was_shown_before_is_shown_again(bars):
    with bar_of("encoding", "texts", 3) as bar, line_of("загрузка") as show:
        bar.update(3)
        show("etwas anderes")
    assert bars == []
    with bars_within(True):
        with bars_within(False), bar_of("encoding", "texts", 3) as bar:
            bar.update(3)
        assert bars == []
        with bar_of("encoding", "texts", 3) as bar:
            bar.update(2)
        assert [shown.updates for shown in bars] == [[2]]
    with bar_of("encoding", "texts", 3) as bar:
        bar.update(3)
    assert len(bars) == 1


def test_work_of_an_instant_shows_no_bar(capsys):
    with bars_within(True), bar_of("encoding", "texts", 3) as bar:
        bar.update(3)
    assert capsys.readouterr().err == ""
    with bars_within(True), bar_of("encoding", "texts", 3, delay=0):
        pass
    assert "encoding:   0%|" in (shown := capsys.readouterr().err)
    assert "| 0/3 texts [" in shown
    assert shown.endswith("\r")
