"""GLEU is NLTK's, to the last digit, and so evaluate's; what NLTK does with ties and empty texts; what it refuses."""

import itertools
import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu

from conftest import ANY_TEXTS
from oracles import sacrebleu_tokens
from tercet import GoogleBleu, OptionError
from tercet.compat import evaluate as drop_in
from tercet.corpus.tokenizers import split_intl
from texts import all_pairs, any_texts, awkward_corpus, corpora, lines

PREDICTIONS, REFERENCES = all_pairs()


def test_gleu_is_the_share_of_n_grams_that_match():
    # 1 of 2 words, and 0 of 1 pair of words
    assert GoogleBleu()(["the cat"], ["the dog"])["google_bleu"] == (1 + 0) / (2 + 1)


def nltk_scores(predictions, references, split=str.split, **lengths):
    """Return NLTK's score of the corpus, and of each item."""
    texts = [split(text) for text in predictions]
    lists = [[split(text) for text in each] for each in references]
    items = [sentence_gleu(each, text, **lengths) for each, text in zip(lists, texts, strict=True)]
    return corpus_gleu(lists, texts, **lengths), items


def ours(predictions, references, **options):
    result = GoogleBleu(**options)(predictions, references, segments=True)
    return result["google_bleu"], result["segments"]["google_bleu"]


class TestEqualsNltk:
    @given(corpora(lines))
    def test_on_texts_with_many_ties(self, corpus):
        assert ours(*corpus, tokenizer="none") == nltk_scores(*corpus)

    @ANY_TEXTS
    @given(corpora(any_texts))
    def test_on_any_texts(self, corpus):
        assert ours(*corpus, tokenizer=list) == nltk_scores(*corpus, list)

    @pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 2), (2, 4), (3, 3), (1, 20), (7, 9)])
    @pytest.mark.parametrize(("tokenizer", "split"), [("intl", split_intl), ("none", str.split), (list, list)])
    def test_of_n_grams_of_any_lengths_in_any_script(self, tokenizer, split, low, high):
        lengths = {"min_len": low, "max_len": high}
        for texts in ((PREDICTIONS, REFERENCES), awkward_corpus(3)):
            assert ours(*texts, tokenizer=tokenizer, **lengths) == nltk_scores(*texts, split, **lengths)

    def test_in_lower_case(self):
        lowered = [text.lower() for text in PREDICTIONS], [[text.lower() for text in each] for each in REFERENCES]
        assert ours(PREDICTIONS, REFERENCES, tokenizer="none", lowercase=True) == nltk_scores(*lowered)


class TestEqualsEvaluate:
    """Its module is on the Hub: it calls NLTK with its own tokenizer."""

    @pytest.mark.parametrize("texts", [(PREDICTIONS, REFERENCES), awkward_corpus(5), awkward_corpus(8)])
    def test_with_its_tokenizer(self, texts):
        assert ours(*texts) == nltk_scores(*texts, partial(sacrebleu_tokens, "13a", strip=False))

    def test_with_its_arguments_and_in_its_place(self):
        for name in ("google_bleu", "evaluate-metric/google_bleu"):
            module = drop_in.load(name)
            given = {"predictions": PREDICTIONS, "references": REFERENCES, "min_len": 2, "max_len": 3}
            found = module.compute(**given, tokenizer=str.split)
            assert found == {"google_bleu": nltk_scores(PREDICTIONS, REFERENCES, min_len=2, max_len=3)[0]}


class TestReferences:
    def test_of_equal_ones_the_first_counts(self):
        """No reference has a match, so each scores 0; but the corpus has n-grams of one of them."""
        predictions, two = ["x", "a b c"], ["p", "p q r s t"]
        for texts in itertools.permutations(two):
            lists = [list(texts), ["a b c"]]
            assert ours(predictions, lists, tokenizer="none") == nltk_scores(predictions, lists)
        first, other = (ours(predictions, [texts, ["a b c"]])[0] for texts in (two, two[::-1]))
        assert (first, other) == (6 / 7, 6 / 20)

    def test_pairs_of_empty_texts_do_not_count(self):
        predictions, lists = ["", "", "a b"], [[""], ["", "a"], ["a b"]]
        assert ours(predictions, lists, tokenizer="none") == nltk_scores(predictions, lists)
        assert ours(predictions, lists) == (3 / 4, [0.0, 0.0, 1.0])

    def test_without_one_an_item_is_as_with_an_empty_one(self):
        texts = ["a b", "c d e"]
        assert ours(texts, [["a b"], []], missing_references="zero") == ours(texts, [["a b"], [""]])
        assert ours(texts, [["a b"], []], missing_references="skip") == (1.0, [1.0, None])


@given(corpora(lines, max_references=1))
def test_is_symmetrical_with_one_reference(corpus):
    predictions, references = corpus
    turned = [each[0] for each in references], [[text] for text in predictions]
    assert ours(*corpus) == ours(*turned)


class TestExplanation:
    @given(st.lists(lines, min_size=2, max_size=4), st.sampled_from([(1, 4), (2, 3)]))
    def test_is_of_the_score_and_of_the_best_reference(self, texts, orders):
        metric = GoogleBleu(min_len=orders[0], max_len=orders[1])
        prediction, *references = texts
        why = metric.explain(prediction, references)
        (score,) = metric.segments([prediction], [references])["google_bleu"]
        assert why.score == score == min(why.precision, why.recall)
        best = [" ".join(word.text for word in words) for words in why.references]
        assert best[0] in references
        assert len(best) == 1
        assert metric([prediction], best)["google_bleu"] == score
        if sum(why.totals):
            assert sum(why.counts) / sum(why.totals) == why.precision
        assert why.counts[: orders[0] - 1] == [0] * (orders[0] - 1)
        assert f"GLEU {score:.4f}, precision {why.precision:.4f}, recall {why.recall:.4f}" in why.to_html()


def test_many_against_many_are_the_scores_of_the_pairs():
    metric, texts = GoogleBleu(tokenizer="char"), [*PREDICTIONS, ""]
    random.Random(1).shuffle(texts)
    expected = [[metric.segments([one], [other])["google_bleu"][0] for other in texts[:5]] for one in texts]
    assert np.array_equal(metric.pairwise(texts, texts[:5]), expected)


@pytest.mark.parametrize("given", [{"min_len": 5}, {"min_len": 3, "max_len": 2}])
def test_no_length_at_all_is_refused(given):
    with pytest.raises(OptionError, match=r"'min_len' must be at most 'max_len', \d\. Got [35]\."):
        GoogleBleu(**given)
