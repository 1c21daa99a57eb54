"""Jaccard similarity beside scikit-learn and beside Python's sets and Counters."""

import random
import warnings
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score
from sklearn.preprocessing import MultiLabelBinarizer

import tercet
from oracles import sacrebleu_tokens, unicode_tokens
from tercet.engine.counting import ngram_ids, overlaps
from tercet.engine.ragged import Ragged
from tercet.errors import OptionError
from texts import all_pairs, awkward_corpus, corpora, texts

explain = partial(tercet.explain, "jaccard")


def test_jaccard_is_the_share_of_common_words_in_all_words():
    assert tercet.score("jaccard", ["the cat"], ["the dog"])["jaccard"] == 1 / 3


def words(text):
    return unicode_tokens(text.lower())


def runs(tokens, size):
    return [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]


def of_sets(one, other):
    return len(set(one) & set(other)) / max(len(set(one) | set(other)), 1)


def of_multisets(one, other):
    one, other = Counter(one), Counter(other)
    return (one & other).total() / max((one | other).total(), 1)


def scores(predictions, references, **options):
    return tercet.score("jaccard_sets", predictions, references, segments=True, **options)["segments"]["jaccard"]


def expected(predictions, references, units, by=of_sets, rule=max):
    pairs = zip(predictions, references, strict=True)
    return [rule([by(units(text), units(each)) for each in targets]) for text, targets in pairs]


class TestBesideScikitLearn:
    @pytest.mark.parametrize("corpus", [all_pairs(), awkward_corpus(3, n_items=40)], ids=["languages", "awkward"])
    @pytest.mark.parametrize("ngram", [1, 2])
    def test_one_reference(self, corpus, ngram):
        predictions, references = corpus[0], [targets[0] for targets in corpus[1]]
        result = tercet.score("jaccard_sets", predictions, references, ngram=ngram)
        units = [[runs(words(text), ngram) for text in column] for column in (references, predictions)]
        binarizer = MultiLabelBinarizer().fit([*units[0], *units[1]])
        true, made = map(binarizer.transform, units)
        assert result["jaccard"] == pytest.approx(jaccard_score(true, made, average="samples", zero_division=0))
        assert result["jaccard_micro"] == pytest.approx(jaccard_score(true, made, average="micro"))
        assert "|equals:scikit-learn|" in result.signature


class TestBesidePython:
    @pytest.mark.parametrize("multiset", [False, True])
    def test_every_language(self, multiset):
        by = of_multisets if multiset else of_sets
        assert scores(*all_pairs(), multiset=multiset) == expected(*all_pairs(), words, by)

    @given(corpora(), st.integers(1, 4), st.booleans())
    def test_any_corpus(self, corpus, ngram, multiset):
        by = of_multisets if multiset else of_sets
        found = scores(*corpus, ngram=ngram, multiset=multiset)
        assert found == expected(*corpus, lambda text: runs(words(text), ngram), by)
        assert scores(*corpus, multi_ref="average") == pytest.approx(expected(*corpus, words, rule=np.mean))
        shared = either = 0  # micro is made of the best references
        for text, targets in zip(*corpus, strict=True):
            best = max(targets, key=lambda target: of_sets(words(text), words(target)))
            shared += len(set(words(text)) & set(words(best)))
            either += len(set(words(text)) | set(words(best)))
        assert tercet.score("jaccard_sets", *corpus)["jaccard_micro"] == shared / max(either, 1)

    def test_characters_and_other_tokenizers(self):
        predictions, references = all_pairs()
        for name in ("char", "13a", "zh"):
            wanted = expected(predictions, references, lambda text, name=name: runs(sacrebleu_tokens(name, text), 2))
            assert scores(predictions, references, tokenizer=name, lowercase=False, ngram=2) == wanted
        assert scores(["a B"], [["a b"]], tokenizer=str.split, lowercase=False) == [1 / 3]

    def test_stopwords_are_left_out(self):
        assert scores(["the cat"], [["a cat"]], stopwords=["the", "a"]) == [1.0]
        assert scores(["the cat"], [["a cat"]], stopwords="en") == [1.0]


class TestKernels:
    @pytest.mark.parametrize("order", [1, 2, 3, 7])
    def test_ngrams_of_long_documents(self, order):
        rng = random.Random(order)
        documents = [[rng.randrange(9) for _ in range(rng.randrange(300))] for _ in range(20)]
        offsets = np.cumsum([0, *map(len, documents)])
        units, n_types = ngram_ids(Ragged(np.concatenate(documents).astype(np.int32), offsets), order, 9)
        texts_, others = np.arange(10), 10 + np.arange(10)
        for by, multiset in ((of_sets, False), (of_multisets, True)):
            shared, either = overlaps(units, texts_, others, n_types, multiset)
            found = (shared / np.maximum(either, 1)).tolist()
            pairs = zip(documents[:10], documents[10:], strict=True)
            assert found == [by(runs(one, order), runs(other, order)) for one, other in pairs]


class TestVariants:
    def test_each_is_what_a_call_of_its_own_gives(self):
        predictions, references = all_pairs()
        variants = {
            "lemma": {"lemmatizer": "ru"}, "pairs": {"ngram": 2, "multiset": True},
            "letters": {"tokenizer": "char", "lowercase": False}, "mean": {"multi_ref": "average"},
        }  # fmt: skip
        together = tercet.score("jaccard_sets", predictions, references, variants=variants)
        for name, options in variants.items():
            alone = tercet.score("jaccard_sets", predictions, references, **options)
            for end in ("", "_micro"):
                assert together[f"jaccard_{name}{end}"] == alone[f"jaccard{end}"]

    def test_what_a_variant_does_not_name_is_that_of_the_call(self):
        both = tercet.score("jaccard_sets", ["A b c"], ["a b d"], lowercase=False, variants={"two": {"ngram": 2}})
        assert (both["jaccard"], both["jaccard_two"]) == (1 / 5, 0.0)
        assert "|case:mixed|" in both.signature
        assert "|variants:two=ngram:2|" in both.signature

    def test_texts_are_split_once(self, monkeypatch):
        calls = []

        def split(text):
            calls.append(text)
            return text.split()

        tercet.score("jaccard_sets", ["a b"], ["a c"], tokenizer=split, variants={"two": {"ngram": 2}})
        assert calls == ["a b", "a c"]

    @pytest.mark.parametrize(
        ("variants", "message"),
        [
            ({}, "a dict of 1 to 20 variants; this one has 0"),
            ({"x": 1}, "a dict of dicts of options"),
            ({"micro": {}}, "do not end in micro; this one has 'micro'"),
            ({"a b": {}}, "names are words"),
            ({"x": {"ngrams": 2}}, "'x' has 'ngrams', which no variant can change. Got .* Did you mean 'ngram'"),
            ({"x": {"ngram": 0}}, "'ngram' option of the variant 'x' of jaccard_sets must be an integer"),
            ({"x": {"scale": 100}}, "the variant 'x' has 'scale'"),
            ({"x": {"stemmer": "en", "lemmatizer": "en"}}, "The variant 'x' of jaccard_sets.* exclude each other"),
        ],
    )
    def test_wrong_ones_are_refused(self, variants, message):
        with pytest.raises(OptionError, match=message):
            tercet.score("jaccard_sets", ["a"], ["a"], variants=variants)


def test_nothing_in_common_with_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = tercet.score("jaccard_sets", ["", "?", "a"], ["", "a", "a"])
    assert (result["jaccard"], result["jaccard_micro"], result.empty_predictions) == (1 / 3, 1 / 2, 2)


@pytest.mark.parametrize(("policy", "means"), [("zero", (1 / 2, 1 / 3)), ("skip", (1.0, 1.0))])
def test_an_item_without_reference(policy, means):
    result = tercet.score("jaccard_sets", ["a", "b c"], [["a"], []], missing_references=policy)
    assert (result["jaccard"], result["jaccard_micro"]) == means


@pytest.mark.parametrize("options", [{}, {"ngram": 2, "multiset": True}])
def test_an_item_without_reference_has_words_that_match_nothing(options):
    """The pairs of a text with an empty one were numbered as if there were none of them."""
    metric = tercet.Jaccard(missing_references="skip", **options)
    predictions = ["кот сидел тихо", "a b c", "猫 坐 在 垫"]
    batch = metric.corpus(predictions, [["кот сидел", "кот спал тихо"], [], ["猫 坐 在"]]).encoded()
    first, second, third = metric.matched("jaccard", None).words(batch)
    assert [word.level for word in second] == [0, 0, 0]
    for words, text, references in (
        (first, predictions[0], ["кот сидел", "кот спал тихо"]),
        (third, predictions[2], ["猫 坐 在"]),
    ):
        assert words == metric.explain(text, references).variants[0].prediction
    assert [word.level for word in third] == [1, 1, 1, 0]


class TestExplanation:
    @given(texts, st.lists(texts, min_size=1, max_size=3), st.integers(1, 3), st.booleans())
    def test_the_counts_are_those_of_the_score(self, prediction, targets, ngram, multiset):
        options = {"ngram": ngram, "multiset": multiset, "stemmer": "en"}
        found = explain(prediction, targets, **options).variants[0]
        assert [found.score] == scores([prediction], [targets], **options)
        assert sum(unit.counted for unit in found.units) == found.shared
        assert sum(max(unit.prediction, unit.reference) for unit in found.units) == found.either
        for side in (found.prediction, found.reference_words):
            assert any(word.level for word in side) == (found.shared > 0)

    def test_words_and_what_they_were_compared_by(self):
        found = explain("Кошки спят", ["собака", "Кошка спит"], variants={"lemma": {"lemmatizer": "ru"}})
        assert [(each.name, each.score) for each in found.variants] == [("jaccard", 0.0), ("jaccard_lemma", 1.0)]
        lemmas = found.variants[1]
        assert [(word.written, word.text) for word in lemmas.prediction] == [("кошки", "кошка"), ("спят", "спать")]
        assert "with reference 2 of 2: 1.0000" in found.to_html()
        assert '<ruby>спят<rt style="font-size:70%">спать</rt></ruby>' in found.to_html()

    def test_markup_in_a_text_is_text(self):
        html = explain("<b>x</b>", ["<i>"], tokenizer="none", stemmer=lambda word: word[:2]).to_html()
        assert '<ruby>&lt;b&gt;x&lt;/b&gt;<rt style="font-size:70%">&lt;b</rt></ruby>' in html
