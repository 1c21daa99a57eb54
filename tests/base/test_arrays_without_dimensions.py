"""An array without dimensions looks like a list and is none: every function says so in an error of the suite."""

import numpy as np
import pytest

import tercet
from tercet.errors import TercetError

TEXTS = {"systems": {"A": ["a b"], "B": ["a c"]}, "metrics": "chrf", "references": ["a b"]}


def compare(**given):
    arguments = {**TEXTS, **given}
    return tercet.compare(arguments.pop("systems"), **arguments)


def correlate(**given):
    return tercet.correlate(TEXTS["systems"], TEXTS["metrics"], references=TEXTS["references"], **given)


#: What is asked of each function, with the array as one of its arguments.
CALLS = {
    "score: predictions": lambda array: tercet.score("chrf", array, ["a"]),
    "score: a prediction": lambda array: tercet.score("chrf", [array], ["a"]),
    "score: references": lambda array: tercet.score("chrf", ["a"], array),
    "score: a reference": lambda array: tercet.score("chrf", ["a"], [[array]]),
    "score: metric": lambda array: tercet.score(array, ["a"], ["a"]),
    "score: cluster": lambda array: tercet.score("chrf", ["a"], ["a"], cluster=array, confidence_level=0.9),
    "score: tokenizer": lambda array: tercet.score("rouge", ["a"], ["a"], tokenizer=lambda text: array),
    "explain": lambda array: tercet.explain("chrf", "a", array),
    "mbr": lambda array: tercet.mbr([array], "chrf"),
    "mbr: weights": lambda array: tercet.mbr([["a"]], "chrf", weights=[array]),
    "stream": lambda array: tercet.Stream("chrf").add(array, ["a"]),
    "stream: merge": lambda array: tercet.Stream("chrf").merge(array),
    "compare: metrics": lambda array: compare(metrics=array),
    "compare: by": lambda array: compare(by=array),
    "compare: labels": lambda array: compare(by={"domain": array}),
    "compare: runs": lambda array: compare(runs={"A": array}),
    "compare: scores": lambda array: tercet.compare(scores=array),
    "compare: numbers": lambda array: tercet.compare(scores={"COMET": {"A": array}}),
    "correlate: grades": lambda array: correlate(grades={"A": array, "B": [1]}),
    "read_test_sets": lambda array: tercet.read_test_sets(array),
    "overall": lambda array: tercet.overall(array),
    "reward: a completion": lambda array: tercet.reward("chrf")(completions=[array], references=["a"]),
    "reward: a reference": lambda array: tercet.reward("chrf")(completions=["a"], references=[[array]]),
    "reward: verl": lambda array: tercet.reward("chrf").verl("", array, "a"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("array", [np.array("a"), np.array(1.0)], ids=["text", "number"])
def test_is_refused_by_an_error_that_shows_it(call, array):
    with pytest.raises(TercetError, match=r"array\('a'|array\(1\.|got 'a'|got 1\.0") as caught:
        call(array)
    assert type(caught.value) is not TercetError
