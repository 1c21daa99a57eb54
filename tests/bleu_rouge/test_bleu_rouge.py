"""The precision side beside NLTK and sacrebleu, the recall side beside rouge_score, and F in two lines."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import modified_precision
from rouge_score import rouge_scorer

import tercet
from conftest import ANY_TEXTS, ZERO_BLEU
from oracles import corpus_streams, rouge_score_tokens, unicode_tokens
from texts import LATIN, PAIRS, all_pairs, awkward_corpus, corpora, texts

explain = partial(tercet.explain, "bleu_rouge")

pytestmark = ZERO_BLEU

AWKWARD = awkward_corpus(11, n_items=20)


def test_f_is_of_the_precision_of_bleu_and_the_recall_of_rouge():
    found = tercet.score("bleu_rouge", ["the cat sat"], ["the cat"], max_order=1)
    assert (found["bleu_rouge_precision"], found["bleu_rouge_recall"]) == (2 / 3, 1)
    assert found["bleu_rouge_f"] == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))


def score(predictions, references, **options):
    return tercet.score("bleu_rouge_f", predictions, references, **options)


def f_beta(precision, recall, beta=1.0):
    weight = beta * beta
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision + recall else 0.0


def words(text):
    return unicode_tokens(text.lower())


class TestPrecision:
    @pytest.mark.parametrize("language", PAIRS)
    def test_of_items_is_nltk_s(self, language):
        for text, targets in PAIRS[language]:
            found = score([text], [targets], max_order=3)["bleu_rouge_precisions"]
            lists = [words(target) for target in targets]
            if words(text):
                expected = [float(modified_precision(lists, words(text), n)) for n in (1, 2, 3)]
                assert found == pytest.approx(expected, abs=1e-15)

    @pytest.mark.parametrize("corpus", [all_pairs(LATIN), AWKWARD], ids=["languages", "awkward"])
    def test_of_a_corpus_is_sacrebleu_s(self, corpus):
        predictions, references = corpus
        found = score(*corpus, tokenizer="13a", lowercase=False, max_order=4, brevity_penalty=True)
        theirs = sacrebleu.BLEU(smooth_method="none").corpus_score(predictions, corpus_streams(references))
        assert found["bleu_rouge_precisions"] == pytest.approx([each / 100 for each in theirs.precisions], abs=1e-12)
        assert found["bleu_rouge_precision"] == pytest.approx(theirs.score / 100, abs=1e-12)

    @ZERO_BLEU
    @given(corpora())
    def test_is_bleu_multi_s(self, corpus):
        options = {"tokenizer": "13a", "max_order": 2}
        ours = score(*corpus, lowercase=False, brevity_penalty=True, segments=True, **options)
        theirs = tercet.score("bleu_multi", *corpus, smooth_method="none", effective_order=True, **options)
        assert ours["bleu_rouge_precisions"] == theirs["precisions"]
        assert ours["bleu_rouge_precision"] == pytest.approx(theirs["bleu"], abs=1e-15)


class TestRecall:
    @given(corpora(), st.sampled_from([0.5, 1.0, 2.0]))
    def test_of_items_is_that_of_rouge(self, corpus, beta):
        types = ["rouge1", "rouge2", "rouge3"]
        for text, targets in zip(*corpus, strict=True):
            found = score([text], [targets], tokenizer="rouge", max_order=3, beta=beta)["bleu_rouge_recalls"]
            options = {"rouge_types": types, "output": "all", "beta": beta}
            each = [tercet.score("rouge_nlws", [text], [target], **options) for target in targets]
            best = [max((of[name], of[f"{name}_recall"]) for of in each) for name in types]
            assert found == [recall for _, recall in best]

    @ANY_TEXTS
    @pytest.mark.parametrize("corpus", [all_pairs(LATIN), AWKWARD], ids=["languages", "awkward"])
    def test_of_a_corpus_is_made_of_rouge_score_s_counts(self, corpus):
        predictions, references = corpus
        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2"])
        hits, totals = np.zeros(2), np.zeros(2)
        for text, targets in zip(predictions, references, strict=True):
            for order in (1, 2):
                by_target = [scorer.score(target, text)[f"rouge{order}"] for target in targets]
                sizes = [max(len(rouge_score_tokens(target)) - order + 1, 0) for target in targets]
                best = max(range(len(targets)), key=lambda index: (by_target[index].fmeasure, -sizes[index]))
                hits[order - 1] += round(by_target[best].recall * sizes[best])
                totals[order - 1] += sizes[best]
        found = score(predictions, references, tokenizer="rouge")
        assert found["bleu_rouge_recalls"] == pytest.approx(hits / totals, abs=1e-15)
        assert found["bleu_rouge_recall"] == pytest.approx(np.mean(hits / totals), abs=1e-15)

    @given(corpora())
    def test_the_average_of_an_item_is_the_script_s(self, corpus):
        options = {"multi_ref": "average", "segments": True}
        script = {"compat": "rouge155", "rounded": False, "output": "recall", "rouge_types": ["rouge1"]}
        theirs = tercet.score("rouge_nlws", *corpus, **script, **options)["segments"]["rouge1"]
        ours = score(*corpus, tokenizer="rouge", max_order=1, **options)["segments"]["bleu_rouge_recall"]
        assert ours == pytest.approx(theirs, abs=1e-15)


class TestF:
    @given(corpora(), st.sampled_from([0.5, 1.0, 3.0]), st.integers(1, 4))
    def test_is_the_weighted_harmonic_mean(self, corpus, beta, order):
        result = score(*corpus, beta=beta, max_order=order)
        sides = zip(result["bleu_rouge_precisions"], result["bleu_rouge_recalls"], strict=True)
        expected = [f_beta(*pair, beta) for pair in sides]
        assert [result[f"bleu_rouge_f_{n}"] for n in range(1, order + 1)] == pytest.approx(expected, abs=1e-15)
        whole = f_beta(result["bleu_rouge_precision"], result["bleu_rouge_recall"], beta)
        assert result["bleu_rouge_f"] == pytest.approx(whole, abs=1e-15)

    def test_of_a_worked_example(self):
        result = score(["the cat is on the mat"], ["the cat is lying on the mat"])
        assert result["bleu_rouge_f_1"] == pytest.approx(f_beta(6 / 6, 6 / 7))
        assert result["bleu_rouge_f"] == pytest.approx(f_beta(math.sqrt(1 * 4 / 5), (6 / 7 + 4 / 6) / 2))
        assert f_beta(5 / 6, 6 / 7) == pytest.approx(0.845, abs=5e-4)  # of the precision that it prints


def test_orders_that_no_text_reaches_are_left_out():
    result = score(["yes", "no"], ["yes", "yes"], segments=True)
    assert result["segments"]["bleu_rouge_f"] == [1.0, 0.0]
    assert result["bleu_rouge_f"] == 0.5
    assert score(["yes"], ["yes sir"])["bleu_rouge_recall"] == (1 / 2 + 0) / 2


@pytest.mark.parametrize("policy", ["zero", "skip"])
def test_an_item_without_reference(policy):
    result = score(["a b", "c d"], [["a b"], []], missing_references=policy, segments=True)
    assert result["segments"]["bleu_rouge_f"] == [1.0, 0.0 if policy == "zero" else None]
    assert result["bleu_rouge_precisions"] == ([1 / 2, 1 / 2] if policy == "zero" else [1.0, 1.0])


class TestExplanation:
    @given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(["best", "average"]))
    def test_the_counts_are_those_of_the_score(self, prediction, targets, rule):
        found = explain(prediction, targets, multi_ref=rule, max_order=3)
        expected = score([prediction], [targets], multi_ref=rule, max_order=3)
        names = ("bleu_rouge_f", "bleu_rouge_precision", "bleu_rouge_recall")
        assert [found.score, found.precision, found.recall] == [expected[name] for name in names]
        for each in found.orders:
            assert each.matches == sum(count.counted for count in each.ngrams)
            assert each.fmeasure == expected[f"bleu_rouge_f_{each.order}"]
            assert each.recall == (each.hits / each.reference_total if each.reference_total else 0.0)
            assert (each.reference is None) == (rule == "average")
            if each.reference is not None and each.hits:
                assert any(word.level >= each.order for word in found.references[each.reference])

    def test_words_and_what_they_were_compared_by(self):
        found = explain("Two mice", ["two <mouse>"], stemmer=lambda word: word.replace("mice", "mouse"))
        shown = [(word.written, word.text, word.level) for word in found.prediction]
        assert shown == [(None, "two", 2), ("mice", "mouse", 2)]
        assert '<ruby>mice<rt style="font-size:70%">mouse</rt></ruby>' in found.to_html()
        assert found.to_dict()["prediction"][1] == {"text": "mouse", "level": 2, "written": "mice"}


@pytest.mark.filterwarnings("default:.*bleu_rouge_f. BLEU is")
def test_a_score_of_0_for_want_of_one_order_says_so():
    """Words match and no pair of words does. Without a word in common, or a pair at all, there is nothing to say."""
    with pytest.warns(UserWarning, match="BLEU is 0 only because no n-gram of order 2 matches, .*max_order=1 leaves"):
        assert tercet.score("bleu_rouge", ["a x b y"], ["a c b d"])["bleu_rouge_f"] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tercet.score("bleu_rouge", ["a x b y"], ["q c w d"])["bleu_rouge_f"] == 0
        assert tercet.score("bleu_rouge", ["a"], ["a"])["bleu_rouge_f"] == 1
        assert tercet.score("bleu_rouge", ["a x b y"], ["a c b d"], max_order=1)["bleu_rouge_f"] > 0
