"""A matrix of many against many has the score of each pair alone, whatever the metric, its options and the texts."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_contract import CASES, MODEL

import tercet
from conftest import ROOT, TOLERANCES, needed
from suite import COMPARING
from tercet import IdfTable, InputError, OptionError
from tercet.metric import pairwise
from tercet.registry import metric_class
from texts import ALL_TEXTS

TEXTS = [
    "The cat sat on the mat.",
    "",
    "the cat SAT, on the mat",
    "Кошка спит на окне.",
    "今天的天气好",
    "แมวนอนบนเสื่อ",
    "👍🏽 work 🎉",
]
OTHERS = [*TEXTS[2:0:-1], " ", "A cat sat.\nOn a mat, the cat.", "Кошка лежит", "天气", "the the the cat"]
MORE = [
    ("bleu_multi", {"smooth_method": "nltk5", "tokenizer": "char"}),
    ("bleu_multi", {"compat": "sacrebleu", "tokenizer": "zh", "lowercase": True}),
    ("bleu_multi", {"tokenizer": str.split, "stemmer": str.upper}),
    ("chrf_multi", {"whitespace": True, "eps_smoothing": True}),
    ("chrf_multi", {"char_order": 0, "word_order": 2}),
    ("rouge_nlws", {"rouge_types": "rougeLsum", "stopwords": "en"}),
    ("rouge_nlws", {"rouge_types": ["rougeW1.5", "rouge1"], "tokenizer": "unicode", "output": "recall"}),
    ("rouge_nlws", {"rouge_types": "rougeSU4", "compat": "rouge155", "multi_ref": "average"}),
    ("rouge_nlws", {"rouge_types": "rougeL", "compat": "rouge155", "max_bytes": 12}),
    ("rouge_nlws", {"rouge_types": ["rouge2", "rougeL"], "max_words": 4}),
    ("rouge_nlws", {"compat": "rouge"}),
    ("rouge_nlws", {"compat": "rouge_chinese", "rouge_types": "rougeL"}),
    ("jaccard_sets", {"multiset": True, "ngram": 2, "tokenizer": "char"}),
    ("jaccard_sets", {"tokenizer": str.split, "stopwords": ["the"]}),
    ("bleu_rouge_f", {"tokenizer": "none", "lowercase": False}),
    ("ter", {"normalized": True}),
    ("bertscore_idf", {"model_type": MODEL, "num_layers": 1, "compat": "bert_score"}),
    ("bertscore_idf", {"model_type": MODEL, "num_layers": 1, "idf": False, "max_length": 5}),
]
ALL = [(name, options) for name, options in CASES if name in COMPARING] + MORE
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def metric_of(name, **options):
    return metric_class(name).from_options({**needed(name), **options})


def alone(metric, texts, references):
    """Return the primary score of each pair, from a call of its own."""
    primary = dict(zip(metric.score_names, metric.segment_names, strict=True))[metric.primary]
    return [[metric.segments([text], [each])[primary][0] for each in references] for text in texts]


def like_pairs(metric, references):
    """Return the metric that scores a pair as among all references: with what it takes from a corpus."""
    if metric.name == "rouge_nlws" and metric.tokenizer == "auto":
        return metric.with_options(
            {"tokenizer": metric._tokenizer(metric.fit(metric.corpus(references, references)))}
        )
    if metric.name == "bertscore_idf" and metric.idf is True:
        table = IdfTable.fit(references, MODEL, max_length=metric.max_length)
        return metric.with_options({"idf": table}, idle=True)
    return metric


def same(name, found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCES.get(name, 0))


@quiet
@pytest.mark.parametrize(("name", "options"), ALL)
def test_each_score_is_that_of_the_pair_alone(name, options):
    metric = metric_of(name, **options)
    found = metric.pairwise(TEXTS, OTHERS)
    assert (found.dtype, found.shape) == (np.float64, (7, 7))
    same(name, found, alone(like_pairs(metric, OTHERS), TEXTS, OTHERS))


@quiet
@pytest.mark.parametrize("name", [name for name in COMPARING if not metric_class(name).loads_model])
@given(
    texts=st.lists(st.text() | st.sampled_from(ALL_TEXTS), max_size=4),
    references=st.lists(st.text(max_size=9), max_size=3),
)
def test_of_any_texts(name, texts, references):
    texts = [text.encode(errors="replace").decode() for text in texts]
    references = [text.encode(errors="replace").decode() for text in references] + texts[:1]
    metric = metric_of(name)
    found = metric.pairwise(texts, references)
    assert found.shape == (len(texts), len(references))
    if found.size:
        same(name, found, alone(like_pairs(metric, references), texts, references))


@pytest.mark.parametrize("name", COMPARING)
def test_no_text_and_one_text(name):
    metric = metric_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if name == "bertscore_idf" else "error")  # one reference: no IDF
        assert metric.pairwise([], ["a"]).shape == (0, 1)
        assert metric.pairwise(["a", "b"], []).shape == (2, 0)
        assert metric.pairwise([]).shape == (0, 0)
        perfect = 0.0 if name == "ter" else metric.scale
        assert metric.pairwise(["a cat sat here"]).tolist() == [[pytest.approx(perfect, abs=1e-6)]]


@quiet
@pytest.mark.parametrize("name", COMPARING)
def test_blocks_threads_and_repeated_texts_change_nothing(name, monkeypatch):
    metric, texts = metric_of(name), [*OTHERS, *TEXTS, TEXTS[0]]
    expected = metric.pairwise(texts, OTHERS * 2)
    same(name, expected[:, :7], expected[:, 7:])
    for size, characters in ((1, 1), (6, 40), (15, 1000)):
        monkeypatch.setattr(pairwise, "PAIRS", size)
        monkeypatch.setattr(pairwise, "CHARACTERS", characters)
        for n_jobs in (1, 3):
            same(name, metric.pairwise(texts, OTHERS * 2, n_jobs=n_jobs), expected)


def test_without_references_each_text_meets_all():
    assert tercet.Chrf().pairwise(TEXTS).tolist() == tercet.Chrf().pairwise(TEXTS, TEXTS).tolist()


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


def test_the_documents_of_idf_are_the_references():
    metric = metric_of("bertscore_idf")
    same("bertscore_idf", metric.pairwise(["a cat", "dogs"], OTHERS)[0], metric.pairwise(["a cat"], OTHERS)[0])


@pytest.mark.parametrize(("name", "texts", "options", "message"), [
    ("bleu_multi", ["我们去公园吧今天"] * 8, {}, "splits at spaces"),
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
