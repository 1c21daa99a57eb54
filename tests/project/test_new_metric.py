"""The metric of CONTRIBUTING.md: added to the list of classes alone, it is there in every place where metrics are."""

import evaluate
import pytest

import tercet
import tercet.metrics
from commands import command
from conftest import ROOT
from tercet import registry
from tercet.huggingface.suite_module import SuiteModule

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = PAGE.partition("overlap.py`\n\n```python\n")[2].partition("```")[0]
PREDICTIONS = ["the cat sat", "на кошке шапка", "猫 坐 了"]
REFERENCES = ["A cat sat down", "кошка в шапке", "猫 坐"]


@pytest.fixture(autouse=True)
def _one_more(monkeypatch, tmp_path):
    """Put the class into a file of the package, and its line into the list."""
    (tmp_path / "overlap.py").write_text(FILE)
    monkeypatch.setattr(tercet.metrics, "__path__", [*tercet.metrics.__path__, str(tmp_path)])
    monkeypatch.setitem(registry.METRICS, "word_overlap", "overlap.Overlap")
    monkeypatch.setitem(registry.SHORT_NAMES, "overlap", "word_overlap")
    monkeypatch.setitem(registry.CLASS_NAMES, "Overlap", "word_overlap")


def test_the_functions_take_its_names_and_its_value():
    value = tercet.Overlap(lowercase=False)
    result = value(PREDICTIONS, REFERENCES, segments=True)
    twice = value(PREDICTIONS * 2, REFERENCES * 2, confidence_level=0.9, n_resamples=10)
    assert twice.intervals["overlap"][0] <= 4 / 9 <= twice.intervals["overlap"][1]
    assert result["overlap"] == 4 / 9
    assert result["segments"]["overlap"] == [0.5, 0.0, 1.0]
    named = tercet.score("overlap", PREDICTIONS, REFERENCES, lowercase=False, segments=True)
    assert named["segments"] == result["segments"]
    assert eval(repr(value), {"Overlap": tercet.Overlap}) == value
    assert tercet.explain("word_overlap", "a Cat", "the cat") == ["cat"]
    with pytest.raises(tercet.OptionError, match="'of' option of word_overlap must be one of 'reference', 'predic"):
        tercet.Overlap(of="both")
    with pytest.raises(tercet.OptionError, match=r"no metric 'overlab'\. Did you mean 'overlap'"):
        tercet.score("overlab", ["a"], ["a"])


def test_systems_are_compared_and_corpora_streamed_by_it():
    systems = {"one": PREDICTIONS, "same": REFERENCES}
    found = tercet.compare(systems, [tercet.Overlap(of="prediction"), "overlap"], references=REFERENCES)
    assert [row.value for row in found.tables[1].rows] == [pytest.approx(400 / 9), 100]
    stream = tercet.Stream("overlap")
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        stream.add([prediction], [reference])
    assert stream.result() == tercet.score("overlap", PREDICTIONS, REFERENCES)


def test_it_has_a_module_and_help():
    module = type("Module", (SuiteModule, evaluate.Metric), {"of": tercet.Overlap, "__doc__": "A module."})()
    assert "lowercase (`bool`, default `True`): Lowercase the texts first." in module.inputs_description
    assert module.compute(predictions=PREDICTIONS, references=REFERENCES)["overlap"] == 4 / 9
    assert "Whose words are counted." in tercet.Overlap.__doc__
    assert "words in both texts" in command("metrics").stdout
    assert "Whose words are counted." in command("metrics", "overlap").stdout
