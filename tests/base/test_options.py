"""Options of every metric: the cases are the declarations of the classes; then what single options refuse."""

import copy
import json
import pickle
import re
from typing import Literal

import evaluate
import numpy as np
import pytest

import tercet
from conftest import ZERO_BLEU, needed
from suite import SUITE
from tercet import OptionError, TercetError
from tercet.base import options
from tercet.base.annotations import spell_out
from tercet.base.configured import Call
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.errors import shorten
from tercet.metrics.rouge.metric import Rouge
from tercet.option_checks import Integer, OneOf, flag
from tercet.registry import METRICS, metric_class

CLASSES = [metric_class(metric) for metric in METRICS]
PREDICTIONS = ["the cat sat on the mat today", "a dog barks at the cats"] * 3
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks at the cats"]] * 3

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:.*_(idf|lm). (all tokens of|.* longer than):UserWarning")]


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


def score(metric, **options):
    return tercet.score(metric, PREDICTIONS, REFERENCES, **{**needed(metric), **options})


def compute(metric, **options):
    given = {**needed(metric), **options}
    return tercet.load(metric).compute(predictions=PREDICTIONS, references=REFERENCES, **given)


def scorer(metric, **options):
    return tercet.scorer(metric, **{**needed(metric), **options})


def value(metric, **options):
    return metric_class(metric)(**{**needed(metric), **options})


def call(metric, **options):
    return metric_class(metric)(**needed(metric))(PREDICTIONS, REFERENCES, **options)


def refusal(ask, metric, options):
    with pytest.raises(OptionError) as refused:
        ask(metric, **options)
    return str(refused.value)


each_metric = pytest.mark.parametrize("metric", METRICS)
each_option = pytest.mark.parametrize(
    ("metric", "option"), [(each.name, name) for each in CLASSES for name in each.all_options()]
)
own_option = pytest.mark.parametrize(
    ("metric", "option"), [(each.name, name) for each in CLASSES for name in each.options()]
)

#: Right for some options, wrong for others, and in the way of careless checks.
ODD_VALUES = [
    None, True, -1, 0, 1, 100, 10**400, 1e200, 0.5, float("nan"), float("inf"), 3j, "", "x", "porter", b"", b"x",
    [], ["x"], [None], [1], [float("inf")], (0.5, 0.5), {}, {"x": 1}, {"x": [1]}, {1: 2}, set(), range(3), Ellipsis,
    np.array(1), np.array([1, 2]), {"weights": 1}, {"smooth_method": None}, {"smooth_method": ["x"]},
    {"reference_length": 7}, ["rouge1", None], "rougeS" + "9" * 30, "rougeW1000",
]  # fmt: skip


#: Options that change what a result holds beside the scores; no signature needs them, nor those of a call.
OF_THE_FORM = ("grid", "use_aggregator", "use_fast_tokenizer")


def wrong_values(check):
    if check is flag:
        return [2, "yes", None]
    if isinstance(check, OneOf):
        return [7.5, [], f"{check.choices[-1]}x"]
    if isinstance(check, Integer):
        return [check.minimum - 1, 1.5, "2", True, *([] if check.maximum is None else [check.maximum + 1])]
    return []


def right_values(check, default):
    """Values other than the default, where the check knows some."""
    if check is flag:
        return [not default]
    if isinstance(check, OneOf):
        return [choice for choice in check.choices if choice not in (default, None)]
    if isinstance(check, Integer):
        return [{check.minimum + 1, check.minimum + 2}.difference({default}).pop()]
    return []


@each_option
def test_a_wrong_value_is_refused_alike_at_every_door_by_option_and_expected_value(metric, option):
    of_call = option in Call.options()
    check = (Call if of_call else metric_class(metric)).options()[option].checked
    for wrong in (object(), *wrong_values(check)):
        doors = [score, compute, scorer, value]
        if of_call and wrong not in (None, Call.options()[option].default):  # as if not given; True is 1
            doors.append(call)
        (message,) = {refusal(ask, metric, {option: wrong}) for ask in doors}
        assert f"'{option}' option of {metric} must be" in message
        assert f"ot {shorten(wrong)}" in message


@each_option
def test_any_value_is_taken_with_finite_scores_and_its_own_signature_or_refused_by_the_option_s_name(metric, option):
    others = {"confidence_level": 0.9} if option in ("n_resamples", "seed") else {}  # without, they do nothing
    declared = metric_class(metric).options().get(option)
    known = right_values(declared.checked, declared.default) if declared else []
    plain = score(metric, **others)
    for odd in (*ODD_VALUES, *known):
        try:
            found = score(metric, **others, **{option: odd})
        except OptionError as error:
            assert option in str(error), odd  # noqa: PT017
            continue
        json.dumps(found, allow_nan=False)
        if declared and not declared.local and option not in OF_THE_FORM and found != plain:
            assert found.signature != plain.signature, odd


@each_option
def test_a_default_may_be_written_out(metric, option):
    default = (Call if option in Call.options() else metric_class(metric)).options()[option].default
    if option in needed(metric):
        return
    assert score(metric, **{option: default}) == score(metric)
    if option in metric_class(metric).options():
        assert value(metric, **{option: default}) == value(metric)
        assert option not in repr(value(metric, **{option: default}))


@own_option
def test_a_metric_reads_back_pickles_is_hashed_and_does_not_change(metric, option):
    cls = metric_class(metric)
    declared = cls.options()[option]
    for right in right_values(declared.checked, getattr(value(metric), option)):
        made = cls.from_options({**needed(metric), option: right}, may_be_idle=True)
        assert getattr(made, option) == right
        assert made != value(metric)
        assert made != option
        with pytest.raises(AttributeError, match="cannot be changed: make another one"):
            setattr(made, option, declared.default)
        if not cls.build({**needed(metric), option: right}, may_be_idle=True).have_effect([option]):
            continue
        for other in (eval(repr(made), {cls.__name__: cls}), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert (other, hash(other), repr(other)) == (made, hash(made), repr(made))


@each_metric
def test_a_misspelt_name_gets_the_nearest_one_and_a_strange_one_all(metric):
    for option in metric_class(metric).all_options():
        own = option in metric_class(metric).options()
        for misspelt in {option[:-2] + option[-1], option.title()} - {option}:
            for ask in (score, compute, scorer, *([value] if own else [])):
                message = refusal(ask, metric, {misspelt: 1})
                assert f"{metric} has no option '{misspelt}'. Did you mean '" in message
    for ask in (score, compute, scorer, value):
        message = refusal(ask, metric, {"qqq": 1})
        known = metric_class(metric).options() if ask is value else metric_class(metric).all_options()
        assert all(name in message.partition("Known: ")[2] for name in known)


@each_metric
def test_a_metric_is_made_by_its_names_and_proposed_for_those_of_packages(metric):
    cls = metric_class(metric)
    assert scorer(metric) == tercet.scorer(SUITE[metric].short, **needed(metric)) == value(metric)
    for ask in (tercet.scorer, tercet.load, parse_metric):
        assert f"Did you mean '{metric}'" in refusal(ask, f"{metric}x", {})
        for package in set(cls.presets) - {"sacrebleu", "evaluate", "rouge"}:  # of several metrics, and a short name
            assert f"Its scores are those of {metric} with compat='{package}'" in refusal(ask, package, {})
    for ask in (tercet.scorer, parse_metric):  # which load takes, as evaluate does
        assert "Its scores are those of bleu_multi with compat='sacrebleu'" in refusal(ask, "sacrebleu", {})


@pytest.mark.parametrize(("of_scorer", "of_call"), [
    ({"segments": True, "signature": True}, {"segments": False, "signature": False}),
    ({"confidence_level": 0.9}, {"confidence_level": None}),
    ({"confidence_level": 0.9, "n_resamples": 7, "seed": 7}, {"n_resamples": 1000, "seed": 12345}),
])  # fmt: skip
def test_what_a_call_writes_out_is_as_there_also_if_it_equals_a_default(of_scorer, of_call):
    metric = scorer("bleu_multi", **of_scorer)
    found = metric(PREDICTIONS, REFERENCES, **of_call)
    expected = score("bleu_multi", **{**of_scorer, **of_call})
    assert (found, found.signature) == (expected, expected.signature)
    kept, expected = metric(PREDICTIONS, REFERENCES), score("bleu_multi", **of_scorer)
    assert (kept, kept.signature) == (expected, expected.signature)


def test_a_type_of_rouge_is_proposed_for_its_name_if_it_can_be_given():
    assert "rouge:rouge_types=rougeW1.5" in refusal(tercet.scorer, "rougeW1.5", {})
    tercet.scorer("rouge", rouge_types="rougeW1.5")
    assert "rouge_types" not in refusal(tercet.scorer, "rougeW9", {})


@each_metric
def test_a_preset_yields_to_what_is_given(metric):
    cls = metric_class(metric)
    for compat, preset in cls.presets.items():
        for option, chosen in preset.items():
            default = cls.options()[option].default
            assert getattr(value(metric, compat=compat), option) == chosen != default
            if option == "rouge_types":  # the packages lack some of the default ones
                default = ["rouge1"]
            if (compat, option) == ("nltk", "smooth_method"):  # NLTK has no exp
                default = "nltk3"
            undone = value(metric, compat=compat, **{option: default})
            assert getattr(undone, option) in (default, tuple(default) if isinstance(default, list) else default)
            assert undone != value(metric, compat=compat)
            assert eval(repr(undone), {cls.__name__: cls}) == undone


def test_a_preset_of_rouge_has_the_types_of_its_package():
    for compat in ("rouge", "rouge_chinese"):
        assert [each.name for each in Rouge(compat=compat, rouge_types="rouge5").types] == ["rouge5"]
        for name in ("rouge6", "rougeLsum", "rougeW", "rougeS", "rougeSU4"):
            with pytest.raises(OptionError, match=rf"package {compat} has the types .* Got '{name}' instead"):
                Rouge(compat=compat, rouge_types=["rouge1", name])


def test_a_preset_yields_in_the_score_also_where_two_options_exclude_each_other():
    texts = ["the cat sat on the mat"], ["the cat lay on the mat"]
    assert tercet.score("bleu", *texts, compat="sacrebleu")["bleu"] > 0.3
    assert tercet.score("bleu", *texts, compat="sacrebleu", smooth_method="none")["bleu"] == 0.0
    smooth = tercet.score("bleu", *texts, compat="sacrebleu", smooth=True)["bleu"]
    assert smooth == tercet.score("bleu", *texts, smooth=True)["bleu"] != 0.0


MANY = {f"w{i}": [1] for i in range(101)}
WEIGHTS = "'weights' option of bleu_multi must be a sequence of weights"
DID_YOU_MEAN = "Got {!r} instead. Did you mean {!r}?".format
#: What is said of values that are wrong in a way of their own.
REFUSED = {
    "bleu_multi": [
        ("max_order", 4.0, "must be an integer from 1 to 20. Got 4.0 instead."),
        ("confidence_level", 95, "a number above 0 and below 1, such as 0.95, or None. Got 95 instead."),
        ("scale", 10, "1 (scores from 0 to 1) or 100 (percent). Got 10 instead."),
        ("n_resamples", 10**7, "an integer from 1 to 1,000,000. Got 10000000 instead."),
        ("seed", -1, "an integer of at least 0. Got -1 instead."),
        ("seed", 10**5000, "an integer below 2**63. Got <int of about 5,001 digits> instead."),
        ("missing_references", "ignore", "one of 'error', 'skip', 'zero'. Got 'ignore' instead."),
        ("tokenizer", "13b", DID_YOU_MEAN("13b", "13a")),
        ("tokenizer", "flores-200", "or a callable. " + DID_YOU_MEAN("flores-200", "flores200")),
        (
            "tokenizer",
            "mecab",
            "a SentencePiece model (with a / in it, or with .model at its end), or a callable. Got",
        ),
        ("tokenizer", b"a.model", "Got b'a.model' instead."),
        ("compat", "sacreblue", DID_YOU_MEAN("sacreblue", "sacrebleu")),
        ("smooth_method", "addk", DID_YOU_MEAN("addk", "add-k")),
        ("smooth_value", -1, "a number from 0 to 1000, or None. Got -1 instead."),
        ("weights", "uniform", WEIGHTS),
        ("weights", [0.5, "0.5"], WEIGHTS),
        ("weights", iter([1, "x"]), WEIGHTS),
        ("weights", [1, float("inf")], WEIGHTS),
        ("weights", [1e300, 1], "with a sum of at most 100, or a dict"),
        ("weights", [1, -1], "none negative and not all 0"),
        ("weights", [0, 0], "none negative and not all 0"),
        ("weights", {0.5}, "Got {0.5} instead."),
        ("weights", {"flat": {0.5: 1}}, "Got {'flat': {0.5: 1}} instead."),
        ("weights", {"": [1]}, "named ones (each name once, not empty"),
        ("weights", {"flat": 1}, "or a dict of named ones (each name once"),
        ("weights", MANY, "because each adds a score to every item; this one has 101. Got"),
        ("grid", {"weights": MANY}, "at most 100 named weights"),
        ("grid", {"smooth_method": ["exp", "floor", "exp"]}, "lists name each value once"),
        ("grid", {"reference_length": ["closest"] * 10_000}, "lists name each value once"),
        ("grid", {"tokenizer": ["13a"]}, "a dict with any of the keys 'weights', 'smooth_method'"),
        ("stemmer", "klingon", "The 'stemmer' option knows no language 'klingon'."),
        ("lemmatizer", "klingon", "'lemmatizer' option takes a language code"),
    ],
    "chrf_multi": [
        *(
            ("word_order", wrong, "an integer from 0 to 10, or a list of different ones")
            for wrong in (-1, 11, True, "2", b"\x02", [], [2, 2], [0, "2"], 1.5, {0: 1}, None, range(10**12))
        ),
        *(("beta", wrong, "a number from 0 to 1,000") for wrong in (-1, 1001, float("nan"), "2", True)),
    ],
    "rouge_nlws": [
        ("rouge_types", ["rougeX"], "The forms are rouge1 to rouge9, rougeL, rougeLsum, rougeW["),
        ("rouge_types", ["rouge1", "rougeL", "rouge1"], "names 'rouge1' twice"),
        ("rouge_types", [], "must be a list of at least one name, got []"),
        ("beta", 0, "must be a number above 0 and up to 1000. Got 0 instead."),
        ("output", "f1", "one of 'precision', 'recall', 'fmeasure', 'all'. Got 'f1' instead."),
        ("max_words", 0, "an integer of at least 1 or None. Got 0 instead."),
        ("multi_ref", "bests", DID_YOU_MEAN("bests", "best")),
        ("stopwords", "klingon", "one of the language codes"),
        ("stopwords", ["the", 7], "must be a collection of words, a language code, 'smart'"),
        ("tokenizer", "intl", "one of 'auto', 'rouge', 'unicode'"),
    ],
}


@pytest.mark.parametrize("metric", REFUSED)
def test_a_wrong_value_is_shown_beside_what_was_expected(metric):
    for option, wrong, message in REFUSED[metric]:
        assert message in refusal(score, metric, {option: wrong})


def test_a_hundred_named_weights_are_taken():
    weights = {f"w{order}": [0] * order + [1] for order in range(4)} | {f"v{i}": [1 + i] for i in range(96)}
    assert sum(name.startswith("bleu_") for name in score("bleu_multi", weights=weights)) == 100


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
@pytest.mark.parametrize("option", ["tokenizer", "stemmer", "lemmatizer"])
def test_a_function_that_does_not_return_text_is_refused(metric, option):
    for returned in (None, 7, [7]):
        with pytest.raises(TercetError, match=f"{option} .*must return"):
            score(metric, **{option: lambda text, returned=returned: returned})


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("bleu_multi", {"smooth": True, "smooth_method": "floor"}, "exclude each other"),
        ("bleu_multi", {"stemmer": "porter", "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"stemmer": "porter", "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"use_stemmer": True, "stemmer": "porter"}, "exclude each other"),
        ("rouge_nlws", {"use_stemmer": True, "lemmatizer": "en"}, "exclude each other"),
        ("rouge_nlws", {"max_words": 10, "max_bytes": 75}, "exclude each other"),
        ("bleu_multi", {"weights": [0.2] * 5}, "has 5 weights, but max_order is 4: set max_order=5"),
        ("bleu_multi", {"weights": {"long": [0.5] * 2}, "max_order": 1}, "has 2 weights, but max_order is 1"),
        ("chrf_multi", {"char_order": 0}, "nothing to count"),
        ("chrf_multi", {"char_order": 0, "word_order": [2, 0]}, "nothing to count"),
        ("rouge_nlws", {"compat": "rouge155", "multi_ref": "jackknife"}, "ROUGE-1.5.5 has no jackknife"),
    ],
)  # fmt: skip
def test_options_that_contradict_each_other_are_refused(metric, options, message):
    said = refusal(value, metric, options)
    assert message in said
    assert all(name in said for name in options)


@pytest.mark.parametrize(
    ("metric", "given", "plain"),
    [
        ("bleu_multi", {"max_order": np.int64(2)}, {"max_order": 2}),
        ("bleu_multi", {"weights": np.array([0.5, 0.5])}, {"weights": (0.5, 0.5)}),
        ("bleu_multi", {"smooth_value": np.float32(0.5), "smooth_method": "floor"}, {"smooth_value": 0.5}),
        ("bleu_multi", {"lowercase": np.True_, "scale": np.float64(100)}, {"lowercase": True, "scale": 100}),
        ("rouge_nlws", {"beta": np.float32(2), "max_words": np.uint8(3)}, {"beta": 2, "max_words": 3}),
        ("rouge_nlws", {"rouge_types": np.array(["rouge1", "rougeL"])}, {"rouge_types": ["rouge1", "rougeL"]}),
        ("ter", {"confidence_level": np.float64(0.9), "seed": np.int32(7)}, {"confidence_level": 0.9, "seed": 7}),
    ],
    ids=str,
)
def test_numpy_scalars_are_numbers(metric, given, plain):
    result = score(metric, **given)
    assert result == score(metric, **{**given, **plain})
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
def test_a_numpy_string_is_a_string(metric):
    assert tercet.score(metric, ["a b"], ["a c"], missing_references=np.str_("skip"))


SIBLINGS = [("bleu_multi", {"rouge_types": ["rouge1"]}), ("rouge_nlws", {"max_order": 2})]


@pytest.mark.parametrize(("metric", "option"), SIBLINGS)
def test_an_option_of_a_sibling_is_left_to_it_by_a_module_and_refused_by_score(metric, option):
    """`evaluate.combine` sends every option to all modules."""
    assert compute(metric, **option) == score(metric)
    assert f"{metric} has no option {next(iter(option))!r}" in refusal(score, metric, option)


def test_an_option_of_nobody_is_refused_by_combined_modules():
    combined = evaluate.combine([tercet.load("bleu_multi"), tercet.load("rouge_nlws")])
    with pytest.raises(OptionError, match="Did you mean 'segments'"):
        combined.compute(predictions=PREDICTIONS, references=REFERENCES, segmets=True)


#: Of each declaration of what an option needs: a value that does nothing by itself, and what gives it an effect.
NEEDING = [
    ("bleu_multi", {"smooth_value": 0.5}, {"smooth_method": "floor"}),
    ("chrf_multi", {"whitespace": True, "char_order": 0, "word_order": 2}, {"char_order": 6}),
    ("ter", {"asian_support": True}, {"no_punct": True}),
    ("rouge_nlws", {"sentence_split": "auto", "rouge_types": ["rougeL"]}, {"rouge_types": ["rougeLsum"]}),
    ("rouge_nlws", {"beta": 2, "output": "recall", "multi_ref": "average"}, {"output": "all"}),
    ("rouge_nlws", {"rounded": False}, {"compat": "rouge155"}),
    ("jaccard_sets", {"lowercase": False, "tokenizer": "rouge"}, {"tokenizer": "char"}),
    ("bleu_rouge_f", {"lowercase": False, "stemmer": "en"}, {"stemmer": None}),
]


@pytest.mark.parametrize("name", ["reference", "refs", "references", "prediction"])
@pytest.mark.parametrize("metric", ["bleu", "rouge", "chrf", "wer"])
def test_a_name_of_the_texts_is_told_from_an_option(metric, name):
    said = f"has no option '{name}'. Texts are given in a call, as predictions and references."
    assert refusal(scorer, metric, {name: ["a b"]}).endswith(said)
    if name != "references":
        with pytest.raises(OptionError, match="Texts are given in a call"):
            tercet.score(metric, ["a b"], **{name: ["a b"]})


def test_references_in_the_place_of_predictions_may_be_swapped():
    with pytest.raises(tercet.InputError, match="If they are references, the two are swapped"):
        tercet.score("bleu", [["a b", "a c"], ["d", "e"]], ["a b", "d"])


@pytest.mark.parametrize(("metric", "idle", "needed_too"), NEEDING)
def test_an_option_without_effect_is_refused_by_its_name(metric, idle, needed_too):
    assert re.search(rf"'{next(iter(idle))}'.* (has an effect|is used) only", refusal(scorer, metric, idle))
    scorer(metric, **{**idle, **needed_too})


@each_metric
@pytest.mark.parametrize("option", ["seed", "n_resamples"])
def test_what_a_call_may_hand_to_all_metrics_is_only_warned_of(metric, option):
    given = needed(metric)
    with pytest.warns(UserWarning, match=rf"'{option}' option of {metric} has an effect only with confid") as warned:
        tercet.scorer(metric, **given, **{option: 7})
    assert warned[0].filename == __file__
    tercet.scorer(metric, **given, **{option: 7}, confidence_level=0.9)


def test_a_named_literal_is_written_out_wherever_it_stands_and_within_no_other_name():
    kinds = {"Kind": Literal["a", "b"], "Size": Literal[1]}
    assert spell_out("OrderKind | Kind | None", kinds) == 'OrderKind | Literal["a", "b"] | None'
    assert spell_out("Kind | list[Size] | Kind", kinds) == (
        'Literal["a", "b"] | list[Literal[1]] | Literal["a", "b"]'
    )


def test_a_declaration_that_two_classes_share_is_checked_as_each_annotates_it():
    shared = options.option(default="a")

    class One(options.Value):
        name = "one"
        kind: Literal["a", "b"] = shared

    class Two(options.Value):
        name = "two"
        kind: Literal["a", "c"] = shared

    assert (One(kind="b").kind, Two(kind="c").kind) == ("b", "c")
    with pytest.raises(OptionError, match="'kind' option of one must be one of 'a', 'b'"):
        One(kind="c")
