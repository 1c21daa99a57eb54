"""``tercet correlate``: what it prints and writes, and what it refuses."""

import shlex

import pytest
from scipy.stats import pearsonr

import tercet
from commands import command
from tercet.correlation import result as tables
from tercet.report.correlation import trust_html

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


def test_it_answers_before_it_shows_the_ranking_of_metrics_and_of_scores_made_elsewhere(table):
    run = command("correlate", table, "-m", "jaccard", "--scores", "COMET", *FEW)
    answer, warning, blank, title, *_ = (line.rstrip() for line in run.stdout.splitlines())
    assert answer == "Both metrics have the same tie-calibrated pairwise accuracy with content: 1.000."
    assert (warning, blank) == ("Only 3 graded items: too few for reliable intervals and tests.", "")
    assert title == "news: content, 6 graded outputs of 3 items"


def test_every_form_is_that_of_the_same_call_in_python(table, tmp_path):
    asked = ("--scores", "COMET", "--rank-by", "pooled.pearson", "--unit", "both", "--ties", "exact", *FEW)
    options = {"rank_by": "pooled.pearson", "unit": "both", "ties": "exact", "n_resamples": 50, "n_permutations": 50}
    found = tercet.correlate(table, [], scores="COMET", **options)
    expected = pearsonr([5, 3, 4, 1, 5, 2], [0.9, 0.6, 0.9, 0.2, 0.8, 0.4]).statistic
    assert found.tables[0].figures["COMET"]["pooled.pearson"].value == pytest.approx(expected)
    forms = {form: tables.in_format(found, form) for form in ("json", "tsv", "csv", "markdown", "latex")}
    forms["text"] = tables.to_text(found, width=120)
    for form, text in forms.items():
        assert command("correlate", table, *asked, "-f", form, "-o", tmp_path / form).stdout == ""
        assert (tmp_path / form).read_bytes().decode() == text
    command("correlate", table, *asked, "-o", "page.html", cwd=tmp_path)
    line = shlex.join(["tercet", "correlate", str(table), *map(str, asked), "-o", "page.html"])
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == trust_html(found, command=line)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", "form"], "There is no dimension 'form'"),
        (["--rank-by", "pearson"], "There is no figure 'pearson' to rank by"),
        (["--scores", "BLEURT"], "has no scores 'BLEURT'"),
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
