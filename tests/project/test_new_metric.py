"""A metric in one class: added to the list of classes alone, it is there in every place where metrics are."""

import evaluate
import pytest

import tercet
from commands import command
from tercet import registry
from tercet.huggingface.suite_module import SuiteModule

ROOM = '''
from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tercet.corpus.corpus import Corpus
from tercet.metric.options import option
from tercet.metric.scorer import Scorer, Scores
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats
from tercet.metric.metric import About, Metric


class Overlap(Metric):
    """Share of a text's different words that stand in the other text, too."""

    name, short, primary = "word_overlap", "overlap", "overlap"
    about = About("words in both texts", "The share of words in both texts.", "@misc{none}", (), "overlap", "")
    columns = (*Scorer.base_columns, "shared", "words")
    score_names = ("overlap",)

    of: Literal["reference", "prediction"] = option(default="reference", doc="Whose words are counted.")
    lowercase: bool = option(default=True, doc="Lowercase the texts first.")

    def signature(self, context: Any = None) -> Signature:
        return Signature.of(self.name, {"of": self.of, "case": "lc" if self.lowercase else "mixed"})

    def words(self, text: str) -> set[str]:
        return set((text.lower() if self.lowercase else text).split())

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        columns = batch.columns()
        rows = []
        for prediction, references in zip(columns["predictions"], columns["references"], strict=True):
            own, wanted = self.words(prediction), set().union(*map(self.words, references))
            counted = wanted if self.of == "reference" else own
            rows.append([1, not own, not references, len(references), len(own & wanted), len(counted)])
        return SegmentStats(self.signature(), self.columns, np.array(rows, float))

    def finalize(self, totals: Any) -> Scores:
        return {"overlap": self.scale * totals[..., -2] / np.maximum(totals[..., -1], 1)}

    def explained(self, batch: Corpus, context: Any = None) -> list[str]:
        prediction, *references = batch.texts.to_pylist()
        return sorted(self.words(prediction) & set().union(*map(self.words, references)))
'''
PREDICTIONS = ["the cat sat", "на кошке шапка", "猫 坐 了"]
REFERENCES = ["A cat sat down", "кошка в шапке", "猫 坐"]


@pytest.fixture(autouse=True)
def _one_more(monkeypatch, tmp_path):
    """Put the class into a room of the package, and its line into the list."""
    (tmp_path / "overlap").mkdir()
    (tmp_path / "overlap" / "__init__.py").touch()
    (tmp_path / "overlap" / "metric.py").write_text(ROOM)
    monkeypatch.setattr(tercet, "__path__", [*tercet.__path__, str(tmp_path)])
    for table, name, value in (
        (registry.METRICS, "word_overlap", "overlap.Overlap"),
        (registry.SHORT_NAMES, "overlap", "word_overlap"),
        (registry.CLASS_NAMES, "Overlap", "word_overlap"),
    ):
        monkeypatch.setitem(table, name, value)


def test_the_functions_take_its_names_and_its_value():
    value = tercet.Overlap(lowercase=False)
    result = value(PREDICTIONS, REFERENCES, segments=True, confidence_level=0.9, n_resamples=10)
    assert result["overlap"] == 4 / 9
    assert result["segments"]["overlap"] == [0.5, 0.0, 1.0]
    named = tercet.score("overlap", PREDICTIONS, REFERENCES, lowercase=False, segments=True)
    assert named["segments"] == result["segments"]
    assert eval(repr(value), {"Overlap": tercet.Overlap}) == value
    assert tercet.explain("word_overlap", "a Cat", "the cat") == ["cat"]
    with pytest.raises(
        tercet.OptionError, match="The 'of' option of word_overlap must be one of 'reference', 'predic"
    ):
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
