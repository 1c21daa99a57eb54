"""``--fail-under``: code 1 for a system that is worse, when everything is written; code 2 for what names no score."""

import json
import re

import pytest

from commands import command
from conftest import ROOT

SAMPLE = ROOT / "examples" / "data" / "en.tsv"
METRICS = ("-m", "bleu", "-m", "rouge:rouge_types=rouge1+rougeL", "-m", "ter")
#: One text of the sample is empty.
COMPLETE = ("--max-missing", "10%")


def values(*arguments):
    """Return the scores of each system."""
    found = json.loads(command("score", SAMPLE, *arguments, "-f", "json").stdout)
    tables = found["test_sets"][0]["tables"]
    return {table["score"]: {row["system"]: row["value"] for row in table["systems"]} for table in tables}


def test_what_is_worse_is_named_and_by_how_much_behind_the_whole_output():
    scores, plain = values(*METRICS), command("score", SAMPLE, *METRICS).stdout
    limits = ("--fail-under", "bleu=30", "--fail-under", "rougeL=70", "--fail-under", "ter=50")
    run = command("score", SAMPLE, *METRICS, *limits, *COMPLETE, code=1)
    assert run.stdout == plain
    failed = [line.removeprefix("failed: en: the system ") for line in run.stderr.splitlines() if "failed" in line]
    expected = []
    for name, limit, way in (("bleu", 30, "below"), ("rougeL", 70, "below"), ("ter", 50, "above")):
        for system, value in scores[name].items():
            if value < limit if way == "below" else value > limit:
                expected.append(f"{system!r}: {name} is {value:.2f}, {way} {limit} by {abs(value - limit):.2f}.")
    assert failed == expected
    assert {line.split(": ")[1].split()[0] for line in failed} == {"bleu", "rougeL", "ter"}


def test_a_share_given_for_a_percentage_is_warned_of():
    run = command(
        "score", SAMPLE, "-m", "bleu", "-m", "ter", "--fail-under", "bleu=0.3", "--fail-under", "ter=90", *COMPLETE
    )
    (warning,) = [line for line in run.stderr.splitlines() if "percent" in line]
    assert warning == "warning: --fail-under bleu=0.3: BLEU is in percent, from 0 to 100. Did you mean 30?"
    share = command("score", SAMPLE, "-m", "bleu:scale=1", "--fail-under", "bleu=0.2", *COMPLETE)
    assert "percent" not in share.stderr


def test_metrics_with_the_same_score_are_distinguished():
    run = command("score", SAMPLE, "-m", "bleu", "-m", "bleu:lowercase=true", "--fail-under", "bleu=99", code=1)
    assert "'large': bleu_multi bleu is 78.93, below 99" in run.stderr
    assert "'large': bleu_multi:lowercase=true bleu is 79.38, below 99" in run.stderr


WRITTEN = [
    "rouge",
    "rouge_nlws",
    "rouge:rouge_types=rouge1+rougeL",
    'rouge:rouge_types=["rouge1","rougeL"]',
    "rouge1",
]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_metric_stands_for_its_primary_score_as_it_was_written(name):
    run = command("score", SAMPLE, *METRICS, "--fail-under", f"{name}=99", *COMPLETE, code=1)
    assert {line.split(": ")[3].split()[0] for line in run.stderr.splitlines() if "failed" in line} == {"rouge1"}


def test_a_score_that_is_reached_to_the_bit_is_enough():
    best = max(values("-m", "bleu")["bleu"].values())
    command("score", SAMPLE, "-s", "large", "-m", "bleu", "--fail-under", f"bleu={best!r}")
    run = command("score", SAMPLE, "-s", "large", "-m", "bleu", "--fail-under", f"bleu={best + 1e-9!r}", code=1)
    assert re.search(r"bleu is 78\.93, below 78\.9\d* by 1e-09\.", run.stderr)


def test_every_test_set_and_every_form(tmp_path):
    both = (SAMPLE, SAMPLE.with_name("es.tsv"))
    out = tmp_path / "scores.json"
    gate = ("--fail-under", "bleu=30", *COMPLETE)
    run = command("compare", *both, "--n-resamples", 9, *gate, "-f", "json", "-o", out, code=1)
    assert [line.split(":")[1] for line in run.stderr.splitlines() if "failed" in line] == [" en", " es", " over all"]
    assert len(json.loads(out.read_text())["test_sets"]) == 2


def test_over_all_names_the_sets_that_fail_and_none_whose_name_begins_another(tmp_path):
    paths = []
    for name, text, reference in (("wmt", "ein Hund", "ein Hund bellt"), ("wmt: x", "сидит", "it rains")):
        path = tmp_path / f"{name}.tsv"
        path.write_text(f"mt\tref\n{text}\t{reference}\n", encoding="utf-8")
        paths.append(path)
    said = command("score", *paths, "-m", "chrf", "--fail-under", "chrf=20", code=1).stderr.splitlines()
    assert [line for line in said if line.startswith("failed: ")] == [
        "failed: wmt: x: the system 'mt': chrf is 0.00, below 20 by 20.00.",
        "failed: over all: 1 of 2 test sets: wmt: x.",
    ]


def test_what_is_missing_in_a_set_of_one_segment_is_one(tmp_path):
    for name, text in (("a.tsv", "base\ttuned\tref\nx y\tx z\tx y\n"), ("b.tsv", "base\tref\nq y\tx q\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = command("score", "a.tsv", "b.tsv", "-m", "chrf", "--fail-under", "chrf=1", cwd=tmp_path, code=1).stderr
    assert "failed: b: 'tuned' is missing: all 1 segment.\n" in said


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("bleu", "--fail-under takes METRIC=VALUE, such as bleu=30. Got 'bleu' instead."),
        *[(each, "--fail-under takes METRIC=VALUE") for each in ("bleu=", "=30", "bleu=nan", "bleu=thirty")],
        ("blue=30", "no score is called 'blue' with these metrics. Did you mean 'bleu'?"),
        ("rouge2=30", "no score is called 'rouge2' with these metrics. Did you mean 'rougeL'?"),
        ("chrf=30", "no score is called 'chrf' with these metrics. Known: bleu, rouge1, rougeL, ter."),
    ],
)
def test_what_names_no_score_is_refused_before_files_are_read(written, message):
    assert message in command("score", "nowhere.tsv", *METRICS, "--fail-under", written, code=2).stderr


def test_it_is_not_for_one_segment():
    run = command("compare", SAMPLE, "--segment", 1, "--fail-under", "bleu=30", code=2)
    assert "--segment shows one segment as text and excludes --fail-under" in run.stderr
    run = command("compare", SAMPLE, "--segment", 1, "-o", "page.html", code=2)
    assert "--segment shows one segment as text and excludes --out page.html: give only" in run.stderr
