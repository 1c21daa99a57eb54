"""The layers of BERTScore on grades: the curve, the best layer, and whether choosing it was more than chance."""

import numpy as np
import pytest

import tercet
from conftest import ROOT
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.correlation.figures import FigureValue, value_of
from tercet.correlation.folds import out_of_fold, single_metrics, standardize
from tercet.correlation.layers import layer_sweeps
from tercet.correlation.metric_columns import MetricColumn
from tercet.correlation.samples import GradedOutputs
from tercet.correlation.tables import in_format, to_text
from tercet.report.correlation import trust_html
from texts import MINILM

FEW = {"n_resamples": 50, "n_permutations": 200}
GRADED = ROOT / "examples" / "data" / "graded.tsv"
LAYERS = f"bertscore:model_type={MINILM},all_layers=true,idf=false"


@pytest.fixture(scope="module")
def found():
    return tercet.correlate(GRADED, ["bleu", LAYERS], dimension="content", **FEW)


def test_every_layer_has_the_figure_of_its_scores(found):
    ((sweep,), human) = found.tables[0].layers, found.grades.mean("content")
    assert (sweep.metric, sweep.dimension, sweep.figure) == ("bertscore_idf", "content", "item.acc_eq")
    assert len(sweep.values) == 7
    systems, references = found.test_set.systems, found.test_set.references
    for layer in (0, 5):
        options = {"model_type": MINILM, "num_layers": layer, "idf": False}
        own = [tercet.score("bertscore_idf", texts, references, **options)["f1"] for texts in systems.values()]
        assert sweep.values[layer].value == pytest.approx(value_of("item.acc_eq", human, np.array(own))[0], abs=0.01)
    assert sweep.best == max(range(7), key=lambda layer: sweep.values[layer].value)
    assert sweep.usual == 4  # two thirds of six
    other = tercet.correlate(GRADED, f"{LAYERS},num_layers=2", dimension="content", **FEW)
    assert other.tables[0].layers[0].usual == 2  # that is asked for


def test_the_encoder_is_loaded_once_for_all_layers_and_systems(caplog):
    tercet.free_models()
    with caplog.at_level("INFO", "tercet"):
        tercet.correlate(GRADED, [LAYERS, f"{LAYERS},num_layers=2"], dimension="content", **FEW)
    (loaded,) = caplog.messages
    assert f"loads the encoder from {MINILM}" in loaded


def test_all_forms_say_which_layer_is_best(found):
    (sweep,) = found.tables[0].layers
    assert sweep.summary() in to_text(found, width=400)
    assert f'"best": {sweep.best}' in in_format(found, "json")
    page = trust_html(found)
    assert "Which layer?" in page
    assert f"layer 0: {sweep.values[0].value:.3f}; layer 1" in page


def sweep_of(human, layers):
    metric = parse_metric(LAYERS)
    names = [f"mean_f1_layer{number}" for number in range(len(layers))]
    columns, figures = [], {}
    for name, each in zip(names, layers, strict=True):
        columns.append(MetricColumn(f"bertscore_idf {name}", "", each, metric=metric, score=name))
        value = value_of("pooled.pearson", human, each)[0]
        figures[columns[-1].label] = {"pooled.pearson": FigureValue(value, value, value, 0.0, human.size)}
    (found,) = layer_sweeps("d", "pooled.pearson", GradedOutputs(human, np.array(layers)), columns, figures, 300, 1)
    return found


def test_a_layer_that_is_better_is_more_than_chance_and_the_best_of_noise_is_not():
    rng = np.random.default_rng(5)
    human = rng.normal(size=(4, 60))
    noise = [human + 2 * rng.normal(size=human.shape) for _ in range(7)]
    better = sweep_of(human, [*noise[:6], human + rng.normal(size=human.shape) / 2])
    assert (better.best, better.usual) == (6, 4)
    assert better.pvalue < 0.01
    assert "more than chance" in better.summary()
    alike = sweep_of(human, noise)
    assert alike.pvalue > 0.05
    assert "may be chance" in alike.summary() or alike.best == alike.usual
    usual = sweep_of(human, [*noise[:4], human, *noise[5:]])
    assert usual.pvalue == 1.0
    assert "also the one that is used without grades" in usual.summary()


def test_what_a_fold_is_scored_by_never_saw_it():
    """Grades of the held items are changed: what was chosen for them, and their scores, stay."""
    rng = np.random.default_rng(2)
    human, metrics = rng.normal(size=(3, 20)), rng.normal(size=(4, 3, 20))
    first = out_of_fold(
        "pooled.pearson", GradedOutputs(human, metrics), (single_metrics,), unit="items", n_folds=4, seed=3
    )
    held = np.array_split(np.random.default_rng(3).permutation(20), 4)[1]
    changed = human.copy()
    changed[:, held] *= -1
    again = out_of_fold(
        "pooled.pearson", GradedOutputs(changed, metrics), (single_metrics,), unit="items", n_folds=4, seed=3
    )
    np.testing.assert_array_equal(first[0][:, held], again[0][:, held])
    kept = np.setdiff1d(np.arange(20), held)
    values = standardize(metrics, kept)
    best = max(range(4), key=lambda number: value_of("pooled.pearson", human[:, kept], values[number][:, kept])[0])
    np.testing.assert_array_equal(first[0][:, held], values[best][:, held])


def test_too_few_items_or_the_same_grades_have_no_sweep_and_equal_layers_leave_the_usual_one():
    def sweeps(times, first, second, **options):
        texts = {"A": ["a cat", "it rains"] * times, "B": ["a dog", "rain"] * times}
        references, grades = ["the cat", "it rained"] * times, {"A": first * times, "B": second * times}
        return tercet.correlate(texts, LAYERS, grades, references=references, **options, **FEW).tables[0].layers

    assert sweeps(8, [3, 3], [3, 3], rank_by="pooled.pearson") == sweeps(1, [5, 4], [3, 1]) == []
    (sweep,) = sweeps(8, [3, 3], [3, 3], rank_by="item.acc_eq")
    assert (sweep.best, sweep.pvalue) == (sweep.usual, 1.0)
