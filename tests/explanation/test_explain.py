"""Explanations of BLEU and ROUGE: the places add up to the counts, and the scores are those of the metrics."""

import json
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from conftest import ANY_TEXTS, ZERO_BLEU
from tercet.errors import InputError
from tercet.explanation.levels import levels_of_pairs, ngram_levels
from tercet.explanation.matches import ngram_limits
from texts import PAIRS, any_texts, awkward_corpus, texts

explain_bleu, explain_rouge = partial(tercet.explain, "bleu"), partial(tercet.explain, "rouge")

pytestmark = ZERO_BLEU

ROUGE_TYPES = [f"rouge{kind}" for kind in (1, 2, 3, "L", "Lsum", "W", "S", "S0", "SU4", "SU")]
TOKENIZERS = {"zh": {"tokenizer": "zh"}, "ja": {"tokenizer": "char"}, "th": {"tokenizer": "char"}}
OWN = [(language, *pair) for language, pairs in PAIRS.items() for pair in pairs]
references = st.lists(texts, min_size=1, max_size=3)


def levels(words):
    return [word.level for word in words]


def plain_levels(ids, limits):
    """Return what `ngram_levels` returns, token by token."""
    found = [0] * len(ids)
    for order in sorted(limits, reverse=True):
        left = dict(limits[order])
        starts = [start for start in range(len(ids) - order + 1) if tuple(ids[start : start + order]) in left]
        outside = [start for start in starts if 0 in found[start : start + order]]
        for start in [*(start for start in starts if start not in outside), *outside]:
            ngram = tuple(ids[start : start + order])
            left[ngram] -= 1
            if start in outside and left[ngram] >= 0:
                found[start : start + order] = [level or order for level in found[start : start + order]]
    return found


tokens_of_few = st.lists(st.integers(0, 3), max_size=12)


def test_clipped_ngrams_are_the_first_ones():
    found = explain_bleu("the the the cat mat", ["the cat is on the mat"], max_order=2)
    assert (levels(found.prediction), found.counts) == ([1, 0, 2, 2, 1], [4, 1])
    the = found.ngrams[0][0]
    assert (the.text, the.prediction, the.reference, the.counted) == ("the", 3, 2, 2)
    assert set(re.findall(r'<span data-level="(.)"', found.to_html())) == {"0", "1", "2"}


def test_the_best_reference_is_shown_and_named():
    found = explain_rouge("the cat sat", ["a dog ran", "the cat lay"], rouge_types=["rouge1", "rougeL"])
    assert [each.reference for each in found.types] == [1, 1]
    assert "with reference 2 of 2" in found.to_html()
    by_recall = explain_rouge("a b", ["a", "a b c d e"], rouge_types=["rouge1"], compat="rouge155")
    assert by_recall.types[0].reference == 0


@given(st.lists(st.tuples(tokens_of_few, tokens_of_few), min_size=1, max_size=4),
       st.sampled_from([range(1, 5), range(2, 4), range(1, 2)]))  # fmt: skip
def test_the_longest_counted_n_gram_through_each_token(pairs, orders):
    limits = [ngram_limits([other], orders) for _, other in pairs]
    expected = [plain_levels(text, text_limits) for (text, _), text_limits in zip(pairs, limits, strict=True)]
    assert [ngram_levels(text, text_limits) for (text, _), text_limits in zip(pairs, limits, strict=True)] == expected
    texts, others = ([list(map(str, side)) for side in sides] for sides in zip(*pairs, strict=True))
    assert levels_of_pairs(texts, others, orders) == expected


def check_bleu(prediction, targets, **options):
    found = explain_bleu(prediction, targets, **options)
    expected = tercet.score("bleu_multi", [prediction], [targets], **options)
    assert found.counts == expected.counts
    assert found.totals == expected.totals
    assert found.score == expected["bleu"]
    assert found.brevity_penalty == expected["brevity_penalty"]
    # a unigram that counts is at least of level 1, and the first token of an n-gram that counts at least of level n
    matched = sum(level > 0 for level in levels(found.prediction))
    assert matched >= (found.counts[0] if found.counts else 0)
    for order, counted in enumerate(found.counts, 1):
        assert (counted > 0) == any(level >= order for level in levels(found.prediction))
    assert len(found.references) == len(targets)
    return found


def check_rouge(prediction, targets, **options):
    found = explain_rouge(prediction, targets, **options)
    expected = tercet.score("rouge_nlws", [prediction], [targets], output="all", **options)
    for each in found.types:
        shown = (each.fmeasure, each.precision, each.recall)
        assert shown == tuple(expected[f"{each.name}{end}"] for end in ("", "_precision", "_recall")), each.name
        in_reference, in_prediction = levels(each.reference_words), levels(each.prediction_words)
        if each.kind == "n" and options.get("compat") in ("rouge", "rouge_chinese"):
            assert len({count.text for count in each.counts}) == len(each.counts) == each.prediction_total
        if each.kind == "n":
            assert sum(count.counted for count in each.counts) == each.hits
            assert any(in_prediction) == any(in_reference) == (each.hits > 0)
        elif each.kind == "L" and options.get("compat") != "rouge155":  # of rouge, the first place of each word
            assert sum(in_reference) == sum(in_prediction) == each.hits
        elif each.kind in ("L", "Lsum"):
            assert sum(in_reference) == each.hits
        elif each.kind == "S":
            assert sum(in_reference) == sum(in_prediction) == 2 * each.hits
            assert sum(count.counted for count in each.counts) == each.hits
        elif each.kind == "SU":
            assert sum(count.counted for count in each.counts) == each.hits
        elif each.kind == "W":
            assert any(in_reference) == (each.hits > 0)
    return found


def test_places_add_up_in_every_language():
    for language, prediction, targets in OWN:
        check_bleu(prediction, targets, **TOKENIZERS.get(language, {}))
        check_rouge(prediction, targets, tokenizer="unicode", rouge_types=ROUGE_TYPES)


@given(texts, references)
def test_places_add_up_for_any_text(prediction, targets):
    check_bleu(prediction, targets, max_order=5)
    check_rouge(prediction, targets, rouge_types=ROUGE_TYPES, tokenizer="unicode")


@given(texts, references)
def test_places_add_up_as_the_script_counts(prediction, targets):
    check_rouge(prediction, targets[:1], rouge_types=ROUGE_TYPES, compat="rouge155")


@pytest.mark.parametrize("package", ["rouge", "rouge_chinese"])
@given(prediction=texts, targets=references)
def test_places_add_up_as_the_packages_count(package, prediction, targets):
    prediction, targets = prediction.replace("\n", ". "), [text.replace("\n", ".") for text in targets]
    check_rouge(prediction, targets, rouge_types=["rouge1", "rouge2", "rouge5", "rougeL"], compat=package)


@given(any_texts, any_texts)
def test_any_unicode_gives_json_and_html(prediction, target):
    types = ["rouge1", "rougeL", "rougeS4"]
    found = explain_rouge(prediction, target, tokenizer="unicode", rouge_types=types)
    for each in (explain_bleu(prediction, target), found):
        json.dumps(each.to_dict(), allow_nan=False)
        assert each.to_html().count("<span") == each.to_html().count("</span>")


@ANY_TEXTS
def test_awkward_texts_with_every_way_to_make_words_alike():
    for prediction, targets in zip(*awkward_corpus(5, n_items=8), strict=True):
        for options in ({"lowercase": True}, {"stemmer": "porter"}, {"compat": "nltk"}, {"compat": "evaluate"}):
            check_bleu(prediction, targets, **options)
        for options in ({"use_stemmer": True}, {"stopwords": ["the", "cat"]}, {"max_words": 5}, {"beta": 2.0}):
            check_rouge(prediction, targets, rouge_types=ROUGE_TYPES, tokenizer="unicode", **options)


def test_the_weighted_subsequence_has_the_weight_that_is_scored():
    prediction, target = "a b c d x e f", "a b c y d e f"
    found = check_rouge(prediction, [target], rouge_types=["rougeW1.5"], tokenizer="none").types[0]
    assert [word.text for word in found.reference_words] == target.split()
    assert levels(found.reference_words) == [3, 3, 3, 0, 3, 3, 3]
    assert levels(found.prediction_words) == [4, 4, 4, 4, 0, 2, 2]
    assert found.hits == pytest.approx(2 * 3**1.5)  # the runs of the reference are those that count


def test_long_texts_are_explained_in_linear_memory_for_subsequences():
    prediction, target = (" ".join(f"w{number % size}" for number in range(3000)) for size in (97, 89))
    check_rouge(prediction, [target], rouge_types=["rouge1", "rougeL", "rougeLsum", "rougeS4"])


@pytest.mark.parametrize(
    ("kind", "prediction", "target", "message"),
    [
        ("rougeW", "a " * 3000, "a b " * 1000, "rougeW compares 3,000 tokens in 1 lines with 2,000 in 1, in 6,0"),
        ("rougeW1.5", "a\n" * 1000, "a\n" * 700, "1,000 tokens in 1,000 lines with 700 in 700, in 7,700,000 steps"),
        ("rougeLsum", "a\n" * 1000, "a\n" * 700, "in 7,000,000 steps; an explanation takes up to 5,000,000"),
        ("rougeS", "a " * 2000, "a a", "rougeS has 1,999,000 skip-bigrams in a text of 2,000 tokens"),
    ],
)
def test_what_would_take_minutes_is_refused(kind, prediction, target, message):
    with pytest.raises(InputError, match=message):
        explain_rouge(prediction, [target], rouge_types=[kind])
    short = explain_rouge(prediction[:1000], [target[:1000]], rouge_types=[kind])
    assert short.types[0].fmeasure > 0
