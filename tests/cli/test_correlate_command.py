"""``tercet correlate``: what it prints and writes, and what it refuses."""

import csv
import io
import json

import pytest
from scipy.stats import pearsonr

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
    assert "Only 3 graded items" in run.stdout
    assert "jaccard_sets|tok:unicode" in run.stdout


def test_every_form_has_the_figures_and_json_what_was_asked_for(table, tmp_path):
    asked = ("--scores", "COMET", "--rank-by", "pooled.pearson", "--unit", "both", "--ties", "exact", *FEW)
    expected = pearsonr([5, 3, 4, 1, 5, 2], [0.9, 0.6, 0.9, 0.2, 0.8, 0.4]).statistic
    for form in ("json", "tsv", "csv", "text", "markdown", "latex", "html"):
        assert command("correlate", table, *asked, "-f", form, "-o", tmp_path / form).stdout == ""
        written = (tmp_path / form).read_text(encoding="utf-8")
        if form == "json":
            found = json.loads(written)
            dimension = found["dimensions"][0]
            assert (found["unit"], found["ties"], dimension["rank_by"]) == ("both", "exact", "pooled.pearson")
            assert [each["metric"] for each in found["metrics"]] == ["COMET"]
        elif form in ("tsv", "csv"):
            first = next(csv.DictReader(io.StringIO(written), delimiter="," if form == "csv" else "\t"))
            assert (first["metric"], first["figure"]) == ("COMET", "pooled.pearson")
            assert float(first["value"]) == pytest.approx(expected)
        else:
            assert f"{expected:.3f}" in written, form


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", "form"], "There is no dimension 'form'"),
        (["--rank-by", "pearson"], "There is no figure 'pearson' to rank by"),
        (["--scores", "BLEURT"], "There is no dimension 'BLEURT'"),
        (["-m", "blue"], "There is no metric 'blue'"),
        (["--alpha", "1"], "--alpha must be a number above 0 and below 1"),
        (["--mean", "mean.txt"], "--mean: the file's name must end in .json"),
        (["--mean-folds", "systems"], "--mean-folds is an option of --mean: give --mean FILE too."),
        (["-o", "news.tsv"], "would overwrite the input"),
    ],
)
def test_mistakes_are_reported_in_one_line(table, arguments, message):
    run = command("correlate", table, *arguments, code=2, cwd=table.parent)
    assert message in " ".join(run.stderr.split())
