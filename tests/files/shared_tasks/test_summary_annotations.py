"""Annotations of summaries in the shapes of SummEval and FRANK: figures are scipy's on values taken by hand."""

import json
import random

import numpy as np
import pytest
from sacrebleu.metrics import CHRF
from scipy import stats

import tercet
from commands import command
from tercet.correlation.graded_tables import read_graded
from tercet.errors import InputError

DIMENSIONS = ["coherence", "consistency", "fluency", "relevance"]
#: In several scripts.
WORDS = ["the", "ship", "sails", "море", "волна", "ветер", "السفينة", "الميناء", "猫", "海", "el", "mar"]
FEW = {"n_resamples": 20, "n_permutations": 20}


def text(choose, n_words=8):
    return " ".join(choose.choices(WORDS, k=n_words))


@pytest.fixture
def summeval():
    """Outputs of three models for five articles, each with grades of three experts and five others."""
    choose = random.Random(5)
    references = {f"dm-test-{number}": [text(choose) for _ in range(11)] for number in range(5)}

    def grades():
        return {dimension: choose.randint(1, 5) for dimension in DIMENSIONS}

    return [
        {
            "id": item,
            "decoded": text(choose),
            "expert_annotations": [grades() for _ in range(3)],
            "turker_annotations": [grades() for _ in range(5)],
            "references": references[item],
            "model_id": model,
            "filepath": f"cnndm/dailymail/stories/{item}.story",
        }
        for model in ("M0", "M1", "M11")
        for item in references
    ]


@pytest.fixture
def frank():
    """Outputs of two models for articles of one data set, and of one for those of another; and their grades."""
    choose = random.Random(6)
    outputs = []
    annotations = []
    for dataset, models, hashes in (("cnndm", ["bart", "pgn"], "abcdef"), ("bbc", ["PtGen"], "xyz")):
        for item in hashes:
            article, reference = text(choose, 30), text(choose)
            for model in models:
                key = {"hash": item, "model_name": model, "dataset": dataset}
                outputs.append({**key, "article": article, "summary": text(choose), "reference": reference})
                factuality, kind = choose.choice([0.0, 0.3333333333, 1.0]), choose.choice([0.0, 0.5, 1.0])
                annotations.append({**key, "Factuality": factuality, "RelE": kind, "Flip_RelE": 1 - kind})
    return outputs, annotations


def lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def array(path, rows):
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


def check_figures(found, grades, rows, text_of, references_of):
    """All outputs together, and the means of each system, as scipy says."""
    chrf = CHRF()
    scores = [chrf.sentence_score(row[text_of], references_of(row)).score for row in rows]
    figures = found.tables[0].figures["chrf_multi"]
    assert figures["pooled.pearson"].value == pytest.approx(stats.pearsonr(scores, grades)[0], rel=1e-9)
    assert figures["pooled.kendall_b"].value == pytest.approx(stats.kendalltau(scores, grades)[0], rel=1e-9)
    return scores


class TestSummeval:
    def test_experts_are_the_raters(self, tmp_path, summeval):
        test_set, grades = read_graded(lines(tmp_path / "model_annotations.aligned.jsonl", summeval))
        assert list(test_set.systems) == ["M0", "M1", "M11"]
        assert test_set.systems["M1"] == [row["decoded"] for row in summeval[5:10]]
        assert test_set.references == [row["references"] for row in summeval[:5]]
        assert test_set.source is None
        assert grades.dimensions == DIMENSIONS
        assert grades.raters == ("expert 1", "expert 2", "expert 3")
        by_hand = [[annotation["fluency"] for annotation in row["expert_annotations"]] for row in summeval]
        np.testing.assert_array_equal(grades.values["fluency"].reshape(3, 15).T, by_hand)

    def test_figures_are_those_of_scipy(self, tmp_path, summeval):
        test_set, grades = read_graded(lines(tmp_path / "a.jsonl", summeval))
        for dimension in DIMENSIONS:
            by_hand = [np.mean([one[dimension] for one in row["expert_annotations"]]) for row in summeval]
            found = tercet.correlate(test_set, ["chrf_multi"], grades, dimension=dimension, **FEW)
            scores = check_figures(found, by_hand, summeval, "decoded", lambda row: row["references"])
            of_systems = [np.reshape(values, (3, 5)).mean(1) for values in (scores, by_hand)]
            tau = stats.kendalltau(*of_systems)[0]
            assert found.tables[0].figures["chrf_multi"]["system.kendall_b"].value == pytest.approx(tau, rel=1e-9)

    def test_the_crowd_is_read_if_it_is_asked_for(self, tmp_path, summeval):
        path = lines(tmp_path / "a.jsonl", summeval)
        grades = read_graded(path, dimensions=["turker_relevance"])[1]
        assert grades.dimensions == [*DIMENSIONS, "turker_relevance"]
        by_hand = [np.mean([one["relevance"] for one in row["turker_annotations"]]) for row in summeval]
        np.testing.assert_allclose(grades.mean("turker_relevance").ravel(), by_hand, rtol=1e-15)
        # Nobody of one group is a rater of the other.
        assert grades.agreement("relevance") == read_graded(path)[1].agreement("relevance")
        run = command("correlate", path.name, "-m", "chrf", "-d", "turker_relevance", cwd=tmp_path)
        assert "a: turker_relevance, 15 graded outputs of 5 items" in run.stdout

    def test_what_was_read_is_said(self, tmp_path, summeval):
        path = lines(tmp_path / "a.jsonl", summeval)
        run = command("correlate", path.name, "-m", "chrf", cwd=tmp_path)
        assert (
            "a.jsonl: item: 'id'; system: 'model_id'; summary: 'decoded'; references: 'references'; grades: "
            "'expert_annotations'; left out: 'turker_annotations' (take them by --dimension turker_coherence)."
        ) in run.stderr

    def test_articles_that_were_paired_are_sources(self, tmp_path, summeval):
        """They are called as texts of systems are called in other tables."""
        paired = [{**row, "text": f"{row['id']} 海"} for row in summeval]
        test_set = read_graded(lines(tmp_path / "a.jsonl", paired))[0]
        assert test_set.source == [f"dm-test-{number} 海" for number in range(5)]
        assert test_set.systems["M0"] == [row["decoded"] for row in summeval[:5]]

    @pytest.mark.parametrize("cell", [None, [], [3], {"coherence": 3}, "5"])
    def test_what_are_no_grades(self, tmp_path, summeval, cell):
        summeval[2]["expert_annotations"] = cell
        message = (
            r"a\.jsonl, line 3, column 'expert_annotations': expected a list with an object of grades for each rat"
        )
        with pytest.raises(InputError, match=message):
            read_graded(lines(tmp_path / "a.jsonl", summeval))


class TestFrank:
    def test_grades_are_beside_the_texts(self, tmp_path, frank):
        outputs, annotations = ([row for row in rows if row["dataset"] == "cnndm"] for rows in frank)
        random.Random(1).shuffle(annotations)
        test_set, grades = read_graded(
            array(tmp_path / "benchmark_data.json", outputs),
            grades=array(tmp_path / "human_annotations.json", annotations),
        )
        assert test_set.systems == {
            model: [row["summary"] for row in outputs if row["model_name"] == model] for model in ("bart", "pgn")
        }
        assert test_set.source == [row["article"] for row in outputs[::2]]
        # Copies of grades with a kind of error turned round are for studies of that kind.
        assert grades.dimensions == ["Factuality", "RelE"]
        by_key = {(row["hash"], row["model_name"]): row["Factuality"] for row in annotations}
        by_hand = [by_key[row["hash"], row["model_name"]] for row in outputs]
        found = tercet.correlate(test_set, ["chrf_multi"], grades, dimension="Factuality", **FEW)
        check_figures(found, by_hand, outputs, "summary", lambda row: [row["reference"]])

    def test_grades_in_the_same_file(self, tmp_path, frank):
        rows = [{**output, **annotation} for output, annotation in zip(*frank, strict=True)][:12]
        grades = read_graded(array(tmp_path / "a.json", rows), dimensions=["Flip_RelE"])[1]
        assert grades.dimensions == ["Factuality", "RelE", "Flip_RelE"]
        assert grades.mean("Flip_RelE")[0].tolist() == [row["Flip_RelE"] for row in rows[::2]]

    def test_systems_of_several_data_sets(self, tmp_path, frank):
        """An output that there is none of has no grade, so that no figure counts it."""
        outputs, annotations = frank
        paths = array(tmp_path / "a.json", outputs), array(tmp_path / "b.json", annotations)
        message = (
            r"a\.json: 12 of 27 outputs are missing, the first that of 'PtGen' for 'a': no figure counts them\. They "
            r"are of 2 data sets, bbc and cnndm, so that figures of systems compare systems by different articles"
        )
        with pytest.warns(UserWarning, match=message):
            test_set, grades = read_graded(paths[0], grades=paths[1])
        by_hand = [row["Factuality"] for row in annotations]
        found = tercet.correlate(test_set, ["chrf_multi"], grades, dimension="Factuality", **FEW)
        check_figures(found, by_hand, outputs, "summary", lambda row: [row["reference"]])
        assert found.tables[0].n_graded == 15

    def test_a_grade_of_an_output_that_is_missing(self, tmp_path, frank):
        """It would be compared with the score of an empty text."""
        outputs, annotations = (rows[:12] for rows in frank)
        paths = array(tmp_path / "a.json", outputs[:-1]), array(tmp_path / "b.json", annotations)
        missing = r"a\.json: 1 of 12 outputs are missing, the first that of 'pgn' for 'f': no figure counts them\.$"
        left_out = r"b\.json has grades of 1 output without a text: left out\.$"
        with pytest.warns(UserWarning, match=missing), pytest.warns(UserWarning, match=left_out):
            grades = read_graded(paths[0], grades=paths[1])[1]
        assert np.isnan(grades.mean("Factuality")[1, 5])
