"""Folders in the shape of mt-metrics-eval: texts, human scores at three levels, scores of metrics."""

import re

import numpy as np
import pytest

import tercet
from commands import command
from metric_folders import METRICS, SYSTEMS, write_folder
from tercet.correlation.graded_tables import read_graded
from tercet.errors import InputError, OptionError, TercetError

#: The figures below, in their order; those of complete grades also have system.spa.
NAMES = [
    *(f"pooled.{name}" for name in ("pearson", "spearman", "kendall_b", "kendall_c")),
    *(f"item.{name}" for name in ("pearson", "spearman", "kendall_b", "kendall_c", "acc23", "tau23", "acc_eq")),
    *("epsilon", "item.pdp", "item.darr"),
    *(f"system.{name}" for name in ("pearson", "spearman", "kendall_b", "kendall_c", "pairwise_accuracy")),
]
#: By language pair, references, grades and metric: figures of mt-metrics-eval.
FIGURES = {
    ("en-ar", "refA", "mqm", "COMET-22-refA"): """
        -0.1063836883 -0.1764467595 -0.1295110155 -0.1309868568 0.03379734352 0.015 0.01666666667 0.01666666667
        0.5083333333 0.01666666667 0.5083333333 0 -0.03687645397 -0.04761904762 -0.8096669222 -1 -1 -1 0
    """,
    ("en-ar", "refA", "mqm.doc", "Kiwi-src"): """
        -0.3363928407 -0.3290943489 -0.1998013345 -0.2009074602 -0.05407723783 -0.1625 -0.1666666667 -0.1666666667
        0.3958333333 -0.2083333333 0.3958333333 0 -0.2453236489 -0.1515151515 -0.6686137064 -0.8 -0.6666666667
        -0.6666666667 0.1666666667
    """,
    ("en-de", "refA", "mqm", "TER-refA"): """
        -0.02948587383 -0.07697647956 -0.05632503851 -0.0624852071 -0.08792499583 0.05101423538 0.04583333333
        0.04427083333 0.3703703704 -0.2592592593 0.3703703704 0 -0.1551812104 -0.2839506173 0.9406544939 0.4
        0.3333333333 0.3333333333 0.6666666667
    """,
    ("en-de", "refA", "mqm.sys", "BLEU-refA"): """
        0.7598883916 0.8 0.6666666667 0.6666666667 0.7598883916 0.8 0.6666666667 0.6666666667 0.8333333333
        0.6666666667 0.8333333333 0 0.7598883916 0.6666666667 0.7598883916 0.8 0.6666666667 0.6666666667
        0.8333333333
    """,
    ("ja-zh", "refA+refB", "mqm.doc", "All-all"): """
        0.3590966851 0.150944471 0.1183069304 0.1184615385 -0.1734554667 -0.1875 -0.1666666667 -0.1666666667
        0.4166666667 -0.1666666667 0.4166666667 0 -0.1172066158 -0.25 -0.7058776636 -0.5 -0.3333333333
        -0.3333333333 0.3333333333
    """,
    ("ja-zh", "refA+refB", "mqm", "BLEU-refB"): """
        0.03711685441 0.0929789354 0.05281802334 0.05343934911 0.06495874547 0.02631578947 0.05263157895
        0.05263157895 0.5263157895 0.05263157895 0.5263157895 0 -0.03851397112 -0.1111111111 -0.9947953753 -0.5
        -0.3333333333 -0.3333333333 0.3333333333
    """,
    ("ja-zh", "refA", "esa", "COMET-22-refA"): """
        0.01949988905 0.04988306054 0.04136236133 0.04142156863 0.01094323426 0.02689323937 0.02738612788 0.028125
        0.5083333333 0.01666666667 0.5083333333 0 0.004980244728 0.02521008403 0.9373281778 0.8 0.6666666667
        0.6666666667 0.8333333333 0.8663333333
    """,
    ("ja-zh", "refA", "mqm.sys", "TER-refA"): """
        0.370510188 0.7745966692 0.7071067812 0.75 0.370510188 0.7745966692 0.7071067812 0.75 0.5 0 0.5 0
        0.370510188 0 0.370510188 0.7745966692 0.7071067812 0.75 0.5
    """,
}
#: Without intervals and tests.
FEW = {"n_resamples": 1, "n_permutations": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mtme") / "ours"
    write_folder(path)
    return path


@pytest.fixture
def own(tmp_path):
    """Return a folder of one language pair, to change."""
    write_folder(tmp_path / "ours", ["ja-zh"])
    return tmp_path / "ours"


def read(path, **options):
    return read_graded(path, reference_columns="refA", **options)


@pytest.mark.parametrize(("pair", "references", "dimension", "metric"), FIGURES)
def test_figures_are_those_of_mt_metrics_eval(folder, pair, references, dimension, metric):
    """The package is on no index: these are figures of its sources, version 0.0.3, commit 68a481a.

    Recipe: write_folder("here/ours"), then of the package EvalSet("ours", pair, True, path="here",
    info=MetaInfo("refA", {}, set(), set())) and GetCorrelations(set, level, references, set(), True, True, name,
    False). Pooled and item figures are those of its Correlation: Pearson, Spearman, Kendall, KendallVariants "acc23"
    and "23", KendallWithTiesOpt by item with sample rate 1, Pearson by item with pdp, and KendallLike with a
    threshold above 0. Those of systems are Pearson, Spearman, Kendall and Agreement of means over graded items. Its
    SPA depends on the order of a set of systems: here that of their names.
    """
    test_set, grades = read_graded(folder, lp=pair, reference_columns=references.split("+"), dimensions=[dimension])
    figures = tercet.correlate(test_set, [], grades, **FEW).table(dimension).figures[metric]
    found = {name: figure.value for name, figure in figures.items()}
    found["epsilon"] = figures["item.acc_eq"].epsilon
    expected = [float(number) for number in FIGURES[pair, references, dimension, metric].split()]
    names = [*NAMES, "system.spa"][: len(expected)]
    assert {name: found[name] for name in names} == pytest.approx(dict(zip(names, expected, strict=True)), abs=1e-9)


def test_what_is_in_the_folder_is_read(folder):
    test_set, grades = read(folder, lp="ja-zh")
    lines = {
        name: (folder / f"system-outputs/ja-zh/{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        for name in SYSTEMS
    }
    # refA is the reference; Delta has no grade.
    assert test_set.systems == {name: lines[name] for name in ("Alpha-1.5", "Beta", "Gamma.v2", "refB")}
    assert test_set.references == [[text] for text in lines["refA"]]
    assert len(test_set.source) == 20
    # Documents are clusters: of 4 segments and of 1 in turn.
    assert test_set.clusters.sizes.tolist() == [4, 1, 4, 1, 4, 1, 4, 1]
    assert grades.dimensions == ["esa", "mqm"]
    assert list(grades.scores) == ["BLEU-refA", "COMET-22-refA", "Kiwi-src", "TER-refA"]
    # Scores stand as the files have them: higher is better, whatever a metric is called.
    first = (folder / "metric-scores/ja-zh/TER-refA.seg.score").read_text().split("\n")[0].split("\t")
    assert first == ["Alpha-1.5", f"{grades.scores['TER-refA'][0, 0]:.0f}"]
    table = tercet.correlate(test_set, [], grades, dimension="esa", **FEW)
    assert not any(column.negated for column in table.metrics)


def test_a_score_that_is_missing_stays_missing(folder):
    _, grades = read(folder, lp="en-de")
    lines = [line.split("\t") for line in (folder / "human-scores/en-de.mqm.seg.score").read_text().splitlines()]
    written = [score for system, score in lines if system == "Beta"]
    assert "None" in written
    row = grades.mean("mqm")[1]
    assert np.isnan(row).tolist() == [score == "None" for score in written]
    assert row[~np.isnan(row)].tolist() == [float(score) for score in written if score != "None"]


def test_documents_and_systems_are_items_of_their_own_levels(folder):
    test_set, grades = read(folder, lp="en-ar", dimensions=["mqm.doc"])
    assert grades.values["mqm.doc"].shape == (1, 4, 8)
    assert grades.scores["BLEU-refA"].shape == (4, 8)
    with pytest.raises(InputError, match="its grades are of documents, and metrics score segments"):
        tercet.correlate(test_set, "bleu", grades)
    test_set, grades = read(folder, lp="en-ar", dimensions=["mqm.sys"])
    found = tercet.correlate(test_set, [], grades, **FEW).table("mqm.sys")
    # A test on the items of two systems needs more than one.
    assert "system.spa" not in found.figures["Kiwi-src"]
    assert (found.n_graded, found.n_items) == (4, 1)


def test_scores_of_metrics_stand_beside_ours(own):
    (own / "references/ja-zh.refB.txt").unlink()
    found = tercet.correlate(own, ["chrf"], dimension="esa", **FEW)
    assert [column.label for column in found.metrics] == [
        "chrf_multi",
        "BLEU-refA",
        "COMET-22-refA",
        "Kiwi-src",
        "TER-refA",
    ]
    found = tercet.correlate(own, [], dimension="esa:better=lower", scores=["Kiwi-src:better=lower"], **FEW)
    (column,) = found.metrics
    assert (column.label, column.negated, found.grades.lower_is_better) == ("Kiwi-src", True, ("esa",))


def test_what_was_chosen_is_said(own):
    (own / "references/ja-zh.refB.txt").unlink()
    options = ["--scores", "Kiwi-src", "--n-resamples", 1, "--n-permutations", 1]
    note, *_ = command("correlate", own, *options).stderr.splitlines()
    assert "language pair: ja-zh (the only one); reference: 'refA' (the only one); " in note
    assert "grades of segments: 'esa' and 'mqm'; scores: 'Kiwi-src'; " in note
    assert "systems without grades, left out: 'Delta'; " in note
    assert "other grades, left out (--dimension mqm.doc reads them): 'mqm.doc' and 'mqm.sys'; " in note
    assert note.endswith("; scores with other references, left out: 'BLEU-refB'.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "has 3 language pairs: en-ar, en-de, ja-zh. Choose one: --lp en-ar."),
        (["--lp", "ja-zn"], "has no language pair 'ja-zn'. Did you mean 'ja-zh'?"),
        (["--lp", "ja-zh"], "metrics compare with: --reference-column refA or --reference-column refB."),
        (["--lp", "ja-zh", "--reference-column", "refC"], "has no reference 'refC'."),
        (["--lp", "ja-zh", "--reference-column", "refA", "-s", "refA"], "has no system 'refA'. Did you mean 'refB'?"),
        (["--lp", "ja-zh", "--reference-column", "refA", "-d", "mqn"], "no human scores 'mqn'. Did you mean 'mqm'?"),
        (["--lp", "ja-zh", "--reference-column", "refA", "-d", "mqm", "-d", "mqm.sys"],
         "mqm has scores of segments, mqm.sys of systems: give --dimension mqm or --dimension mqm.sys."),
        (["--lp", "ja-zh", "--reference-column", "refA", "--scores", "BLEU-refB"], "no scores 'BLEU-refB' of these"),
        (["--lp", "ja-zh", "--reference-column", "refA", "--cluster", "doc"], "--cluster is for tables; "),
    ],
)  # fmt: skip
def test_a_choice_that_is_open_or_wrong_is_an_error_with_the_command(folder, options, said):
    assert said in command("correlate", folder, *options, code=2).stderr


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("human-scores/ja-zh.mqm.seg.score", "Beta 1 2", "line 81: expected a system and a score, got 'Beta 1 2'"),
        (
            "human-scores/ja-zh.mqm.seg.score",
            "Betta 1",
            "line 81: there are no outputs of 'Betta'. Did you mean 'Beta'?",
        ),
        ("human-scores/ja-zh.mqm.seg.score", "Beta x", "line 81: expected a finite number or None, got 'x'"),
        ("human-scores/ja-zh.mqm.seg.score", "Beta inf", "line 81: expected a finite number or None, got 'inf'"),
        (
            "human-scores/ja-zh.mqm.seg.score",
            "Beta 1",
            "the number of scores of 'Beta' is 21; expected 20, one for each",
        ),
        ("metric-scores/ja-zh/BLEU-refA.seg.score", "Beta 1", "the number of scores of 'Beta' is 21; expected 20"),
        ("system-outputs/ja-zh/Beta.txt", "河", "Beta.txt has 21 lines, "),
        ("references/ja-zh.refA.txt", "河", "refA.txt has 21 lines, "),
        ("sources/ja-zh.txt", "河", "ja-zh.txt has 21 lines, "),
        ("documents/ja-zh.docs", "news d", "ja-zh.docs has 21 lines, "),
    ],
)
def test_a_file_that_does_not_fit_is_named(own, file, line, said):
    with open(own / file, "a", encoding="utf-8") as lines:
        lines.write(f"{line}\n")
    with pytest.raises(InputError, match=re.escape(said)):
        read(own)


def test_a_missing_translation_is_an_empty_output(own):
    path = own / "system-outputs/ja-zh/Beta.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(["[No translation supplied]", *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"Beta.txt: 1 missing output counts as empty"):
        test_set, _ = read(own)
    assert test_set.systems["Beta"] == ["", *lines[1:]]


def test_texts_may_be_in_json_lines(own):
    as_text = read(own)[0]
    for path, key in [
        (own / "system-outputs/ja-zh/Beta.txt", "hypothesis"),
        (own / "references/ja-zh.refA.txt", "target"),
        (own / "sources/ja-zh.txt", "source"),
    ]:
        lines = path.read_text(encoding="utf-8").splitlines()
        path.with_suffix(".jsonl").write_text("".join(f'{{"{key}": "{line}"}}\n' for line in lines), encoding="utf-8")
        path.unlink()
    as_json = read(own)[0]
    assert (as_json.systems, as_json.references, as_json.source) == (
        as_text.systems,
        as_text.references,
        as_text.source,
    )


def test_scores_of_people_may_be_compared_as_those_of_a_metric(folder):
    test_set, grades = read(folder, lp="en-ar", dimensions=["mqm"], scores=["esa", "Kiwi-src"])
    found = tercet.correlate(test_set, [], grades, dimension="mqm", scores=["esa", "Kiwi-src"], **FEW)
    assert {column.label for column in found.metrics} == {"esa", "Kiwi-src"}


def test_a_level_without_scores_of_metrics_is_named(own):
    for path in (own / "metric-scores/ja-zh").glob("*.doc.score"):
        path.unlink()
    with pytest.raises(InputError, match="its grades are of documents, of which no metric has scores"):
        read(own, dimensions=["mqm.doc"])


@pytest.mark.parametrize("lost", ["Beta", "None"])
def test_a_metric_that_lacks_a_system_is_left_out(own, lost):
    """In mt-metrics-eval such a system has scores of 0."""
    path = own / "metric-scores/ja-zh/Kiwi-src.seg.score"
    lines = path.read_text().splitlines()
    if lost == "Beta":
        lines = [line for line in lines if not line.startswith("Beta")]
    else:
        lines = [line if number else f"{line.split()[0]} None" for number, line in enumerate(lines)]
    path.write_text("\n".join(lines) + "\n")
    system = "Alpha-1.5" if lost == "None" else "Beta"
    test_set, grades = read(own)
    assert list(grades.scores) == ["BLEU-refA", "COMET-22-refA", "TER-refA"]
    assert "scores that lack some of these systems, left out: 'Kiwi-src'" in test_set.fields
    with pytest.raises(InputError, match=f"Kiwi-src.seg.score lacks scores of '{system}'"):
        read(own, scores=["Kiwi-src"])


def test_other_folders_are_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"holds test sets of mt-metrics-eval, ours: give one of them, such as "):
        read_graded(folder.parent)
    with pytest.raises(InputError, match=r"is a folder without system-outputs and human-scores"):
        read_graded(tmp_path)
    table = tmp_path / "graded.csv"
    table.write_text("output,reference,grade\n河水,河水上涨,3\n没有人,没有,1\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"lp= is for a folder of mt-metrics-eval, or a table of WMT's ESA scores"):
        read_graded(table, lp="en-de")
    with pytest.raises(TercetError, match=r"lp= chooses the language pair of a folder"):
        tercet.correlate({"A": ["x"]}, [], {"A": [1]}, lp="en-de")


def test_every_metric_of_the_folder_is_in_use_with_all_references(folder):
    _, grades = read_graded(folder, lp="en-de", reference_columns=["refA", "refB"])
    assert tuple(grades.scores) == METRICS
    assert grades.systems == ("Alpha-1.5", "Beta", "Gamma.v2")
