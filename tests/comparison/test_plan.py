"""How many segments show a difference, planned from outputs that exist, by the figures of a comparison's power."""

import json
import math
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from commands import command
from tercet import Column, InputError, OptionError
from tercet.comparison.plan import CORRELATION
from tercet.signature import Signature
from tercet.statistics.mcnemar import mcnemar
from tercet.statistics.power import share_items_needed
from tercet.statistics.stats import SegmentStats

RNG = np.random.default_rng(11)
BASE = RNG.normal(size=400)
NUMBERS = {"base": BASE, "tuned": BASE + RNG.normal(0.1, 0.5, 400), "large": BASE + RNG.normal(0.2, 0.8, 400)}
TWO = {name: NUMBERS[name] for name in ("base", "tuned")}


def planned(numbers=TWO, difference=0.1, name="x", **options):
    return tercet.plan(scores={name: numbers}, difference=difference, **options)


def only(plan):
    (score,) = plan.scores
    return score


def power_of(numbers, **options):
    (table,) = tercet.compare(scores={"x": numbers}, n_resamples=99, **options).tables
    return next(section.value for section in table.sections if section.key == "power")


def test_two_systems_need_what_their_comparison_says():
    power = power_of(TWO)
    score = only(planned(difference=power["target"]))
    (system,) = power["systems"]
    assert score.standard_error == (system["standard_error"],) * 2
    assert score.smallest == (system["smallest"],) * 2
    assert score.needed == (system["needed"],) * 2
    assert (score.n_units, score.n_pairs, score.as_segments) == (400, 1, None)


def answers(discordant, difference, n, rng):
    """Return answers of two systems, right or wrong: of so many, only one has it right, the second more often."""
    kind = rng.random(n)
    only_second = kind < (discordant + difference) / 2
    only_first = ~only_second & (kind < discordant)
    both = rng.random(n) < 0.6
    return {"base": np.where(only_first, 1, np.where(only_second, 0, both)).astype(int),
            "tuned": np.where(only_second, 1, np.where(only_first, 0, both)).astype(int)}  # fmt: skip


def pilot_of(discordant):
    """Return answers of two systems that are equally good, where one alone is right as often as is said."""
    n_each = round(1000 * discordant)
    base = np.repeat([1, 0, 1], [n_each, n_each, 2000 - 2 * n_each])
    tuned = np.repeat([0, 1, 1], [n_each, n_each, 2000 - 2 * n_each])
    return {"base": base, "tuned": tuned}


def test_two_systems_need_what_their_comparison_says_of_right_answers_too():
    right = answers(0.2, 0.05, 300, np.random.default_rng(1))
    power = power_of(right)
    score = only(planned(right, difference=power["target"]))
    (system,) = power["systems"]
    assert score.standard_error == (system["standard_error"],) * 2
    assert score.smallest == (system["smallest"],) * 2
    assert score.needed == (system["needed"],) * 2
    discordant = float((right["base"] != right["tuned"]).mean())
    assert score.needed[0] == share_items_needed(power["target"] / 100, discordant, alpha=0.05, power=0.8)
    # Clusters are tested by permutations.
    clustered = only(planned(right, difference=power["target"], cluster=range(300)))
    assert clustered.needed[0] == pytest.approx(score.needed[0], rel=0.1)


def test_one_system_that_answers_right_or_wrong_may_differ_from_another_in_few_or_many_answers():
    right = answers(0.2, 0.05, 400, np.random.default_rng(1))["base"]
    score = only(planned({"base": right}, difference=8, n_resamples=20_000))
    variance = float(np.var(right))
    for needed, rho in zip(score.needed, (0.85, 0.5), strict=True):
        expected = share_items_needed(0.08, 2 * (1 - rho) * variance, alpha=0.05, power=0.8)
        assert needed == pytest.approx(expected, rel=0.05)


def test_of_several_systems_it_is_a_range_over_their_pairs():
    pairs = [("base", "tuned"), ("base", "large"), ("tuned", "large")]
    scores = [only(planned({name: NUMBERS[name] for name in pair})) for pair in pairs]
    score = only(planned(NUMBERS))
    assert score.n_pairs == 3
    for name in ("standard_error", "smallest", "needed"):
        values = [getattr(alone, name)[0] for alone in scores]
        assert getattr(score, name) == (min(values), max(values))


def test_of_one_system_it_is_a_range_of_what_another_may_be_like():
    score = only(planned({"base": BASE}, n_resamples=20_000))
    error = float(np.std(BASE)) / math.sqrt(400)
    assert score.standard_error == pytest.approx([error * math.sqrt(2 * (1 - rho)) for rho in (0.85, 0.5)], rel=0.03)
    assert score.n_pairs == 0
    plan = planned({"base": BASE})
    assert plan.to_dict()["correlation"] == list(CORRELATION) == [0.5, 0.85]
    assert "with one system, base, there is no difference to resample" in plan.to_text()


@given(st.floats(0.01, 3), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.2, 0.05, 0.001]))
@settings(max_examples=25)
def test_less_is_needed_of_a_larger_difference(difference, power, alpha):
    chosen = {"power": power, "alpha": alpha, "n_resamples": 50}
    score = only(planned(difference=difference, **chosen))
    assert only(planned(difference=difference / 2, **chosen)).needed >= score.needed
    assert only(planned(difference=difference, **{**chosen, "power": 0.99})).needed >= score.needed
    assert only(planned(difference=difference, **{**chosen, "alpha": alpha / 2})).needed >= score.needed
    assert (score.needed[0] <= 400) == (difference >= score.smallest[0]) or score.needed[0] < 30


def test_what_is_needed_grows_with_the_square_of_the_error():
    doubled = {name: 2 * values for name, values in TWO.items()}
    assert only(planned(doubled, difference=0.2)).needed == only(planned(difference=0.1)).needed
    assert only(planned(doubled)).needed[0] == pytest.approx(4 * only(planned()).needed[0], abs=4)


def test_the_difference_between_the_systems_has_no_part_in_it():
    apart = {"base": BASE, "tuned": TWO["tuned"] + 7}
    assert only(planned(apart)).needed[0] == pytest.approx(only(planned()).needed[0], abs=1)


def test_clusters_of_one_are_segments():
    alone, clustered = only(planned()), only(planned(cluster=range(400)))
    assert clustered.needed == clustered.as_segments == alone.needed
    assert clustered.smallest == alone.smallest


def test_copies_are_as_many_clusters_and_no_more_segments():
    copies = {name: np.repeat(values, 3) for name, values in TWO.items()}
    score = only(planned(copies, cluster=np.repeat(np.arange(400), 3), n_resamples=20_000))
    assert score.needed == pytest.approx(only(planned(n_resamples=20_000)).needed)
    # Three times as many segments, in as many clusters.
    assert score.as_segments[0] == pytest.approx(score.needed[0], rel=0.05)
    assert (score.n_units, score.n_segments) == (400, 1200)


def test_clusters_are_counted_beside_segments(tmp_path):
    effects = np.repeat(RNG.normal(0, 0.5, 50), 8)
    tuned = BASE + effects + RNG.normal(0, 0.5, 400)
    rows = ["doc_id\tbase.x\ttuned.x", *(f"d{n // 8}\t{BASE[n]}\t{tuned[n]}" for n in range(400))]
    (tmp_path / "news.tsv").write_text("\n".join(rows) + "\n")
    asked = ["plan", "news.tsv", "--scores", "x", "--difference", "0.1", "--cluster", "doc_id"]
    text = command(*asked, cwd=tmp_path).stdout.splitlines()[0]
    assert text.startswith("To see a difference of 0.1 x (80 % power, alpha 0.05), by doc_id: about ")
    assert " clusters of about 8 segments (" in text
    assert "; as single segments it would look like " in text
    assert "This set has 50, which show " in text
    (found,) = json.loads(command(*asked, "-f", "json", cwd=tmp_path).stdout)["test_sets"]
    (score,) = found["scores"]
    assert 2 * score["as_segments"][0] < 8 * score["needed"][0]
    assert (found["clusters"]["by"], found["unit"], score["n_units"]) == ("doc_id", "cluster", 50)


def test_lower_may_be_better_and_missing_numbers_are_left_out():
    lower = only(tercet.plan(scores={Column("x", better="lower"): TWO}, difference=0.1))
    assert lower.needed == only(planned()).needed
    gaps = {**TWO, "tuned": [None, None, *TWO["tuned"][2:]]}
    with pytest.warns(UserWarning, match="2 segments are not scored for every system, and are left out for all"):
        assert only(planned(gaps)).n_units == 398


@pytest.mark.parametrize("columns", [
    {"base": "base.x", "tuned": "tuned.x"}, {"base": "base.x"},
], ids=["two systems", "one system"])  # fmt: skip
def test_the_command_shows_and_writes_the_plan(tmp_path, columns):
    rows = ["\t".join(columns.values()), *("\t".join(str(TWO[name][n]) for name in columns) for n in range(400))]
    (tmp_path / "news.tsv").write_text("\n".join(rows) + "\n")
    asked = ["plan", "news.tsv", "--scores", "x", "--difference", "0.1"]
    shown = command(*asked, cwd=tmp_path).stdout
    plan = planned({name: TWO[name] for name in columns})
    assert shown == plan.to_text() + "\n"
    assert "This set has 400, which show 0.0" in shown
    for extra in (["-f", "json"], ["-o", "plan.json"]):
        run = command(*asked, *extra, cwd=tmp_path)
        content = json.loads(run.stdout or (tmp_path / "plan.json").read_text())
        assert content["test_sets"][0] == {**plan.to_dict(), "test_set": "news"}
    assert command(*asked, "-o", "plan.txt", cwd=tmp_path).stdout == ""
    assert (tmp_path / "plan.txt").read_text() == shown


def test_several_files_are_named(tmp_path):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("base.x\ttuned.x\n" + "".join(f"{n % 7}\t{n % 5}\n" for n in range(60)))
    shown = command("plan", "a.tsv", "b.tsv", "--scores", "x", "--difference", "1", cwd=tmp_path).stdout
    assert [line for line in shown.splitlines() if line.endswith(":")] == ["a:", "b:"]


def test_texts_are_scored_by_every_metric():
    references = [f"the {n} cats sat on {n * 7 % 13} mats" for n in range(40)]
    systems = {
        name: [text.replace(*pair) if n % step else text for n, text in enumerate(references)]
        for name, pair, step in (("base", ("sat", "lay"), 2), ("tuned", ("cats", "dogs"), 3))
    }
    plan = tercet.plan(systems, ["bleu", "rouge:rouge_types=rouge1+rougeL"], references=references, difference=1)
    assert [score.score for score in plan.scores] == ["bleu", "rouge1", "rougeL"]
    assert repr(plan).startswith(
        "<Plan for a difference of 1 on 'test set' (power 0.8, alpha 0.05): segments needed: bleu "
    )
    html = plan._repr_html_()
    assert html.count("<p>") == 4
    assert "<bdi>ROUGE-L</bdi>" in html


def test_names_are_escaped():
    shown = planned({"<b>[red]\x1b[31m": TWO["base"], "猫 & Co": TWO["tuned"]}, name="[bold]<i>x")
    assert "<i>" not in shown._repr_html_()
    assert "<b>" not in shown._repr_html_()
    assert "\x1b" not in shown.to_text()
    assert "0.1 [bold]<i>x (80 %" in shown.to_text()
    assert "猫 & Co" in shown.to_text()


def test_systems_that_hardly_differ_do_not_count():
    almost = TWO["base"].copy()
    almost[:14] += 1
    score = only(planned({**TWO, "copy": almost}))
    assert (score.n_pairs, score.n_alike) == (2, 1)
    plan = planned({"base": BASE, "copy": almost})
    assert only(plan).needed is None
    assert "x: how many segments show a difference is not known, as no two systems differ in 15" in plan.to_text()
    assert repr(plan).endswith("segments needed: x ?>")
    assert plan.to_dict()["scores"][0]["standard_error"] is None
    constant = planned({"base": [1.5] * 40})
    assert "is not known, as the score does not vary" in constant.to_text()


def test_of_few_segments_it_is_a_guess():
    few = {name: values[:20] for name, values in TWO.items()}
    assert "With fewer than 30 segments, how much scores vary is itself uncertain" in planned(few).to_text()
    assert "uncertain" not in planned().to_text()


@pytest.mark.parametrize("n", [1, 4, 5, 14])
def test_of_a_few_clusters_that_all_differ_there_is_a_guess(n):
    labels = [number * n // 400 for number in range(400)]
    shown = planned(cluster=labels).to_text()
    assert (f"as {n} cluster{'s' * (n > 1)} cannot tell how much scores vary" in shown) == (n < 5)
    assert ("With fewer than 30 clusters" in shown) == (n >= 5)


def test_systems_of_few_segments_must_differ_in_most_of_them():
    tuned = BASE[:20] + np.array([0.5, -0.3, 0.4] * 6 + [0, 0]) * (np.arange(20) < 11)
    assert "about" in planned({"base": BASE[:20], "tuned": tuned}).to_text()
    tuned[10] = BASE[10]
    assert "no two systems differ in 11 segments or more" in planned({"base": BASE[:20], "tuned": tuned}).to_text()


def test_any_level_can_be_asked_for():
    assert only(planned(alpha=1e-300)).needed >= only(planned(alpha=1e-12)).needed > only(planned()).needed


class Length(tercet.Metric):
    """Words of a prediction: no share, though it does not say so."""

    name, primary = "length", "length"
    columns = (*tercet.Metric.base_columns, "words")
    score_names = ("length",)

    def signature(self, context=None):
        return Signature.of(self.name, {})

    def segment_stats(self, batch, context=None):
        (predictions, references) = batch.columns().values()
        rows = [[1, 0, 0, len(texts), len(text.split())] for text, texts in zip(predictions, references, strict=True)]
        return SegmentStats(self.signature(), self.columns, np.array(rows, float))

    def finalize(self, totals):
        return {"length": self.scale * totals[..., -1] / np.maximum(totals[..., 0], 1)}


def test_a_metric_above_its_scale_is_no_share():
    systems = {"base": ["a b c", "a b"] * 20, "tuned": ["a b", "a b c d e"] * 20}
    assert only(tercet.plan(systems, Length(), references=["a"] * 40, difference=150)).needed


class Undefined(Length):
    """NaN where no word is long."""

    name = "undefined"

    def finalize(self, totals):
        with np.errstate(invalid="ignore"):
            return {"length": self.scale * np.where(totals[..., -1] > 100, np.nan, 1.0) * totals[..., -1]}


@pytest.mark.parametrize("names", [["base"], ["base", "tuned"]], ids=len)
def test_resamples_that_score_nan_are_named(names):
    systems = {"base": ["a b c", "a b"] * 20, "tuned": ["a b", "a b c d e"] * 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = tercet.plan({name: systems[name] for name in names}, Undefined(), references=["a"] * 40, difference=1)
    assert "is not known, as resamples of this set score NaN" in plan.to_text()
    assert only(plan).needed is None


def test_more_than_can_be_counted():
    plan = planned(difference=1e-300)
    assert only(plan).needed is None
    assert "more segments than can be counted" in plan.to_text()
    assert only(plan).smallest is not None


@pytest.mark.parametrize(("options", "message"), [
    ({"difference": 0}, "The 'difference' option of plan must be a number above 0, such as 0.5. Got 0 instead"),
    ({"difference": -1}, "must be a number above 0"),
    ({"difference": math.nan}, "must be a number above 0"),
    ({"difference": math.inf}, "must be a number above 0"),
    ({"difference": "0.5"}, "must be a number above 0"),
    ({"difference": 1, "power": 1}, "The 'power' option of plan must be a number from 0.5 on and below 1"),
    ({"difference": 1, "power": 0.3}, "The 'power' option of plan must be a number from 0.5 on and below 1"),
    ({"difference": 1, "alpha": 0}, "The 'alpha' option of plan must be a number above 0 and below 1"),
    ({"difference": 1, "n_resamples": 1}, "The 'n_resamples' option of plan must be"),
    ({"difference": 1, "seed": -1}, "The 'seed' option of plan must be"),
    ({"difference": 1, "runs": "x"}, "plan has no option 'runs'"),
], ids=str)  # fmt: skip
def test_wrong_options_are_named(options, message):
    with pytest.raises(OptionError) as caught:
        planned(**options)
    assert message in str(caught.value)


def test_a_share_has_no_greater_difference_than_the_whole():
    answers = {"base": [0, 1] * 20, "tuned": [1, 1, 0, 0] * 10}
    with pytest.raises(OptionError, match="difference=100: expected less than 100, as acc goes from 0 to 100"):
        planned(answers, name="acc", difference=100)
    assert only(planned(answers, name="acc", difference=99)).needed


def test_wrong_test_sets_are_named(tmp_path):
    with pytest.raises(InputError, match=r"plan takes the texts of each system by its name, as in tercet\.plan\("):
        tercet.plan(["a"], difference=1)
    with pytest.raises(InputError, match="There is nothing to compare"):
        tercet.plan(difference=1)
    with pytest.raises(OptionError, match="The 'metrics' option of plan must be a metric or a list of them"):
        tercet.plan({"base": ["a"]}, [], references=["a"], difference=1)
    (tmp_path / "a.tsv").write_text("base.x\ttuned.x\n1\t2\n3\t5\n")
    for arguments, message in {
        (): "Missing option '--difference'",
        ("--difference", "0"): "The 'difference' option of plan must be a number above 0",
        ("--difference", "1", "--runs", "x"): "No such option: --runs",
        ("--difference", "1", "-o", "plan.html"): "--out",
        ("--difference", "1", "-o", "a.tsv"): "--out",
    }.items():
        run = command("plan", "a.tsv", "--scores", "x", *arguments, code=2, cwd=tmp_path)
        assert message in run.stderr


@pytest.mark.parametrize(("systems", "metric", "difference", "needed"), [
    (("KIT.4950", "online-B.0"), "bleu", 0.575, 3917),
    (("C-3MA.4959", "TALP-UPC.4834"), "bleu", 1.43, 639),
    (("LMU-nmt-reranked.4934", "RWTH-nmt-ensemble.4921"), "chrf", 0.779, 726),
])  # fmt: skip
def test_pairs_of_newstest2017(sets, systems, metric, difference, needed):
    names = [f"newstest2017.{system}.en-de" for system in systems]
    [test_set] = tercet.read_test_sets(sets / "wmt17_ende_16sys.jsonl.gz", systems=names)
    score = only(tercet.plan(test_set, metric, difference=difference))
    # Measured by other resamples: each standard error is known within some 2 %.
    assert score.needed[0] == pytest.approx(needed, rel=0.08)


@pytest.mark.parametrize(("discordant", "difference"), [(0.3, 0.05), (0.1, 0.04), (0.15, 0.1), (0.6, 0.5)])
def test_the_promised_power_is_met_by_mcnemars_test(discordant, difference):
    rng = np.random.default_rng(5)
    n = only(planned(pilot_of(discordant), difference=100 * difference)).needed[0]
    n_found, n_runs = 0, 4000
    for _ in range(n_runs):
        drawn = answers(discordant, difference, n, rng)
        only_base = int((drawn["base"] > drawn["tuned"]).sum())
        only_tuned = int((drawn["base"] < drawn["tuned"]).sum())
        n_found += mcnemar(only_base, only_tuned) < 0.05
    assert 0.77 < n_found / n_runs < 0.84


def found_by_compare(numbers):
    """Return whether the comparison of two systems finds a difference."""
    (table,) = tercet.compare(scores={"x": numbers}).tables
    return table.rows[1].pvalue < 0.05


@pytest.mark.long
@pytest.mark.parametrize(("discordant", "difference"), [(0.3, 0.1), (0.15, 0.1), (0.6, 0.5)])
def test_compare_finds_what_was_planned_of_right_answers(discordant, difference):
    rng = np.random.default_rng(6)
    n = only(planned(pilot_of(discordant), difference=100 * difference)).needed[0]
    found = [found_by_compare(answers(discordant, difference, n, rng)) for _ in range(500)]
    assert 0.77 <= np.mean(found) <= 0.86


@pytest.mark.long
@pytest.mark.parametrize("n", [6, 7, 8, 10, 16])
def test_compare_finds_what_was_planned_of_few_numbers(n):
    rng = np.random.default_rng(8)
    # Of a pilot that varies as much as it should: the smallest difference that needs so many, and no fewer.
    pilot = {"base": np.zeros(2000), "tuned": scipy.stats.norm.ppf((np.arange(2000) + 0.5) / 2000)}
    differences = np.linspace(0.5, 2, 61)
    needed = [only(planned(pilot, difference=difference, n_resamples=5000)).needed[0] for difference in differences]
    difference = differences[needed.index(n)]
    found = [found_by_compare({"base": np.zeros(n), "tuned": rng.normal(difference, 1, n)}) for _ in range(500)]
    assert 0.75 <= np.mean(found) <= 0.88


def test_of_fewer_than_can_be_significant_that_is_said():
    few = {name: values[:5] for name, values in TWO.items()}
    score = only(planned(few, difference=0.5))
    assert score.smallest is None
    assert score.needed[0] >= 6
    assert "This set has 5, too few for any difference to be significant." in planned(few).to_text()


def test_errors_name_plan():
    with pytest.raises(OptionError, match=r"^The 'metrics' option of plan must be"):
        tercet.plan(scores={"x": TWO}, metrics=5, difference=1)
    with pytest.raises(InputError, match=r"^plan takes the texts of each system"):
        tercet.plan("texts.tsv", "chrf", difference=1)


def test_a_plan_makes_no_intervals_that_it_does_not_show(monkeypatch):
    def refuse_resamples(*args, **options):
        raise AssertionError

    monkeypatch.setattr("tercet.statistics.intervals.BootstrapResult._levels", refuse_resamples)
    assert only(planned()).needed
