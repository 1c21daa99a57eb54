"""``--scores``: columns of other programs' scores beside metrics, or alone."""

import json

import pytest

from commands import command

TABLE = """base\ttuned\treference\tbase.COMET\tCOMET_tuned\tbase_ok\ttuned_ok
a cat sat\tthe cat sat\tthe cat sat\t0.71\t0.82\t0\t1
a dog ran\ta dog runs\ta dog runs\t0.5\t\t1\t1
it rains\tit rained\tit rains\t0.6\t0.65\t1\t1
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(TABLE)
    return str(path)


def tables_of(run):
    (test_set,) = json.loads(run.stdout)["test_sets"]
    return {each["metric"]: [row["value"] for row in each["systems"]] for each in test_set["tables"]}


@pytest.mark.parametrize("name", ["score", "compare"])
def test_are_beside_metrics_or_alone(table, name):
    beside = command(name, table, "-m", "chrf", "--scores", "COMET", "--scores", "ok", "--format", "json")
    assert [*tables_of(beside)] == ["chrf_multi", "COMET", "ok"]
    alone = tables_of(command(name, table, "--scores", "COMET:missing=zero", "--scores", "ok", "--format", "json"))
    assert alone["COMET:missing=zero"] == pytest.approx([1.81 / 3, 1.47 / 3])
    assert alone["ok"] == pytest.approx([200 / 3, 100])


def test_missing_ones_that_count_as_0_are_counted_by_system(table):
    shown = command("compare", table, "-m", "chrf", "--scores", "COMET:missing=zero", "--scores", "ok").stdout
    heading = "Segments without a number or reference, which count as 0, COMET:missing=zero"
    assert f"{heading}: tuned 1 (of 3)." in shown
    assert shown.count("count as 0") == 1
    (test_set,) = json.loads(command("score", table, "--scores", "COMET:missing=zero", "--format", "json").stdout)[
        "test_sets"
    ]
    assert {row["system"]: row["counted_as_zero"] for row in test_set["facts"]} == {"base": 0, "tuned": 1}


def test_have_thresholds(table):
    arguments = ("compare", table, "--scores", "ok", "--scores", "COMET:better=lower")
    assert command(*arguments, "--fail-under", "ok=60").returncode == 0
    run = command(*arguments, "--fail-under", "ok=90", "--fail-under", "COMET=0.7", code=1)
    assert "the system 'base': ok is 66.67, below 90 by 23.33." in run.stderr
    assert "the system 'tuned': COMET is 0.7350, above 0.7 by 0.0350." in run.stderr


def test_a_threshold_is_in_percent_where_the_scores_are(table):
    run = command("compare", table, "--scores", "ok", "--fail-under", "ok=0.9", code=2)
    assert "ok is in percent here, as all its numbers are 0 or 1. Give ok=90." in run.stderr


def test_a_segment_shows_them(table):
    assert "0.82" in command("compare", table, "--scores", "COMET", "--segment", "1").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scores", "COMT"), "has no scores 'COMT'; expected columns such as 'base.COMT' or 'COMT_base'. Did you"),
        (
            ("--scores", "COMET:missing=error"),
            "'tuned' has no number in the column 'COMET' in segment 2",
        ),
        (("--scores", "COMET:worse=higher"), "column has no option 'worse'"),
        (("--scores", "ok", "--fail-under", "COMET=1"), "no score is called 'COMET' with these metrics"),
    ],
)
def test_wrong_ones_are_named(table, arguments, message):
    assert message in command("compare", table, *arguments, code=2).stderr
