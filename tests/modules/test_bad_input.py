"""What cannot be scored is refused, by index, before anything is stored; what is odd but legal is scored.

Every mistake comes through every door for one metric. Texts are checked in one place for all of them, so for each of
the others one mistake a door shows that it is asked.
"""

import re
from collections import UserDict
from decimal import Decimal
from types import FunctionType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tercet
from conftest import needed
from suite import COMPARING, SUITE
from tercet import InputError, TercetError
from tercet.comparison.paired_significance import paired_significance

PREDICTIONS = ["the cat sat on the mat today", "a dog"]
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks"]]

pytestmark = pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning")  # of so small a corpus

#: Errors of a user's tokenizer, and what may come at any time.
FAILURES = (ZeroDivisionError, KeyboardInterrupt, MemoryError)
each_metric = pytest.mark.parametrize("metric", COMPARING)


def score(metric, predictions, references, **options):
    return tercet.score(metric, predictions, references, **{**needed(metric), **options})


def compute(metric, predictions, references, **options):
    module = tercet.load(metric)
    return module.compute(predictions=predictions, references=references, **{**needed(metric), **options})


def add_batch(metric, predictions, references, **options):
    module = tercet.load(metric)
    module.add_batch(predictions=predictions, references=references)
    return module.compute(**{**needed(metric), **options})


def expected(metric):
    """Return the scores; an encoder that still knows the texts gives the same last digits as it gave before."""
    return score(metric, PREDICTIONS, REFERENCES)


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    """Let no test wait for a file that a failed one still locks."""
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


def cases(table):
    """Parametrise over the values of a table, its keys being the names of the tests."""
    return [pytest.param(*values, id=name) for name, values in table.items()]


# Doors: each gives a bad corpus to something, and returns the message with which it is refused


def refusal(call, *arguments, **options):
    with pytest.raises(InputError) as refused:
        call(*arguments, **options)
    return str(refused.value).replace("predictions1", "predictions")


def door_score(metric, predictions, references):
    return refusal(score, metric, predictions, references)


def after_a_good_item(call):
    """Return a door of a module: what is refused there leaves what was added before, which still scores."""

    def door(metric, predictions, references):
        module = tercet.load(metric)
        module.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
        refused = refusal(call, module, needed(metric), predictions, references)
        module.add(prediction=PREDICTIONS[1], reference=REFERENCES[1])
        assert module.compute(**needed(metric)) == expected(metric)
        return refused

    return door


door_compute = after_a_good_item(lambda module, given, p, r: module.compute(predictions=p, references=r, **given))
door_add_batch = after_a_good_item(lambda module, given, p, r: module.add_batch(predictions=p, references=r))
door_add = after_a_good_item(lambda module, given, p, r: module.add(prediction=p, reference=r))


def door_paired(metric, predictions, references):
    return refusal(paired_significance, metric, predictions, PREDICTIONS, references, n_resamples=5, **needed(metric))


def door_comparison(metric, predictions, references):
    module = tercet.load("paired_significance")
    module.add_batch(predictions1=PREDICTIONS, predictions2=PREDICTIONS, references=REFERENCES)
    given = {"predictions1": predictions, "predictions2": PREDICTIONS, "references": references}
    refused = refusal(module.add_batch, **given)
    assert len(module) == len(PREDICTIONS)
    return refused


def door_trainer(metric, predictions, references):
    compute = tercet.compute_metrics(None, metric, decode=len, options=needed(metric))
    compute(PREDICTIONS[:1], REFERENCES[:1], compute_result=False)
    refused = refusal(compute.add, predictions, references)
    found = compute(PREDICTIONS[1:], REFERENCES[1:], compute_result=True)
    primary = SUITE[metric].primary
    assert found[primary] == pytest.approx(expected(metric)[primary], abs=2e-6)
    return refused


DOORS = {
    "score": door_score, "compute": door_compute, "add_batch": door_add_batch, "paired": door_paired,
    "comparison": door_comparison,
}  # fmt: skip
#: A trainer may hand over ids in the place of texts, so a corpus of another kind is another mistake there.
DOORS_OF_ITEMS = {**DOORS, "trainer": door_trainer}


class Unreadable(list):
    """Looks like a list, and ends in an error."""

    def __iter__(self):
        raise ZeroDivisionError("by design")

    __len__ = __iter__


class Nameless:
    def __repr__(self):
        raise RuntimeError


DEEP = []
for _ in range(10**5):
    DEEP = [DEEP]

ONE = "item {} of predictions must be a string, got "
CHAT = "item {} of references must be a string or a list of messages with role and content, got "
EITHER = "item {} of references must be a string or a list of strings, got "
WITHIN = "item 1 of the references of item {} must be a string, got "
ITEMS = {
    "None": (None, ["a"], ONE + "None"), "number": (7, ["a"], ONE + "7 (int)"),
    "number of many digits": (10**5000, ["a"], ONE + "<int of about 5,001 digits> (int)"),
    "nan": (float("nan"), ["a"], ONE + "nan (float)"), "NA": (pd.NA, ["a"], ONE + "<NA> (NAType)"),
    "bytes": (b"a", ["a"], ONE + "b'a' (bytes)"), "list": (["a"], ["a"], ONE + "['a'] (list)"),
    "array": (np.array(["a"]), ["a"], ONE + "array(['a']"),
    "nameless": (Nameless(), ["a"], ONE + "<Nameless whose repr raises RuntimeError>"),
    "deep": (DEEP, ["a"], ONE + "[[[["),
    "surrogate": ("a\ud800", ["a"], "item {} of predictions is not valid Unicode text: the lone surrogate"),
    "reference number": ("a", 7, EITHER + "7"),
    "reference array of a number": ("a", np.array(7), EITHER + "array(7)"),
    "reference bytes": ("a", b"a", EITHER + "b'a'"), "reference dict": ("a", {"a": 1}, CHAT + "[{{'a': 1}}]"),
    "reference set": ("a", {"a"}, EITHER + "{{"),
    "reference nameless": ("a", Nameless(), EITHER + "<Nameless whose repr raises RuntimeError>"),
    "reference unreadable": ("a", Unreadable(), "item {} of references cannot be read. ZeroDivisionError: by design"),
    "None in references": ("a", ["a", None], WITHIN + "None"), "number in references": ("a", ["a", 7], WITHIN + "7"),
    "NA in references": ("a", ["a", pd.NA], WITHIN + "<NA>"),
    "bytes in references": ("a", ("a", b"a"), WITHIN + "b'a'"),
    "list in references": ("a", ["a", ["a"]], WITHIN + "['a']"),
    "deep list in references": ("a", ["a", DEEP], WITHIN + "[[[["),
    "surrogate in references": ("a", ["a", "\udfff"], "a reference of item {} is not valid Unicode text"),
}  # fmt: skip


@pytest.mark.parametrize(("prediction", "reference", "message"), cases(ITEMS))
def test_a_bad_item_is_named_at_every_door(prediction, reference, message):
    for name, door in DOORS_OF_ITEMS.items():
        refused = door("bleu_multi", ["a", prediction, "b"], [["a"], reference, ["b"]])
        assert message.format(1) in refused, name
    assert message.format(0) in door_add("bleu_multi", prediction, reference)


def test_a_number_in_a_series_of_polars_is_named_at_every_door():
    for name, door in DOORS_OF_ITEMS.items():
        refused = door("bleu_multi", ["a", "a", "b"], [["a"], pytest.importorskip("polars").Series([1, 2]), ["b"]])
        assert "item 0 of the references of item 1 must be a string" in refused, name


@each_metric
def test_a_bad_item_is_named_by_every_metric(metric):
    for name, door in DOORS_OF_ITEMS.items():
        refused = door(metric, ["a", None, "b"], [["a"], ["a"], ["b"]])
        assert refused.startswith("item 1 of predictions must be a string, got None"), name
    assert "item 1 of the references of item 0 must be a string" in door_add(metric, "a", ["a", 7])


TEXTS_WANTED = "predictions must be a list with one text per item, got "
TEXTS_OR_LISTS_WANTED = "references must be a list with one text or one list of texts per item, got "
FRAME = {"a": ["b"], "c": ["d"]}
CORPORA = {
    "string among lists": (["a", "b"], [["a"], "b"], "item 1 of references is a string, but an earlier one is a"),
    "list among strings": (["a", "b"], ["a", ["b"]], "item 1 of references is a list, but an earlier one is a"),
    "fewer references": (["a", "b"], ["a"], "one entry per item, got 2 predictions and 1 references"),
    "more references": (["a"], ["a", "b"], "one entry per item, got 1 predictions and 2 references"),
    "transposed": (["a", "b", "c"], [["a", "b", "c"]] * 2, "look transposed: 2 lists of 3 texts. Give one list"),
    "text": ("ab", ["a", "b"], TEXTS_WANTED + "'ab' (str)"),
    "bytes": (b"ab", ["a", "b"], TEXTS_WANTED + "b'ab' (bytes)"),
    "dict": ({"a": 1}, ["a"], TEXTS_WANTED + "{'a': 1} (dict)"),
    "mapping": (UserDict(a=1), ["a"], TEXTS_WANTED),
    "set": ({"a"}, ["a"], TEXTS_WANTED + "{'a'} (set)"),
    "None": (None, ["a"], TEXTS_WANTED + "None"),
    "number": (7, ["a"], TEXTS_WANTED + "7 (int)"),
    "nameless": (Nameless(), ["a"], TEXTS_WANTED + "<Nameless whose repr raises RuntimeError>"),
    "array without axis": (np.array("a"), ["a"], TEXTS_WANTED),
    "array of two axes": (np.array([["a"]]), ["a"], TEXTS_WANTED),
    "table of two columns": (
        pd.DataFrame(FRAME), ["a"],
        "predictions must be one column, got a DataFrame of 2: ['a', 'c']. Give one of them.",
    ),
    "Polars table of two columns": (
        lambda: pytest.importorskip("polars").DataFrame(FRAME), ["a"],
        "predictions must be one column, got a DataFrame of 2",
    ),
    "lazy table": (lambda: pytest.importorskip("polars").DataFrame({"a": ["b"]}).lazy(), ["a"], TEXTS_WANTED),
    "unreadable": (Unreadable(), ["a"], "predictions cannot be read. ZeroDivisionError: by design"),
    "generator that ends in an error": (  # made anew for each door, which uses it up
        lambda: (1 / each for each in (1, 0)), ["a"], "predictions cannot be read. ZeroDivisionError"
    ),
    "text as references": (["a", "b"], "ab", TEXTS_OR_LISTS_WANTED),
    "dict as references": (["a"], {"a": 1}, TEXTS_OR_LISTS_WANTED),
    "None as references": (["a"], None, TEXTS_OR_LISTS_WANTED),
    "table of two columns as references": (
        ["a"], pd.DataFrame(FRAME), "references must be one column, got a DataFrame of 2"
    ),
    "unreadable references": (["a"], Unreadable(), "references cannot be read. ZeroDivisionError: by design"),
}  # fmt: skip
LACKING = {
    "empty corpus": ([], [], "The corpus is empty"),
    "no reference, []": (["a", "b"], [["a"], []], "item 1 of references is empty: every item needs at least one"),
    "no reference, None": (["a", "b"], ["a", None], "item 1 of references is empty"),
    "no references at all": (["a", "b"], [[], []], "item 0 (and 1 more) of references is empty"),
}


@pytest.mark.parametrize(("predictions", "references", "message"), cases(CORPORA))
def test_a_bad_corpus_is_refused_at_every_door(predictions, references, message):
    for name, door in DOORS.items():
        given = predictions() if callable(predictions) else predictions
        if references is None and name == "comparison":
            continue  # the metric is named later, and may take none
        assert message in door("bleu_multi", given, references), name


@each_metric
@pytest.mark.parametrize(("predictions", "references", "message"), cases(LACKING))
def test_a_corpus_that_lacks_something_is_refused(metric, predictions, references, message):
    for way in (score, compute, add_batch):
        with pytest.raises(InputError, match=re.escape(message)):
            way(metric, predictions, references)


ODD_VALUES = {
    "None": None, "object": object(), "nameless": Nameless(), "unreadable": Unreadable(), "deep list": DEEP,
    "list of itself": DEEP[:0], "-1": -1, "digits": 10**5000, "beyond floats": 10**400, "half": 0.5,
    "nan": float("nan"), "inf": float("inf"), "complex": 1j, "decimal": Decimal("1e500"), "text": "x", "no text": "",
    "long text": "a" * 10**5, "NUL": "a\0b", "surrogate": "\ud800", "bytes": b"x", "list": [], "list of text": ["x"],
    "list of nameless": [Nameless()], "dict": {}, "dict of a great weight": {"the": 10**400},
    "dict of nameless": {Nameless(): 1}, "dict of lists": {"a": []}, "set": {1.0}, "array": np.array([1, 2]),
    "NA": pd.NA, "class": TypeError, "series": lambda: pytest.importorskip("polars").Series([1, 2]),
    "table": lambda: pytest.importorskip("polars").DataFrame({"a": [1]}),
}  # fmt: skip
ODD_VALUES["list of itself"].append(ODD_VALUES["list of itself"])


@pytest.mark.costly("bertscore_idf", "perplexity_lm")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", SUITE)
@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
def test_an_odd_value_of_any_option_is_taken_or_refused_by_name_and_loses_nothing(metric, value):
    value = value() if isinstance(value, FunctionType) else value
    module = tercet.load(metric)
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    for option in tercet.scorer(metric, **needed(metric)).all_options():
        if isinstance(value, type) and option in ("tokenizer", "stemmer", "lemmatizer"):
            continue  # a callable, whose errors are the user's
        given = {"n_resamples": 10, **needed(metric), option: value}
        try:
            module.compute(**given)
        except TercetError as error:
            message = str(error)
            assert option in message or SUITE[metric].loads_model, message
            assert "\n" not in message
            assert len(message) < 1500
            assert len(module) == len(PREDICTIONS)
        else:
            module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert module.compute(**needed(metric)) == expected(metric)


def test_an_input_error_is_a_value_error():
    assert issubclass(InputError, TercetError)
    assert issubclass(TercetError, ValueError)


def raising(error):
    def interrupted(text):
        raise error

    return interrupted


#: What is refused by nothing above: options, some of which are refused only once texts are scored, and inputs.
LATE = {
    "an unknown input": ("bleu_multi", {"predictions": ["a"], "references": ["a"], "sources": ["a"]}),
    "no reference": ("bleu_multi", {"predictions": ["a"], "references": [None]}),
    "unknown option": ("bertscore_idf", {"segmets": True}),
    "wrong option": ("bleu_multi", {"scale": 10}),
    **{error.__name__: ("rouge_nlws", {"tokenizer": raising(error)}) for error in FAILURES},
    "options that exclude each other": ("bleu_multi", {"stemmer": "porter", "lemmatizer": "en"}),
    "stemmer of no language": ("rouge_nlws", {"stemmer": "klingon"}),
    "lemmatizer of no language": ("rouge_nlws", {"lemmatizer": "klingon"}),
    "tokenizer without strings": ("bleu_multi", {"tokenizer": lambda text: [1]}),
    "no encoder": ("bertscore_idf", {"model_type": "./nowhere"}),
    "too deep a layer": ("bertscore_idf", {"num_layers": 7}),
    "no table": ("bertscore_idf", {"idf": "nowhere.idf"}),
    "no baseline": ("bertscore_idf", {"rescale_with_baseline": True, "baseline_path": "nowhere.tsv"}),
    "long text": ("bertscore_idf", {"max_length": 4, "long_text": "error"}),
    "no encoder of texts": ("embedding_cosine", {"model_type": "./nowhere"}),
    "long text to embed": ("embedding_cosine", {"max_length": 4, "long_text": "error"}),
}


@pytest.mark.parametrize(("metric", "given"), cases(LATE))
def test_what_fails_late_loses_nothing_and_adds_nothing(metric, given):
    module = tercet.load(metric)
    module.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises((TercetError, *FAILURES)):
        module.add_batch(**given) if "sources" in given else module.compute(**{**needed(metric), **given})
    module.add(prediction=PREDICTIONS[1], reference=REFERENCES[1])
    assert module.compute(**needed(metric)) == expected(metric)


@pytest.mark.parametrize("way", [score, compute, add_batch])
def test_an_item_without_reference_is_an_error_that_names_the_choices_or_left_out_or_nothing(way):
    """One way scores the others' rows, and the items left out are no part of them."""
    lists, texts = (REFERENCES[0], None, REFERENCES[1]), (PREDICTIONS[0], "nobody wrote this", PREDICTIONS[1])
    with pytest.raises(InputError, match=r"item 1 .* missing_references='skip' .* missing_references='zero'"):
        way("bleu_multi", texts, lists, missing_references="error")
    with pytest.raises(InputError, match="No item has a reference"):
        way("bleu_multi", texts, [[], None, []], missing_references="skip")
    whole = score("bleu_multi", PREDICTIONS, REFERENCES, segments=True)
    first, second = whole["segments"]["bleu"]
    for policy, scored, found in (("skip", 2, None), ("zero", 3, 0.0)):
        result = way("bleu_multi", texts, lists, missing_references=policy, segments=True)
        assert result["segments"]["bleu"] == [first, found, second]
        assert (result.n_segments, result.missing_references) == (scored, 1)
        assert policy == "zero" or result["bleu"] == whole["bleu"]


def test_items_without_reference_are_counted_over_all_batches():
    module = tercet.load("bleu_multi")
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    module.add(prediction="a", reference=None)
    with pytest.raises(InputError, match=re.escape("item 2 (and 1 more) of references is empty")):
        module.compute(predictions=["b"], references=[[]])
    assert module.compute(missing_references="zero").missing_references == 1


def test_what_pandas_has_for_none_is_a_missing_reference():
    for nothing in (None, float("nan"), pd.NA):
        column = pd.Series(["a", nothing], dtype=object)
        assert score("rouge_nlws", ["a", "b"], column, missing_references="skip").missing_references == 1
        with pytest.raises(InputError, match="item 1 of references is empty"):
            score("rouge_nlws", ["a", "b"], column)


@each_metric
@pytest.mark.parametrize("empty", ["", " \t\n"])
def test_an_empty_prediction_scores_0_and_is_counted(metric, empty):
    result = compute(metric, [empty, *PREDICTIONS], [["a b"], *REFERENCES], segments=True)
    assert {values[0] for values in result["segments"].values()} == {SUITE[metric].nothing}
    assert (result.n_segments, result.empty_predictions) == (3, 1)
    for reference in ("a b", "", "\n"):
        alone = score(metric, [empty], [reference])
        assert alone[SUITE[metric].primary] == (SUITE[metric].nothing if reference.strip() else 0.0)  # else no edit
        assert alone.empty_predictions == 1


@pytest.mark.parametrize(("metric", "compat"), [
    *(("bleu_multi", name) for name in ("sacrebleu", "evaluate", "nltk")),
    *(("rouge_nlws", name) for name in ("rouge_score", "rouge155")),
    ("bertscore_idf", "bert_score"),
])  # fmt: skip
def test_an_empty_prediction_never_crashes_another_library_s_rules(metric, compat):
    segments = score(metric, ["", "a"], [["a b"], [""]], compat=compat, segments=True)["segments"]
    assert all(0 <= value <= 1 for values in segments.values() for value in values)


#: Containers that are no Arrow inside; those are in tests/corpus.
TEXTS = {
    "tuple": tuple, "array of strings": np.array, "array of objects": lambda texts: np.array(texts, object),
    "series": pd.Series, "table": lambda texts: pd.DataFrame({"texts": texts}),
    "generator": iter,
    "numpy strings": lambda texts: [np.str_(text) for text in texts],
}  # fmt: skip
LISTS = {
    "tuples": lambda lists: tuple(map(tuple, lists)),
    "array of lists": lambda lists: np.array([*lists, None], object)[:-1],
    "list of arrays": lambda lists: [np.array(texts) for texts in lists],
    "list of arrow": lambda lists: [pa.array(texts) for texts in lists], "series": pd.Series,
    "table": lambda lists: pd.DataFrame({"lists": lists}),
    "list of series": lambda lists: [pd.Series(texts) for texts in lists],
    "series of arrays": lambda lists: pd.Series([np.array(texts, object) for texts in lists]), "generator": iter,
    "numpy strings": lambda lists: [[np.str_(text) for text in texts] for texts in lists],
}  # fmt: skip


def are_scored_as_lists(metric, of_texts, of_lists):
    references = [texts[0] for texts in REFERENCES]
    whole = score(metric, PREDICTIONS, references)
    for way in (score, add_batch):
        for name, container in of_texts.items():
            assert way(metric, container(PREDICTIONS), container(references)) == whole, name
        for name, container in of_lists.items():
            assert way(metric, PREDICTIONS, container(REFERENCES)) == expected(metric), name


@pytest.mark.parametrize("metric", ["bleu_multi", "bertscore_idf"])
def test_containers_of_polars_will_do(metric):
    pl = pytest.importorskip("polars")
    are_scored_as_lists(
        metric,
        {
            "table": lambda texts: pl.DataFrame({"texts": texts}),
            "categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
        },
        {
            "table": lambda lists: pl.DataFrame({"lists": lists}),
            "list of series": lambda lists: [pl.Series(texts) for texts in lists],
        },
    )


@pytest.mark.parametrize("metric", ["bleu_multi", "bertscore_idf"])
def test_any_container_of_texts_and_of_lists_of_references_will_do(metric):
    lists = [["a b", "c"], ["d", "e"]]
    are_scored_as_lists(metric, TEXTS, LISTS)
    assert score(metric, PREDICTIONS, np.array(lists)) == score(metric, PREDICTIONS, lists)
