"""bleu_multi against sacrebleu, NLTK and evaluate's bleu, called on the same texts."""

import math
import warnings

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from nltk.translate import bleu_score as nltk_bleu

from conftest import ZERO_BLEU
from oracles import corpus_streams, evaluate_bleu
from tercet import OptionError, score
from tercet.api import make_scorer
from texts import all_pairs, any_texts, awkward_corpus, corpora

SEEDS = range(12)


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


@ZERO_BLEU
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


@ZERO_BLEU
@settings(max_examples=150, deadline=None)
@given(corpora(any_texts))
def test_sacrebleu_on_any_text(corpus):
    check_sacrebleu(*corpus)


@ZERO_BLEU
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


@ZERO_BLEU
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


def test_the_grid_of_nltk_s_methods_is_nltk_s():
    predictions = ["the cat sat on the mat today .", "a dog ran after the red ball ."]
    references = [["the cat sat on the mat .", "the cat sat"], ["a dog ran after a red ball today"]]
    for method in ("none", "nltk6"):
        rows = score(
            "bleu_multi", predictions, references, compat="nltk", smooth_method=method, grid=True
        )["grid"]  # fmt: skip
        found = {row["smooth_method"]: row["bleu"] for row in rows if row["reference_length"] == "closest"}
        for number in range(8):
            corpus, _ = nltk_reference(predictions, references, number)
            assert found[f"nltk{number}" if number else "none"] == pytest.approx(corpus, abs=1e-12)


def test_methods_5_and_7_do_not_read_the_last_item_only_without_compat():
    predictions, references = all_pairs(("en", "es"))
    there = score("bleu_multi", predictions, references, smooth_method="nltk5", tokenizer="none")
    back = score("bleu_multi", predictions[::-1], references[::-1], smooth_method="nltk5", tokenizer="none")
    assert there["bleu"] == pytest.approx(back["bleu"], abs=1e-12)


# ---------------------------------------------------------------- smoothing as evaluate's bleu does it


def test_smooth_adds_one_to_every_order_where_no_word_matches_too():
    expected = evaluate_bleu(["hello there"], [["good bye"]], smooth=True)
    assert expected["bleu"] == pytest.approx((1 / 3 * 1 / 2) ** 0.25, abs=1e-15)  # 0.6389
    for options in ({"compat": "evaluate"}, {}):  # the argument of evaluate means the same everywhere
        ours = score("bleu_multi", ["hello there"], ["good bye"], smooth=True, **options)
        for key, value in expected.items():
            assert ours[key] == pytest.approx(value, abs=1e-15), key
        assert ours["precisions"] == [1 / 3, 1 / 2, 1.0, 1.0]
    nothing = score("bleu_multi", ["", "x"], ["a b", ""], smooth=True, compat="evaluate", segments=True)
    assert nothing["segments"]["bleu"] == [0.0, 0.0]  # not even smoothing makes a score of no words
    alone = score("bleu_multi", ["a"], [[]], smooth=True, missing_references="zero", segments=True)
    assert (alone["bleu"], alone["segments"]["bleu"]) == (0.0, [0.0])


@pytest.mark.parametrize("seed", SEEDS)
def test_smooth_in_segments_and_grids_is_evaluate_s(seed):
    predictions, references = awkward_corpus(seed)
    grid = {"reference_length": ["shortest"]}
    ours = score(
        "bleu_multi", predictions, references, compat="evaluate", smooth=True, segments=True, grid=grid
    )  # fmt: skip
    for text, texts, value in zip(predictions, references, ours["segments"]["bleu"], strict=True):
        try:
            expected = evaluate_bleu([text], [texts], smooth=True)["bleu"]
        except ZeroDivisionError:  # the shortest reference has no word
            expected = 0.0
        assert value == pytest.approx(expected, abs=1e-12)
    (row,) = ours["grid"]
    assert (row["smooth_method"], row["bleu"]) == ("add-one", ours["bleu"])
    assert ours["bleu"] == pytest.approx(evaluate_bleu(predictions, references, smooth=True)["bleu"], abs=1e-12)


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


# ---------------------------------------------------------------- mteval-v13a, written from its definition


def mteval_score(counts, totals, length, reference_length):
    """Compute BLEU as mteval-v13a.pl, sub bleu_score: an order without n-grams adds nothing."""
    logs, smooth = [], 1
    for count, total in zip(counts, totals, strict=True):
        if total == 0:
            logs.append(0.0)
        elif count == 0:
            smooth *= 2
            logs.append(math.log(1 / (smooth * total)))
        else:
            logs.append(math.log(count / total))
    return math.exp(sum(logs) / 4) * math.exp(min(0, 1 - reference_length / length))


def check_mteval(predictions, references):
    """Return ours and mteval's, which preserves case (-c)."""
    ours = score("bleu_multi", predictions, references, smooth_method="exp")
    keys = ("counts", "totals", "translation_length", "reference_length")
    table = ours.to_dict(full=True)
    return ours["bleu"], mteval_score(*(table[key] for key in keys))


@pytest.mark.parametrize("seed", SEEDS)
def test_mteval(seed):
    ours, theirs = check_mteval(*awkward_corpus(seed, most=150))
    assert ours == pytest.approx(theirs, abs=1e-12)


@ZERO_BLEU
def test_where_mteval_has_a_score_and_sacrebleu_has_0():
    """As the card says: no word matches, or no prediction has an n-gram of some order."""
    words = [chr(ord("a") + number) for number in range(20)]
    ours, theirs = check_mteval([" ".join(words)], [" ".join(words).upper()])
    assert (ours, theirs) == (0.0, pytest.approx(0.00957, abs=5e-6))
    ours, theirs = check_mteval(["a b"], ["a b"])
    assert (ours, theirs) == (0.0, 1.0)


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


@ZERO_BLEU
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
    from tercet.metrics.bleu.options import interpretation

    assert interpretation(percent).startswith(band)


# ---------------------------------------------------------------- options that are not read, and a 0 that misleads


@pytest.mark.parametrize("method", ["floor", "add-k"])
@pytest.mark.parametrize("seed", range(4))
def test_a_smooth_value_of_0_is_sacrebleu_s(method, seed):
    check_sacrebleu(*awkward_corpus(seed, most=5), smooth_method=method, smooth_value=0)
    check_sacrebleu(["a b x c d", "a b"], [["a b y c d"], ["a b"]], smooth_method=method, smooth_value=0)


def test_a_smooth_value_of_0_is_nltk_s():
    predictions, references = ["a b x c d", "a b"], [["a b y c d"], ["a b"]]
    smoothing = nltk_bleu.SmoothingFunction(epsilon=0).method1
    split = [[text.split() for text in texts] for texts in references]
    expected = nltk_bleu.corpus_bleu(split, [text.split() for text in predictions], smoothing_function=smoothing)
    ours = score("bleu_multi", predictions, references, compat="nltk", smooth_method="nltk1", smooth_value=0)
    assert ours["bleu"] == pytest.approx(expected, abs=1e-12)
    for method in ("nltk4", "nltk6", "nltk7"):
        with pytest.raises(OptionError, match=rf"'smooth_value' must be above 0 for {method}"):
            score("bleu_multi", predictions, references, smooth_method=method, smooth_value=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "exp"},
        {"smooth_method": "nltk2"},
        {"smooth": True},
        {"compat": "evaluate", "smooth": True},
        {"compat": "nltk", "smooth_method": "nltk5"},
        {"grid": {"smooth_method": ["none", "exp"]}},
        {"grid": {"reference_length": ["closest"]}},
    ],
)
def test_a_smooth_value_that_nothing_reads_is_refused(options):
    with pytest.raises(OptionError, match=r"'smooth_value' is used only by the smoothing methods .* Got 0.5"):
        score("bleu_multi", ["a b c d"], ["a b c d"], smooth_value=0.5, **options)


def test_a_smooth_value_that_the_grid_reads_is_taken():
    predictions, references = all_pairs(("en",))
    rows = score("bleu_multi", predictions, references, smooth_value=0.4, grid=True)["grid"]
    (floor,) = (
        row["bleu"] for row in rows if (row["smooth_method"], row["reference_length"]) == ("floor", "closest")
    )
    assert floor == score("bleu_multi", predictions, references, smooth_method="floor", smooth_value=0.4)["bleu"]


LACKING = {
    "no 3-gram matches": ("a b x c d", "a b y c d", "order 3 matches (of order 1, 4 of 5 match)"),
    "no 4-gram there": ("a b c", "a b c", "no prediction has an n-gram of order 4 (of order 1, 3 of 3 match)"),
    "neither": ("a b x", "a b c", "order 3 matches (of order 1, 2 of 3 match)"),
    "кошка": ("кошка спит", "кошка лежит", "order 2 matches (of order 1, 1 of 2 match)"),
}


@pytest.mark.parametrize("case", LACKING)
@pytest.mark.parametrize("compat", [None, "evaluate", "nltk"])
def test_a_bleu_of_0_for_want_of_an_order_is_told_once_and_how_to_get_another(case, compat):
    prediction, reference, why = LACKING[case]
    with pytest.warns(UserWarning, match="BLEU is") as caught:
        result = score("bleu_multi", [prediction], [reference], compat=compat, segments=True)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert why in message
    assert result["bleu"] == pytest.approx(0, abs=1e-60)
    named = message.split("). ")[1].removesuffix(" gives such a corpus a nonzero score.").replace(" with ", ", ")
    ways = eval(f"dict({named})")  # what it says helps
    assert score("bleu_multi", [prediction], [reference], compat=compat, **ways)["bleu"] > 0.1


def test_a_named_weighting_of_0_is_told():
    with pytest.warns(UserWarning, match="no prediction has an n-gram of order 3"):
        result = score("bleu_multi", ["a b"], ["a b"], weights={"bleu2": [0.5, 0.5], "bleu3": [1 / 3] * 3})
    assert (result["bleu_bleu2"], result["bleu_bleu3"]) == (1.0, 0.0)


def test_nltk_warns_of_the_same_order():
    for prediction, reference, why in LACKING.values():
        with pytest.warns(UserWarning, match="0 counts of") as theirs:
            nltk_bleu.corpus_bleu([[reference.split()]], [prediction.split()])
        order = str(theirs[0].message).split("counts of ")[1].split("-gram")[0]
        assert f"order {order} " in why


@pytest.mark.parametrize(
    ("options", "prediction"),
    [
        ({}, "x y z"),  # nothing matches at all
        ({"smooth_method": "exp"}, "a b x y"),
        ({"smooth_method": "add-k"}, "a b"),
        ({"compat": "evaluate", "smooth": True}, "a b"),
        ({"compat": "nltk", "smooth_method": "nltk3"}, "a b"),
        ({"effective_order": True}, "a b"),
        ({"max_order": 2}, "a b"),
        ({"weights": [0.5, 0.5]}, "a b"),
        ({"weights": {"bleu1": [1], "bleu2": [0.5, 0.5]}}, "a b"),
    ],
)
def test_another_bleu_is_not_remarked_on(options, prediction):
    score("bleu_multi", [prediction], ["a b"], segments=True, **options)


@pytest.mark.parametrize(
    "options",
    [
        *({"smooth_method": "exp"}, {"smooth_method": "floor"}, {"smooth_method": "exp", "compat": "evaluate"}),
        *({"compat": "sacrebleu"}, {"weights": [0.5, 0, 0, 0.5]}),
    ],
)
@pytest.mark.parametrize("text", ["a b", "привет мир", "hello there!"])
def test_a_perfect_text_that_is_too_short_for_the_orders_says_why_its_bleu_is_0(options, text):
    """Smoothing gives an order without a match a precision, but not one without an n-gram: so in sacrebleu."""
    for more in ({}, {"segments": True}):
        with pytest.warns(UserWarning, match="BLEU is 0 only because the texts are short") as caught:
            assert score("bleu", [text], [text], **options, **more)["bleu"] == 0
        assert len(caught) == 1
    assert "effective_order=True gives" in str(caught[0].message)
    assert score("bleu", [text], [text], effective_order=True, **options)["bleu"] == pytest.approx(1)


def test_segments_of_0_are_not_remarked_on():
    result = score("bleu_multi", ["a b c d e", "a b", "x"], ["a b c d e", "a b", "x y"], segments=True, weights=[1])
    assert result["bleu"] > 0


@pytest.mark.parametrize(
    "options",
    [
        {}, {"max_order": 9}, {"effective_order": True}, {"weights": [0.5, 0.0, 0.5]}, {"compat": "nltk"},
        *({"smooth_method": method} for method in ("exp", "floor", "add-k", "nltk3")),
        {"smooth": True, "compat": "evaluate"},
    ],
)  # fmt: skip
def test_a_resample_scores_the_same_to_the_bit_beside_one_without_a_match(options):
    scorer = make_scorer("bleu_multi", options)
    n, columns = 500, len(scorer.columns)
    rows = np.random.default_rng(3).integers(1, 900, (n, columns)).astype(np.float64)
    rows = np.asfortranarray(rows)  # as the paired tests have them
    with_empty = np.asfortranarray(np.vstack([rows, np.zeros(columns)]))
    for name in scorer.score_names:
        assert scorer.finalize(rows)[name].tolist() == scorer.finalize(with_empty)[name][:-1].tolist()
