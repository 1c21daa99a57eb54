"""``tercet correlate``: what it prints and writes, and what it refuses."""

import html
import json
import shlex

import pytest
from scipy.stats import pearsonr

import tercet
from commands import command
from tercet.correlation import tables
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
    answer, no_intervals, few, blank, title, *_ = (line.rstrip() for line in run.stdout.splitlines())
    assert answer == "Both metrics have the same tie-calibrated pairwise accuracy with content: 1.000."
    assert no_intervals == "No intervals: 3 items cannot tell how much scores vary; 5 or more would."
    assert (few, blank) == ("Only 3 graded items: too few for reliable tests.", "")
    assert title == "news: content, 6 graded outputs of 3 items"


def test_tables_in_other_encodings(tmp_path):
    rows = [
        "output;reference;grade",
        "schön heute;schön;4",
        "Grüße;Gruß;5",
        "Öl;Öle;3",
        "früh;früher;1",
        "Tür;Türen;2",
    ]
    for name, encoding in {"old.csv": "cp1252", "new.csv": "utf-8"}.items():
        (tmp_path / name).write_bytes("\n".join(rows).encode(encoding))
    asked = ("-m", "chrf", *FEW, "-f", "tsv")
    old = command("correlate", tmp_path / "old.csv", *asked, "--encoding", "cp1252").stdout
    assert old.replace("old", "new") == command("correlate", tmp_path / "new.csv", *asked).stdout
    assert "give --encoding cp1252" in command("correlate", tmp_path / "old.csv", *asked, code=2).stderr


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


def test_several_metrics_are_compared_unless_one_is_given_or_scores_are(table):
    for asked, labels in (
        ((), ["bleu_multi", "chrf_multi", "rouge_nlws", "ter"]),
        (("-m", "jaccard"), ["jaccard_sets"]),
        (("--scores", "COMET"), ["COMET"]),
    ):
        run = command("correlate", table, "-d", "content", *asked, *FEW, "-f", "json")
        assert [column["metric"] for column in json.loads(run.stdout)["metrics"]] == labels


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


def test_a_column_of_documents_is_named_in_every_format(tmp_path):
    rows = [
        f"d{number // 3},the cat {number} sat {number % 4},the cat {number} sat 1,{number % 5}"
        for number in range(30)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["docid,output,reference,grade", *rows]), encoding="utf-8")
    hint = "'docid' names 10 documents of 30 segments."
    for form in ("text", "markdown", "latex", "html", "json"):
        words = ("correlate", path, "-m", "chrf", "-m", "ter", "--format", form)
        assert hint in html.unescape(command(*words).stdout)
        assert hint not in html.unescape(command(*words, "--cluster", "docid").stdout)
