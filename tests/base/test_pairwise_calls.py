"""What a call of many against many does once, warns of, refuses, and takes of memory."""

import re
import subprocess
import sys

import pytest
from test_pairwise import metric_of, quiet

import tercet
from conftest import ROOT
from tercet import InputError, OptionError
from tercet.base import pairwise


@quiet
@pytest.mark.parametrize("name", ["bleu_multi", "rouge_nlws", "jaccard_sets", "bleu_rouge_f"])
def test_each_different_text_is_tokenized_once(name, monkeypatch):
    monkeypatch.setattr(pairwise, "PAIRS", 4)
    split = []
    metric = metric_of(name, tokenizer=lambda text: split.append(text) or text.split())
    metric.pairwise(["a b", "c", "a b", "d e"], ["c", "e", "f", "e"])
    assert sorted(split) == ["a b", "c", "d e", "e", "f"]


@quiet
@pytest.mark.parametrize("name", ["bertscore_idf", "embedding_cosine"])
def test_each_different_text_is_embedded_once(name, monkeypatch):
    monkeypatch.setattr(pairwise, "PAIRS", 4)
    metric = metric_of(name, max_length=31)
    texts, batches = [f"text {number} of {name}" for number in range(6)], []
    run = metric.encoder().network.model.forward
    monkeypatch.setattr(
        metric.encoder().network.model,
        "forward",
        lambda ids, **more: batches.extend(ids.tolist()) or run(ids, **more),
    )
    metric.pairwise([*texts, texts[0]], [*texts[3:], "another"])
    assert len(batches) == len(set(map(tuple, batches))) == 7


@pytest.mark.parametrize(("name", "texts", "options", "message"), [
    ("bleu_multi", ["我们去公园吧今天"] * 8, {}, "splits at spaces and punctuation, but"),
    ("rouge_nlws", ["Кошка спит"] * 8, {}, "would drop more than half"),
    ("bertscore_idf", ["a", "x y z " * 300] * 4, {"idf": False}, "1 text was longer than 512 tokens"),
    ("embedding_cosine", ["a", "x y z " * 300] * 4, {}, "1 text was longer than 256 tokens"),
])  # fmt: skip
def test_a_warning_comes_once(name, texts, options, message, monkeypatch):
    monkeypatch.setattr(pairwise, "PAIRS", 2)
    with pytest.warns(UserWarning, match=message) as raised:
        metric_of(name, **options).pairwise(texts)
    assert len(raised) == 1
    assert raised[0].filename == __file__


@pytest.mark.parametrize(("given", "message"), [
    ((["a", None],), "item 1 of hypotheses must be a string, got None (NoneType)."),
    ((["a"], ["b", 3]), "item 1 of references must be a string, got 3 (int)."),
    ((["a", "b\ud800"], ["c"]), "item 1 of hypotheses is not valid Unicode text: the lone surrogate '\\ud800' is at "
     "position 1."),
    ((["a"], ["b", ["c"]]), "item 1 of references must be a string, got ['c'] (list)."),
])  # fmt: skip
def test_errors_name_the_item(given, message):
    with pytest.raises(InputError, match=re.escape(message)):
        tercet.Bleu().pairwise(*given)


@pytest.mark.parametrize("name", ["bertscore_idf", "embedding_cosine"])
def test_a_text_that_is_too_long_is_named(name):
    metric, long = metric_of(name, max_length=6, long_text="error"), "one two three four five six"
    for pairs, item in (
        ((["a", "b", long], ["a"]), "item 2 of hypotheses"),
        ((["a"], ["a", long]), "item 1 of references"),
    ):
        with pytest.raises(InputError, match=f"^{item} has 8 tokens"):
            metric.pairwise(*pairs)


def test_a_text_that_takes_too_much_memory_is_named():
    rouge, words = tercet.Rouge(rouge_types="rougeW", tokenizer="none"), "a b " * 70_000
    with pytest.raises(InputError, match=r"^item 1 of hypotheses is too long for ROUGE-W"):
        rouge.pairwise(["a", words], [words])


def test_what_cannot_be_asked_for_is_refused():
    with pytest.raises(OptionError, match="there are no pairs to compare"):
        metric_of("perplexity_lm").pairwise(["a"])
    with pytest.raises(OptionError, match="'n_jobs'"):
        tercet.Bleu().pairwise(["a"], n_jobs=0)


MEMORY = """
import re, sys
from pathlib import Path
import tercet
metric = tercet.{metric}
texts = [f"{{i % 89}} the cat {{i % 97}} sat on {{i}} mats of {{i % 7}} colours" for i in range(2000)]
metric.pairwise(texts[:100])
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
Path("/proc/self/clear_refs").write_text("5")
before = peak()
result = metric.pairwise(texts, texts[:1000])
print((peak() - before - result.nbytes / 1024) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("metric", ["Chrf()", "Bleu()", "Rouge(rouge_types='rougeL')"])
def test_blocks_bound_the_memory(metric):
    """Rows of all pairs would take 176 to 500 MB."""
    run = [sys.executable, "-c", MEMORY.format(metric=metric)]
    assert float(subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout) < 64
