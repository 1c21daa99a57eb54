"""The way of a score, as CONTRIBUTING.md draws it: these functions are called in this order, and this row is made."""

import ast
import re
import sys

import pytest

import tercet
from conftest import ROOT
from tercet import api
from tercet.engine import plain
from tercet.metrics.bleu import metric

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def steps_below(heading):
    """Return the file and the function of each step that the page draws between these words and the next heading."""
    drawing = PAGE.partition(heading)[2].partition("\n## ")[0]
    return re.findall(r"^    ([a-z_/]+\.py) (\S+)  ", drawing, flags=re.MULTILINE)


ON_THE_WAY = steps_below("What else is called on the way")
SHORT = steps_below("## How a text becomes a score\n")[: -len(ON_THE_WAY)]
LONG = steps_below("## The long road\n")
ROW = re.findall(r"([a-z]+\d?) (\d+)(?=[,\s])", PAGE.partition("The row of this item:\n\n")[2].partition("\n\n")[0])


def calls_of(function):
    """Return the file and the name of each function of the package that is called, in order."""
    calls = []

    def note(frame, event, _):
        path = frame.f_code.co_filename.replace("\\", "/")
        if event == "call" and "/tercet/" in path:
            calls.append((path.rpartition("/tercet/")[2], frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


@pytest.fixture
def engine_in_python(monkeypatch, recwarn):
    """The engine in plain Python, whose functions are seen; the compiled one has the same."""
    monkeypatch.setattr(metric, "engine", plain)
    monkeypatch.setattr(api, "_cache", {})


def assert_taken(steps, calls):
    calls = iter(calls)
    for file, name in steps:
        assert (file, name.rpartition(".")[2]) in calls, f"{file} {name} comes earlier, or is not called"


@pytest.mark.usefixtures("engine_in_python")
def test_the_steps_of_the_short_road_are_taken_in_this_order():
    assert len(SHORT) == 18
    assert len({file for file, _ in SHORT}) == 9
    assert len(ON_THE_WAY) == 9
    calls = calls_of(lambda: tercet.score("bleu", ["a b"], ["a c"]))
    assert_taken(SHORT, calls)
    assert_taken(ON_THE_WAY, calls)


def test_the_result_of_the_drawing_is_that_of_the_call():
    drawn = PAGE.partition("takes the short one, and returns\n\n")[2].partition("\n\n")[0]
    with pytest.warns(UserWarning, match="short in tokens"):
        result = tercet.score("bleu", ["a b"], ["a c"])
    assert ast.literal_eval(drawn.strip()) == result


@pytest.mark.usefixtures("engine_in_python")
@pytest.mark.parametrize(("texts", "options"), [(["a b"], {"segments": True}), (iter(["a b"]), {})])
def test_the_steps_of_the_long_road_are_taken_in_this_order(texts, options):
    assert len(LONG) == 9
    calls = calls_of(lambda: tercet.score("bleu", texts, ["a c"], **options))
    assert_taken(LONG, calls)
    assert ("engine/plain_text.py", "paired_strings") not in calls


def test_its_row_is_the_one_of_the_drawing():
    stats = tercet.Bleu().stats(["a b"], ["a c"])
    row = {name: int(value) for name, value in zip(stats.columns, stats.rows[0], strict=True)}
    assert {name: int(value) for name, value in ROW} == row
