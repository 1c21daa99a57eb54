"""The scores of the drop-in for torchmetrics.text, beside torchmetrics and the packages that it says it equals."""

import re
from unittest import mock

import bert_score
import jiwer
import numpy as np
import pytest
import sacrebleu
import torch
import torchmetrics.text as theirs
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from torchmetrics import MetricCollection

import tercet.compat.torchmetrics as ours
from compat.torchmetrics_modules import ITEMS, SMALL, equal
from texts import ALL_TEXTS, MINILM

WORDS = [
    "the",
    "cat",
    "sat",
    "3,000.5",
    "Dr.",
    "it's",
    "(no)",
    "Да!",
    "кошка",
    "今天",
    "天气。",
    "แมว",
    "👍🏽",
    "-",
    ".",
]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.sampled_from(ALL_TEXTS)


def corpora(references):
    """Return predictions, and as many references for each."""
    item = st.tuples(texts, st.lists(texts, min_size=references, max_size=references))
    return st.lists(item, min_size=1, max_size=5).map(lambda items: tuple(map(list, zip(*items, strict=True))))


several = st.integers(1, 3).flatmap(corpora)
switches = st.sampled_from(["none", "13a", "intl", "zh", "char"]), st.booleans(), st.booleans()


def as_float32(number):
    return torch.tensor(number, dtype=torch.float32)


def streams(references):
    return list(map(list, zip(*references, strict=True)))


@given(corpora(1), st.integers(1, 4))
def test_bleu_is_theirs(corpus, n_gram):
    options = {"n_gram": n_gram, "weights": [0.4] * n_gram}
    assert equal(ours.BLEUScore(**options)(*corpus), theirs.BLEUScore(**options)(*corpus), 1e-6)


@given(several, *switches)
def test_sacrebleu_is_sacrebleus(corpus, tokenize, lowercase, smooth):
    options = {"smooth_method": "add-k" if smooth else "none", "tokenize": tokenize, "lowercase": lowercase}
    expected = sacrebleu.BLEU(max_ngram_order=2, **options).corpus_score(corpus[0], streams(corpus[1])).score / 100
    module = ours.SacreBLEUScore(n_gram=2, smooth=smooth, tokenize=tokenize, lowercase=lowercase)
    assert equal(module(*corpus), as_float32(expected), 1e-7)
    if tokenize == "none" and not lowercase:
        assert equal(ours.BLEUScore(n_gram=2, smooth=smooth)(*corpus), as_float32(expected), 1e-7)


@given(several, st.integers(0, 2), st.booleans(), st.booleans(), st.sampled_from([1.0, 2, 3.0]))
def test_chrf_is_sacrebleus(corpus, words, lowercase, whitespace, beta):
    options = {"lowercase": lowercase, "whitespace": whitespace, "beta": beta}
    other = sacrebleu.CHRF(word_order=words, eps_smoothing=True, **options)
    score, sentences = ours.CHRFScore(n_word_order=words, return_sentence_level_score=True, **options)(*corpus)
    assert equal(score, as_float32(other.corpus_score(corpus[0], streams(corpus[1])).score / 100), 1e-7)
    expected = [other.sentence_score(*item).score / 100 for item in zip(*corpus, strict=True)]
    assert equal(sentences.reshape(-1), as_float32(expected), 1e-7)  # of one item it is a scalar


@given(several, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_ter_is_sacrebleus(corpus, normalize, no_punctuation, lowercase, asian_support):
    options = (normalize, no_punctuation, asian_support, not lowercase)
    other = sacrebleu.TER(*options)
    module = ours.TranslationEditRate(normalize, no_punctuation, lowercase, asian_support, True)
    score, sentences = module(*corpus)
    assert equal(score, as_float32(other.corpus_score(corpus[0], streams(corpus[1])).score / 100), 1e-6)
    expected = [other.sentence_score(*item).score / 100 for item in zip(*corpus, strict=True)]
    assert equal(sentences.reshape(-1), as_float32(expected), 1e-6)


def sentences_of(text, language="english"):
    """Stand for NLTK's sent_tokenize, whose data is downloaded."""
    return [sentence for sentence in re.split(r"(?<=[.!?])\s+", text.strip()) if sentence]


@given(several, st.booleans(), st.sampled_from(["best", "avg"]), st.booleans())
def test_rouge_is_theirs_and_rouge_scores(corpus, use_stemmer, accumulate, own_words):
    options = {"use_stemmer": use_stemmer, "accumulate": accumulate}
    if own_words:
        options |= {"normalizer": str.lower, "tokenizer": str.split}
    of_text = "torchmetrics.functional.text.rouge._ensure_nltk_punkt_is_downloaded"
    with mock.patch("nltk.sent_tokenize", sentences_of), mock.patch(of_text):
        found = ours.ROUGEScore(**options)(*corpus)
        assert equal(found, theirs.ROUGEScore(**options)(*corpus), 1e-6)
        if not own_words and accumulate == "best" and len(corpus[1][0]) == 1:
            scorer = RougeScorer(["rougeLsum"], use_stemmer=use_stemmer, split_summaries=True)
            each = [scorer.score(text, prediction) for prediction, (text,) in zip(*corpus, strict=True)]
            mean = np.mean([score["rougeLsum"].fmeasure for score in each])
            assert found["rougeLsum_fmeasure"].item() == pytest.approx(mean, abs=1e-7)


@pytest.mark.parametrize("options", [{}, {"idf": True}, {"all_layers": True}])
def test_bertscore_is_bert_scores(options):
    predictions, references = [item[0] for item in ITEMS], [item[1][0] for item in ITEMS]
    module = ours.BERTScore(**SMALL, **options, return_hash=True)
    found = module(predictions, references)
    named = {"model_type": MINILM, "num_layers": 2, "batch_size": 1, "nthreads": 0}
    expected = bert_score.score(predictions, references, **named, **options)
    assert found.pop("hash") == f"{MINILM}_L2_{'idf' if module.idf else 'no-idf'}"
    assert equal(found, dict(zip(("precision", "recall", "f1"), expected, strict=True)), 2e-6)


# -- where torchmetrics strays from what it says it equals


def test_torchmetrics_strays():
    empty = [""], [["two words"]]
    assert theirs.TranslationEditRate()(*empty) == 0
    assert ours.TranslationEditRate()(*empty) == sacrebleu.TER().corpus_score([""], [["two words"]]).score / 100 == 1
    near = ["a b c", "xyz"], [["a b c"], ["never matched"]]
    assert theirs.CHRFScore()(*near) > ours.CHRFScore()(*near)
    unmatched = ["the cat is here"], [["the cat was there"]]
    assert theirs.BLEUScore(smooth=True)(*unmatched) == 0 < ours.BLEUScore(smooth=True)(*unmatched)


def test_a_collection_keeps_modules_of_other_options_apart():
    # torchmetrics takes two modules for one where their first batch gives the same counts
    for module, right in ((theirs, False), (ours, True)):
        alone = module.SacreBLEUScore(n_gram=2)
        collection = MetricCollection({"a": module.BLEUScore(n_gram=2), "b": module.SacreBLEUScore(n_gram=2)})
        for batch in ((["a cat sat"], [["a cat ran"]]), (["no, it's (not) here!"], [["no , it's ( not ) here !"]])):
            alone.update(*batch)
            collection.update(*batch)
        assert (collection.compute()["b"] == alone.compute()) == right


TRANSCRIPTS = st.lists(st.sampled_from(["the", "cat", "кошка", "сидит", "naïve", "it's"]), max_size=8).map(" ".join)


@given(st.lists(st.tuples(TRANSCRIPTS, TRANSCRIPTS.filter(bool)), min_size=1, max_size=5))
def test_rates_of_transcripts_are_those_of_jiwer(pairs):
    preds, target = (list(side) for side in zip(*pairs, strict=True))
    output = jiwer.process_words(target, preds)
    for name, rate in (("WordErrorRate", "wer"), ("MatchErrorRate", "mer"), ("WordInfoLost", "wil")):
        assert getattr(ours, name)()(preds, target) == torch.tensor(getattr(output, rate), dtype=torch.float32)
    assert ours.WordInfoPreserved()(preds, target) == torch.tensor(output.wip, dtype=torch.float32)
    assert ours.CharErrorRate()(preds, target) == torch.tensor(jiwer.cer(target, preds), dtype=torch.float32)
    for name in ("WordErrorRate", "CharErrorRate"):
        assert getattr(ours, name)()(preds, target) == getattr(theirs, name)()(preds, target)


def test_where_the_rates_of_torchmetrics_stray():
    """Its number of aligned words is that of the longer text: one inserted and one deleted count as one place."""
    texts = ["b c a"], ["a b c"]
    assert ours.MatchErrorRate()(*texts) == torch.tensor(jiwer.mer(texts[1], texts[0])) == 0.5
    assert theirs.MatchErrorRate()(*texts) == torch.tensor(2 / 3)
    assert ours.WordInfoPreserved()(*texts) == torch.tensor(jiwer.wip(texts[1], texts[0]), dtype=torch.float32)
