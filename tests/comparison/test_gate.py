"""The gate: a system fails that is significantly worse than the baseline, or may be worse by more than a margin."""

import json
import math

import numpy as np
import pytest
from scipy.stats import beta, ttest_rel

import tercet
from commands import command
from own_metric import NanForZero
from tercet.comparison.gates.gate import Question, losses, losses_of_all
from tercet.comparison.gates.loss_in_words import Loss, ScoreInWords, Units
from tercet.comparison.wording.decimals import in_two_digits
from tercet.errors import OptionError
from tercet.statistics.noninferiority import johnson
from tercet.statistics.tango import tango

REFERENCES = ["ein Hund bellt laut", "two cats sleep here", "кошка спит дома", "trời hôm nay mưa to", "it rains"] * 8
BASE = ["ein Hund bellt laut", "two cats sleep", "кошка спит", "trời hôm nay mưa", "it rained"] * 8
WORSE = ["ein Hund", "two dogs sleep", "кошки спят", "trời mưa", "rain"] * 8
CHRF = ScoreInWords("chrF")


def write(path, systems, references=REFERENCES):
    rows = [
        dict(zip([*systems, "reference"], texts, strict=True))
        for texts in zip(*systems.values(), references, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def loss(scores, margin=0.0, **settings):
    """Return the loss of B against A in a column of scores."""
    comparison = tercet.compare(scores={"quality": scores}, **settings)
    (result,) = losses(comparison, comparison.tables[0], margin)
    return result


def test_of_a_mean_the_interval_is_nearly_that_of_students_t():
    random = np.random.default_rng(4)
    base = random.normal(size=300)
    system = base + random.normal(-0.1, 0.8, size=300)
    interval = ttest_rel(base, system).confidence_interval(0.9)
    result = loss({"A": base.tolist(), "B": system.tolist()}, 0.2)
    assert result.value == pytest.approx((base - system).mean())
    assert (result.low, result.high) == pytest.approx(interval, abs=0.01)
    assert result.level == pytest.approx(0.9)
    assert result.failed == (result.high > 0.2)


@pytest.mark.parametrize(("margin", "failed"), [(0, True), (0.05, True), (0.2, True), (0.5, False)])
def test_a_loss_fails_unless_the_whole_interval_is_within_the_margin(margin, failed):
    random = np.random.default_rng(1)
    base = random.normal(size=200)
    worse = base - 0.15 + random.normal(0, 0.5, 200)
    result = loss({"A": base.tolist(), "B": worse.tolist()}, margin)
    assert (result.failed, 0 < result.low < 0.15 < 0.2 < result.high < 0.5) == (failed, True)


def test_lower_is_better_turns_the_sign():
    scores = {"A": [1.0, 2, 3, 4] * 5, "B": [1.0, 3, 3, 5] * 5}
    assert loss(scores).value == -0.5
    comparison = tercet.compare(scores={tercet.Column("edits", better="lower"): scores})
    (result,) = losses(comparison, comparison.tables[0])
    assert (result.value, result.failed) == (0.5, True)
    assert 0 < result.low < 0.5 < result.high


def test_too_few_segments_are_told_with_how_many_would_do():
    random = np.random.default_rng(2)
    base, system = random.normal(size=(2, 30))
    result = loss({"A": base.tolist(), "B": (system - system.mean() + base.mean()).tolist()}, 0.1)
    assert result.failed
    assert result.value == pytest.approx(0, abs=1e-12)
    error = np.std(base - system, ddof=1)
    assert result.units.needed == pytest.approx(((1.645 + 0.842) * error / 0.1) ** 2, rel=0.1)
    assert f"About {in_two_digits(result.units.needed)} segments would be needed." in str(result)


def test_runs_are_judged_over_their_spread():
    random = np.random.default_rng(5)
    item = random.normal(size=100)
    scores = {f"A-{n}": (item + random.normal(0, 0.1, 100)).tolist() for n in range(3)}
    scores |= {
        f"B-{n}": (item + shift + random.normal(0, 0.1, 100)).tolist() for n, shift in enumerate([-0.5, 0, 0.5])
    }
    comparison = tercet.compare(scores={"quality": scores}, runs=r"([AB])-(\d)")
    (result,) = losses(comparison, comparison.tables[0], 0.3)
    assert (result.system, result.baseline, result.failed) == ("B", "A", True)
    alone = loss({"A": scores["A-0"], "B": scores["B-1"]}, 0.3)
    assert result.high - result.low > 10 * (alone.high - alone.low)
    comparison = tercet.compare(
        scores={"quality": {name: scores[name] for name in ("A-0", "A-1", "B-0")}}, runs=r"(.)-(\d)"
    )
    (result,) = losses(comparison, comparison.tables[0])
    assert math.isnan(result.low)
    assert result.failed  # a loss that nobody has tested is no pass
    assert "not tested, as there are too few runs" in str(result)
    (result,) = losses(comparison, comparison.tables[0], 4.0)
    assert result.failed


def test_clusters_are_the_units():
    random = np.random.default_rng(6)
    base, system = random.normal(size=(2, 20))
    alone = loss({"A": base.tolist(), "B": system.tolist()}, 0.5)
    repeated = {"A": base.repeat(5).tolist(), "B": system.repeat(5).tolist()}
    result = loss(repeated, 0.5, cluster=np.arange(20).repeat(5))
    assert (result.low, result.high, result.units.unit) == (
        pytest.approx(alone.low),
        pytest.approx(alone.high),
        "cluster",
    )
    assert loss(repeated, 0.5).high < result.high


def test_where_no_segment_differs_the_rule_of_three_says_what_is_excluded():
    few, many = ([0.5, 0.75, 1, 0.25] * n for n in (2, 15))
    assert not loss({"A": few, "B": few}).failed
    result = loss({"A": few, "B": few}, 0.1)
    assert (result.failed, result.units.n_different, result.method) == (True, 0, "Learned-Miller and Thomas")
    # none of 8 loses all, from 1 to 0: Clopper and Pearson's bound
    assert result.high == pytest.approx(beta.ppf(0.95, 1, 8))
    assert result.units.needed == 29
    assert str(result).startswith("no number differs; of 8, that excludes little: a loss of up to 0.3123 quality is ")
    assert str(result).endswith("the margin is 0.1. About 29 segments would be needed.")
    result = loss({"A": many, "B": many}, 0.1)
    assert not result.failed
    assert str(result) == (
        "no number differs; of 60, that excludes a loss of more than 0.0487 quality (one-sided; 90 % interval of the "
        "loss: -0.0487 to 0.0487 by the bound of Learned-Miller and Thomas); the margin is 0.1."
    )


def test_a_loss_that_all_share_is_compared_with_the_margin():
    numbers = [0.5, 0.75, 1, 0.25] * 15
    assert not loss({"A": numbers, "B": [number - 0.0625 for number in numbers]}, 0.1).failed
    assert loss({"A": numbers, "B": [number - 0.125 for number in numbers]}, 0.1).failed
    assert loss({"A": numbers[:8], "B": [number - 0.0625 for number in numbers[:8]]}, 0.1).failed


def test_few_segments_show_nothing():
    assert loss({"A": [0.5, 0.75], "B": [0.25, 0.5]}).failed
    assert "not tested" in str(loss({"A": [0.5, 0.75], "B": [0.25, 0.5]}))
    for second in ([0.5, 0.75], [0.25, 0.5]):
        for margin in (0, 0.1):
            result = loss({"A": [0.25, 0.5], "B": second}, margin)
            assert result.failed
            assert "ot tested, as there are too few segments." in str(result)


def test_equal_shares_of_right_answers_need_items_for_a_margin():
    """Of 30 items that both have right nothing varies, but other items may: the interval has a width."""
    few, many = ([1, 0] * n for n in (15, 2000))
    assert loss({"A": few, "B": few}, 5).failed
    assert not loss({"A": many, "B": many}, 5).failed
    result = loss({"A": [1, 1, 0, 1] * 50, "B": [1, 0, 0, 1] * 50})
    assert (result.low, result.high) == tuple(100 * bound for bound in tango(50, 0, 200, 0.9))
    assert (result.method, result.failed) == ("Tango", True)


def test_shares_of_which_lower_is_better_lose_by_what_they_gain():
    scores = {"A": [0, 0, 1, 0] * 20, "B": [1, 0, 1, 0] * 20}
    comparison = tercet.compare(scores={tercet.Column("errors", better="lower"): scores})
    (result,) = losses(comparison, comparison.tables[0], 30)
    assert (result.value, result.failed) == (25, True)
    assert (result.low, result.high) == tuple(100 * bound for bound in tango(20, 0, 80, 0.9))


def test_parts_of_a_corpus_score_add_up_to_the_loss():
    """The parts of a score that is no mean are its jackknife, whose mean is the loss."""
    comparison = tercet.compare({"A": BASE, "B": WORSE}, "chrf", references=REFERENCES, test=None)
    (table,) = comparison.tables
    (result,) = losses(comparison, table, 50)
    assert result.method == "Johnson"
    base, system = (
        [table.score_of(name, [other for other in range(40) if other != left_out]) for left_out in range(40)]
        for name in ("A", "B")
    )
    apart = np.subtract(base, system)
    parts = result.value + 39 * (apart.mean() - apart)
    assert parts.mean() == pytest.approx(result.value)
    assert result.high >= johnson(parts, 0.05) - 1e-9
    assert result.high == pytest.approx(johnson(parts, 0.05), rel=0.01)


def test_small_losses_of_large_numbers_are_no_rounding():
    base = [1e12 + n for n in range(40)]
    result = loss({"A": base, "B": [number - 0.5 for number in base]}, 1)
    assert (result.units.n_different, result.failed) == (40, False)


def test_of_clusters_those_that_differ_are_counted():
    base = [0.5, 0.75, 1, 0.25] * 15
    scores = {"A": base, "B": [0, 0, *base[2:]]}
    result = loss(scores, 0.1, cluster=np.arange(60) // 2)
    assert (result.units.number, result.units.n_different, result.method) == (30, 1, "Learned-Miller and Thomas")


def test_rows_that_differ_in_another_score_are_no_difference():
    """The order of words changes ROUGE-2, and not ROUGE-1."""
    references = ["one two three four"] * 20
    systems = {"A": ["one two three"] * 20, "B": ["three two one"] * 20}
    comparison = tercet.compare(systems, "rouge:rouge_types=rouge1+rouge2", references=references, test=None)
    first, second = (losses(comparison, table, 5)[0] for table in comparison.tables[:2])
    assert (first.units.n_different, second.units.n_different) == (0, 20)
    assert "no text differs; of 20, that excludes little" in str(first)


@pytest.mark.parametrize("order", ["ABC", "CAB"])
def test_a_third_system_that_is_nan_changes_nothing_wherever_it_stands(order):
    texts = {"A": ["one two", "two cats"] * 10, "B": ["one two", "two dogs"] * 10, "C": ["zz"] * 20}
    systems = {system: texts[system] for system in order}
    references = ["one two", "two cats"] * 10
    comparison = tercet.compare(systems, NanForZero(), references=references, baseline="A", test=None)
    values = {row.system: row.value for row in comparison.tables[0].rows}
    assert math.isnan(values["C"])
    found = {result.system: result for result in losses(comparison, comparison.tables[0])}
    assert found["B"].units.n_different == 10


SENTENCES = [
    (-16.49, -40.81, 7.82, 0, "scores 16.49 chrF higher, not significantly; a loss of up to 7.82 is not excluded"),
    (-16.49, -20, -7, 0, "scores 16.49 chrF higher, significantly"),
    (4, -1, 9, 0, "4.00 chrF worse, not significantly; a loss of up to 9.00 is not excluded"),
    (4, 1, 7, 0, "4.00 chrF worse, significantly"),
    (0, -3, 3, 0, "the same chrF; a loss of up to 3.00 is not excluded"),
    (4, -1, 9, 2, "4.00 chrF worse; the margin is 2; too uncertain to pass"),
    (4, 3, 5, 2, "4.00 chrF worse, by more than the margin of 2"),
    (-4, -9, 1, 2, "scores 4.00 chrF higher; a loss of more than the margin of 2 is excluded"),
]


@pytest.mark.parametrize(("value", "low", "high", "margin", "sentence"), SENTENCES)
def test_sentences_claim_no_more_than_was_shown(value, low, high, margin, sentence):
    failed = high > margin if margin else low > 0
    result = Loss("B", "A", CHRF, value, low, high, 0.9, margin, failed, "Johnson", "Johnson", Units(100, 80))
    interval = f"{low:.2f} to {high:.2f} by Johnson's t"
    assert str(result) == f"{sentence} (one-sided; 90 % interval of the loss: {interval})."


UNSEEN = "; the gate's bound allows for losses that so few segments do not show: "
BOUND = "the bound of Learned-Miller and Thomas"
TOLD_APART = [
    ("Learned-Miller and Thomas", BOUND, 12, UNSEEN),
    ("Learned-Miller and Thomas", BOUND, 900, "; by the gate's own bound "),
    ("Johnson", "Johnson's t", 12, "; by the gate's own bound "),
    ("Welch", "Welch's t", 12, "; by the gate's own bound "),
]


@pytest.mark.parametrize(("method", "called", "n_units", "limit"), TOLD_APART)
@pytest.mark.parametrize(("value", "apart"), [(-4, "scores 4.00 chrF higher"), (4, "4.00 chrF worse")])
def test_what_the_tables_test_finds_significant_is_not_denied(value, apart, method, called, n_units, limit):
    units = Units(n_units, 12)
    result = Loss("B", "A", CHRF, value, -9, 5, 0.9, 0, False, method, method, units, is_told_apart=True)
    sentence = f"{apart}{limit}a loss of up to 5.00 is not excluded"
    assert str(result) == f"{sentence} (one-sided; 90 % interval of the loss: -9.00 to 5.00 by {called})."


def test_twelve_texts_that_the_tables_test_tells_apart():
    """All 12 are better, which is significant by exchanges; of so few texts a large loss may have gone unseen."""
    generator = np.random.default_rng(7)
    base = generator.uniform(0.3, 0.5, 12)
    scores = {"A": base.tolist(), "B": (base + generator.uniform(0.05, 0.2, 12)).tolist()}
    comparison = tercet.compare(scores={"chrF2": scores})
    (table,) = comparison.tables
    assert table.rows[1].adjusted_pvalue < 0.001
    (result,) = losses(comparison, table)
    assert (result.is_told_apart, result.method, result.failed) == (True, "Learned-Miller and Thomas", False)
    assert "the gate's bound allows for losses that so few segments do not show: a loss of up to" in str(result)
    assert "not significantly" not in str(result)
    assert not loss(scores | {"B": scores["A"]}).is_told_apart
    assert not loss(scores, test=None).is_told_apart


@pytest.mark.parametrize(("gain", "is_told_apart"), [(0.2, True), (0.001, False)])
def test_of_runs_it_is_the_test_of_their_means_that_tells_apart(gain, is_told_apart):
    generator = np.random.default_rng(11)
    base = generator.uniform(0.3, 0.5, 40)
    scores = {
        f"{system}-{run}": (base + apart + generator.normal(0, 0.02, 40)).tolist()
        for system, apart in (("old", 0), ("new", gain))
        for run in (1, 2, 3)
    }
    assert loss(scores, runs=r"(old|new)-(\d)").is_told_apart == is_told_apart


@pytest.mark.parametrize(("value", "apart"), [(0.5, "0.50 chrF worse"), (0, "the same chrF")])
def test_two_one_sided_tests_show_that_systems_are_equal_within_a_margin(value, apart):
    result = Loss("B", "A", CHRF, value, -1, 1.5, 0.9, 2, False, "Johnson", "Johnson", Units(100, 80))
    assert str(result) == (
        f"{apart}; equal within ±2 (two one-sided tests; 90 % interval of the loss: -1.00 to 1.50 by Johnson's t)."
    )


def test_shares_are_in_points_and_lower_scores_are_said_to_be_better():
    accuracy = ScoreInWords("accuracy", is_percent=True)
    result = Loss("B", "A", accuracy, -6.67, -9, 1, 0.9, 0, False, "Tango", "Tango", Units(100, 80))
    assert str(result).startswith("scores 6.67 points of accuracy higher, not significantly; ")
    ter = ScoreInWords("TER", higher_is_better=False)
    result = Loss("B", "A", ter, -6.67, -9, 1, 0.9, 0, False, "Johnson", "Johnson", Units(100, 80))
    assert str(result).startswith("scores 6.67 TER lower, which is better, not significantly; ")


def test_a_margin_that_no_loss_exceeds_is_refused():
    scores = {"A": [0.0, 1, 0.5] * 5, "B": [1.0, 0, 0.5] * 5}
    with pytest.raises(
        OptionError, match=r"margin of 2 is at least as large as any that quality can show, .* from 0 to 1\."
    ):
        loss(scores, 2)


def test_a_margin_that_is_as_large_as_a_score_is_told():
    comparison = tercet.compare({"A": BASE, "B": WORSE}, ["chrf", "ter"], references=REFERENCES, test=None)
    of_chrf, of_ter = comparison.tables
    with pytest.raises(OptionError, match=r"The margin of 100: expected less than 100, as chrF goes from 0 to 100\."):
        losses(comparison, of_chrf, 100)
    with pytest.warns(
        UserWarning, match=r"The margin of 99 is all that can be lost, or more: chrF can become worse by 82\."
    ):
        losses(comparison, of_chrf, 99)
    losses(comparison, of_ter, 200)


def test_the_command_ends_with_1_and_says_why(tmp_path):
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE, "same": BASE})
    plain = command("compare", path, "-m", "chrf", "-m", "ter", "-s", "base", "-s", "tuned", "-s", "same")
    options = ("--fail-if-worse", "chrf", "--fail-if-worse", "ter=200", "-s", "base", "-s", "tuned", "-s", "same")
    run = command("compare", path, "-m", "chrf", "-m", "ter", *options, code=1)
    assert run.stdout == plain.stdout
    lines = [line for line in run.stderr.splitlines() if line.startswith(("passed", "failed"))]
    assert [line.split(": ", 3)[3].split(" (")[0] for line in lines if "'same'" in line] == [
        "no text differs; of 40, that excludes little: a loss of up to 7.22 chrF is possible",
        "no text differs; of 40, that excludes a loss of more than 7.22 TER",
    ]
    # of the two without a margin, of chrF, one has no text that differs
    assert sum(line.endswith(" Adjusted for 2 tests.") for line in lines) == 1
    assert any(
        line.startswith("failed: news: 'tuned' against 'base': ") and "chrF worse, significantly" in line
        for line in lines
    )
    command("compare", path, "-m", "chrf", "-s", "tuned", "-s", "base", "--fail-if-worse", "chrf")
    command("compare", path, "-m", "chrf", "-s", "tuned", "-s", "base", "--fail-if-worse", "chrf=0.5")


def gated(random, n_systems):
    """Return whether any of several equal systems fails against the baseline, and the levels of the tests."""
    shared = random.normal(size=60)
    names = ["base", *(f"system {number}" for number in range(n_systems))]
    numbers = {name: shared + random.normal(0, 0.5, 60) for name in names}
    comparison = tercet.compare(scores={"quality": numbers}, test=None)
    found = losses(comparison, comparison.tables[0])
    return any(loss.failed for loss in found), [(1 - loss.level) / 2 for loss in found]


def test_levels_of_tests_made_together_lie_between_alpha_and_its_share():
    random = np.random.default_rng(3)
    _, levels = gated(random, 8)
    # all of them against one baseline: they have something in common
    assert 0.05 / 8 < min(levels) <= max(levels) < 0.05
    # the same loss eight times is one test
    shared = random.normal(size=60)
    same = {"base": shared, **{f"system {number}": 1.01 * shared + 0.1 for number in range(8)}}
    comparison = tercet.compare(scores={"quality": same}, test=None)
    assert [(1 - loss.level) / 2 for loss in losses(comparison, comparison.tables[0])] == pytest.approx([0.05] * 8)


def test_a_clear_loss_leaves_alpha_to_the_others():
    random = np.random.default_rng(5)
    base = random.normal(size=100)
    numbers = {"base": base, "worse": base - 3 + random.normal(0, 0.3, 100), "other": base + random.normal(0, 1, 100)}
    comparison = tercet.compare(scores={"quality": numbers}, test=None)
    worse, other = losses(comparison, comparison.tables[0])
    assert worse.failed
    assert (1 - worse.level) / 2 < 0.03
    # stepped down: the clear one is out of its way
    assert (1 - other.level) / 2 == pytest.approx(0.05, abs=0.004)
    assert str(other).endswith(" Adjusted for 2 tests.")


def test_with_a_margin_and_over_runs():
    """A margin asks for no adjustment; Welch's tests share no draws, so that they are Holm's."""
    random = np.random.default_rng(8)
    base = random.normal(size=50)
    numbers = {f"{name}-{seed}": base + random.normal(0, 1, 50) for name in "abc" for seed in (1, 2, 3)}
    comparison = tercet.compare(scores={"quality": numbers}, runs=r"(.*)-(\d)")
    assert [loss.level for loss in losses(comparison, comparison.tables[0])] == pytest.approx([0.95, 0.95])
    assert [loss.level for loss in losses(comparison, comparison.tables[0], 1)] == pytest.approx([0.9, 0.9])


def test_questions_of_several_alphas_are_decided_by_the_least():
    random = np.random.default_rng(5)
    base = random.normal(size=100)
    numbers = {"base": base, "other": base + random.normal(0, 1, 100)}
    by_alpha = [tercet.compare(scores={"quality": numbers}, test=None, alpha=alpha) for alpha in (0.2, 0.01)]
    for comparisons in (by_alpha, by_alpha[::-1]):
        found = losses_of_all([Question(comparison, comparison.tables[0], 0) for comparison in comparisons])
        # the same loss twice is one test
        assert [(1 - loss.level) / 2 for _, loss in found] == pytest.approx([0.01] * 2)


@pytest.mark.long
@pytest.mark.parametrize("n_systems", [1, 3, 11])
def test_equal_systems_fail_together_as_often_as_one(n_systems):
    random = np.random.default_rng(17)
    share = np.mean([gated(random, n_systems)[0] for _ in range(400)])
    # two standard errors of .05 are .022
    assert 0.025 <= share <= 0.075


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("chr", "--fail-if-worse: no score is called 'chr' with these metrics. Did you mean 'chrf'?"),
        ("chrf=-1", "--fail-if-worse takes METRIC, or METRIC=MARGIN"),
        ("chrf=nan", "--fail-if-worse takes METRIC, or METRIC=MARGIN"),
        ("=1", "--fail-if-worse takes METRIC, or METRIC=MARGIN"),
    ],
)
def test_what_names_no_score_or_margin_is_refused(tmp_path, value, message):
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE})
    options = ("-s", "base", "-s", "tuned", "-m", "chrf", "--fail-if-worse", value)
    assert message in command("compare", path, *options, code=2).stderr


def test_metrics_with_options_are_named_with_and_without_a_margin(tmp_path):
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE})
    for value in ("chrf", "chrf:word_order=2", "chrf:word_order=2=1.5"):
        run = command(
            "compare", path, "-s", "base", "-s", "tuned", "-m", "chrf:word_order=2", "--fail-if-worse", value, code=1
        )
        assert ("the margin of 1.5" in run.stderr) == value.endswith("1.5")


def test_one_system_cannot_be_worse(tmp_path):
    path = write(tmp_path / "news.jsonl", {"base": BASE})
    run = command("compare", path, "-s", "base", "-m", "chrf", "--fail-if-worse", "chrf", code=2)
    assert "news has one system, 'base', and no other to compare it with" in run.stderr
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE})
    options = ("-s", "base", "-s", "tuned", "-m", "chrf", "--fail-if-worse", "chrf", "--alpha", "0.6")
    assert "an --alpha below 0.5" in command("compare", path, *options, code=2).stderr


def test_scores_of_other_programs_are_gated_too(tmp_path):
    rows = [
        {"base": "a", "tuned": "b", "reference": "c", "acc.base": n % 2, "acc.tuned": n % 4 == 1} for n in range(80)
    ]
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = command("compare", path, "--scores", "acc", "--fail-if-worse", "acc=5", code=1)
    assert "'tuned' against 'base': 25.00 points of acc worse, by more than the margin of 5" in run.stderr


def test_a_job_shows_the_findings_where_it_has_a_page(tmp_path):
    path = write(tmp_path / "news.jsonl", {"base|1": BASE, "tuned": WORSE})
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    options = ("compare", path, "-s", "base|1", "-s", "tuned", "-m", "chrf")
    environment = {"GITHUB_STEP_SUMMARY": str(page)}
    command(*options, env=environment)
    assert page.read_text() == "before\n"
    command(*options, "--fail-if-worse", "chrf", env=environment, code=1)
    before, finding, _, *table = page.read_text().splitlines()
    assert before == "before"
    assert finding.startswith("- failed: news: 'tuned' against 'base\\|1': ")
    assert table[0].startswith("| system | chrf | difference |")
    command(*options, "--fail-under", "chrf=1", env=environment)
    assert page.read_text().count("| system |") == 2


@pytest.mark.parametrize(
    ("page", "why"), [("/dev/full", "No space left on device"), ("absent/summary.md", "No such file")]
)
def test_a_page_that_cannot_be_written_changes_no_verdict(tmp_path, page, why):
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE})
    for threshold, code in (("chrf=1", 0), ("chrf=100", 1)):
        environment = {"GITHUB_STEP_SUMMARY": page}
        run = command("compare", path, "-m", "chrf", "--fail-under", threshold, env=environment, code=code)
        warning = f"warning: the summary of the job, {page} (GITHUB_STEP_SUMMARY), could not be written: {why}"
        assert warning in run.stderr
        assert ("failed: " in run.stderr) == bool(code)
        assert "chrf" in run.stdout


def test_runs_of_one_system_have_nothing_to_be_compared_with(tmp_path):
    path = write(tmp_path / "news.jsonl", {"tuned-1": BASE, "tuned-2": WORSE})
    options = ("-s", "tuned-1", "-s", "tuned-2", "-m", "chrf", "--runs", r"tuned-(\d)", "--fail-if-worse", "chrf")
    assert "has one system, 'tuned', and no other" in command("compare", path, *options, code=2).stderr


def test_several_sets_have_one_baseline(tmp_path):
    paths = [
        write(tmp_path / "a.jsonl", {"base": WORSE, "tuned": BASE}),
        write(tmp_path / "b.jsonl", {"tuned": BASE[::-1], "base": WORSE[::-1]}, REFERENCES[::-1]),
    ]
    run = command("compare", *paths, "-m", "chrf", "--fail-if-worse", "chrf", "--weight", "set")
    assert [line.split(": ")[2] for line in run.stderr.splitlines() if line.startswith("passed")] == [
        "'tuned' against 'base'",
        "'tuned' against 'base'",
        "all 2 test sets.",
    ]


def _breakage(random, n):
    base = random.uniform(0.5, 1, n)
    return base, np.where(random.random(n) < 0.05, 0, base), 0.0375


def _lognormal(random, n):
    base = random.normal(10, 3, n)
    return base, base - random.lognormal(0, 1, n), math.exp(0.5)


def _normal(random, n):
    base = random.normal(size=n)
    return base, base - 0.3 + random.normal(0, 0.7, n), 0.3


def _answers(random, n):
    return np.ones(n), 1.0 * (random.random(n) >= 0.05), 5


@pytest.mark.long
@pytest.mark.parametrize("n", [8, 20, 60])
@pytest.mark.parametrize("law", [_breakage, _lognormal, _normal, _answers])
def test_at_the_margin_at_most_alpha_of_all_systems_pass(law, n):
    """Of 200 test sets: two standard errors of a share of .05 are .031."""
    random = np.random.default_rng(7)
    passed = 0
    for _ in range(200):
        base, worse, margin = law(random, n)
        passed += not loss({"A": base.tolist(), "B": worse.tolist()}, margin, test=None).failed
    assert passed / 200 < 0.085


@pytest.mark.long
def test_an_equal_system_passes_a_fair_margin_of_many_segments():
    random = np.random.default_rng(8)
    passed = 0
    for _ in range(50):
        base = np.clip(random.normal(0.6, 0.2, 100), 0, 1)
        system = np.clip(base + random.normal(0, 0.1, 100), 0, 1)
        passed += not loss({"A": base.tolist(), "B": system.tolist()}, 0.05, test=None).failed
    assert passed > 45


def test_what_the_tables_test_does_not_find_is_significant_by_the_gates_own_test():
    """Five segments are too few for the table's permutation test, and not for Student's t."""
    scores = {"A": [0.5, 0.6, 0.7, 0.8, 0.9], "B": [0.3, 0.39, 0.52, 0.58, 0.71]}
    result = loss(scores)
    assert (result.failed, result.is_told_apart) == (True, False)
    assert " worse, significantly by the gate's own test (one-sided; 90 % interval of the loss: " in str(result)
    assert " by Student's t to " in str(result)
    with_margin = loss(scores, margin=0.1)
    assert " by Student's t" not in str(with_margin)
    assert str(with_margin).count(" by the bound of Learned-Miller and Thomas).") == 1
    assert "worse, significantly (one-sided" in str(loss(scores, test=None))
