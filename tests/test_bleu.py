"""bleu_multi against sacrebleu, NLTK and evaluate's bleu, called on the same texts."""

import math
import warnings
from collections import Counter

import pytest
import sacrebleu
from hypothesis import given, settings
from nltk.translate import bleu_score as nltk_bleu

from tercet import score
from texts import all_pairs, any_texts, awkward_corpus, corpora

SEEDS = range(12)


def corpus_streams(references):
    """References as sacrebleu takes them: one list a position, None where an item has fewer."""
    most = max(map(len, references))
    return [[texts[i] if i < len(texts) else None for texts in references] for i in range(most)]


def check_sacrebleu(predictions, references, **options):
    ours = score("bleu_multi", predictions, references, compat="sacrebleu", segments=True, **options)
    theirs = {
        "tokenize": options.get("tokenizer", "13a"),
        "smooth_method": options.get("smooth_method", "exp"),
        "smooth_value": options.get("smooth_value"),
        "lowercase": options.get("lowercase", False),
        "max_ngram_order": options.get("max_order", 4),
    }
    metric = sacrebleu.BLEU(**theirs, effective_order=options.get("effective_order", False))
    expected = metric.corpus_score(predictions, corpus_streams(references))
    assert ours["bleu"] == pytest.approx(expected.score / 100, abs=1e-9)
    assert ours["precisions"] == pytest.approx([each / 100 for each in expected.precisions], abs=1e-9)
    assert ours["brevity_penalty"] == pytest.approx(expected.bp, abs=1e-12)
    assert (ours["translation_length"], ours["reference_length"]) == (expected.sys_len, expected.ref_len)
    if options.get("smooth_method") != "add-k":  # which leaves its additions in the counts
        assert ours.counts == expected.counts
        assert ours.totals == expected.totals
    by_sentence = sacrebleu.BLEU(
        **{**theirs, "smooth_method": "exp" if theirs["smooth_method"] == "none" else theirs["smooth_method"]},
        effective_order=True,
    )
    sentences = [by_sentence.sentence_score(*pair).score / 100 for pair in zip(predictions, references, strict=True)]
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-9)


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_sacrebleu_in_every_language(tokenizer, lowercase):
    check_sacrebleu(*all_pairs(), tokenizer=tokenizer, lowercase=lowercase)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "none"},
        {"smooth_method": "floor"},
        {"smooth_method": "floor", "smooth_value": 0.4},
        {"smooth_method": "add-k"},
        {"smooth_method": "add-k", "smooth_value": 2, "max_order": 2},
        {"effective_order": True, "max_order": 6},
        {"tokenizer": "none", "lowercase": True, "max_order": 1},
    ],
)
def test_sacrebleu_on_awkward_texts(seed, options):
    check_sacrebleu(*awkward_corpus(seed, most=(5, 40, 150)[seed % 3]), **options)


@settings(max_examples=150, deadline=None)
@given(corpora(any_texts))
def test_sacrebleu_on_any_text(corpus):
    check_sacrebleu(*corpus)


@settings(max_examples=150, deadline=None)
@given(corpora())
def test_sacrebleu_on_few_words(corpus):
    check_sacrebleu(*corpus, tokenizer="none", smooth_method="floor")


def test_the_default_is_sacrebleu_without_smoothing():
    predictions, references = awkward_corpus(3)
    expected = sacrebleu.corpus_bleu(predictions, corpus_streams(references), smooth_method="none").score / 100
    result = score("bleu_multi", predictions, references)
    assert result["bleu"] == pytest.approx(expected, abs=1e-9)
    assert "equals:sacrebleu" in result.signature


# ---------------------------------------------------------------- NLTK


def nltk_reference(predictions, references, method, weights=(0.25,) * 4):
    smoothing = nltk_bleu.SmoothingFunction()
    function = getattr(smoothing, f"method{method}")
    split = [[text.split() for text in texts] for texts in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokens = [text.split() for text in predictions]
        corpus = nltk_bleu.corpus_bleu(split, tokens, weights, function)
        pairs = zip(split, tokens, strict=True)
        return corpus, [nltk_bleu.sentence_bleu(texts, text, weights, function) for texts, text in pairs]


@pytest.mark.parametrize("method", [0, 1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("seed", SEEDS)
def test_nltk_smoothing(method, seed):
    predictions, references = awkward_corpus(seed, n_items=5, most=(5, 40)[seed % 2])
    corpus, sentences = nltk_reference(predictions, references, method)
    options = {"smooth_method": f"nltk{method}"} if method else {}
    ours = score("bleu_multi", predictions, references, compat="nltk", segments=True, **options)
    assert ours["bleu"] == pytest.approx(corpus, abs=1e-9)
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-9)


def test_nltk_method_6_where_it_is_defined():
    predictions = ["the cat sat on the mat today .", "a dog ran after the red ball ."]
    references = [["the cat sat on the mat .", "the cat sat"], ["a dog ran after a red ball today"]]
    corpus, sentences = nltk_reference(predictions, references, 6)
    ours = score("bleu_multi", predictions, references, compat="nltk", smooth_method="nltk6", segments=True)
    assert ours["bleu"] == pytest.approx(corpus, abs=1e-12)
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-12)


@pytest.mark.parametrize("weights", [(1,), (0.5, 0.5), (0.4, 0.3, 0.2, 0.1), (0, 0, 0, 1), (0.2,) * 5])
def test_nltk_weights(weights):
    predictions, references = all_pairs(("en", "es", "de"))
    corpus, sentences = nltk_reference(predictions, references, 1, weights)
    options = {"weights": weights, "max_order": len(weights), "smooth_method": "nltk1"}
    ours = score("bleu_multi", predictions, references, compat="nltk", segments=True, **options)
    assert ours["bleu"] == pytest.approx(corpus, abs=1e-12)
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-12)


def test_methods_5_and_7_do_not_read_the_last_item_only_without_compat():
    predictions, references = all_pairs(("en", "es"))
    there = score("bleu_multi", predictions, references, smooth_method="nltk5", tokenizer="none")
    back = score("bleu_multi", predictions[::-1], references[::-1], smooth_method="nltk5", tokenizer="none")
    assert there["bleu"] == pytest.approx(back["bleu"], abs=1e-12)


# ---------------------------------------------------------------- evaluate's bleu, written from its definition


def evaluate_bleu(predictions, references, smooth, max_order=4):
    """Compute evaluate's bleu: shortest reference, 13a without a stripped end, Lin and Och's smoothing."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()
    matches, possible = [0] * max_order, [0] * max_order
    reference_length = translation_length = 0
    for text, texts in zip(predictions, references, strict=True):
        tokens, lists = tokenize(text).split(), [tokenize(each).split() for each in texts]
        translation_length += len(tokens)
        reference_length += min(map(len, lists))
        for order in range(1, max_order + 1):
            grams = [Counter(zip(*(each[i:] for i in range(order)), strict=False)) for each in (tokens, *lists)]
            merged = Counter()
            for each in grams[1:]:
                merged |= each
            matches[order - 1] += sum((grams[0] & merged).values())
            possible[order - 1] += max(len(tokens) - order + 1, 0)
    added = [1 if smooth and order else 0 for order in range(max_order)]
    precisions = [(m + a) / (p + a) if p + a else 0.0 for m, p, a in zip(matches, possible, added, strict=True)]
    mean = math.exp(sum(map(math.log, precisions)) / max_order) if min(precisions) > 0 else 0.0
    ratio = translation_length / reference_length
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": translation_length,
        "reference_length": reference_length,
    }


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_evaluate(seed, smooth):
    predictions, references = awkward_corpus(seed)
    expected = evaluate_bleu(predictions, references, smooth)
    ours = score("bleu_multi", predictions, references, compat="evaluate", smooth=smooth)
    for key, value in expected.items():
        assert ours[key] == pytest.approx(value, abs=1e-12), key


def test_with_one_reference_the_default_equals_evaluate():
    predictions, references = all_pairs()
    single = [texts[0] for texts in references]
    expected = evaluate_bleu(predictions, [[text] for text in single], smooth=False)
    ours = score("bleu_multi", predictions, single)
    for key, value in expected.items():
        assert ours[key] == pytest.approx(value, abs=1e-12), key


# ---------------------------------------------------------------- what the others do not have


def test_named_weights_in_one_pass_equal_as_many_calls():
    predictions, references = all_pairs()
    schemes = {"uniform": (0.25,) * 4, "low": (0.7, 0.3), "bigrams": (0.2, 0.4, 0.2, 0.2), "bleu1": (1,)}
    result = score("bleu_multi", predictions, references, weights=schemes)
    for name, weights in schemes.items():
        assert result[f"bleu_{name}"] == score("bleu_multi", predictions, references, weights=weights)["bleu"]
    assert result["bleu"] == result["bleu_uniform"]


def test_the_grid_equals_as_many_calls():
    predictions, references = all_pairs()
    grid = {
        "weights": {"uniform": (0.25,) * 4, "low": (0.7, 0.3)},
        "smooth_method": ["none", "exp", "floor", "nltk1"],
        "reference_length": ["closest", "shortest", "average"],
    }
    rows = score("bleu_multi", predictions, references, grid=grid)["grid"]
    assert len(rows) == 2 * 4 * 3
    for row in rows:
        weights = {"uniform": None, "low": (0.7, 0.3)}[row["weights"]]
        options = {key: row[key] for key in ("smooth_method", "reference_length")}
        assert row["bleu"] == score("bleu_multi", predictions, references, weights=weights, **options)["bleu"]


def test_reference_lengths():
    references = [["a b c", "a b c d e f g", "a b c d e f g h i j"]]
    lengths = {
        rule: score("bleu_multi", ["a b c d e"], references, reference_length=rule)["reference_length"]
        for rule in ("closest", "shortest", "average")
    }
    assert lengths == {"closest": 3, "shortest": 3, "average": 20 / 3}  # of 3 and 7 the shorter


def test_a_perfect_short_sentence_scores_one_as_a_segment():
    result = score("bleu_multi", ["yes", "a cat"], ["yes", "a cat"], segments=True)
    assert (result["bleu"], result["segments"]["bleu"]) == (0.0, [1.0, 1.0])


@pytest.mark.parametrize(
    ("options", "prediction", "reference"),
    [
        ({"stemmer": "ru"}, "Кошки спали", "кошка спала"),
        ({"stemmer": "english"}, "running dogs", "run dog"),
        ({"lemmatizer": "ru"}, "кошками", "кошка"),
        ({"lemmatizer": lambda word: word[:3]}, "catalog cater", "cat category"),
    ],
)
def test_stems_and_lemmas(options, prediction, reference):
    assert score("bleu_multi", [prediction], [reference], max_order=1)["bleu"] == 0.0
    assert score("bleu_multi", [prediction], [reference], max_order=1, **options)["bleu"] == 1.0


@pytest.mark.parametrize(
    ("percent", "band"),
    [(0, "0-10: almost useless"), (9.9, "0-10"), (10, "10-20"), (35, "30-40"), (59.9, "50-60"), (60, "over 60")],
)
def test_bands(percent, band):
    from tercet.bleu_options import interpretation

    assert interpretation(percent).startswith(band)
