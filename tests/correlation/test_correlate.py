"""Tables of texts and grades -> which metric to trust."""

import csv
import json
import math
from dataclasses import replace
from functools import partial
from typing import ClassVar
from xml.etree import ElementTree

import numpy as np
import pytest
import sacrebleu
from rouge_score import rouge_scorer

import tercet
from conftest import ROOT
from tercet.correlation.graded_tables import read_graded
from tercet.correlation.grades import Grades
from tercet.correlation.tables import answer_lines, in_format, shown_figures, to_text, with_interval
from tercet.errors import InputError, OptionError
from tercet.files.numbers import read_number
from tercet.report.correlation import trust_html
from tercet.table_formats import pvalue_text

TEXTS = {
    "A": ["the cat sat on the mat", "it rains a lot", "кот сидит на окне", "a good day", "ein Hund bellt"],
    "B": ["a cat sat", "it rained", "кот на окне", "good days", "der Hund bellt laut"],
    "C": ["dogs bark", "it rains a lot today", "собака спит", "a day", "ein Wolf"],
}
REFERENCES = ["the cat sat on a mat", "it rains a lot", "кот сидит на окне", "a good day", "ein Hund bellt laut"]
GRADES = {"A": [5, 5, 4, 5, 4], "B": [3, 2, 4, 3, 5], "C": [1, 4, 1, None, 2]}
GRADES_OF_OTHERS = {"A": [4, 5, 3, 5, 4], "B": [3, 3, 4, 2, 4], "C": [2, 4, 2, 1, 2]}
FEW = {"n_resamples": 50, "n_permutations": 50}
to_json, to_latex, to_markdown, to_tsv = (
    partial(in_format, form=form) for form in ("json", "latex", "markdown", "tsv")
)


def written(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def wide(tmp_path, between="."):
    """Return a table with a row for each item, and columns named system.content.rater."""
    columns = [f"{each}{between}content{between}{who}" for who in ("anna", "boris") for each in TEXTS]
    rows = [["id", "reference", *TEXTS, *columns]]
    for item, reference in enumerate(REFERENCES):
        grades = ["" if own[item] is None else own[item] for own in GRADES.values()]
        rows.append([f"s{item}", reference, *(own[item] for own in TEXTS.values()), *grades, *grades])
    return written(tmp_path / f"wide{ord(between)}.tsv", rows)


def long(tmp_path, texts=True):
    """Return a table with a row for each grade."""
    rows = [["item", "system", "rater", "dimension", "value", *(["text", "reference"] if texts else [])]]
    for system, grades in GRADES.items():
        for item, grade in enumerate(grades):
            more = [TEXTS[system][item], REFERENCES[item]] if texts else []
            rows += [[f"s{item}", system, who, "content", "" if grade is None else grade, *more] for who in "xy"]
    return written(tmp_path / "long.tsv", rows)


def objects(tmp_path):
    """Return JSON Lines with an object of grades for each item."""
    path, rows = tmp_path / "rows.jsonl", []
    for item, reference in enumerate(REFERENCES):
        texts = {each: own[item] for each, own in TEXTS.items()}
        human = {each: {"content": dict.fromkeys("xy", own[item])} for each, own in GRADES.items()}
        rows.append({"id": f"s{item}", "refs": [reference], "hyps": texts, "human": human})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def correlate(metrics="bleu", grades=GRADES, **options):
    """Return a correlation of the texts above."""
    return tercet.correlate(TEXTS, metrics, grades, **{"references": REFERENCES, **FEW, **options})


def test_scores_that_are_the_grades_agree_best_with_them():
    (table,) = correlate("bleu", GRADES_OF_OTHERS, scores={"copy": GRADES_OF_OTHERS}).tables
    assert table.ranking == ["copy", "bleu_multi"]
    assert table.figures["copy"]["pooled.pearson"].value == pytest.approx(1)


def test_wide_long_and_json_lines_hold_the_same(tmp_path):
    expected = np.array([[math.nan if each is None else each for each in own] for own in GRADES.values()])
    for path in (wide(tmp_path), wide(tmp_path, "/"), long(tmp_path), objects(tmp_path)):
        test_set, grades = read_graded(path)
        assert test_set.systems == TEXTS
        assert test_set.references == [[each] for each in REFERENCES]
        assert len(grades.raters) == 2
        np.testing.assert_array_equal(grades.mean("content"), expected)


def test_metrics_beside_a_path_are_read_once(tmp_path):
    path = wide(tmp_path)
    few = {"dimension": "content", "n_resamples": 20, "n_permutations": 50}
    found = tercet.correlate(path, (metric for metric in ["chrf", "ter"]), **few)
    assert [column.label for column in found.metrics] == ["chrf_multi", "ter"]
    with pytest.warns(UserWarning, match="given twice") as warned:
        tercet.correlate(path, ["chrf", "chrf"], **few)
    assert sum("given twice" in str(warning.message) for warning in warned) == 1


def test_an_item_that_a_system_did_not_answer_is_left_out_for_all(tmp_path):
    path = long(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("s1\tB\t")), encoding="utf-8")
    lacks = r"long\.tsv: 'B' lacks 1 of the 5 items, the first is 's1' \(item\): left out for every system\."
    with pytest.warns(UserWarning, match=lacks):
        test_set, grades = read_graded(path)
    assert test_set.systems["A"] == [TEXTS["A"][0], *TEXTS["A"][2:]]
    assert grades.mean("content")[1].tolist() == [3.0, 4.0, 3.0, 5.0]
    assert (test_set.lost, test_set.n_all) == ({"B": {"missing": 1}}, 5)
    only_a = [line for line in lines if not line.startswith(tuple(f"s{item}\tB\t" for item in range(1, 5)))]
    path.write_text("".join(line for line in only_a if not line.startswith("s0\tA\t")), encoding="utf-8")
    with pytest.raises(InputError, match=r"no item has a text of each system \('A', 'B', 'C'\)"):
        read_graded(path)


def test_systems_of_a_long_table_are_told_apart_though_their_long_names_begin_alike(tmp_path):
    """The other one, whose name comes later, has all items."""
    path = long(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    a, b = (f"/models/{'long-' * 12}{name}" for name in "ab")
    kept = "".join(line for line in lines if not line.startswith("s1\tA\t"))
    path.write_text(kept.replace("\tA\t", f"\t{a}\t").replace("\tB\t", f"\t{b}\t"), encoding="utf-8")
    with pytest.warns(UserWarning, match=rf"long\.tsv: '{a}' lacks 1 of the 5 items"):
        test_set, _ = read_graded(path)
    assert test_set.lost == {a: {"missing": 1}}
    assert test_set.systems[b] == [TEXTS["B"][0], *TEXTS["B"][2:]]


def test_grades_may_stand_in_a_table_of_their_own(tmp_path):
    lines = wide(tmp_path).read_text(encoding="utf-8").splitlines()
    texts = written(tmp_path / "texts.tsv", [line.split("\t")[:5] for line in lines])
    _, grades = read_graded(texts, grades=long(tmp_path, texts=False))
    assert grades.mean("content")[0].tolist() == GRADES["A"]
    with pytest.raises(InputError, match=r"texts.tsv has no grades: expected columns named system.dimension"):
        read_graded(texts)


def test_columns_are_named_by_what_they_are_read_as(tmp_path):
    """Columns of grades and of scores are not among those that are left out."""
    path = wide(tmp_path)
    columns = [f"{system}.content.{rater}" for rater in ("anna", "boris") for system in TEXTS]
    assert read_graded(path)[0].fields == (
        f"{path}: systems: 'A', 'B', 'C'; references: 'reference'; grades: {', '.join(map(repr, columns))}; "
        "left out: 'id'."
    )
    rows = [
        {"refs": ["a cat"], "hyps": {"A": text, "B": "a dog"}, "id": len(text)}
        | {name: {"A": {"x": 2}, "B": {"x": 1}} for name in ("human", "scores")}
        for text in ("a cat", "the cat")
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_graded(path)[0].fields == (
        f"{path}: systems: 'A', 'B'; references: 'refs'; grades: 'human'; scores: 'scores'; left out: 'id'."
    )
    assert tercet.read_test_sets(path)[0].fields.endswith("; left out: 'id', 'human', 'scores'.")


def test_better_and_worse_are_preferences(tmp_path):
    path = tmp_path / "pairs.jsonl"
    row = {"refs": ["the cat sat on the mat"], "hyps": {"better": "the cat sat on a mat", "worse": "a dog"}}
    path.write_text((json.dumps(row) + "\n") * 3)
    table = tercet.correlate(path, "rouge:rouge_types=rouge1", **FEW).tables[0]
    assert (table.dimension, table.rank_by) == ("preference", "item.darr")
    assert table.figures["rouge_nlws"]["item.darr"].value == 1.0


def test_figures_come_from_segment_scores_and_scores_made_elsewhere_count_like_metrics():
    elsewhere = {"copy": {each: [grade or 0 for grade in own] for each, own in GRADES.items()}}
    found = correlate(["bleu", "jaccard"], scores=elsewhere)
    (table,) = found.tables
    assert [column.label for column in found.metrics] == ["bleu_multi", "jaccard_sets", "copy"]
    assert table.figures["copy"]["pooled.pearson"].value == pytest.approx(1.0)
    assert (table.n_graded, table.ranking[0]) == (14, "copy")
    scores = tercet.score("jaccard", TEXTS["B"], REFERENCES, segments=True).segments["jaccard"]
    assert found.metrics[1].scores[1].tolist() == scores
    assert any("Only 5 graded items" in remark for remark in table.remarks)


def test_scores_tie_as_in_the_original_or_where_twelve_digits_agree():
    """Both have an F of 2/3, and a BLEU whose precisions have one product; the originals' last bits differ."""
    score = rouge_scorer.RougeScorer(["rouge1"]).score
    for metric, scale, reference, texts, original in (
        ("rouge:rouge_types=rouge1", 1, "r0 r1 r2 r3", ("r0 r1 r2 x0 x1", "r0 r1"),
         lambda reference, text: score(reference, text)["rouge1"].fmeasure),
        ("bleu", 100, "r0 r1 r2 r3 r4 r5 r6 r7", ("r5 r6 r4 r6 y r6 r0 r6 r2 r3 r0", "x y y r4 r5 r4 r3 r4 r4 r2 r3"),
         lambda reference, text: sacrebleu.sentence_bleu(text, [reference]).score),
    ):  # fmt: skip
        systems = {name: [text] for name, text in zip("AB", texts, strict=True)}
        for ties, accuracy in (("scored", 0.0), ("exact", 1.0)):
            settings = {"references": [reference], "ties": ties, "rank_by": "item.acc23", **FEW}
            found = tercet.correlate(systems, metric, {"A": [4], "B": [4]}, **settings)
            figures = found.tables[0].figures[found.metrics[0].label]
            assert figures["item.acc23"].value == accuracy
            one, other = found.metrics[0].scores[:, 0].tolist()
            assert (one == other) == (ties == "exact")
            assert ("agree to 12 significant digits are ties" in found.legend()) == (ties == "exact")
            if ties == "scored":
                assert [one, other] == [original(reference, text) for text in texts]
                assert figures["item.acc_eq"].epsilon == abs(one - other)  # in the unit of the scores
                assert found.metrics[0].scale == scale


def test_a_metric_of_which_less_is_better_is_negated_and_named():
    found = correlate(["ter", "bleu"])
    scores = tercet.score("ter", TEXTS["B"], REFERENCES, segments=True, scale=100).segments["ter"]
    assert (-found.metrics[0].scores[1]).tolist() == pytest.approx(scores)
    for form in (to_text, to_markdown, to_latex):
        assert "Negated, as lower is better: TER." in form(found).replace("\n", " ")
    assert "Negated" not in correlate().legend()


def test_the_same_seed_gives_the_same_and_variants_of_a_metric_are_called_by_their_options():
    one, other, another = (correlate(seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == other != {**another, "seed": 1}
    found = correlate(["jaccard:ngram=1", "jaccard:ngram=2", "bleu:max_order=2"])
    labels = [column.label for column in found.metrics]
    assert labels == ["jaccard_sets:ngram=1", "jaccard_sets:ngram=2", "bleu_multi"]
    assert list(found.titles().values()) == ["Jaccard (ngram=1)", "Jaccard (ngram=2)", "BLEU"]


def test_every_unit_and_figure_ranks():
    for unit in ["items", "systems", "both"]:
        for figure in ["pooled.spearman", "item.acc23", "system.spa", "system.pearson"]:
            (table,) = correlate(["bleu", "jaccard", "ter"], rank_by=figure, unit=unit).tables
            places = [(table.clusters[each], -table.figures[each][figure].value) for each in table.ranking]
            assert places == sorted(places)
            assert len({*table.ranking}) == 3


def test_fewer_than_five_of_what_is_resampled_have_no_intervals():
    """As for scores: nobody can tell from them how much figures vary."""
    texts = {system: own[:4] for system, own in TEXTS.items()}
    grades = {system: own[:4] for system, own in GRADES.items()}
    why = "No intervals: 4 items cannot tell how much scores vary; 5 or more would."
    for of_items in ({}, {"cluster": [1, 2, 3, 4]}):
        found = tercet.correlate(texts, "bleu", grades, references=REFERENCES[:4], **of_items, **FEW)
        (table,) = found.tables
        assert all(math.isnan(figure.low) for figure in table.figures["bleu_multi"].values())
        assert why.replace("items", "clusters" if of_items else "items") in table.remarks
        assert " interval " not in answer_lines(found, table)[0]
    for unit in ("systems", "both"):
        (table,) = correlate(unit=unit).tables
        assert why.replace("4 items", "3 systems") in table.remarks
        assert math.isnan(table.figures["bleu_multi"]["pooled.pearson"].high)
    (table,) = correlate().tables
    assert table.figures["bleu_multi"]["pooled.pearson"].low < table.figures["bleu_multi"]["pooled.pearson"].high


def test_every_form_has_the_figures():
    found = correlate(["bleu", "jaccard"])
    values = {(each["metric"], each["figure"]): each["value"] for each in found.records()}
    assert len(values) == 2 * len(found.tables[0].figures["bleu_multi"]) == len(found.to_dataframe())
    kept = json.loads(to_json(found))["dimensions"][0]["figures"]
    rows = csv.DictReader(to_tsv(found).splitlines(), delimiter="\t")
    of_tsv = {(row["metric"], row["figure"]): float(row["value"] or "nan") for row in rows}
    assert values == pytest.approx(of_tsv, nan_ok=True)
    for (metric, figure), value in values.items():
        assert kept[metric][figure]["value"] == (None if math.isnan(value) else value)
    for label, title in found.titles().items():
        cell = with_interval(found.tables[0].figures[label]["item.acc_eq"])
        assert f"{values[label, 'item.acc_eq']:.3f} (" in cell
        for text in (to_text(found, width=120), to_markdown(found), to_latex(found)):
            (line,) = (each for each in text.splitlines() if title in each and cell in each)
            assert line.index(title) < line.index(cell)


def test_a_notebook_shows_the_answer_then_the_figures_with_their_intervals_then_what_they_are():
    found = correlate("bleu", {"form": GRADES, "<b>": GRADES}, scores={"<i>": GRADES_OF_OTHERS})
    shown = ElementTree.fromstring(found._repr_html_())
    texts = ["".join(each.itertext()) for each in shown]
    for table, answered in zip(found.tables, texts, strict=False):
        assert answered == " ".join(answer_lines(found, table))
    assert texts[2::2] == [f"{name}: 14 graded outputs of 5 items" for name in ("form", "<b>")]
    for table, box in zip(found.tables, shown.findall("div"), strict=True):
        head, *rows = ([cell.text or cell[0].text for cell in row] for row in box.iter("tr"))
        assert head == ["metric", "cluster", *shown_figures(table)]
        for row, label in zip(rows, table.ranking, strict=True):
            cells = [with_interval(table.figures[label][name]) for name in shown_figures(table)]
            assert row == [found.titles()[label], str(table.clusters[label]), *cells]
    of_figures = found.about(shown_figures(found.tables[0]))
    below = [found.legend(), *found.tests(found.tables), *of_figures, *found.signatures()]
    assert ["".join(each.itertext()) for each in shown.findall("div")[1].findall("p")] == below
    assert len(found.signatures()) == 1  # not once per dimension


def test_without_a_metric_several_are_compared_that_the_texts_allow(tmp_path):
    default = ["bleu_multi", "chrf_multi", "rouge_nlws", "ter"]
    settings = {"references": REFERENCES, **FEW}
    found = tercet.correlate(TEXTS, grades=GRADES, **settings)
    assert [column.label for column in found.metrics] == default
    assert list(found.titles().values()) == ["BLEU", "chrF", "ROUGE-L", "TER"]
    said = answer_lines(found, found.tables[0])[0]
    assert "no other metric" not in said
    found = tercet.correlate(TEXTS, grades=GRADES, scores={"COMET": GRADES_OF_OTHERS}, **settings)
    assert [column.label for column in found.metrics] == [*default, "COMET"]
    assert [column.label for column in correlate("chrf").metrics] == ["chrf_multi"]
    # Without references none of them can be compared, but scores can.
    found = tercet.correlate(TEXTS, grades=GRADES, scores={"COMET": GRADES_OF_OTHERS}, **FEW)
    assert [column.label for column in found.metrics] == ["COMET"]
    with pytest.raises(InputError, match=r"needs references= for bleu_multi, chrf_multi, rouge_nlws and ter, which"):
        tercet.correlate(TEXTS, grades=GRADES)
    rows = [["output", "grade", "comet"], *zip(TEXTS["A"], GRADES["A"], [0.1, 0.4, 0.2, 0.3, 0.5], strict=True)]
    path = written(tmp_path / "alone.tsv", rows)
    found = tercet.correlate(path, scores="comet", **FEW)
    assert [column.label for column in found.metrics] == ["comet"]
    with pytest.raises(InputError, match=r"^alone has no references, .* BLEU, chrF, ROUGE-L and TER .*reference_col"):
        tercet.correlate(path)
    with pytest.raises(InputError, match=r"no column was recognized as references"):
        tercet.correlate(path, "bleu")
    assert tercet.correlate(path, "diversity", **FEW).metrics[0].label.startswith("diversity")


def test_the_column_of_clusters_says_that_its_p_is_not_adjusted():
    """The sentences and marks are by adjusted p, which tells fewer metrics apart: the two seemed to contradict."""
    rng = np.random.default_rng(11)
    texts = {name: ["a"] * 40 for name in "ABC"}
    grades = {name: rng.normal(size=40).tolist() for name in texts}
    scores = {
        f"m{number}": {name: (np.array(own) + noise * rng.normal(size=40)).tolist() for name, own in grades.items()}
        for number, noise in enumerate((0.9, 1.1, 1.15, 1.2, 1.25, 1.3))
    }
    found = tercet.correlate(texts, [], grades, scores=scores, rank_by="pooled.pearson", n_resamples=20)
    (table,) = found.tables
    first, *others = table.ranking
    parted = [label for label in others if table.clusters[label] > 1]
    assert any(not table.significance(first, label, 0.05) for label in parted)
    head = "cluster (p unadjusted)"
    shown = [to_markdown(found), found._repr_html_(), trust_html(found)]
    assert all(head in text for text in shown)
    assert all(word in to_text(found, 120) for word in ("cluster (p", "unadjusted)"))
    assert "adjusted p, which may not tell metrics of two clusters apart" in found.legend()
    # Of two metrics there is nothing to adjust.
    pair = tercet.correlate(texts, [], grades, scores={name: scores[name] for name in ("m0", "m1")}, **FEW)
    assert "unadjusted" not in to_text(pair, 120) + trust_html(pair)


def test_the_docs_show_what_a_notebook_shows():
    metrics = ["bleu", "rouge:rouge_types=rougeL,tokenizer=unicode", "jaccard"]
    found = tercet.correlate(ROOT / "examples" / "data" / "graded.tsv", metrics, dimension="content")
    assert found._repr_html_() in (ROOT / "docs" / "which-metric.md").read_text(encoding="utf-8").splitlines()


def test_p_says_the_same_way_round_everywhere_that_the_row_is_better():
    """As in the table of all pairs of a comparison."""
    rng = np.random.default_rng(1)
    grades = {name: rng.normal(size=40).tolist() for name in "ABC"}
    good = {name: (np.array(own) + rng.normal(size=40) / 4).tolist() for name, own in grades.items()}
    bad = {name: rng.normal(size=40).tolist() for name in "ABC"}
    texts, scores = {name: ["a"] * 40 for name in "ABC"}, {"bad": bad, "good": good}
    for rank_by in ("pooled.pearson", "item.acc_eq"):
        options = {"references": ["a"] * 40, "n_resamples": 50, "n_permutations": 200, "rank_by": rank_by}
        found = tercet.correlate(texts, [], grades, scores=scores, **options)
        (table,), (written,) = found.tables, found.to_dict()["dimensions"]
        p = table.pvalues
        assert p[1, 0] == table.adjusted_p("good", "bad") < 0.05 < p[0, 1]
        assert written["p_row_better_than_column"] == p.tolist()
        assert written["p_adjusted"] == table.adjusted.tolist()
        assert written["adjust"] == "step-down"
        assert np.array(written["p_williams"], float)[1, 0] < 0.01 or rank_by == "item.acc_eq"
        lines = to_text(found).splitlines()
        (best,), (other,) = (
            [line.split() for line in lines if line.strip().startswith(row)] for row in ("1 g", "2 b")
        )
        assert best == ["1", "good", "▲", pvalue_text(p[1, 0])]
        assert other == ["2", "bad", "▼", pvalue_text(p[1, 0])]


def test_every_form_says_that_p_is_two_sided_and_how_it_is_adjusted():
    of_others = {name: [*reversed(grades)] for name, grades in GRADES_OF_OTHERS.items()}
    for scores, is_adjusted in (({"x": GRADES_OF_OTHERS}, False), ({"x": GRADES_OF_OTHERS, "y": of_others}, True)):
        found = correlate("bleu", {"form": GRADES}, scores=scores)
        label = "adjusted p" if is_adjusted else "p"
        for text in (
            to_text(found, 400),
            found._repr_html_(),
            in_format(found, "markdown"),
            in_format(found, "latex"),
        ):
            assert f"{label}: two-sided" in text
            assert ("by the step-down maximum (Romano and Wolf 2005)" in text) == is_adjusted
            assert "Holm" not in text
        assert "p_row_better_than_column: one-sided" in to_text(found, 400)


def test_raters_are_averaged_or_standardized_and_compared(tmp_path):
    rows = [("content", who, "A", item, base + item) for who, base in (("x", 1), ("y", 3)) for item in range(3)]
    grades = Grades.of_rows(rows, ["A"], 3)
    assert grades.mean("content").tolist() == [[2.0, 3.0, 4.0]]
    assert grades.mean("content", standardize=True)[0, 1] == pytest.approx(0.0)
    agreement = tercet.correlate(wide(tmp_path), "bleu", **FEW).tables[0].agreement
    assert agreement == {"alpha_ordinal": 1.0, "alpha_interval": 1.0, "raw": 1.0}


def test_a_grade_is_a_number_or_missing():
    assert [read_number(each, "it") for each in (" 4,5 ", "3", 2, np.float32(1))] == [4.5, 3, 2, 1]
    assert all(math.isnan(read_number(each, "it")) for each in (None, "", " n/a ", "-", math.nan))
    for value in ("four", [4], True, math.inf, "1,5.2", "-1,234"):
        with pytest.raises(InputError, match="number as the grade"):
            read_number(value, "the grade")


def test_a_comma_before_three_digits_is_decimal_where_other_grades_of_the_dimension_show_it():
    assert read_grades("1,234", "0,75", "-") == [1.234, 0.75]
    assert read_grades("0,123", "10,125", "12") == [0.123, 10.125, 12]
    assert read_grades("1,234", "7.5") == [1234, 7.5]
    for cells in (["1,234"], ["12,345", "1"]):
        with pytest.raises(
            InputError, match=r"on item 1, 'form', got '\d+,\d+', which may be \d+\.\d+ or \d+: write it"
        ):
            read_grades(*cells)


def read_grades(*cells):
    rows = [("form", "", "A", item, cell) for item, cell in enumerate(cells)]
    # another dimension, with decimal commas of its own
    rows.append(("content", "", "A", 0, "0,5"))
    found = Grades.of_rows(rows, ["A"], len(cells)).mean("form")[0]
    return found[~np.isnan(found)].tolist()


def test_bad_input_is_named():
    alone = {"systems": {"A": TEXTS["A"]}, "grades": {"A": GRADES["A"]}}
    for kind, message, options in [
        (OptionError, r"no figure 'item.tau' to rank by. Did you mean", {"rank_by": "item.tau"}),
        (OptionError, "The figure 'item.acc23' needs several systems", {"rank_by": "item.acc23", **alone}),
        (OptionError, "There is no dimension 'form'", {"dimension": "form"}),
        (OptionError, "'unit' option of correlate must be", {"unit": "words"}),
        (OptionError, "'ties' option of correlate must be", {"ties": "near"}),
        (OptionError, "There is no metric", {"metrics": []}),
        (InputError, "There are 3 grades of 'grade' for 'A'; expected 5", {"grades": {**GRADES, "A": [1, 2, 3]}}),
        (InputError, "Expected grades of 'grade' for each system", {"grades": {"A": GRADES["A"]}}),
        (InputError, "The column 'x': expected the numbers of each system", {"scores": {"x": {}}}),
        (InputError, "The column 'x' has no numbers of the system 'B'", {"scores": {"x": {"A": [1] * 5}}}),
        (InputError, "There are no grades beside the scores: 'grade'", {"scores": "grade"}),
        (OptionError, "There is no dimension 'x'", {"scores": (name for name in ["x"])}),
        (InputError, "Grades are missing", {"grades": None}),
        (InputError, "Fewer than two outputs", {"grades": {each: [None] * 5 for each in TEXTS}}),
        (InputError, "grades are of 1 systems and 4 items", {"grades": Grades.of_lists({"A": [1] * 4}, ["A"], 4)}),
    ]:
        asked = {"systems": TEXTS, "metrics": "bleu", "grades": GRADES, "references": REFERENCES, **FEW, **options}
        with pytest.raises(kind, match=message):
            tercet.correlate(asked.pop("systems"), **asked)


def test_grades_that_contradict_each_other_or_are_no_numbers_are_named(tmp_path):
    with pytest.raises(InputError, match="two grades for 'A' on item 1"):
        Grades.of_rows([("content", "", "A", 0, 1), ("content", "", "A", 0, 2)], ["A"], 1)
    path = long(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("\t5\t", "\tgood\t", 1), encoding="utf-8")
    with pytest.raises(InputError, match="Expected a number as the grade of 'A' on item 1, 'content', got 'good'"):
        read_graded(path)


class TestColumns:
    """Scores in columns, as `tercet compare --scores` reads them."""

    GRADES: ClassVar = {"A": [5, 4, 3, 1], "B": [2, 2, 5, 4]}
    TER: ClassVar = {"A": [0.1, 0.3, 0.4, 0.9], "B": [0.8, 0.7, 0.2, 0.3]}

    def test_may_be_lower_is_better(self):
        systems = {name: ["a"] * 4 for name in "AB"}
        found = [
            tercet.correlate(systems, [], self.GRADES, scores={name: self.TER}, **FEW)
            for name in ("TER:better=higher", "TER", "TER:better=lower", tercet.Column("TER", better="lower"))
        ]
        higher, *lower = (each.tables[0].figures["TER"]["pooled.pearson"].value for each in found)
        assert lower == [-higher] * 3
        assert [each.metrics[0].negated for each in found] == [False, True, True, True]

    def test_take_answers_and_missing_ones_as_in_a_comparison(self, tmp_path):
        systems, right = {name: ["a"] * 4 for name in "AB"}, {"A": [True, None, False, True], "B": np.ones(4, bool)}
        options = {"metrics": [], "grades": self.GRADES, **FEW}
        found = {
            policy: tercet.correlate(systems, scores={f"right:missing={policy}": right}, **options)
            for policy in ("skip", "zero")
        }
        assert {policy: each.metrics[0].scores[0].tolist()[1] for policy, each in found.items()} == {
            "skip": pytest.approx(math.nan, nan_ok=True), "zero": 0,
        }  # fmt: skip
        assert [each.tables[0].n_graded for each in found.values()] == [7, 8]
        with pytest.raises(InputError, match="'A' has no number in the column 'right' in segment 2; missing=skip"):
            tercet.correlate(systems, scores={"right:missing=error": right}, **options)
        with pytest.raises(OptionError, match="TER: missing='zero' would reward an answer that failed"):
            tercet.correlate(systems, scores={"TER:missing=zero": self.TER}, **options)
        with pytest.raises(InputError, match="Expected a number as 'x' of 'A' in segment 1, got 'good'"):
            tercet.correlate(systems, scores={"x": {**self.TER, "A": ["good"] * 4}}, **options)
        rows = ["A,B,reference,A.content,B.content,A.right,B.right,ok_A,ok_B"]
        rows += [f"a,b,a,{a},{b},True,false,{a > 3},{b > 3}" for a, b in zip(*self.GRADES.values(), strict=True)]
        (tmp_path / "t.csv").write_text("\n".join(rows))
        found = tercet.correlate(tmp_path / "t.csv", [], scores=["right", "ok"], **FEW)
        assert {column.label: column.scores.tolist() for column in found.metrics} == {
            "right": [[1] * 4, [0] * 4], "ok": [[1, 1, 0, 0], [0, 0, 1, 1]],
        }  # fmt: skip
        assert [table.dimension for table in found.tables] == ["content"]

    def test_of_a_test_set_are_taken_by_name_with_its_directions(self):
        test_set = tercet.compare({name: ["a"] * 4 for name in "AB"}, [], scores={"x": self.TER}, test=None).test_set
        found = tercet.correlate(replace(test_set, lower_is_better=("x",)), [], self.GRADES, scores="x", **FEW)
        assert found.metrics[0].negated
        assert found.metrics[0].scores.tolist() == [[-number for number in row] for row in self.TER.values()]

    def test_are_read_by_name(self, tmp_path):
        path = tmp_path / "t.csv"
        rows = ["A,B,reference,A.content,B.content,A.BLEURT,B.BLEURT,TER_A,TER_B"]
        for item in range(4):
            numbers = (by_system[name][item] for by_system in (self.GRADES, self.GRADES, self.TER) for name in "AB")
            rows.append(",".join(["a cat", "the dog", "a cat", *map(str, numbers)]))
        path.write_text("\n".join(rows))
        test_set, grades = read_graded(path, scores=["TER", "BLEURT"])
        assert test_set.fields == (
            f"{path}: systems: 'A', 'B'; references: 'reference'; grades: 'A.content', 'B.content'; "
            "scores: 'A.BLEURT', 'B.BLEURT', 'TER_A', 'TER_B'."
        )
        assert grades.scores["TER"].tolist() == [*self.TER.values()]
        found = tercet.correlate(test_set, [], grades, scores=["TER:better=lower", "BLEURT"], **FEW)
        assert {column.label: column.negated for column in found.metrics} == {"TER": True, "BLEURT": False}
        assert [table.dimension for table in found.tables] == ["content"]
        with pytest.raises(InputError, match=r"no scores 'COMET'; expected columns such as 'A\.COMET' or 'COMET_A'"):
            read_graded(path, scores=["COMET"])


def test_the_signature_says_how_segments_are_scored():
    """Scores of segments have an effective order, with which sacrebleu gives the same figures."""
    texts = {"A": ["a b", "c d e", "f g"], "B": ["a c", "c d f", "f"]}
    found = tercet.correlate(texts, "bleu", {"A": [3, 4, 2], "B": [2, 3, 1]}, references=["a b", "c d e", "f g h"])
    (signature,) = found.signatures()
    of_segments = tercet.score("bleu", ["a b c d"], ["a b c d"], segments=True, scale=100).signature
    assert signature == of_segments
    assert "|seg:exp,eff|" in signature
