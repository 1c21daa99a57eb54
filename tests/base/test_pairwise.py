"""A matrix of many against many has the score of each pair alone, whatever the metric, its options and the texts."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_contract import CASES

import tercet
from suite import COMPARING, SUITE
from tercet import IdfTable
from tercet.base import pairwise
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
MODEL = SUITE["bertscore_idf"].needed["model_type"]
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
    return metric_class(name).from_options({**SUITE[name].needed, **options})


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
        return metric.with_options({"idf": table}, may_be_idle=True)
    return metric


def same(name, found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=SUITE[name].tolerance)


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
        perfect = metric.scale if metric.higher_is_better else 0.0
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


def test_the_documents_of_idf_are_the_references():
    metric = metric_of("bertscore_idf")
    same("bertscore_idf", metric.pairwise(["a cat", "dogs"], OTHERS)[0], metric.pairwise(["a cat"], OTHERS)[0])
