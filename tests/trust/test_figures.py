"""Figures against scipy, against the definition written out, and against the golden figures of real test sets."""

import json
import math
import os
import subprocess
import sys
import warnings
from itertools import combinations

import numpy as np
import pytest
import sacrebleu
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score import rouge_scorer

import tercet
from conftest import ROOT
from tercet.trust import between, pooled, within
from tercet.trust.figures import FIGURES, figures_for, resampled, value_of
from tercet.trust.intervals import draws, percentile_interval
from tercet.trust.ties import calibrate

SCIPY = {
    "pearson": lambda x, y: scipy.stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: scipy.stats.spearmanr(x, y).statistic,
    "kendall_b": lambda x, y: scipy.stats.kendalltau(x, y).statistic,
    "kendall_c": lambda x, y: scipy.stats.kendalltau(x, y, variant="c").statistic,
}
LEVELS = {"pooled": pooled, "item": within, "system": between}


def ones(human):
    return np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))


def of_scipy(name, x, y):
    there = ~np.isnan(x)
    if len(x) - (~there).sum() < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SCIPY[name](x[there], y[there])


@st.composite
def tables(draw, least=2, missing=True):
    n, m = draw(st.integers(least, 5)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    human = rng.integers(1, draw(st.integers(2, 6)), (n, m)).astype(float)
    metric = np.round(rng.normal(human, 2), draw(st.integers(0, 2)))
    if missing and draw(st.booleans()):
        human[rng.random((n, m)) < 0.2] = np.nan
    metric[np.isnan(human)] = np.nan
    return human, metric


@pytest.mark.parametrize("name", SCIPY)
@settings(max_examples=60, deadline=None)
@given(table=tables(least=3))
def test_correlations_are_those_of_scipy_at_every_level(name, table):
    human, metric = table
    by_item = [of_scipy(name, human[:, item], metric[:, item]) for item in range(human.shape[1])]
    known = [each for each in by_item if not math.isnan(each)]
    expected = {
        "pooled": of_scipy(name, human.ravel(), metric.ravel()),
        "item": np.mean(known) if known else math.nan,
    }
    if not np.isnan(human).any():  # otherwise means that are equal but for rounding are ties, or not
        expected["system"] = of_scipy(name, human.mean(1), metric.mean(1))
    for level, value in expected.items():
        found = getattr(LEVELS[level], name)(human, metric, *ones(human))[0]
        assert found == pytest.approx(value, abs=1e-9, nan_ok=True), level


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_accuracy_with_ties_is_its_definition_and_its_threshold_the_best(table):
    human, metric = table

    def accuracy(epsilon):
        found = []
        for x, y in zip(human.T, metric.T, strict=True):
            pairs = [(i, j) for i, j in combinations(range(len(x)), 2) if not np.isnan(x[i] + x[j])]
            alike = [
                np.sign(x[i] - x[j]) == (0 if abs(y[i] - y[j]) <= epsilon else np.sign(y[i] - y[j])) for i, j in pairs
            ]
            found += [np.mean(alike)] if pairs else []
        return float(np.mean(found)) if found else math.nan

    thresholds = {0.0} | {
        abs(y[i] - y[j]) for y in metric.T for i, j in combinations(range(len(y)), 2) if not np.isnan(y[i] + y[j])
    }
    value, epsilon = calibrate(human, metric)
    assert within.acc23(human, metric, *ones(human))[0] == pytest.approx(accuracy(0.0), abs=1e-12, nan_ok=True)
    assert value == pytest.approx(max(map(accuracy, sorted(thresholds))), abs=1e-12, nan_ok=True)
    assert value == pytest.approx(accuracy(epsilon), abs=1e-12, nan_ok=True)
    assert epsilon in thresholds


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("system.spa", "item.acc_eq")])
@pytest.mark.parametrize("unit", ["items", "systems", "both"])
def test_a_resample_has_the_figure_of_its_rows_written_out(name, unit):
    rng = np.random.default_rng(5)
    human = rng.integers(1, 6, (5, 12)).astype(float)
    metric = np.round(rng.normal(human, 1), 1)
    for systems, items in draws(5, 12, unit, 8, seed=3):
        found = FIGURES[name].function(human, metric, systems, items)
        assert len(found) == 8
        for row in range(8):
            of_systems = np.repeat(np.arange(5), systems[row % len(systems)].astype(int))
            of_items = np.repeat(np.arange(12), items[row % len(items)].astype(int))
            if unit != "items" and name in PAIRS:
                continue  # copies of a system are no pair there
            again = [values[np.ix_(of_systems, of_items)] for values in (human, metric)]
            expected = FIGURES[name].function(*again, *ones(again[0]))[0]
            assert found[row] == pytest.approx(expected, abs=1e-9, nan_ok=True)


PAIRS = {"item.acc23", "item.tau23", "item.pdp", "item.darr", "system.pairwise_accuracy"}


@pytest.mark.parametrize("name", FIGURES)
def test_an_interval_holds_the_value_and_a_perfect_metric_is_perfect(name):
    rng = np.random.default_rng(7)
    human = rng.normal(size=(6, 30)) + np.arange(6)[:, None] / 3
    metric = human + rng.normal(size=human.shape)
    for values in (metric, human):
        found = value_of(name, human, values)
        ((systems, items),) = draws(6, 30, "items", 200, seed=1)
        low, high = percentile_interval(resampled(name, human, values, systems, items, found), found[0], 0.95)
        assert low <= found[0] <= high
    assert found[0] == pytest.approx(1.0)


def test_what_is_constant_has_no_correlation_and_one_system_no_pairs():
    flat, metric = np.full((3, 4), 0.1), np.random.default_rng(1).normal(size=(3, 4))
    for name in SCIPY:
        assert all(np.isnan(getattr(module, name)(flat, metric, *ones(flat))[0]) for module in LEVELS.values())
    assert all(name.startswith("pooled.") for name in figures_for(1))


def scores_of(rows, systems):
    """Return what the golden files were made from: the first reference, rouge_score and sacrebleu."""
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
    found = {name: np.zeros((len(systems), len(rows))) for name in ("rouge1", "rouge2", "rougeL", "bleu", "chrf")}
    for item, row in enumerate(rows):
        reference = row["refs"][0]
        for place, system in enumerate(systems):
            text = row["hyps"][system]
            for name, score in scorer.score(reference, text).items():
                found[name][place, item] = score.fmeasure
            found["bleu"][place, item] = sacrebleu.sentence_bleu(text, [reference]).score
            found["chrf"][place, item] = sacrebleu.sentence_chrf(text, [reference]).score
    return found


def of_texts(sets, name, **options):
    """Return rows and golden figures, and the correlation of the same texts, of which the first reference counts."""
    rows, golden = read(sets, name)
    systems = golden["systems"]
    texts = {system: [row["hyps"][system] for row in rows] for system in systems}
    grades = {
        dimension: {system: [row["human"][system][dimension] for row in rows] for system in systems}
        for dimension in golden["dimensions"]
    }
    metrics = ["rouge:rouge_types=rouge1+rouge2+rougeL,compat=rouge_score", "bleu:compat=sacrebleu", "chrf"]
    options = {"n_resamples": 1, "n_permutations": 1, **options}
    references = [row["refs"][0] for row in rows]
    return rows, golden, tercet.correlate(texts, metrics, grades, references=references, **options)


def read(sets, name):
    with open(sets / f"{name}.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return rows, json.loads((sets / f"{name}.mtme.json").read_text())


NAMES = {
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
from tercet.trust.between import soft_pairwise_accuracy
for human, metric in json.load(sys.stdin):
    print(soft_pairwise_accuracy(np.array(human), np.array(metric)))
"""


@pytest.mark.parametrize("name", ["summeval_a", "realsumm_a"])
def test_figures_are_those_of_mt_metrics_eval(sets, name):
    rows, golden, found = of_texts(sets, name)
    originals = scores_of(rows, golden["systems"])
    columns = {column.score: column for column in found.metrics}
    pairs, expected = [], []
    for metric, column in columns.items():
        np.testing.assert_array_equal(column.scores, originals[metric])  # to the last bit, which decides ties
    for dimension, own in golden["dimensions"].items():
        human = found.grades.mean(dimension)
        for metric, figures in own["metrics"].items():
            ours = found.table(dimension).figures[columns[metric].label]
            for theirs, name in NAMES.items():
                assert ours[name].value == pytest.approx(figures[theirs], abs=1e-12), (metric, name)
            assert ours["item.acc_eq"].epsilon == figures["epsilon"], metric
            assert ours["system.spa"].value == pytest.approx(figures["spa"], abs=5e-4)
            pairs.append((human.tolist(), columns[metric].scores.tolist()))
            expected.append(figures["spa"])
    run = subprocess.run(
        [sys.executable, "-c", SPA], input=json.dumps(pairs), capture_output=True, text=True, check=True,
        env={**os.environ, "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"}, cwd=ROOT,
    )  # fmt: skip
    assert list(map(float, run.stdout.split())) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["summeval_a", "realsumm_a"])
def test_correlations_are_those_of_the_golden_files(sets, name):
    """The golden files were made from scores of five decimals, which are kept beside them."""
    with open(sets / f"{name}.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    golden = json.loads((sets / f"{name}.corr.json").read_text())["correlations"]
    kept = json.loads((sets / f"{name}.rouge155.json").read_text())
    systems = sorted(rows[0]["hyps"])
    checked = 0
    for title, levels in golden.items():
        (run, score, measure), dimension = title.partition(" ~ ")[0].split(), title.partition(" ~ ")[2]
        documents = kept["runs"][run]["per_doc"]
        metric = np.array(
            [[documents[each][row["id"]][score]["RPF".index(measure)] for row in rows] for each in systems]
        )
        human = np.array([[row["human"][system][dimension] for row in rows] for system in systems])
        for level, figures in zip(("pooled", "item", "system"), levels.values(), strict=True):
            for figure in SCIPY:
                if figure in figures:
                    found = value_of(f"{level}.{figure}", human, metric)[0]
                    assert found == pytest.approx(figures[figure], abs=1e-6), (title, level, figure)
                    checked += 1
    assert checked > 100


@pytest.mark.parametrize("name", ["comet_rr_mixed", "wmt19_darr_lten"])
def test_preferences_are_those_of_the_golden_files(sets, name):
    golden = json.loads((sets / f"{name}.darr.json").read_text())
    for metric, counts in golden["kendall_tau_like"].items():
        scores = golden["segment_scores"][metric]
        table = np.array([scores["better"], scores["worse"]])
        human = np.repeat([[1.0], [0.0]], table.shape[1], axis=1)
        (expected,) = (value for key, value in counts.items() if key.startswith("tau_like (con-dis)"))
        assert value_of("item.darr", human, table)[0] == pytest.approx(expected, abs=1e-6)
