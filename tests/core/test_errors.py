"""Errors are values of a kind, suggest a name, and show what was given in a line."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tercet.errors import InputError, MergeError, OptionError, TercetError, did_you_mean, shorten


@pytest.mark.parametrize("error", [InputError, OptionError, MergeError])
def test_every_error_on_purpose_is_a_value_error(error):
    assert issubclass(error, TercetError)
    assert issubclass(error, ValueError)


def test_did_you_mean_names_the_nearest_or_all():
    assert did_you_mean("ROUGEL", ["rouge1", "rougeL", "rougeLsum"]) == "Did you mean 'rougeL'?"
    assert did_you_mean("13b", iter(["13a", "intl"])) == "Did you mean '13a'?"
    assert did_you_mean("x", ["smooth_method", "tokenizer"]) == "Known: smooth_method, tokenizer."


LARGE = ["a" * 10**6, b"a" * 10**6, ["a"] * 10**6, ("a",) * 10**6, "短" * 100, {1: "a" * 100}]


@pytest.mark.parametrize("value", LARGE, ids=lambda value: type(value).__name__)
def test_shorten_cuts_a_value_of_any_size(value):
    shown = shorten(value, limit=20)
    assert (len(shown), shown[-1]) == (20, "…")
    assert repr(value if len(value) < 1000 else value[:30]).startswith(shown[:-1])


SHORT = [
    "", "abc", "a  b\n\u2028\x1b[31m", b"a", [1, 2], [], (), (1,), ("a", 2.5), None, 7, -(10**250), True, 1 + 2j, {},
    {"a": [1, {"b": ()}]}, set(), {1}, frozenset(), frozenset({"x"}), range(5), float("nan"), int,
]  # fmt: skip


def test_shorten_shows_a_short_value_whole():
    assert [shorten(value, limit=300) for value in SHORT] == list(map(repr, SHORT))


class Broken:
    def __init__(self, error):
        self.error = error

    def __repr__(self):
        raise self.error


class UnreadableText(str):
    def __repr__(self):
        raise RuntimeError

    __getitem__ = __str__ = __repr__


SELF = []
SELF.append(SELF)
DEEP = []
for _ in range(10**5):
    DEEP = [DEEP]


SHOWN = [
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        (pd.Series(["a", "b"]), "0    a 1    b dtype: "),
        (pd.DataFrame({"mt": ["a"]}), "mt 0  a"),
        ([pd.Series([1])], "[0    1 dtype: int64]"),
        (pa.array(["a"]), '<pyarrow.lib.StringArray object at'),
        (Broken(ValueError("no")), "<Broken whose repr raises ValueError>"),
        ([Broken(RecursionError()), 1], "[<Broken whose repr raises RecursionError>, 1]"),
        (UnreadableText("abc"), "'abc'"),
        (10**5000, "<int of about 5,001 digits>"),
        (-(10**400), "<int of about 401 digits>"),
        ({"the": 10**5000}, "{'the': <int of about 5,001 digits>}"),
        (Fraction(1, 10**5000), "<Fraction whose repr raises ValueError>"),
        (SELF, "[[[[[["),
        (DEEP, "[[[[[["),
        (["a" * 10**7] * 10**6, "['aaaaaa"),
        ({"a" * 10**7: 1}, "{'aaaaaa"),
]  # fmt: skip


def test_shorten_shows_a_tensor_on_one_line():
    import torch

    assert shorten(torch.eye(2)) == "tensor([[1., 0.], [0., 1.]])"


def test_shorten_never_fails_and_is_one_line():
    for value, shown in SHOWN:
        found = shorten(value)
        assert found.startswith(shown)
        assert len(found) <= 60
        assert len(found.splitlines()) == 1
