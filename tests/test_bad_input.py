"""What cannot be scored is refused, by index, before anything is stored; what is odd but legal is scored."""

import re
from collections import UserDict

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tercet
from tercet import InputError, TercetError

PREDICTIONS = ["the cat sat on the mat today", "a dog"]
REFERENCES = [["the cat lay on the mat today", "a cat"], ["a dog barks"]]


def score(metric, predictions, references, **options):
    return tercet.score(metric, predictions, references, **options).to_dict()


def compute(metric, predictions, references, **options):
    return tercet.load(metric).compute(predictions=predictions, references=references, **options)


def add_batch(metric, predictions, references, **options):
    module = tercet.load(metric)
    module.add_batch(predictions=predictions, references=references)
    return module.compute(**options)


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    """Let no test wait for a file that a failed one still locks."""
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


each_metric = pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
each_way = pytest.mark.parametrize("way", [score, compute, add_batch])


def cases(table):
    """Parametrise over the values of a table, its keys being the names of the tests."""
    return [pytest.param(*values, id=name) for name, values in table.items()]


@each_metric
@pytest.mark.parametrize(
    ("prediction", "reference", "message"),
    cases({
        "None": (None, ["a"], "item {} of predictions must be a string, got None"),
        "number": (7, ["a"], "item {} of predictions must be a string, got 7 (int)"),
        "nan": (float("nan"), ["a"], "item {} of predictions must be a string, got nan (float)"),
        "bytes": (b"a", ["a"], "item {} of predictions must be a string, got b'a' (bytes)"),
        "list": (["a"], ["a"], "item {} of predictions must be a string, got ['a'] (list)"),
        "surrogate": ("a\ud800", ["a"], "item {} of predictions is not valid Unicode text: the lone surrogate"),
        "reference number": ("a", 7, "item {} of references must be a string or a list of strings, got 7"),
        "reference array of a number": ("a", np.array(7), "item {} of references must be a string or a list"),
        "reference bytes": ("a", b"a", "item {} of references must be a string or a list of strings, got b'a'"),
        "reference dict": ("a", {"a": 1}, "item {} of references must be a string or a list of strings, got {{"),
        "None in references": ("a", ["a", None], "item 1 of the references of item {} must be a string, got None"),
        "number in references": ("a", ["a", 7], "item 1 of the references of item {} must be a string, got 7"),
        "bytes in references": ("a", [b"a"], "item 0 of the references of item {} must be a string, got b'a'"),
        "list in references": ("a", [["a"]], "item 0 of the references of item {} must be a string, got ['a']"),
        "surrogate in references": ("a", ["a", "\udfff"], "a reference of item {} is not valid Unicode text"),
    }),
)  # fmt: skip
class TestABadItemIsNamed:
    @each_way
    def test_in_a_corpus(self, metric, way, prediction, reference, message):
        with pytest.raises(InputError, match=re.escape(message.format(1))):
            way(metric, ["a", prediction, "b"], [["a"], reference, ["b"]])

    def test_alone(self, metric, prediction, reference, message):
        with pytest.raises(InputError, match=re.escape(message.format(0))):
            tercet.load(metric).add(prediction=prediction, reference=reference)


@each_metric
@each_way
@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    cases({
        "empty corpus": ([], [], "The corpus is empty"),
        "no reference, []": (["a", "b"], [["a"], []], "item 1 of references is empty: every item needs at least one"),
        "no reference, None": (["a", "b"], ["a", None], "item 1 of references is empty"),
        "no references at all": (["a", "b"], [[], []], "item 0 (and 1 more) of references is empty"),
        "string among lists": (["a", "b"], [["a"], "b"], "item 1 of references is a string, but an earlier one is a"),
        "list among strings": (["a", "b"], ["a", ["b"]], "item 1 of references is a list, but an earlier one is a"),
        "fewer references": (["a", "b"], ["a"], "one entry per item, got 2 predictions and 1 references"),
        "more references": (["a"], ["a", "b"], "one entry per item, got 1 predictions and 2 references"),
        "transposed": (["a", "b", "c"], [["a", "b", "c"]] * 2, "look transposed: 2 lists of 3 texts. Give one list"),
        "text": ("ab", ["a", "b"], "predictions must be a list with one text per item, got 'ab' (str)"),
        "bytes": (b"ab", ["a", "b"], "predictions must be a list with one text per item, got b'ab' (bytes)"),
        "dict": ({"a": 1}, ["a"], "predictions must be a list with one text per item, got {'a': 1} (dict)"),
        "mapping": (UserDict(a=1), ["a"], "predictions must be a list with one text per item"),
        "table": (pd.DataFrame({"a": ["b"]}), ["a"], "predictions must be a list with one text per item"),
        "set": ({"a"}, ["a"], "predictions must be a list with one text per item, got {'a'} (set)"),
        "None": (None, ["a"], "predictions must be a list with one text per item, got None"),
        "number": (7, ["a"], "predictions must be a list with one text per item, got 7 (int)"),
        "array without axis": (np.array("a"), ["a"], "predictions must be a list with one text per item"),
        "text as references": (["a", "b"], "ab", "references must be a list with one text or one list of texts"),
        "dict as references": (["a"], {"a": 1}, "references must be a list with one text or one list of texts"),
        "None as references": (["a"], None, "references must be a list with one text or one list of texts"),
    }),
)  # fmt: skip
def test_a_bad_corpus_is_refused(metric, way, predictions, references, message):
    with pytest.raises(InputError, match=re.escape(message)):
        way(metric, predictions, references)


def test_an_input_error_is_a_value_error():
    assert issubclass(InputError, TercetError)
    assert issubclass(TercetError, ValueError)


@each_metric
@pytest.mark.parametrize(
    "refuse",
    [
        pytest.param(lambda m: m.add_batch(predictions=["a", None], references=["a", "b"]), id="batch"),
        pytest.param(lambda m: m.add_batch(predictions=["a", "b\ud800"], references=["a", "b"]), id="surrogate"),
        pytest.param(lambda m: m.add_batch(predictions=["a"], references=["a"], sources=["a"]), id="input"),
        pytest.param(lambda m: m.add(prediction="a", reference=7), id="add"),
        pytest.param(lambda m: m.compute(predictions=["a", "b"], references=["a"]), id="compute"),
        pytest.param(lambda m: m.compute(predictions=["a"], references=["\ud800"]), id="compute, surrogate"),
        pytest.param(lambda m: m.compute(predictions=["a"], references=[None]), id="compute, no reference"),
        pytest.param(lambda m: m.compute(segmets=True), id="unknown option"),
        pytest.param(lambda m: m.compute(scale=10), id="wrong option"),
        pytest.param(lambda m: m.compute(stemmer="porter", lemmatizer="en"), id="excluding options"),
        pytest.param(lambda m: m.compute(stemmer="klingon"), id="stemmer of no language"),
        pytest.param(lambda m: m.compute(lemmatizer="klingon"), id="lemmatizer of no language"),
        pytest.param(lambda m: m.compute(tokenizer=lambda text: [1]), id="tokenizer without strings"),
    ],
)
def test_a_refusal_loses_nothing_and_adds_nothing(metric, refuse):
    module = tercet.load(metric)
    module.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises(TercetError):
        refuse(module)
    module.add(prediction=PREDICTIONS[1], reference=REFERENCES[1])
    assert module.compute() == score(metric, PREDICTIONS, REFERENCES)


@each_metric
def test_a_failing_tokenizer_loses_nothing(metric):
    module = tercet.load(metric)
    module.add_batch(predictions=["a", "b"], references=[["a"], None])
    with pytest.raises(ZeroDivisionError):
        module.compute(missing_references="skip", tokenizer=lambda text: [text] * (1 // 0))
    again = module.compute(missing_references="skip")
    assert again == score(metric, ["a", "b"], [["a"], None], missing_references="skip")
    assert module.compute(predictions=PREDICTIONS, references=REFERENCES) == score(metric, PREDICTIONS, REFERENCES)


@each_metric
@each_way
class TestAnItemWithoutReference:
    LISTS = (REFERENCES[0], None, REFERENCES[1])
    TEXTS = (PREDICTIONS[0], "nobody wrote this", PREDICTIONS[1])

    def test_is_an_error_that_names_the_choices(self, metric, way):
        with pytest.raises(InputError, match=r"item 1 .* missing_references='skip' .* missing_references='zero'"):
            way(metric, self.TEXTS, self.LISTS, missing_references="error")

    def test_is_left_out(self, metric, way):
        result = way(metric, self.TEXTS, self.LISTS, missing_references="skip", segments=True)
        expected = score(metric, PREDICTIONS, REFERENCES, segments=True)
        for name, (first, second) in expected.pop("segments").items():
            assert result["segments"][name] == [first, None, second]
        assert (result["n_segments"], result["missing_references"]) == (2, 1)
        scores = {name for name in expected if name not in ("signature", "missing_references")}
        assert {name: result[name] for name in scores} == {name: expected[name] for name in scores}

    def test_scores_0_and_counts(self, metric, way):
        result = way(metric, self.TEXTS, self.LISTS, missing_references="zero", segments=True)
        expected = score(metric, PREDICTIONS, REFERENCES, segments=True)
        for name, (first, second) in expected["segments"].items():
            assert result["segments"][name] == [first, 0.0, second]
        assert (result["n_segments"], result["missing_references"]) == (3, 1)

    def test_must_not_be_every_item(self, metric, way):
        with pytest.raises(InputError, match="No item has a reference"):
            way(metric, self.TEXTS, [[], None, []], missing_references="skip")


@each_metric
def test_the_items_without_reference_are_counted_over_all_batches(metric):
    module = tercet.load(metric)
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    module.add(prediction="a", reference=None)
    with pytest.raises(InputError, match=re.escape("item 2 (and 1 more) of references is empty")):
        module.compute(predictions=["b"], references=[[]])
    assert module.compute(missing_references="zero")["missing_references"] == 1


@each_metric
@each_way
@pytest.mark.parametrize("empty", ["", " \t\n"])
class TestAnEmptyPrediction:
    def test_scores_0_and_is_counted(self, metric, way, empty):
        result = way(metric, [empty, *PREDICTIONS], [["a b"], *REFERENCES], segments=True)
        assert {name: values[0] for name, values in result["segments"].items()} == dict.fromkeys(
            result["segments"], 0.0
        )
        assert (result["n_segments"], result["empty_predictions"]) == (3, 1)

    @pytest.mark.parametrize("reference", ["a b", "", "\n"])
    def test_scores_0_as_a_corpus(self, metric, way, empty, reference):
        result = way(metric, [empty], [reference])
        assert result[{"bleu_multi": "bleu", "rouge_nlws": "rouge1"}[metric]] == 0.0
        assert result["empty_predictions"] == 1


@pytest.mark.parametrize(
    ("metric", "compat"),
    [
        *(("bleu_multi", name) for name in ("sacrebleu", "evaluate", "nltk")),
        *(("rouge_nlws", name) for name in ("rouge_score", "rouge155")),
    ],
)
def test_an_empty_prediction_never_crashes_another_library_s_rules(metric, compat):
    segments = score(metric, ["", "a"], [["a b"], [""]], compat=compat, segments=True)["segments"]
    assert all(0 <= value <= 1 for values in segments.values() for value in values)


TEXTS = {
    "tuple": tuple,
    "array of strings": np.array,
    "array of objects": lambda texts: np.array(texts, object),
    "series": pd.Series,
    "arrow": pa.array,
    "large arrow": lambda texts: pa.array(texts, pa.large_string()),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "chunked arrow": lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    "column": lambda texts: datasets.Dataset.from_dict({"texts": texts})["texts"],
    "generator": iter,
    "numpy strings": lambda texts: [np.str_(text) for text in texts],
}
LISTS = {
    "tuples": lambda lists: tuple(map(tuple, lists)),
    "array of lists": lambda lists: np.array([*lists, None], object)[:-1],
    "list of arrays": lambda lists: [np.array(texts) for texts in lists],
    "list of arrow": lambda lists: [pa.array(texts) for texts in lists],
    "series": pd.Series,
    "series of arrays": lambda lists: pd.Series([np.array(texts, object) for texts in lists]),
    "arrow": pa.array,
    "chunked arrow": lambda lists: pa.chunked_array([lists[:1], lists[1:]]),
    "column": lambda lists: datasets.Dataset.from_dict({"lists": lists})["lists"],
    "generator": iter,
    "numpy strings": lambda lists: [[np.str_(text) for text in texts] for texts in lists],
}


@each_metric
@each_way
class TestAnyContainerWillDo:
    @pytest.mark.parametrize("container", TEXTS.values(), ids=TEXTS)
    def test_for_texts(self, metric, way, container):
        references = [texts[0] for texts in REFERENCES]
        expected = score(metric, PREDICTIONS, references)
        assert way(metric, container(PREDICTIONS), container(references)) == expected

    @pytest.mark.parametrize("container", LISTS.values(), ids=LISTS)
    def test_for_lists_of_references(self, metric, way, container):
        assert way(metric, PREDICTIONS, container(REFERENCES)) == score(metric, PREDICTIONS, REFERENCES)

    def test_for_as_many_references_each(self, metric, way):
        lists = [["a b", "c"], ["d", "e"]]
        assert way(metric, PREDICTIONS, np.array(lists)) == score(metric, PREDICTIONS, lists)
