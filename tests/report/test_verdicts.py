"""What a table says in words: each sentence, and that it claims no more than the numbers and the test."""

from dataclasses import replace

import numpy as np
import pytest

from tercet.comparison.compare import compare
from tercet.comparison.scores import SystemScore
from tercet.comparison.test_sets import TestSet
from tercet.pages.verdicts import bucket_verdict, score_verdict, summary_verdict

SAMPLE = TestSet("sample", {"a": ["the cat sat on it"]}, [["the cat sat on it"]], None)
(BLEU,), (TER,) = (compare(SAMPLE, metric).tables for metric in ("bleu", "ter"))
FOUND = compare(SAMPLE, ["bleu"])


def said(values, adjusted=None, table=BLEU, test="permutation", alpha=0.05, baseline=None):
    """Return the sentences on systems with these scores, and these adjusted p-values of pairs (1 where none)."""
    names = list(values)
    pvalues = np.ones((len(names), len(names)))
    for (one, other), p in (adjusted or {}).items():
        places = names.index(one), names.index(other)
        pvalues[places] = pvalues[places[::-1]] = p
    best = (max if table.higher_is_better else min)(values.values())
    top = next(place for place, value in enumerate(values.values()) if value == best)
    rows = []
    for place, (name, value) in enumerate(values.items()):
        is_best = value == best
        as_good = is_best or (bool(pvalues[place, top] >= alpha) if test else None)
        difference = None if name == (baseline or names[0]) else value - values[baseline or names[0]]
        rows.append(SystemScore(name, value, value, value, difference, *[None] * 5, is_best, as_good))
    made = replace(table, rows=rows, pvalues=pvalues)
    comparison = replace(FOUND, tables=[made], test=test, alpha=alpha, baseline=baseline or names[0])
    return ["".join(each) for each in score_verdict(comparison, made, {name: name for name in names})]


class TestTwoSystems:
    def test_a_significant_difference(self):
        assert said({"large": 84.6, "tuned": 45.1}, {("large", "tuned"): 0.0001}) == [
            "large has the best bleu: 84.60, 39.50 points above tuned.",
            "The difference is significant (p 0.0001, alpha 0.05).",
        ]

    def test_one_that_is_not_significant_is_not_taken_for_equality(self):
        assert said({"large": 45.3, "tuned": 45.1}, {("large", "tuned"): 0.412}) == [
            "large has the best bleu: 45.30, 0.20 points above tuned.",
            "The test finds no significant difference between large and tuned (p 0.412; alpha 0.05), which does not "
            "show that there is none.",
        ]

    def test_alpha_is_the_users(self):
        assert "no significant" in said({"a": 2.0, "b": 1.0}, {("a", "b"): 0.02}, alpha=0.01)[1]

    def test_lower_is_better_and_has_no_points(self):
        assert said({"a": 40.0, "b": 60.5}, {("a", "b"): 0.002}, table=TER)[0] == (
            "a has the best ter (lower is better): 40.00, 20.50 below b."
        )

    def test_a_difference_that_rounding_would_hide(self):
        assert said({"a": 40.001, "b": 40.0})[0] == "a has the best bleu: 40.00, less than 0.01 points above b."

    def test_the_same_score(self):
        assert said({"a": 40.0, "b": 40.0}) == ["Both systems have the same bleu: 40.00."]


class TestOthers:
    def test_one_system_is_compared_with_nothing(self):
        assert said({"a": 40.0}) == ["a has a bleu of 40.00. There is no other system."]
        assert said({"a": 40.0}, test=None) == said({"a": 40.0})

    def test_without_a_test_chance_is_named(self):
        assert said({"a": 1.0, "b": 2.0, "c": 3.0}, test=None) == [
            "c has the best bleu: 3.00, 1.00 points above b, the next best.",
            "This was not tested: the difference may be due to chance.",
        ]

    def test_better_than_all(self):
        pvalues = {("c", "a"): 0.0003, ("c", "b"): 0.02}
        assert said({"a": 1.0, "b": 2.0, "c": 3.0}, pvalues, baseline="c")[1:] == [
            "c is significantly better than both others (largest adjusted p 0.020, alpha 0.05)."
        ]

    def test_better_than_some(self):
        pvalues = {("d", "a"): 0.0003, ("d", "b"): 0.0004, ("a", "b"): 0.9}
        assert said({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}, pvalues)[1:] == [
            "The test finds no significant difference between d and c (adjusted p 1.000; alpha 0.05), which does not "
            "show that there is none.",
            "d is significantly better than the other 2 (largest adjusted p 0.0004).",
            "The baseline a is significantly worse than 1 other.",
        ]

    def test_better_than_none(self):
        values = {"a": 1.0, "b": 2.0, "c": 3.0}
        assert said(values, {("a", "c"): 0.3})[1:] == [
            "The test finds no significant difference between c and any of b and a (adjusted p 1.000, 0.300; alpha "
            "0.05), which does not show that there is none.",
            "The test finds no significant difference between the baseline and any other system.",
        ]
        assert said(values, {("a", "b"): 0.01}, baseline="b")[-1] == (
            "The baseline b is significantly better than 1 other."
        )

    def test_no_better_than_many(self):
        values = {f"s{number}": float(number) for number in range(8)}
        assert said(values, {("s7", "s0"): 0.01, ("s7", "s3"): 0.06}, baseline="s7")[1:] == [
            "The test finds no significant difference between s7 and 6 of the 7 others (least adjusted p 0.060, "
            "alpha 0.05), which does not show that there is none.",
            "s7 is significantly better than the other (largest adjusted p 0.010).",
        ]

    def test_several_share_the_best(self):
        pvalues = {("b", "a"): 0.001, ("c", "a"): 0.2}
        assert said({"a": 1.0, "b": 2.0, "c": 2.0}, pvalues, baseline="b") == [
            "b and c share the best bleu: 2.00, 1.00 points above a, the next best.",
            "b is significantly better than a (adjusted p 0.0010, alpha 0.05).",
        ]

    @pytest.mark.parametrize(("name", "start"), [("x", "The baseline x is"), ("baseline", "The baseline is")])
    def test_the_baseline_among_three(self, name, start):
        pvalues = {(name, "low"): 0.001, (name, "high"): 0.002, ("low", "high"): 0.0001}
        assert said({"low": 1.0, name: 2.0, "high": 3.0}, pvalues, baseline=name)[-1] == (
            f"{start} significantly worse than 1 other, and significantly better than 1 other."
        )


def test_names_are_kept_apart_from_what_is_said_of_them():
    """They may be of any script, and hold anything: every other part of a sentence is a name."""
    table = replace(BLEU, rows=[replace(BLEU.rows[0], system=name, value=2.0 - place, best=not place, difference=None)
                                for place, name in enumerate(("נתן", "<b>"))])  # fmt: skip
    (sentence, _) = score_verdict(replace(FOUND, test=None), table, {"נתן": "נתן", "<b>": "<b>"})
    assert sentence[1::2] == ("נתן", "<b>")


class TestSummary:
    def tables(self, *best):
        return [
            replace(BLEU, rows=[replace(BLEU.rows[0], system=name, best=name in each) for name in "abc"])
            for each in best
        ]

    def said(self, labels, *best):
        return [
            "".join(each)
            for each in summary_verdict(self.tables(*best), labels, dict(zip("abc", "abc", strict=True)))
        ]

    def test_agreement(self):
        assert self.said(["bleu", "chrf"], "a", "a") == ["a is best in both scores."]
        assert self.said(["bleu", "chrf", "ter"], "ab", "ab", "ab") == ["a and b are best in all 3 scores."]

    def test_disagreement(self):
        assert self.said(["bleu", "chrf", "ter"], "a", "b", "a") == [
            "The scores do not agree on the best system.",
            "a is best by bleu, ter.",
            "b is best by chrf.",
        ]

    def test_one_score_needs_no_summary(self):
        assert self.said(["bleu"], "a") == []


def test_groups_count_those_that_are_best_in_each():
    columns = [(1.0, 2.0), (3.0, 2.0), (float("nan"), 2.0), (2.0, 2.0)]
    (sentence,) = bucket_verdict(columns, ["a", "b"], True, "length groups")
    assert "".join(sentence) == (
        "b is best in 3 of 4 length groups; a is best in 2 of 4 length groups. These differences were not tested."
    )
    (sentence,) = bucket_verdict(columns[:2], ["a", "b"], False, "length groups")
    assert "".join(sentence) == (
        "a is best in 1 of 2 length groups; b is best in 1 of 2 length groups. These differences were not tested."
    )
    assert bucket_verdict(columns, ["a"], True, "length groups") == []
