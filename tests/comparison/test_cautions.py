"""What is said of differences that one segment makes, that most segments contradict, or that may be 0."""

import numpy as np
import pytest

import tercet
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.comparison.verdicts.verdicts import verdict_of

RNG = np.random.default_rng(0)
BASE = RNG.normal(50, 5, 60)


def compared(base, tuned, **options):
    return tercet.compare(scores={"q": {"base": base, "tuned": tuned}}, **options)


def cautions(found):
    sections = [section for table in found.tables for section in table.sections if section.key == "cautions"]
    return [line for section in sections for line in section.lines()]


def test_that_one_segment_makes_a_difference():
    tuned = BASE + 0.01 * RNG.normal(size=60)
    tuned[16] += 20
    found = compared(BASE, tuned)
    (line,) = cautions(found)
    assert line.startswith("tuned: one segment, number 17, makes the difference; without it, it would be ")
    assert line.endswith(" in place of +0.33.")
    for form in (to_text([found]), in_format([found], "markdown"), found.to_html(), found._repr_html_()):
        assert "number 17, makes the difference" in form
    (finding,) = found.to_dict()["tables"][0]["cautions"]
    assert (finding["system"], finding["segment"]) == ("tuned", 17)
    # Without it, all scores are equal: what is left is nothing, whatever rounding leaves.
    (line,) = cautions(compared(BASE + 0.1, BASE + 0.1 + 20 * (np.arange(60) == 16)))
    assert line.endswith(" without it, it would be +0.00 in place of +0.33.")


@pytest.mark.parametrize(("gain", "is_told"), [(62, True), (60, False)])
def test_that_less_than_a_quarter_of_a_difference_is_left_without_a_segment(gain, is_told):
    base = np.arange(20.0)
    gains = np.ones(20)
    gains[7] = gain
    for lines in (cautions(compared(base, base + gains)), cautions(compared(base, base - gains))):
        assert any("number 8, makes the difference" in line for line in lines) is is_told


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_that_most_segments_contradict_a_difference(better):
    sign = 1 if better == "higher" else -1
    tuned = BASE - 0.3 * sign
    tuned[:5] += 20 * sign
    (line,) = cautions(tercet.compare(scores={tercet.Column("q", better=better): {"base": BASE, "tuned": tuned}}))
    assert line == (
        "tuned is better over all, but worse in 55 of 60 segments: a few large differences outweigh many small ones."
    )


def test_nothing_is_said_of_differences_as_they_mostly_are():
    assert cautions(compared(BASE, BASE + RNG.normal(0.3, 1, 60))) == []
    assert cautions(compared(BASE[:4], BASE[:4] + np.eye(4)[3])) == []
    assert cautions(compared(BASE, BASE)) == []


def test_equal_scores_are_not_shown_to_be_equal():
    base = np.array([0.0, 1.0] * 20) + 0.5
    found = compared(base, base[::-1])
    (same,), (caution,) = verdict_of(found, {"base": "base", "tuned": "tuned"})
    assert same == "Both systems have the same q: 1.0000."
    assert caution.startswith(
        "They are not shown to be equal: 40 of 40 segments differ, and the 95 % interval of the "
    )
    assert len(verdict_of(compared(base, base), {"base": "base", "tuned": "tuned"})) == 1


def test_the_bootstrap_test_is_never_said_to_hold_alpha():
    found = compared(BASE, BASE + 5 + RNG.normal(size=60), test="bootstrap")
    text = to_text([found])
    assert "nominal alpha 0.05; this test errs two to four times as often" in text
    assert "(alpha 0.05)" not in text


class TestTheIntervalOfADifference:
    FOUND = tercet.compare(scores={"q": {"base": BASE, "tuned": BASE + RNG.normal(0.3, 1, 60)}})

    def test_is_that_of_paired_resamples(self):
        """Hesterberg 2015: the quantiles of the differences of means of the same resampled segments."""
        from scipy.stats import norm, t

        row = self.FOUND.tables[0].rows[1]
        system = np.asarray(self.FOUND.tables[0].segments["tuned"]) - BASE
        draws = np.random.default_rng(12345).choice(60, (1000, 60))
        level = norm.cdf(-np.sqrt(60 / 59) * t.ppf(0.975, 59))
        expected = np.quantile(system[draws].mean(axis=1), [level, 1 - level])
        assert (row.difference_low, row.difference_high) == pytest.approx(tuple(expected), rel=1e-9)

    def test_stands_in_every_form(self):
        row = self.FOUND.tables[0].rows[1]
        low, high = f"{row.difference_low:+.2f}", f"{row.difference_high:+.2f}"
        assert f"[{low}, {high}]" in to_text([self.FOUND], width=100)
        assert f"[{low}, {high}]" in in_format([self.FOUND], "markdown")
        assert f"$[{low}, {high}]$" in in_format([self.FOUND], "latex")
        assert f"[{low}, {high}]".replace("-", "−") in self.FOUND.to_html()
        system = self.FOUND.to_dict()["tables"][0]["systems"][1]
        assert (system["difference_low"], system["difference_high"]) == (row.difference_low, row.difference_high)
        record = self.FOUND.records()[1]
        assert (record["difference_low"], record["difference_high"]) == (row.difference_low, row.difference_high)
        assert self.FOUND.records()[0]["difference_low"] is None

    def test_of_right_and_wrong_answers_is_tangos(self):
        right = [1] * 30, [1] * 25 + [0] * 5
        (table,) = compared(right[1], right[0]).tables
        row = table.rows[1]
        # Of 30 answers 5 are better and none worse: Tango 1998, by the score test's roots.
        assert 0 < row.difference_low < row.difference < row.difference_high < 40
        assert row.difference == pytest.approx(100 * 5 / 30)


@pytest.mark.parametrize(("apart", "said"), [(4.0, "up to 4.00 apart"), (2e-7, "up to 2e-07 apart")])
def test_equal_texts_with_unequal_scores_are_noise(apart, said):
    """As a judge gives them, or a network in batches of different sizes."""
    texts = ["un chat dort", "猫が寝ている", "кот спит", ""] * 15
    others = [text if number % 4 == 1 else f"{text} !" for number, text in enumerate(texts)]
    tuned = BASE + RNG.normal(0.3, 1, 60)
    tuned[1::4] = BASE[1::4]
    tuned[1] += apart
    tuned[5] -= apart / 2
    found = tercet.compare({"base": texts, "tuned": others}, [], scores={"q": {"base": BASE, "tuned": tuned}})
    (line,) = cautions(found)
    assert line == (
        f"tuned and the baseline have 2 segments with the same text but unequal scores, {said}: "
        "the score has noise of that size."
    )
    assert "the score has noise of that size" in found.to_html()
    for name in ("responseTime", "cost_usd", "tokens"):
        # What an answer took is never the same twice.
        of_name = {name: {"base": BASE, "tuned": tuned}}
        assert cautions(tercet.compare({"base": texts, "tuned": others}, [], scores=of_name)) == []
    tuned[1::4] = BASE[1::4]
    same = tercet.compare({"base": texts, "tuned": others}, [], scores={"q": {"base": BASE, "tuned": tuned}})
    assert cautions(same) == []
