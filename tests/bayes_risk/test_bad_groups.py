"""What minimum Bayes risk refuses, and how it says so."""

import re

import pytest

import tercet
from tercet.errors import InputError, OptionError


@pytest.mark.parametrize(("groups", "weights", "message"), [
    ([["a"], []], None, "group 1 has no candidate; expected a list of texts."),
    ([], None, "There is no group: expected at least one list of candidates."),
    (["one text"], None, "group 0 must be a list with one text per item, got 'one text' (str)."),
    ("a text", None, "groups must be a list with one list of texts per group, got 'a text' (str)."),
    ([["a"], ["b", 7]], None, "item 1 of group 1 must be a string, got 7 (int)."),
    ([["b", "\ud83d"]], None, "item 1 of group 0"),
    ([["a"], ["b"]], [[1]], "weights must have one list per group, got 1 for 2 groups."),
    ([["a", "b"]], [[1, 2, 3]], "group 0 must have one weight per candidate, got 3 for 2."),
    ([["a", "b"]], [[1, -0.5]], "weight 1 of group 0 must be a probability or a count, a finite number of at least 0 "
     "(no logarithm), got -0.5."),
    ([["a", "b"]], [[float("nan"), 1]], "weight 0 of group 0 must be a probability"),
    ([["a", "b"]], [[1, "2"]], "got '2'."),
    ([["a"], ["b", "c"]], [[1], [0, 0]], "the weights of group 1 are all 0; expected at least one above 0."),
    ([["a"]], [3], "the weights of group 0 must be a list with one number per candidate, got 3 (int)."),
])  # fmt: skip
def test_what_cannot_be_chosen_from_is_refused_by_its_group(groups, weights, message):
    with pytest.raises(InputError, match=re.escape(message)):
        tercet.mbr(groups, "chrf", weights)


@pytest.mark.parametrize(("metric", "options", "message"), [
    ("chrf", {"segments": True}, "'segments' is an option of tercet.score"),
    ("chrf", {"word_ordr": 2}, "Did you mean 'word_order'?"),
    ("comet", {}, "There is no metric 'comet'"),
    ("perplexity", {"model_id": "tiny"}, "scores texts without references"),
])  # fmt: skip
def test_metrics_and_options_that_do_not_fit_are_refused(metric, options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        tercet.mbr([["a", "b"]], metric, **options)
