"""bleu_multi against sacrebleu, NLTK and evaluate's bleu, called on the same texts."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import bleu_score as nltk_bleu

import tercet
from conftest import ANY_TEXTS, ZERO_BLEU
from oracles import corpus_streams, evaluate_bleu
from tercet import OptionError, score
from tercet.api import make_scorer
from tercet.metrics.bleu.messages import interpretation
from texts import all_pairs, any_texts, awkward_corpus, corpora

SEEDS = range(12)
near = partial(pytest.approx, abs=1e-12)


def test_bleu_is_the_geometric_mean_of_the_shares_of_n_grams_that_match():
    found = score("bleu", ["the cat sat on the mat"], ["the cat sat on a mat"])
    assert found["precisions"] == near([5 / 6, 3 / 5, 2 / 4, 1 / 3])  # of 1, 2, 3 and 4 words
    assert found["bleu"] == near((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))


def test_a_prediction_that_is_too_short_has_a_brevity_penalty():
    found = score("bleu", ["the cat sat on the"], ["the cat sat on the mat"])
    assert found["precisions"] == [1, 1, 1, 1]
    assert found["bleu"] == found["brevity_penalty"] == near(math.exp(1 - 6 / 5))


def check_sacrebleu(predictions, references, **options):
    ours = score("bleu_multi", predictions, references, compat="sacrebleu", segments=True, **options)
    names = {"tokenizer": "tokenize", "max_order": "max_ngram_order"}
    theirs = {names.get(name, name): value for name, value in options.items()}
    metric = sacrebleu.BLEU(**theirs)
    expected = metric.corpus_score(predictions, corpus_streams(references))
    assert ours["bleu"] == pytest.approx(expected.score / 100, abs=1e-9)
    assert ours["precisions"] == pytest.approx([each / 100 for each in expected.precisions], abs=1e-9)
    assert ours["brevity_penalty"] == pytest.approx(expected.bp, abs=1e-12)
    assert (ours["translation_length"], ours["reference_length"]) == (expected.sys_len, expected.ref_len)
    if options.get("smooth_method") != "add-k":  # which leaves its additions in the counts
        assert ours.counts == expected.counts
        assert ours.totals == expected.totals
    if theirs.get("smooth_method") == "none":
        theirs["smooth_method"] = "exp"
    by_sentence = sacrebleu.BLEU(**{**theirs, "effective_order": True})
    sentences = [by_sentence.sentence_score(*pair).score / 100 for pair in zip(predictions, references, strict=True)]
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-9)


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "zh", "char", "none"])
def test_equals_sacrebleu_in_every_language(tokenizer):
    for lowercase in (False, True):
        check_sacrebleu(*all_pairs(), tokenizer=tokenizer, lowercase=lowercase)


SMOOTHED = [
    {}, {"smooth_method": "none"}, {"smooth_method": "floor"}, {"smooth_method": "add-k"},
    {"smooth_method": "floor", "smooth_value": 0.4}, {"smooth_method": "floor", "smooth_value": 0},
    {"smooth_method": "add-k", "smooth_value": 0}, {"smooth_method": "add-k", "smooth_value": 2, "max_order": 2},
    {"effective_order": True, "max_order": 6}, {"tokenizer": "none", "lowercase": True, "max_order": 1},
]  # fmt: skip


@ANY_TEXTS
@ZERO_BLEU
@pytest.mark.parametrize("options", SMOOTHED, ids=str)
def test_equals_sacrebleu_on_awkward_texts(options):
    for seed in SEEDS:
        check_sacrebleu(*awkward_corpus(seed, most=(5, 40, 150)[seed % 3]), **options)
    check_sacrebleu(["a b x c d", "a b"], [["a b y c d"], ["a b"]], **options)


@ANY_TEXTS
@ZERO_BLEU
@settings(max_examples=150)
@given(corpora(any_texts), corpora(), st.sampled_from(SMOOTHED))
def test_equals_sacrebleu_on_any_text(corpus, of_few_words, options):
    check_sacrebleu(*corpus)
    check_sacrebleu(*of_few_words, **{"tokenizer": "none", **options})


#: Few matches: orders without one in some or in all, short texts among them.
FEW_MATCHES = {
    "en": (["the ferry left early today", "no"], [["the ferry sails late today", "it left early"], ["no"]]),
    "es": (["el tren sale a las nueve", "hola"], [["a las diez sale el tren"], ["buenos días"]]),
    "ru": (["кошка спит на окне ."], [["на окне лежит рыжая кошка .", "кошка спит"]]),
    "ar": (["القطار يغادر في التاسعة"], [["يغادر القطار في العاشرة"]]),
    "too short": (["вода"], [["вода"]]),
    "nothing": (["uno dos tres cuatro cinco"], [["six seven eight nine ten"]]),
}


@ZERO_BLEU
@pytest.mark.parametrize("corpus", [*FEW_MATCHES.values(), awkward_corpus(3), all_pairs()], ids=str)
def test_without_options_it_is_sacrebleu_without_options(corpus):
    predictions, references = corpus
    theirs = sacrebleu.BLEU()
    expected = sacrebleu.corpus_bleu(predictions, corpus_streams(references))
    assert theirs.corpus_score(predictions, corpus_streams(references)).score == expected.score
    sentences = [sacrebleu.sentence_bleu(*pair).score for pair in zip(predictions, references, strict=True)]
    for scale in (1, 100):
        result = score("bleu_multi", predictions, references, scale=scale, segments=True)
        assert result["bleu"] == pytest.approx(expected.score * scale / 100, abs=1e-9)
        assert result["segments"]["bleu"] == pytest.approx([each * scale / 100 for each in sentences], abs=1e-9)
        if scale == 100:  # the same bits
            assert (result["bleu"], result["segments"]["bleu"]) == (expected.score, sentences)
        theirs_says, ours_says = str(theirs.get_signature()).split("|"), result.signature.split("|")
        assert {"case:mixed", "eff:no", "tok:13a", "smooth:exp"} <= {*theirs_says} & {*ours_says}
        assert "equals:sacrebleu" in ours_says


def test_a_small_file_has_a_bleu_by_every_door(tmp_path):
    """Whose texts have no 4-gram in common: the score of sacrebleu, not 0."""
    predictions, references = FEW_MATCHES["ru"]
    expected = pytest.approx(sacrebleu.corpus_bleu(predictions, corpus_streams(references)).score, abs=1e-9)
    assert expected != 0
    assert tercet.Bleu(scale=100)(predictions, references)["bleu"] == expected
    assert tercet.scorer("bleu", scale=100)(predictions, references)["bleu"] == expected
    module = tercet.load("bleu_multi")
    assert module.compute(predictions=predictions, references=references, scale=100)["bleu"] == expected
    stream = tercet.Stream("bleu", scale=100)
    stream.add(predictions, references)
    assert stream.result()["bleu"] == expected
    compared = tercet.compare({"A": predictions, "B": predictions}, references=references, test=None)
    assert [row.value for row in compared.tables[0].rows] == [expected, expected]
    stream.save(tmp_path / "saved.stream")
    assert tercet.Stream.load(tmp_path / "saved.stream").result()["bleu"] == expected


def test_without_smoothing_and_with_one_reference_it_is_evaluate():
    predictions, references = all_pairs()
    single = [texts[:1] for texts in references]
    expected = evaluate_bleu(predictions, single, smooth=False)
    ours = score("bleu_multi", predictions, single, smooth_method="none")
    assert {key: ours[key] for key in expected} == {key: near(value) for key, value in expected.items()}


#: Of which every method is defined, the sixth too.
LONG_ENOUGH = (
    ["the cat sat on the mat today .", "a dog ran after the red ball ."],
    [["the cat sat on the mat .", "the cat sat"], ["a dog ran after a red ball today"]],
)


def check_nltk(predictions, references, method, weights=(0.25,) * 4, smoothing=None, **options):
    function = getattr(smoothing or nltk_bleu.SmoothingFunction(), f"method{method}")
    split = [[text.split() for text in texts] for texts in references]
    tokens = [text.split() for text in predictions]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = nltk_bleu.corpus_bleu(split, tokens, weights, function)
        sentences = [nltk_bleu.sentence_bleu(*each, weights, function) for each in zip(split, tokens, strict=True)]
    options |= {"weights": weights, "max_order": len(weights), "compat": "nltk"}
    options |= {"smooth_method": f"nltk{method}"} if method else {}
    ours = score("bleu_multi", predictions, references, segments=True, **options)
    assert ours["bleu"] == pytest.approx(corpus, abs=1e-9)
    assert ours["segments"]["bleu"] == pytest.approx(sentences, abs=1e-9)
    return corpus


@ANY_TEXTS
@ZERO_BLEU
@pytest.mark.parametrize("method", range(8))
def test_equals_nltk_with_each_of_its_smoothing_methods(method):
    corpus = check_nltk(*LONG_ENOUGH, method)
    for chosen in ("none", "nltk6"):
        rows = score("bleu_multi", *LONG_ENOUGH, compat="nltk", smooth_method=chosen, grid=True)["grid"]
        found = {row["smooth_method"]: row["bleu"] for row in rows if row["reference_length"] == "closest"}
        assert found[f"nltk{method}" if method else "none"] == pytest.approx(corpus, abs=1e-12)
    for seed in SEEDS if method != 6 else ():
        check_nltk(*awkward_corpus(seed, n_items=5, most=(5, 40)[seed % 2]), method)


@pytest.mark.parametrize("weights", [(1,), (0.5, 0.5), (0.4, 0.3, 0.2, 0.1), (0, 0, 0, 1), (0.2,) * 5])
def test_equals_nltk_with_weights(weights):
    check_nltk(*all_pairs(("en", "es", "de")), 1, weights)


def test_a_smooth_value_of_0_is_nltk_s():
    corpus = ["a b x c d", "a b"], [["a b y c d"], ["a b"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_nltk(*corpus, 1, smoothing=nltk_bleu.SmoothingFunction(epsilon=0), smooth_value=0)
    for method in ("nltk4", "nltk6", "nltk7"):
        with pytest.raises(OptionError, match=rf"'smooth_value' must be above 0 for {method}"):
            score("bleu_multi", *corpus, smooth_method=method, smooth_value=0)


@pytest.mark.parametrize("smooth", [False, True])
def test_equals_evaluate_and_its_smoothing_in_segments_and_grids(smooth):
    for corpus in (*map(awkward_corpus, SEEDS), (["hello there"], [["good bye"]])):
        expected = evaluate_bleu(*corpus, smooth)
        options = {"compat": "evaluate", "smooth": smooth, "segments": True}
        ours = score("bleu_multi", *corpus, grid={"reference_length": ["shortest"]}, **options)
        for key, value in expected.items():
            assert ours[key] == near(value), key
        (row,) = ours["grid"]
        assert (row["smooth_method"], row["bleu"]) == ("add-one" if smooth else "none", ours["bleu"])
        for text, texts, value in zip(*corpus, ours["segments"]["bleu"] if smooth else corpus[0], strict=True):
            try:
                alone = evaluate_bleu([text], [texts], smooth=True)["bleu"]
            except ZeroDivisionError:  # the shortest reference has no word
                alone = 0.0
            assert not smooth or value == pytest.approx(alone, abs=1e-12)
    if smooth:  # it means the same everywhere, and makes no score of no words
        assert score("bleu_multi", *corpus, smooth=True)["bleu"] == pytest.approx(expected["bleu"], abs=1e-15)
        nothing = score("bleu_multi", ["", "x"], ["a b", ""], smooth=True, compat="evaluate", segments=True)
        alone = score("bleu_multi", ["a"], [[]], smooth=True, missing_references="zero", segments=True)
        assert (nothing["segments"]["bleu"], alone["bleu"], alone["segments"]["bleu"]) == ([0.0, 0.0], 0.0, [0.0])


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


@ZERO_BLEU
def test_equals_mteval_but_where_that_has_a_score_and_sacrebleu_has_0():
    """As the card says: no word matches, or no prediction has an n-gram of some order."""
    words = [" ".join("abcdefghijklmnopqrst")]
    corpora = [awkward_corpus(seed, most=150) for seed in SEEDS]
    for predictions, references in (*corpora, (words, [words[0].upper()]), (["a b"], ["a b"])):
        ours = score("bleu_multi", predictions, references)
        keys = ("counts", "totals", "translation_length", "reference_length")
        table = ours.to_dict(full=True)  # it preserves case (-c)
        theirs = mteval_score(*(table[key] for key in keys))
        if ours["bleu"]:
            assert ours["bleu"] == pytest.approx(theirs, abs=1e-12)
        else:
            assert theirs == pytest.approx(0.00957 if predictions == words else 1.0, abs=5e-6)


def test_the_grid_and_named_weights_in_one_pass_equal_as_many_calls():
    predictions, references = all_pairs()
    schemes = {"uniform": (0.25,) * 4, "low": (0.7, 0.3), "bleu1": (1,)}
    methods, lengths = ["none", "exp", "floor", "nltk1"], ["closest", "shortest", "average"]
    grid = {"weights": schemes, "smooth_method": methods, "reference_length": lengths}
    result = score("bleu_multi", predictions, references, grid=grid, weights=schemes, smooth_value=None)
    assert len(result["grid"]) == 3 * 4 * 3
    for row in result["grid"]:
        options = {key: row[key] for key in ("smooth_method", "reference_length")}
        alone = score("bleu_multi", predictions, references, weights=schemes[row["weights"]], **options)
        assert row["bleu"] == alone["bleu"]
        if (row["smooth_method"], row["reference_length"]) == ("exp", "closest"):
            assert result[f"bleu_{row['weights']}"] == alone["bleu"]
    assert result["bleu"] == result["bleu_uniform"]
    rows = score("bleu_multi", predictions, references, smooth_value=0.4, grid=True)["grid"]
    options = {"smooth_method": "floor", "reference_length": "closest"}
    (floor,) = (row["bleu"] for row in rows if options.items() <= row.items())
    assert floor == score("bleu_multi", predictions, references, smooth_value=0.4, **options)["bleu"]


def test_the_reference_length_is_the_closest_the_shortest_or_the_average():
    references = [["a b c", "a b c d e f g", "a b c d e f g h i j"]]
    for rule, length in {"closest": 3, "shortest": 3, "average": 20 / 3}.items():  # of 3 and 7 the shorter
        found = score("bleu_multi", ["a b c d e"], references, reference_length=rule)
        assert found["reference_length"] == length


def test_a_text_too_short_for_the_only_order_with_a_weight_scores_zero_as_a_segment():
    """Effective order gives the weight of orders that are left out to the others: here none of these has any."""
    for text in ("кот тут есть", "a b c"):
        of_fourth_order = tercet.Bleu(weights=[0, 0, 0, 1])
        assert of_fourth_order.segments([text], [text]) == {"bleu": [0.0]}
        assert of_fourth_order.segments([f"{text} d"], [f"{text} d"]) == {"bleu": [1.0]}


@ZERO_BLEU
def test_a_perfect_short_sentence_scores_one_as_a_segment():
    result = score("bleu_multi", ["yes", "a cat"], ["yes", "a cat"], segments=True)
    assert (result["bleu"], result["segments"]["bleu"]) == (0.0, [1.0, 1.0])


def test_a_percent_is_interpreted_by_its_band():
    bands = {0: "0-10: almost useless", 9.9: "0-10", 10: "10-20", 35: "30-40", 59.9: "50-60", 60: "over 60"}
    assert all(interpretation(percent).startswith(band) for percent, band in bands.items())


@pytest.mark.parametrize(
    "options",
    [
        {}, {"smooth_method": "exp"}, {"smooth_method": "nltk2"}, {"smooth": True},
        {"compat": "evaluate", "smooth": True}, {"compat": "nltk", "smooth_method": "nltk5"},
        {"grid": {"smooth_method": ["none", "exp"]}}, {"grid": {"reference_length": ["closest"]}},
    ],
)  # fmt: skip
def test_a_smooth_value_that_nothing_reads_is_refused(options):
    with pytest.raises(OptionError, match=r"'smooth_value' is used only by the smoothing methods .* Got 0.5"):
        score("bleu_multi", ["a b c d"], ["a b c d"], smooth_value=0.5, **options)


LACKING = {
    "no 3-gram matches": ("a b x c d", "a b y c d", "order 3 matches (of order 1, 4 of 5 match)"),
    "no 4-gram there": ("a b c", "a b c", "no prediction has an n-gram of order 4 (of order 1, 3 of 3 match)"),
    "neither": ("a b x", "a b c", "order 3 matches (of order 1, 2 of 3 match)"),
    "кошка": ("кошка спит", "кошка лежит", "order 2 matches (of order 1, 1 of 2 match)"),
}


@pytest.mark.parametrize("case", LACKING)
@pytest.mark.parametrize("options", [{"smooth_method": "none"}, {"compat": "evaluate"}, {"compat": "nltk"}], ids=str)
def test_a_bleu_of_0_for_want_of_an_order_is_named_once_and_how_to_get_another(case, options):
    prediction, reference, why = LACKING[case]
    with pytest.warns(UserWarning, match="BLEU is") as caught:
        result = score("bleu_multi", [prediction], [reference], segments=True, **options)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert why in message
    assert result["bleu"] == pytest.approx(0, abs=1e-60)
    named = message.split("). ")[1].removesuffix(" gives such a corpus a nonzero score.").replace(" with ", ", ")
    ways = eval(f"dict({named})")  # what it says helps
    assert score("bleu_multi", [prediction], [reference], **{**options, **ways})["bleu"] > 0.1


def test_a_named_weighting_of_0_is_reported():
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
        ({}, "x y z"), ({}, "a b x y"), ({"smooth_method": "none"}, "x y z"), ({"smooth_method": "add-k"}, "a b"),
        ({"compat": "evaluate", "smooth": True}, "a b"), ({"compat": "nltk", "smooth_method": "nltk3"}, "a b"),
        ({"effective_order": True}, "a b"), ({"max_order": 2}, "a b"), ({"weights": [0.5, 0.5]}, "a b"),
        ({"weights": {"bleu1": [1], "bleu2": [0.5, 0.5]}}, "a b"), ({"weights": [1]}, "x a"),
    ],
)  # fmt: skip
def test_another_bleu_is_not_remarked_on(options, prediction):
    score("bleu_multi", [prediction], ["a b"], segments=True, **options)


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_smoothing_by_a_value_of_0_is_none(method):
    def scores(**options):
        with pytest.warns(UserWarning, match="BLEU is 0 only because no n-gram of order 4 matches") as caught:
            return dict(score("bleu", ["a b c d e"], ["a b c x e"], signature=False, **options)), len(caught)

    assert scores(smooth_method=method, smooth_value=0) == scores(smooth_method="none")


@pytest.mark.parametrize(
    "options",
    [
        {}, {"smooth_method": "none"}, {"smooth_method": "floor"}, {"smooth_method": "exp", "compat": "evaluate"},
        {"compat": "sacrebleu"}, {"weights": [0.5, 0, 0, 0.5]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["a b", "привет мир", "hello there!"])
def test_a_perfect_text_that_is_too_short_for_the_orders_says_why_its_bleu_is_0(options, text):
    """Smoothing gives an order without a match a precision, but not one without an n-gram: so in sacrebleu."""
    for more in ({}, {"segments": True}):
        with pytest.warns(UserWarning, match="BLEU is 0 only because the texts are short in tokens") as caught:
            assert score("bleu", [text], [text], **options, **more)["bleu"] == 0
        assert len(caught) == 1
    assert "effective_order=True gives" in str(caught[0].message)
    assert score("bleu", [text], [text], effective_order=True, **options)["bleu"] == pytest.approx(1)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"max_order": 9}, {"effective_order": True}, {"weights": [0.5, 0.0, 0.5]}, {"compat": "nltk"},
        *({"smooth_method": method} for method in ("none", "floor", "add-k", "nltk3")),
        {"smooth": True, "compat": "evaluate"},
    ],
)  # fmt: skip
def test_a_resample_scores_the_same_to_the_bit_beside_one_without_a_match(options):
    scorer = make_scorer("bleu_multi", options)
    rows = np.random.default_rng(3).integers(1, 900, (500, len(scorer.columns))).astype(np.float64)
    rows = np.asfortranarray(rows)  # as the paired tests have them
    with_empty = np.asfortranarray(np.vstack([rows, np.zeros_like(rows[:1])]))
    for name in scorer.score_names:
        assert scorer.finalize(rows)[name].tolist() == scorer.finalize(with_empty)[name][:-1].tolist()


def test_a_perfect_text_is_explained_by_a_score_of_one_at_any_scale():
    for scale in (1, 100):
        explained = tercet.explain("bleu", "a b c d", "a b c d", scale=scale)
        assert (explained.score, explained.precisions) == (1.0, [1.0] * 4)


@ZERO_BLEU
def test_scripts_without_spaces_are_warned_of_where_the_tokenizer_cannot_split_them():
    for text in ("今天天气很好", "私は毎朝お茶を飲みます", "แมวนอนบนเสื่อ"):
        with pytest.warns(UserWarning, match="scripts written without spaces") as caught:
            score("bleu_multi", [text], [text])
        assert caught[0].filename == __file__  # the line of the caller, so that each call is heard
        score("bleu_multi", [text], [text], tokenizer="char")


@ZERO_BLEU
@pytest.mark.parametrize(
    ("text", "language"),
    [("ฉันรักแมวมาก นะ", "Thai"), ("ຂ້ອຍຮັກແມວ", "Lao"), ("ខ្ញុំស្រឡាញ់ឆ្មា", "Khmer"), ("ကျွန်တော်ကြောင်ချစ်တယ်", "Burmese")],
)
@pytest.mark.parametrize("tokenizer", ["13a", "zh"])
@pytest.mark.parametrize("as_column", [list, iter])
def test_languages_that_no_tokenizer_is_named_after_get_one_that_splits_them(text, language, tokenizer, as_column):
    texts = [text] * 3
    with pytest.warns(UserWarning, match=rf"\({language}\)\. Give tokenizer='char' or 'unicode'\."):
        score("bleu", as_column(texts), as_column(texts), tokenizer=tokenizer)
    for better in ("char", "unicode"):
        assert score("bleu", texts, texts, tokenizer=better)["bleu"] == pytest.approx(1)


def test_chinese_is_split_by_its_tokenizer_without_a_word(recwarn):
    score("bleu", ["我们今天去公园散步吧"] * 3, ["我们今天去公园散步吧"] * 3, tokenizer="zh")
    assert not recwarn


def test_nltk_has_no_smoothing_of_others():
    for options in ({"smooth_method": "exp"}, {"smooth": True}, {"grid": {"smooth_method": ["floor"]}}):
        with pytest.raises(OptionError, match="smoothing methods that NLTK has"):
            score("bleu_multi", ["a b"], ["a b"], compat="nltk", **options)


@ZERO_BLEU
def test_the_grid_names_its_weights():
    for options, name in (
        ({"grid": True}, "uniform"), ({"grid": True, "weights": [1]}, "1"),
        ({"grid": {"weights": {"uniform": [0.5, 0.5]}}}, "uniform"),
    ):  # fmt: skip
        assert {row["weights"] for row in score("bleu_multi", ["a b"], ["a b"], **options)["grid"]} == {name}


def test_only_the_usual_bleu_is_interpreted():
    for options in ({"weights": [1]}, {"max_order": 1}, {"tokenizer": "char"}, {"smooth_method": "nltk5"}):
        assert score("bleu_multi", ["a b c d"], ["a b c d"], **options).interpretation is None
