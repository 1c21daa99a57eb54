"""Figures and tests of real test sets, as mt-metrics-eval and scipy gave them: ``RULES_CORRELATION.md``."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import sacrebleu
from rouge_score import rouge_scorer

import tercet
from conftest import ANY_TEXTS, ROOT
from tercet.correlation.figures import value_of

#: The summaries of some systems in REALSumm are in lower case, which is warned of.
pytestmark = ANY_TEXTS

GOLDEN_NAMES = {
    "acc_eq_star": "item.acc_eq",
    "acc23": "item.acc23",
    "kendall_b": "item.kendall_b",
    "pdp": "item.pdp",
    "pearson_sys": "system.pearson",
    "pairwise_accuracy": "system.pairwise_accuracy",
}

#: Sums of the reference's SPA depend on the processor's kernels and threads: the golden ones had these.
SPA = """
import json, sys
import numpy as np
from tercet.correlation.soft_accuracy import soft_pairwise_accuracy
for human, metric in json.load(sys.stdin):
    print(soft_pairwise_accuracy(np.array(human), np.array(metric)))
"""


def rows_of(sets, name):
    with open(sets / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def correlation(sets, name, rank_by=None, n_permutations=1):
    """Return rows and golden figures, and the correlation of the same texts, of which the first reference counts."""
    rows, golden = rows_of(sets, name), json.loads((sets / f"{name}.mtme.json").read_text())
    systems = golden["systems"]
    texts = {system: [row["hyps"][system] for row in rows] for system in systems}
    grades = {
        dimension: {system: [row["human"][system][dimension] for row in rows] for system in systems}
        for dimension in golden["dimensions"]
    }
    metrics = ["rouge:rouge_types=rouge1+rouge2+rougeL,compat=rouge_score", "bleu:compat=sacrebleu", "chrf"]
    asked = {"rank_by": rank_by, "n_resamples": 1, "n_permutations": n_permutations}
    return (
        rows,
        golden,
        tercet.correlate(texts, metrics, grades, references=[row["refs"][0] for row in rows], **asked),
    )


def originals(rows, systems):
    """Return what the golden files were made from: scores of the first reference by rouge_score and sacrebleu."""
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
    by = {name: lambda reference, text, name=name: scorer.score(reference, text)[name].fmeasure
          for name in ("rouge1", "rouge2", "rougeL")}  # fmt: skip
    by["bleu"] = lambda reference, text: sacrebleu.sentence_bleu(text, [reference]).score
    by["chrf"] = lambda reference, text: sacrebleu.sentence_chrf(text, [reference]).score
    return {
        name: np.array([[score(row["refs"][0], row["hyps"][system]) for row in rows] for system in systems])
        for name, score in by.items()
    }


@pytest.mark.parametrize("name", ["summeval_a", "realsumm_a"])
def test_figures_are_those_of_mt_metrics_eval(sets, name):
    rows, golden, found = correlation(sets, name)
    columns = {column.score: column for column in found.metrics}
    for metric, scores in originals(rows, golden["systems"]).items():
        np.testing.assert_array_equal(columns[metric].scores, scores)  # to the last bit, which decides ties
    pairs, expected = [], []
    for dimension, own in golden["dimensions"].items():
        for metric, figures in own["metrics"].items():
            ours = found.table(dimension).figures[columns[metric].label]
            for theirs, name in GOLDEN_NAMES.items():
                assert ours[name].value == pytest.approx(figures[theirs], abs=1e-12), (metric, name)
            assert ours["item.acc_eq"].epsilon == figures["epsilon"], metric
            assert ours["system.spa"].value == pytest.approx(figures["spa"], abs=5e-4)
            pairs.append((found.grades.mean(dimension).tolist(), columns[metric].scores.tolist()))
            expected.append(figures["spa"])
    run = subprocess.run(
        [sys.executable, "-c", SPA], input=json.dumps(pairs), capture_output=True, text=True, check=True,
        env={**os.environ, "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"}, cwd=ROOT,
    )  # fmt: skip
    assert list(map(float, run.stdout.split())) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["summeval_a", "realsumm_a"])
@pytest.mark.parametrize(
    ("rank_by", "test", "draws", "tolerance"),
    [("pooled.pearson", "perm_both", 10_000, 0.02), ("item.acc_eq", "perm_pairs", 5_000, 0.04)],
)
def test_p_is_that_of_mt_metrics_eval(sets, name, rank_by, test, draws, tolerance):
    _, golden, found = correlation(sets, name, rank_by, draws)
    names = [column.score for column in found.metrics]
    for dimension, own in golden["dimensions"].items():
        for title, tests in own["tests"].items():
            one, other = (names.index(each) for each in title.split(" < "))
            p = found.table(dimension).pvalues[other, one]
            assert p == pytest.approx(tests[test]["p"], abs=tolerance), (dimension, title)


@pytest.mark.parametrize("name", ["comet_rr_mixed", "wmt19_darr_lten"])
def test_preferences_are_those_of_the_golden_files(sets, name):
    golden = json.loads((sets / f"{name}.darr.json").read_text())
    for metric, counts in golden["kendall_tau_like"].items():
        scores = golden["segment_scores"][metric]
        table = np.array([scores["better"], scores["worse"]])
        human = np.repeat([[1.0], [0.0]], table.shape[1], axis=1)
        (expected,) = (value for key, value in counts.items() if key.startswith("tau_like (con-dis)"))
        assert value_of("item.darr", human, table)[0] == pytest.approx(expected, abs=1e-6)
