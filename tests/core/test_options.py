"""Options: each wrong name and value is refused with what was expected; the cases come from the declarations."""

import json
import re

import evaluate
import numpy as np
import pytest

import tercet
from conftest import ZERO_BLEU, needed
from tercet import OptionError, TercetError
from tercet.api import make_scorer
from tercet.comparison.metric_specs import parse_metric
from tercet.errors import shorten
from tercet.metrics.bertscore.metric import BertScore
from tercet.metrics.bleu.metric import Bleu
from tercet.metrics.rouge.metric import Rouge

SCORERS = (Bleu, Rouge, BertScore)
PREDICTIONS = ["the cat sat on the mat today", "a dog barks at the cats"]
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks at the cats"]]


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


def score(metric, **options):
    return tercet.score(metric, PREDICTIONS, REFERENCES, **{**needed(metric), **options})


each_option = pytest.mark.parametrize(
    ("metric", "option"),
    [(each.name, name) for each in SCORERS for name in each.all_options()],
)

#: Right for some options, wrong for others, and in the way of careless checks.
ODD_VALUES = [
    None, True, -1, 0, 1, 100, 10**400, 1e200, 0.5, float("nan"), float("inf"), 3j, "", "x", "porter", b"", b"x",
    [], ["x"], [None], [1], [float("inf")], (0.5, 0.5), {}, {"x": 1}, {"x": [1]}, {1: 2}, set(), range(3), Ellipsis,
    np.array(1), np.array([1, 2]), {"weights": 1}, {"smooth_method": None}, {"smooth_method": ["x"]},
    {"reference_length": 7}, ["rouge1", None], "rougeS" + "9" * 30, "rougeW1000",
]  # fmt: skip


@each_option
def test_any_option_refuses_an_object_and_says_what_it_takes(metric, option):
    with pytest.raises(OptionError, match=rf"'{option}' option of {metric} must be .*<object object"):
        score(metric, **{option: object()})


@each_option
@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: repr(value)[:24])
def test_any_value_is_taken_with_finite_scores_or_refused_by_the_option_s_name(metric, option, value):
    refusal = option
    others = {"confidence_level": 0.9} if option in ("n_resamples", "seed") else {}  # without, they do nothing
    try:
        json.dumps(score(metric, **others, **{option: value}), allow_nan=False)
    except OptionError as error:
        refusal = str(error)
    assert option in refusal


@each_option
def test_any_default_may_be_written_out(metric, option):
    made = make_scorer(metric, needed(metric))
    default = getattr(made if option in made.options() else made.asked, option)
    assert score(metric, **{option: default}) == score(metric)


@pytest.mark.parametrize(
    ("metric", "option", "value", "message"),
    [
        ("bleu_multi", "max_order", 0, "'max_order' option of bleu_multi must be an integer from 1"),
        ("bleu_multi", "max_order", 4.0, "must be an integer from 1 to 20. Got 4.0 instead."),
        ("bleu_multi", "max_order", True, "must be an integer from 1 to 20. Got True instead."),
        (
            "bleu_multi",
            "confidence_level",
            95,
            "a number above 0 and below 1, such as 0.95, or None. Got 95 instead.",
        ),
        ("bleu_multi", "scale", 10, "1 (scores from 0 to 1) or 100 (percent). Got 10 instead."),
        ("bleu_multi", "n_resamples", 0, "an integer from 1 to 1,000,000. Got 0 instead."),
        ("bleu_multi", "seed", -1, "an integer of at least 0. Got -1 instead."),
        ("bleu_multi", "segments", 1, "'segments' option of bleu_multi must be True or False. Got 1 instead."),
        ("bleu_multi", "missing_references", "ignore", "one of 'error', 'skip', 'zero'. Got 'ignore' instead."),
        ("bleu_multi", "tokenizer", "13b", "Got '13b' instead. Did you mean '13a'?"),
        ("bleu_multi", "compat", "sacreblue", "Got 'sacreblue' instead. Did you mean 'sacrebleu'?"),
        ("bleu_multi", "smooth_method", "addk", "Got 'addk' instead. Did you mean 'add-k'?"),
        ("bleu_multi", "smooth_value", -1, "a number from 0 to 1000, or None. Got -1 instead."),
        ("bleu_multi", "weights", "uniform", "'weights' option of bleu_multi must be a sequence of weights"),
        ("bleu_multi", "weights", [0.5, "0.5"], "'weights' option of bleu_multi must be a sequence of weights"),
        ("bleu_multi", "weights", [1e300, 1], "with a sum of at most 100, or a dict"),
        ("bleu_multi", "weights", [1, -1], "none negative and not all 0"),
        ("bleu_multi", "weights", [0, 0], "none negative and not all 0"),
        ("bleu_multi", "weights", [1, float("inf")], "'weights' option of bleu_multi must be a sequence"),
        ("bleu_multi", "weights", [], "Got [] instead."),
        ("bleu_multi", "weights", b"xy", "Got b'xy' instead."),
        ("bleu_multi", "weights", {0.5}, "Got {0.5} instead."),
        ("bleu_multi", "weights", frozenset([0.5]), "Got frozenset({0.5}) instead."),
        ("bleu_multi", "weights", {"flat": {0.5: 1}}, "Got {'flat': {0.5: 1}} instead."),
        ("bleu_multi", "weights", iter([1, "x"]), "'weights' option of bleu_multi must be a sequence of weights"),
        ("bleu_multi", "n_resamples", 10**7, "an integer from 1 to 1,000,000. Got 10000000 instead."),
        ("bleu_multi", "seed", 10**5000, "an integer below 2**63. Got <int of about 5,001 digits> instead."),
        ("rouge_nlws", "max_words", 10**5000, "an integer below 2**63. Got <int of about 5,001 digits> instead."),
        ("bleu_multi", "weights", {"": [1]}, "named ones (each name once, not empty"),
        ("bleu_multi", "weights", {"flat": 1}, "or a dict of named ones (each name once"),
        ("bleu_multi", "weights", {f"w{i}": [1] for i in range(101)}, "at most 100 named weights, as each is one"),
        ("bleu_multi", "weights", {f"w{i}": [1] for i in range(2000)}, "of every item; this one has 2,000. Got"),
        ("bleu_multi", "grid", {"weights": {f"w{i}": [1] for i in range(101)}}, "at most 100 named weights"),
        ("bleu_multi", "grid", {"smooth_method": ["exp", "floor", "exp"]}, "lists name each value once"),
        ("bleu_multi", "grid", {"reference_length": ["closest"] * 10_000}, "lists name each value once"),
        ("bleu_multi", "grid", {"tokenizer": ["13a"]}, "a dict with any of the keys 'weights', 'smooth_method'"),
        ("bleu_multi", "stemmer", "klingon", "The 'stemmer' option knows no language 'klingon'."),
        ("bleu_multi", "lemmatizer", "klingon", "'lemmatizer' option takes a language code"),
        ("rouge_nlws", "rouge_types", ["rouge0"], "has no type 'rouge0'. Did you mean 'rouge"),
        ("rouge_nlws", "rouge_types", ["rougeX"], "The forms are rouge1 to rouge9, rougeL, rougeLsum, rougeW["),
        (
            "rouge_nlws",
            "rouge_types",
            ["rougeW0.5"],
            "The forms are rouge1 to rouge9, rougeL, rougeLsum, rougeW[weight",
        ),
        ("rouge_nlws", "rouge_types", ["rouge1", "rougeL", "rouge1"], "names 'rouge1' twice"),
        ("rouge_nlws", "rouge_types", [], "must be a list of at least one name, got []"),
        ("rouge_nlws", "beta", 0, "must be a number above 0 and up to 1000. Got 0 instead."),
        ("rouge_nlws", "beta", "1", "must be a number above 0 and up to 1000. Got '1' instead."),
        ("rouge_nlws", "output", "f1", "one of 'precision', 'recall', 'fmeasure', 'all'. Got 'f1' instead."),
        ("rouge_nlws", "max_words", 0, "an integer of at least 1 or None. Got 0 instead."),
        ("rouge_nlws", "multi_ref", "bests", "Got 'bests' instead. Did you mean 'best'?"),
        ("rouge_nlws", "stopwords", "klingon", "one of the language codes"),
        ("rouge_nlws", "stopwords", ["the", 7], "must be a collection of words, a language code, 'smart'"),
        ("rouge_nlws", "tokenizer", "intl", "one of 'auto', 'rouge', 'unicode'"),
    ],
    ids=lambda value: shorten(value, 24),
)
def test_a_wrong_value_is_shown_beside_what_was_expected(metric, option, value, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        score(metric, **{option: value})


def test_the_choices_are_named_once():
    with pytest.raises(OptionError, match=r"Got 'words' instead\.$"):
        score("bleu_multi", tokenizer="words")


def test_a_hundred_named_weights_are_taken():
    weights = {f"w{order}": [0] * order + [1] for order in range(4)} | {f"v{i}": [1 + i] for i in range(96)}
    result = score("bleu_multi", weights=weights)
    assert sum(name.startswith("bleu_") for name in result) == 100


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
@pytest.mark.parametrize("option", ["tokenizer", "stemmer", "lemmatizer"])
@pytest.mark.parametrize("returned", [None, 7, [7]])
def test_a_function_that_does_not_return_text_is_refused(metric, option, returned):
    with pytest.raises(TercetError, match=f"{option} .*must return"):
        score(metric, **{option: lambda text: returned})


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("bleu_multi", {"smooth": True, "smooth_method": "exp"}, "exclude each other"),
        ("bleu_multi", {"stemmer": "porter", "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"stemmer": "porter", "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"use_stemmer": True, "stemmer": "porter"}, "exclude each other"),
        ("rouge_nlws", {"use_stemmer": True, "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"max_words": 10, "max_bytes": 75}, "exclude each other"),
        ("bleu_multi", {"weights": [0.2] * 5}, "has 5 weights, but max_order is 4: set max_order=5"),
        ("bleu_multi", {"weights": {"long": [0.5] * 2}, "max_order": 1}, "has 2 weights, but max_order is 1"),
        ("rouge_nlws", {"compat": "rouge155", "multi_ref": "jackknife"}, "ROUGE-1.5.5 has no jackknife"),
    ],
)
def test_options_that_contradict_each_other_are_refused(metric, options, message):
    with pytest.raises(OptionError, match=message) as refusal:
        score(metric, **options)
    assert all(name in str(refusal.value) for name in options)


@pytest.mark.parametrize(
    ("metric", "given", "plain"),
    [
        ("bleu_multi", {"max_order": np.int64(2)}, {"max_order": 2}),
        ("bleu_multi", {"weights": np.array([0.5, 0.5])}, {"weights": (0.5, 0.5)}),
        ("bleu_multi", {"smooth_value": np.float32(0.5), "smooth_method": "floor"}, {"smooth_value": 0.5}),
        ("bleu_multi", {"lowercase": np.True_}, {"lowercase": True}),
        ("rouge_nlws", {"scale": np.float64(100)}, {"scale": 100}),
        ("rouge_nlws", {"beta": np.float32(2)}, {"beta": 2}),
        ("rouge_nlws", {"max_words": np.uint8(3)}, {"max_words": 3}),
        ("rouge_nlws", {"rouge_types": np.array(["rouge1", "rougeL"])}, {"rouge_types": ["rouge1", "rougeL"]}),
        (
            "rouge_nlws",
            {"confidence_level": np.float64(0.9), "seed": np.int32(7)},
            {"confidence_level": 0.9, "seed": 7},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else value,
)
def test_numpy_scalars_are_numbers(metric, given, plain):
    result = score(metric, **given)
    assert result == score(metric, **{**given, **plain})
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize(
    ("metric", "misspelt", "meant"),
    [
        ("bleu_multi", "smooth_metod", "smooth_method"),
        ("bleu_multi", "Max_Order", "max_order"),
        ("bleu_multi", "tokeniser", "tokenizer"),
        ("rouge_nlws", "use_stemer", "use_stemmer"),
        ("rouge_nlws", "rouge_type", "rouge_types"),
        ("rouge_nlws", "stop_words", "stopwords"),
    ],
)
class TestAMisspeltNameGetsTheNearestOne:
    def test_by_score(self, metric, misspelt, meant):
        with pytest.raises(OptionError, match=f"{metric} has no option '{misspelt}'. Did you mean '{meant}'?"):
            score(metric, **{misspelt: 1})

    def test_by_the_module(self, metric, misspelt, meant):
        with pytest.raises(OptionError, match=f"{metric} has no option '{misspelt}'. Did you mean '{meant}'?"):
            tercet.load(metric).compute(predictions=PREDICTIONS, references=REFERENCES, **{misspelt: 1})


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
def test_a_name_like_no_other_gets_all_names(scorer):
    with pytest.raises(OptionError, match="Known: ") as refusal:
        score(scorer.name, qqq=1)
    assert all(name in str(refusal.value) for name in scorer.all_options())


@pytest.mark.parametrize("ask", [score, tercet.load])
def test_an_unknown_metric_gets_the_nearest_one(ask):
    with pytest.raises(OptionError, match=r"There is no metric 'blue_multi'. Did you mean 'bleu_multi'\?"):
        ask("blue_multi")


@pytest.mark.parametrize("ask", [score, tercet.load, parse_metric])
def test_a_package_gets_the_metric_of_its_numbers(ask):
    with pytest.raises(OptionError, match="Its scores are those of bleu_multi with compat='sacrebleu'"):
        ask("sacrebleu")


@pytest.mark.parametrize(
    ("metric", "option"),
    [("bleu_multi", {"rouge_types": ["rouge1"]}), ("rouge_nlws", {"max_order": 2})],
)
class TestAnOptionOfASibling:
    def test_is_ignored_by_a_module_as_combine_sends_it_to_all(self, metric, option):
        module = tercet.load(metric)
        assert module.compute(predictions=PREDICTIONS, references=REFERENCES, **option) == score(metric)

    def test_is_refused_by_score(self, metric, option):
        with pytest.raises(OptionError, match=f"{metric} has no option {next(iter(option))!r}"):
            score(metric, **option)


def test_an_option_of_nobody_is_refused_by_combined_modules():
    combined = evaluate.combine([tercet.load("bleu_multi"), tercet.load("rouge_nlws")])
    with pytest.raises(OptionError, match="Did you mean 'segments'"):
        combined.compute(predictions=PREDICTIONS, references=REFERENCES, segmets=True)


class TestAPresetYieldsToWhatTheUserWrites:
    @pytest.mark.parametrize(
        ("scorer", "compat", "option"),
        [
            (each, compat, option)
            for each in SCORERS
            for compat, preset in each.presets.items()
            for option in preset
            if option != "rouge_types"  # the packages lack some of the default ones
        ],
    )
    def test_for_each_option_that_it_sets(self, scorer, compat, option):
        default = getattr(scorer.from_options(needed(scorer.name)), option)
        preset = scorer.presets[compat][option]
        assert getattr(scorer.from_options({**needed(scorer.name), "compat": compat}), option) == preset != default
        assert (
            getattr(scorer.from_options({**needed(scorer.name), "compat": compat, option: default}), option)
            == default
        )

    def test_of_the_types_that_a_package_has(self):
        def types(**options):
            return [each.name for each in Rouge.from_options(options).types]

        for compat in ("rouge", "rouge_chinese"):
            assert types(compat=compat) == ["rouge1", "rouge2", "rougeL"]
            assert types(compat=compat, rouge_types="rouge5") == ["rouge5"]
            for name in ("rouge6", "rougeLsum", "rougeW", "rougeS", "rougeSU4"):
                with pytest.raises(OptionError, match=rf"package {compat} has the types .* Got '{name}' instead"):
                    types(compat=compat, rouge_types=["rouge1", name])

    @ZERO_BLEU
    def test_in_the_score(self):
        predictions, references = ["the cat sat on the mat"], ["the cat lay on the mat"]
        smoothed = tercet.score("bleu_multi", predictions, references, compat="sacrebleu")
        raw = tercet.score("bleu_multi", predictions, references, compat="sacrebleu", smooth_method="none")
        assert smoothed["bleu"] > 0.3
        assert raw["bleu"] == 0.0

    def test_where_the_two_exclude_each_other(self):
        expected = score("bleu_multi", smooth=True)["bleu"]
        assert score("bleu_multi", compat="sacrebleu", smooth=True)["bleu"] == expected


#: Of each declaration of what an option needs: a value that does nothing by itself, and what gives it an effect.
NEEDING = [
    ("bleu_multi", {"smooth_value": 0.5}, {"smooth_method": "floor"}),
    ("chrf_multi", {"whitespace": True}, {"char_order": 0, "word_order": 2}),  # the other way round: see below
    ("ter", {"asian_support": True}, {"no_punct": True}),
    ("rouge_nlws", {"sentence_split": "auto", "rouge_types": ["rougeL"]}, {"rouge_types": ["rougeLsum"]}),
    ("rouge_nlws", {"beta": 2, "output": "recall", "multi_ref": "average"}, {"output": "all"}),
    ("rouge_nlws", {"rounded": False}, {"compat": "rouge155"}),
    ("jaccard_sets", {"lowercase": False, "tokenizer": "rouge"}, {"tokenizer": "char"}),
    ("bleu_rouge_f", {"lowercase": False, "stemmer": "en"}, {"stemmer": None}),
]


@pytest.mark.parametrize(("metric", "idle", "needed_too"), NEEDING)
def test_an_option_without_effect_is_refused_by_its_name(metric, idle, needed_too):
    if metric == "chrf_multi":
        idle, needed_too = {**needed_too, **idle}, {"char_order": 6}
        name = "whitespace"
    else:
        name = next(iter(idle))
    with pytest.raises(OptionError, match=rf"'{name}'.* (has an effect|is used) only"):
        make_scorer(metric, idle)
    make_scorer(metric, {**idle, **needed_too})


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws", "ter"])
@pytest.mark.parametrize("option", ["seed", "n_resamples"])
def test_what_a_call_may_hand_to_all_metrics_is_only_warned_of(metric, option):
    with pytest.warns(
        UserWarning, match=rf"'{option}' option of {metric} has an effect only with confidence_level"
    ) as told:
        make_scorer(metric, {option: 7})
    assert told[0].filename == __file__
    make_scorer(metric, {option: 7, "confidence_level": 0.9})
