"""The gate: a system fails that is significantly worse than the baseline, or may be worse by more than a margin."""

import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

import tercet
from commands import command
from tercet.comparison.gate import losses
from tercet.comparison.power import rounded
from tercet.errors import OptionError

REFERENCES = ["ein Hund bellt laut", "two cats sleep here", "кошка спит дома", "trời hôm nay mưa to", "it rains"] * 8
BASE = ["ein Hund bellt laut", "two cats sleep", "кошка спит", "trời hôm nay mưa", "it rained"] * 8
WORSE = ["ein Hund", "two dogs sleep", "кошки спят", "trời mưa", "rain"] * 8


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
    assert result.needed == pytest.approx(((1.645 + 0.842) * error / 0.1) ** 2, rel=0.1)
    assert f"To show that an equal system is within it takes about {rounded(result.needed)} segments." in str(result)


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
    assert "not tested, as there are too few segments or runs" in str(result)
    (result,) = losses(comparison, comparison.tables[0], 4.0)
    assert result.failed


def test_clusters_are_the_units():
    random = np.random.default_rng(6)
    base, system = random.normal(size=(2, 20))
    alone = loss({"A": base.tolist(), "B": system.tolist()}, 0.5)
    repeated = {"A": base.repeat(5).tolist(), "B": system.repeat(5).tolist()}
    result = loss(repeated, 0.5, cluster=np.arange(20).repeat(5))
    assert (result.low, result.high, result.unit) == (pytest.approx(alone.low), pytest.approx(alone.high), "cluster")
    assert loss(repeated, 0.5).high < result.high


def test_what_varies_in_nothing_is_decided_by_the_difference():
    numbers = [0.5, 0.75, 1, 0.25, 0.5, 0.5, 0.5]
    assert not loss({"A": numbers, "B": numbers}).failed
    assert not loss({"A": numbers, "B": numbers}, 0.1).failed
    assert not loss({"A": numbers, "B": [number - 0.0625 for number in numbers]}, 0.1).failed
    assert loss({"A": numbers, "B": [number - 0.125 for number in numbers]}, 0.1).failed


def test_few_segments_show_nothing():
    assert loss({"A": [0.5, 0.75], "B": [0.25, 0.5]}).failed
    assert "not tested" in str(loss({"A": [0.5, 0.75], "B": [0.25, 0.5]}))
    assert not loss({"A": [0.25, 0.5], "B": [0.5, 0.75]}).failed
    assert loss({"A": [0.25, 0.5], "B": [0.5, 0.75]}, 0.1).failed


def test_equal_shares_of_right_answers_need_items_for_a_margin():
    """Of 30 items that both have right nothing varies, but other items may: the interval has a width."""
    few, many = ([1, 0] * n for n in (15, 2000))
    assert loss({"A": few, "B": few}, 5).failed
    assert not loss({"A": many, "B": many}, 5).failed
    result = loss({"A": [1, 1, 0, 1] * 50, "B": [1, 0, 0, 1] * 50})
    only, total = 50.5, 202
    error = math.sqrt(only + 0.5 - (only - 0.5) ** 2 / total) / total
    assert (result.low, result.high) == (
        pytest.approx(100 * ((only - 0.5) / total - 1.6449 * error), abs=0.01),
        pytest.approx(100 * ((only - 0.5) / total + 1.6449 * error), abs=0.01),
    )


def test_a_margin_that_no_loss_exceeds_is_refused():
    scores = {"A": [0.0, 1, 0.5] * 5, "B": [1.0, 0, 0.5] * 5}
    with pytest.raises(OptionError, match=r"margin of 2 is more than any that quality can show, .* from 0 to 1\."):
        loss(scores, 2)


def test_the_command_ends_with_1_and_says_why(tmp_path):
    path = write(tmp_path / "news.jsonl", {"base": BASE, "tuned": WORSE, "same": BASE})
    plain = command("compare", path, "-m", "chrf", "-m", "ter", "-s", "base", "-s", "tuned", "-s", "same")
    options = ("--fail-if-worse", "chrf", "--fail-if-worse", "ter=200", "-s", "base", "-s", "tuned", "-s", "same")
    run = command("compare", path, "-m", "chrf", "-m", "ter", *options, code=1)
    assert run.stdout == plain.stdout
    lines = [line for line in run.stderr.splitlines() if line.startswith(("passed", "failed"))]
    assert [line.split(" chrF")[0].split(" TER")[0] for line in lines if "'same'" in line] == [
        "passed: news: 'same' against 'base': as good in", "passed: news: 'same' against 'base': as good in"
    ]  # fmt: skip
    assert any(
        line.startswith("failed: news: 'tuned' against 'base': ") and "chrF worse, significantly" in line
        for line in lines
    )
    command("compare", path, "-m", "chrf", "-s", "tuned", "-s", "base", "--fail-if-worse", "chrf")
    command("compare", path, "-m", "chrf", "-s", "tuned", "-s", "base", "--fail-if-worse", "chrf=0.5")


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
    assert "'tuned' against 'base': 25.00 acc worse, by more than the margin of 5" in run.stderr


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
        "'tuned' against 'base'"
    ] * 2


@pytest.mark.long
def test_at_the_margin_alpha_of_all_systems_pass():
    """Non-inferiority holds its level: a system that is worse by the margin passes in 5 % of 400 test sets."""
    random = np.random.default_rng(7)
    passed = 0
    for _ in range(400):
        base = random.normal(size=60)
        worse = base - 0.3 + random.normal(0, 0.7, 60)
        passed += not loss({"A": base.tolist(), "B": worse.tolist()}, 0.3, test=None).failed
    assert 0.025 < passed / 400 < 0.08
