"""Diversity of a set: each measure equals its original, called or written out here."""

import gzip
import math
import time
from itertools import pairwise, permutations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

import tercet
from tercet import OptionError
from texts import ALL_TEXTS

#: Tokens as they stand between blanks, so that every package splits alike.
PLAIN = {"tokenizer": "none", "lowercase": False}
SETS = [
    ["the cat sat on the mat", "the cat ran on the mat", "a dog barked at the cat", "the the the the the"],
    ["кошка спит на окне", "кошка сидит на окне", "кошка спит"],
    ["今天 天气 很 好", "今天 的 天气 非常 好", "我们 去 公园"],
    ["แมว นอน บน เสื่อ", "แมว นั่ง บน เสื่อ", "", "👍🏽 🎉 👍🏽 🎉 👍🏽"],
]
words = st.lists(st.sampled_from(["the", "cat", "sat", "кот", "猫", "👍🏽"]), max_size=12).map(" ".join)
sets_of_texts = st.lists(words, min_size=2, max_size=7)


def test_distinct_words_are_a_share_of_all_words():
    assert tercet.score("diversity", ["the cat sat", "the dog sat"])["distinct_1"] == 4 / 6


def diversity(texts, **options):
    return tercet.score("diversity", texts, **{**PLAIN, **options})


def ngrams(text, n):
    tokens = text.split()
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def others(texts):
    return [(text, [*texts[:i], *texts[i + 1 :]]) for i, text in enumerate(texts)]


def mean(values):
    return math.fsum(values) / len(values) if values else 0.0


def mattr(text, window):
    """The mean share of different tokens over all windows, as lexical_diversity has it: a short text is one."""
    tokens = text.split()
    size = min(window, len(tokens))
    return mean([len(set(tokens[i : i + size])) / size for i in range(len(tokens) - size + 1)])


def compression_ratio(texts, folder):
    """What the package `diversity` (0.3.1) does, line by line, at a time of day; it rounds to three digits."""
    (folder / "original.txt").write_text(" ".join(texts), encoding="utf-8")
    with gzip.GzipFile(str(folder / "compressed.gz"), "w+") as f:
        f.write(gzip.compress(" ".join(texts).encode("utf-8"), mtime=1_700_000_000))
    return (folder / "original.txt").stat().st_size / (folder / "compressed.gz").stat().st_size


@given(texts=sets_of_texts | st.sampled_from(SETS))
def test_self_bleu_is_the_mean_bleu_of_each_text_against_all_others(texts):
    for order in (2, 4):
        bleu = sacrebleu.BLEU(tokenize="none", effective_order=True, max_ngram_order=order)
        theirs = [bleu.sentence_score(text, rest).score / 100 for text, rest in others(texts)]
        found = diversity(texts, max_order=order, segments=True)
        assert found["segments"]["self_bleu"] == pytest.approx(theirs, rel=1e-12)
        assert found["self_bleu"] == pytest.approx(mean(theirs), rel=1e-12)


@given(texts=sets_of_texts | st.sampled_from(SETS))
def test_self_bleu_of_texygen_is_that_of_nltk_with_its_first_method(texts):
    method, weights = SmoothingFunction().method1, [1 / 3] * 3
    pairs = [(text.split(), [each.split() for each in rest]) for text, rest in others(texts)]
    theirs = [sentence_bleu(rest, text, weights, method) if text else 0.0 for text, rest in pairs]
    found = diversity(texts, max_order=3, smooth_method="nltk1", segments=True)
    assert found["segments"]["self_bleu"] == pytest.approx(theirs, rel=1e-12)


@given(texts=sets_of_texts | st.sampled_from(SETS), window=st.integers(1, 9))
def test_distinct_ngrams_repetition_and_moving_ratios_are_as_defined(texts, window):
    found = diversity(texts, window=window)
    for n in range(1, 5):
        own = [ngrams(text, n) for text in texts]
        every = [each for text in own for each in text]
        assert found[f"distinct_{n}"] == (len(set(every)) / len(every) if every else 0.0)
        repeated = [1 - len(set(each)) / len(each) for each in own if each]
        assert found[f"rep_{n}"] == pytest.approx(mean(repeated), abs=1e-12)
    assert found["mattr"] == pytest.approx(mean([mattr(text, window) for text in texts if text]), rel=1e-12)


@pytest.mark.parametrize("texts", [*SETS, ALL_TEXTS, ["word " * 999] * 9, ["", ""]])
def test_the_compression_ratio_is_that_of_the_package_of_its_paper(texts, tmp_path):
    assert tercet.score("diversity", texts)["compression_ratio"] == compression_ratio(texts, tmp_path)


@pytest.mark.parametrize("texts", SETS)
def test_pairs_are_scored_as_sacrebleu_scores_them(texts):
    theirs = mean([sacrebleu.sentence_chrf(one, [other]).score / 100 for one, other in permutations(texts, 2)])
    assert diversity(texts, pairwise_chrf=True)["pairwise_chrf"] == pytest.approx(theirs, rel=1e-12)


def test_pairs_in_blocks_are_the_same_pairs(monkeypatch):
    whole = diversity(ALL_TEXTS, pairwise_chrf=True, segments=True)
    monkeypatch.setattr("tercet.metrics.diversity._PAIRS", 3 * len(ALL_TEXTS))
    assert diversity(ALL_TEXTS, pairwise_chrf=True, segments=True) == whole


def test_tokens_are_words_of_any_script_in_lower_case_unless_told_otherwise():
    assert tercet.score("diversity", ["The cat, the CAT"])["distinct_1"] == 2 / 4
    assert tercet.score("diversity", ["今天天气很好"])["distinct_1"] == 5 / 6
    assert diversity(["The cat, the CAT"])["distinct_1"] == 1.0


def test_systems_are_sets_of_which_each_score_knows_the_better_one():
    systems = {"varied": ["a b c d e", "f g h i j", "k l m n o"], "same": ["a b c d e", "a b c d e", "a b c d d"]}
    found = tercet.compare(systems, "diversity", references=["x", "y", "z"], n_resamples=20)  # which are ignored
    best = {table.name: [row.system for row in table.rows if row.best] for table in found.tables}
    assert all(best[name][0] == "varied" for name in ("self_bleu", "distinct_2", "mattr", "rep_1"))
    higher = {table.name for table in found.tables if table.higher_is_better}
    assert higher == {"distinct_1", "distinct_2", "distinct_3", "distinct_4", "mattr"}
    for table in found.tables:
        for row in table.rows:
            assert row.value == pytest.approx(100 * tercet.score("diversity", systems[row.system])[table.name])
    found = tercet.correlate(systems, "diversity", {"varied": [5, 4, 3], "same": [1, 2, 2]})
    figures = found.tables[0].figures
    assert all(figures[f"diversity {name}"]["pooled.pearson"].value > 0.5 for name in ("self_bleu", "distinct_1"))


def test_an_explanation_marks_what_a_text_repeats():
    why = tercet.explain("diversity", "The cat sat where the cat sat")
    assert [(word.text, word.level) for word in why.prediction][2:5] == [("sat", 3), ("where", 0), ("the", 3)]
    assert [(each.text, each.count) for each in why.repeated][:2] == [("the cat sat", 2), ("the cat", 2)]
    assert (why.scores["rep_3"], why.scores["rep_4"]) == (1 / 5, 0.0)
    assert "the cat sat" in why.to_html()


def test_a_set_is_not_streamed():
    with pytest.raises(OptionError, match="diversity must see the whole corpus before it scores a part"):
        tercet.Stream("diversity")


def test_self_bleu_takes_one_pass_and_not_one_for_each_text():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in row) for row in rng.zipf(1.3, (60, 100)) % 999]
    bleu = sacrebleu.BLEU(tokenize="none", effective_order=True)
    began = time.process_time()
    theirs = mean([bleu.sentence_score(text, rest).score for text, rest in others(texts)]) / 100
    there = time.process_time()
    ours = [(diversity(texts)["self_bleu"], time.process_time()) for _ in range(3)]
    taken = min(end - start for start, end in pairwise([there, *(end for _, end in ours)]))
    assert ours[0][0] == pytest.approx(theirs, rel=1e-12)
    assert (there - began) / taken > 10
