"""``tercet correlate``: what it prints and writes, and what it refuses."""

import json

import pytest

from commands import command

ROWS = [
    "ref\tA\tB\tA.content\tB.content\tA.COMET\tB.COMET",
    "the cat sat\tthe cat sat down\ta dog\t5\t1\t0.9\t0.2",
    "it rains\tit rained\tit rains\t3\t5\t0.6\t0.8",
    "a good day\ta good day\tgood\t4\t2\t0.9\t0.4",
]
FEW = ("--n-resamples", 50, "--n-permutations", 50)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "news.tsv"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def test_it_ranks_metrics_and_scores_made_elsewhere(table):
    run = command("correlate", table, "-m", "jaccard", "--scores", "COMET", *FEW)
    assert "news: content, 6 graded outputs of 3 items" in run.stdout
    assert "jaccard_sets" in run.stdout
    assert "COMET" in run.stdout
    assert "Only 3 graded items" in run.stdout
    assert "jaccard_sets|tok:unicode" in run.stdout


@pytest.mark.parametrize("form", ["text", "json", "tsv", "csv", "markdown", "latex", "html"])
def test_every_form_is_written_to_a_file(table, tmp_path, form):
    out = tmp_path / "out"
    run = command("correlate", table, "-m", "jaccard", "-d", "content", "-f", form, "-o", out, *FEW)
    assert run.stdout == ""
    assert "content" in out.read_text(encoding="utf-8")


def test_json_says_what_was_asked_for(table):
    run = command(
        "correlate", table, "--scores", "COMET", "--rank-by", "pooled.pearson", "--unit", "both", "-f", "json",
        "--ties", "exact", *FEW,
    )  # fmt: skip
    found = json.loads(run.stdout)
    assert found["unit"] == "both"
    assert found["ties"] == "exact"
    assert [each["metric"] for each in found["metrics"]] == ["COMET"]
    assert found["dimensions"][0]["rank_by"] == "pooled.pearson"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-d", "form"], "There is no dimension 'form'"),
        (["--rank-by", "pearson"], "There is no figure 'pearson' to rank by"),
        (["--scores", "BLEURT"], "There is no dimension 'BLEURT'"),
        (["-m", "blue"], "There is no metric 'blue'"),
        (["--alpha", "1"], "--alpha must be a number above 0 and below 1"),
        (["--mean", "mean.txt"], "--mean: the file's name must end in .json"),
        (["--mean-folds", "systems"], "--mean-folds is an option of --mean: give --mean FILE too."),
    ],
)
def test_mistakes_are_told_in_one_line(table, arguments, told):
    run = command("correlate", table, *arguments, code=2)
    assert told in " ".join(run.stderr.split())


def test_nothing_that_is_read_is_overwritten(table):
    run = command("correlate", table, "-o", table, code=2)
    assert "would overwrite the input" in run.stderr
