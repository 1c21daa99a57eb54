"""Tables of texts and grades -> which metric to trust."""

import json
import math

import numpy as np
import pytest
import sacrebleu
from rouge_score import rouge_scorer

import tercet
from conftest import ROOT
from tercet.errors import InputError, OptionError
from tercet.trust.grades import Grades, read_number
from tercet.trust.reading import read_graded
from tercet.trust.tables import to_json, to_latex, to_markdown, to_text, to_tsv

TEXTS = {
    "A": ["the cat sat on the mat", "it rains a lot", "кот сидит на окне", "a good day"],
    "B": ["a cat sat", "it rained", "кот на окне", "good days"],
    "C": ["dogs bark", "it rains a lot today", "собака спит", "a day"],
}
REFERENCES = ["the cat sat on a mat", "it rains a lot", "кот сидит на окне", "a good day"]
GRADES = {"A": [5, 5, 4, 5], "B": [3, 2, 4, 3], "C": [1, 4, 1, None]}
FEW = {"n_resamples": 50, "n_permutations": 50}


def wide(tmp_path, name="news.tsv", between="."):
    head = ["id", "reference", *TEXTS, *(f"{each}{between}content{between}anna" for each in TEXTS)]
    head += [f"{each}{between}content{between}boris" for each in TEXTS]
    rows = ["\t".join(head)]
    for item, reference in enumerate(REFERENCES):
        grades = ["" if GRADES[each][item] is None else str(GRADES[each][item]) for each in TEXTS]
        rows.append("\t".join([f"s{item}", reference, *(own[item] for own in TEXTS.values()), *grades, *grades]))
    path = tmp_path / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def long(tmp_path, texts=True):
    rows = ["item\tsystem\trater\tdimension\tvalue" + ("\ttext\treference" if texts else "")]
    for system, grades in GRADES.items():
        for item, grade in enumerate(grades):
            more = f"\t{TEXTS[system][item]}\t{REFERENCES[item]}" if texts else ""
            rows += [f"s{item}\t{system}\t{who}\tcontent\t{'' if grade is None else grade}{more}" for who in "xy"]
    path = tmp_path / "long.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_wide_long_and_json_lines_hold_the_same(tmp_path):
    rows = [
        {
            "id": f"s{item}", "refs": [reference], "hyps": {each: TEXTS[each][item] for each in TEXTS},
            "human": {each: {"content": {"x": GRADES[each][item], "y": GRADES[each][item]}} for each in TEXTS},
        }
        for item, reference in enumerate(REFERENCES)
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = np.array([[math.nan if each is None else each for each in own] for own in GRADES.values()])
    for given in (wide(tmp_path), wide(tmp_path, "slash.tsv", "/"), long(tmp_path), path):
        test_set, grades = read_graded(given)
        assert test_set.systems == TEXTS
        assert test_set.references == [[each] for each in REFERENCES]
        assert len(grades.raters) == 2
        np.testing.assert_array_equal(grades.mean("content"), expected)


def test_grades_may_stand_in_a_table_of_their_own(tmp_path):
    separate = long(tmp_path, texts=False)
    path = tmp_path / "texts.tsv"
    lines = wide(tmp_path).read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join("\t".join(line.split("\t")[:5]) for line in lines) + "\n", encoding="utf-8")
    _, grades = read_graded(path, grades=separate)
    assert grades.mean("content")[0].tolist() == GRADES["A"]
    with pytest.raises(InputError, match=r"texts.tsv has no grades: expected columns named system.dimension"):
        read_graded(path)


def test_better_and_worse_are_preferences(tmp_path):
    path = tmp_path / "pairs.jsonl"
    row = {"refs": ["the cat sat on the mat"], "hyps": {"better": "the cat sat on a mat", "worse": "a dog"}}
    path.write_text((json.dumps(row) + "\n") * 3)
    table = tercet.correlate(path, "rouge:rouge_types=rouge1", **FEW).tables[0]
    assert (table.dimension, table.rank_by) == ("preference", "item.darr")
    assert table.figures["rouge_nlws"]["item.darr"].value == 1.0


def test_figures_come_from_segment_scores_and_scores_made_elsewhere_count_like_metrics():
    elsewhere = {"copy": {each: [grade or 0 for grade in own] for each, own in GRADES.items()}}
    found = tercet.correlate(TEXTS, ["bleu", "jaccard"], GRADES, references=REFERENCES, scores=elsewhere, **FEW)
    (table,) = found.tables
    assert [column.label for column in found.metrics] == ["bleu_multi", "jaccard_sets", "copy"]
    assert table.figures["copy"]["pooled.pearson"].value == pytest.approx(1.0)
    assert table.n_graded == 11
    assert table.ranking[0] == "copy"
    scores = tercet.score("jaccard", TEXTS["B"], REFERENCES, segments=True).segments["jaccard"]
    assert found.metrics[1].scores[1].tolist() == scores
    assert any("Only 4 graded items" in remark for remark in table.remarks)


def test_scores_tie_as_in_the_original_or_where_twelve_digits_agree():
    """Both have an F of 2/3, and a BLEU whose precisions have one product; the originals' last bits differ."""
    references = ["r0 r1 r2 r3", "r0 r1 r2 r3 r4 r5 r6 r7"]
    texts = {
        "A": ["r0 r1 r2 x0 x1", "r5 r6 r4 r6 y r6 r0 r6 r2 r3 r0"],
        "B": ["r0 r1", "x y y r4 r5 r4 r3 r4 r4 r2 r3"],
    }
    rouge = rouge_scorer.RougeScorer(["rouge1"])
    for metric, item, original in (
        ("rouge:rouge_types=rouge1", 0, lambda text: rouge.score(references[0], text)["rouge1"].fmeasure),
        ("bleu", 1, lambda text: sacrebleu.sentence_bleu(text, [references[1]]).score),
    ):
        for ties, accuracy in (("scored", 0.0), ("exact", 1.0)):
            found = tercet.correlate(
                {system: [own[item]] for system, own in texts.items()}, metric, {"A": [4], "B": [4]},
                references=[references[item]], ties=ties, rank_by="item.acc23", **FEW,
            )  # fmt: skip
            figures = found.tables[0].figures[found.metrics[0].label]
            assert figures["item.acc23"].value == accuracy
            one, other = found.metrics[0].scores[:, 0].tolist()
            assert (one == other) == (ties == "exact")
            assert ("agree to 12 significant digits are ties" in found.legend()) == (ties == "exact")
            if ties == "scored":
                assert [one, other] == [original(own[item]) for own in texts.values()]
                assert figures["item.acc_eq"].epsilon == abs(one - other)  # in the unit of the scores
                assert found.metrics[0].scale == (1 if item == 0 else 100)


def test_a_metric_of_which_less_is_better_is_negated_and_named():
    found = tercet.correlate(TEXTS, ["ter", "bleu"], GRADES, references=REFERENCES, **FEW)
    assert found.tables[0].figures["ter"]["pooled.pearson"].value > 0
    for form in (to_text, to_markdown, to_latex):
        assert "Negated, as lower is better: ter." in form(found).replace("\n", " ")
    assert "Negated" not in tercet.correlate(TEXTS, "bleu", GRADES, references=REFERENCES, **FEW).legend()


def test_the_same_seed_gives_the_same_and_more_systems_do_not_change_a_level():
    one, other = (tercet.correlate(TEXTS, "bleu", GRADES, references=REFERENCES, **FEW).to_dict() for _ in range(2))
    assert one == other
    single = {"A": TEXTS["A"]}
    found = tercet.correlate(single, "jaccard", {"A": GRADES["A"]}, references=REFERENCES, **FEW)
    assert set(found.tables[0].figures["jaccard_sets"]) == {
        "pooled.pearson", "pooled.spearman", "pooled.kendall_b", "pooled.kendall_c",
    }  # fmt: skip


def test_variants_of_a_metric_are_called_by_their_options():
    variants = ["jaccard:ngram=1", "jaccard:ngram=2", "bleu:max_order=2"]
    found = tercet.correlate(TEXTS, variants, GRADES, references=REFERENCES, **FEW)
    labels = [column.label for column in found.metrics]
    assert labels == ["jaccard_sets:ngram=1", "jaccard_sets:ngram=2", "bleu_multi"]


@pytest.mark.parametrize("unit", ["items", "systems", "both"])
def test_every_unit_and_figure_ranks(unit):
    for figure in ("pooled.spearman", "item.acc23", "system.spa", "system.pearson"):
        found = tercet.correlate(
            TEXTS, ["bleu", "jaccard"], GRADES, references=REFERENCES, rank_by=figure, unit=unit, **FEW
        )
        assert found.tables[0].rank_by == figure
        assert sorted(found.tables[0].ranking) == ["bleu_multi", "jaccard_sets"]


def test_every_form_has_the_figures():
    found = tercet.correlate(TEXTS, ["bleu", "jaccard"], GRADES, references=REFERENCES, **FEW)
    value = found.tables[0].figures["jaccard_sets"]["item.acc_eq"].value
    for form in (to_text, to_markdown, to_latex):
        assert f"{value:.3f}" in form(found)
        assert "95" in form(found)
    records = to_tsv(found).splitlines()
    assert records[0].split("\t")[:4] == ["test_set", "dimension", "metric", "figure"]
    assert len(records) == 1 + 2 * len(found.tables[0].figures["bleu_multi"])
    kept = json.loads(to_json(found))["dimensions"][0]
    assert kept["figures"]["jaccard_sets"]["item.acc_eq"]["value"] == pytest.approx(value)
    assert len(found.to_dataframe()) == len(records) - 1
    assert "jaccard_sets" in repr(found)


def test_raters_are_averaged_or_standardized_and_compared(tmp_path):
    rows = [("content", who, "A", item, base + item) for who, base in (("x", 1), ("y", 3)) for item in range(3)]
    grades = Grades.of_rows(rows, ["A"], 3)
    assert grades.mean("content").tolist() == [[2.0, 3.0, 4.0]]
    assert grades.mean("content", standardize=True)[0, 1] == pytest.approx(0.0)
    agreement = tercet.correlate(wide(tmp_path), "bleu", **FEW).tables[0].agreement
    assert agreement == {"alpha_ordinal": 1.0, "alpha_interval": 1.0, "raw": 1.0}


@pytest.mark.parametrize("value", ["four", [4], True, math.inf])
def test_a_grade_that_is_no_number_is_named(value):
    with pytest.raises(InputError, match="number as the grade"):
        read_number(value, "the grade")


def test_bad_input_is_named(tmp_path):
    def run(**options):
        return tercet.correlate(TEXTS, "bleu", GRADES, references=REFERENCES, **{**FEW, **options})

    with pytest.raises(OptionError, match=r"no figure 'item.tau' to rank by. Did you mean"):
        run(rank_by="item.tau")
    with pytest.raises(OptionError, match="There is no dimension 'form'"):
        run(dimension="form")
    with pytest.raises(OptionError, match="'unit' option of correlate must be"):
        run(unit="words")
    with pytest.raises(OptionError, match="'ties' option of correlate must be"):
        run(ties="near")
    with pytest.raises(InputError, match="There are 3 grades of 'grade' for 'A'; expected 4"):
        tercet.correlate(TEXTS, "bleu", {**GRADES, "A": [1, 2, 3]}, references=REFERENCES)
    with pytest.raises(InputError, match="Expected grades of 'grade' for each system"):
        tercet.correlate(TEXTS, "bleu", {"A": GRADES["A"]}, references=REFERENCES)
    with pytest.raises(InputError, match="Grades are missing"):
        tercet.correlate(TEXTS, "bleu", references=REFERENCES)
    with pytest.raises(OptionError, match="There is no metric"):
        tercet.correlate(TEXTS, [], GRADES, references=REFERENCES)
    with pytest.raises(InputError, match="two grades for 'A' on item 1"):
        Grades.of_rows([("content", "", "A", 0, 1), ("content", "", "A", 0, 2)], ["A"], 1)
    path = long(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("\t5\t", "\tgood\t", 1), encoding="utf-8")
    with pytest.raises(InputError, match="Expected a number as the grade of 'A' on item 1, 'content', got 'good'"):
        read_graded(path)


def test_the_sample_of_graded_texts():
    test_set, grades = read_graded(ROOT / "examples" / "data" / "graded.tsv")
    assert list(test_set.systems) == ["careful", "fluent", "literal", "short"]
    assert (grades.n_items, grades.raters, grades.dimensions) == (60, ("anna", "boris"), ["content", "form"])
    russian = [each for (each,) in test_set.references if not each.isascii()]
    assert len(russian) == 30
    for dimension in grades.dimensions:
        assert set(np.unique(grades.values[dimension][~np.isnan(grades.values[dimension])])) <= {1, 2, 3, 4, 5}
        assert 0 < np.isnan(grades.values[dimension]).mean() < 0.1
