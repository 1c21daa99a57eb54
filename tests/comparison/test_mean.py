"""A mean of metrics: as a metric like any other, and how it is chosen."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

import tercet
from commands import command
from conftest import ROOT
from samples import sample
from tercet.base.scoring import batch_stats
from tercet.comparison.specs.mean_of_metrics import MeanOfMetrics, SavedMean, WeightedMetric
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.correlation.best_mean import best_mean
from tercet.errors import InputError, OptionError
from tercet.statistics.intervals import bootstrap
from tercet.statistics.stats import SegmentStats

PARTS = (
    WeightedMetric("bleu_multi", {"max_order": 2}, "bleu", 0.25),
    WeightedMetric("rouge_nlws", {"rouge_types": ["rougeL"]}, "rougeL", 0.75),
)
GRADED = ROOT / "examples" / "data" / "graded.tsv"
METRICS = ["bleu:max_order=2", "jaccard", "jaccard:tokenizer=char"]
FEW = {"n_resamples": 20, "n_permutations": 100}


def on_form(metrics=METRICS):
    return tercet.correlate(GRADED, metrics, dimension="form", rank_by="pooled.pearson", **FEW)


def test_it_is_the_weighted_mean_of_segment_scores():
    test_set = sample("en")
    scorer = MeanOfMetrics(mean=SavedMean(PARTS, {}), scale=100)
    stats = batch_stats(scorer, test_set.corpus().system(1))
    given = list(test_set.systems.values())[1], test_set.references
    bleu, rouge = (
        np.array(tercet.score(part.metric, *given, segments=True, scale=100, **part.options).segments[part.score])
        for part in PARTS
    )
    assert scorer.mean.formula == "0.25 bleu_multi + 0.75 rouge_nlws rougeL"
    expected = 0.25 * bleu + 0.75 * rouge
    assert scorer.segment_metric.finalize(stats.rows)["mean"] == pytest.approx(expected, abs=1e-12)
    assert scorer.finalize(stats.total())["mean"] == pytest.approx(expected.mean())


def test_it_is_a_value_as_every_metric():
    metric = MeanOfMetrics(mean=SavedMean(PARTS, {}), scale=100)
    copy = pickle.loads(pickle.dumps(metric))
    assert (copy, hash(copy), copy.scale) == (metric, hash(metric), 100)
    assert metric != MeanOfMetrics(mean=SavedMean(PARTS[:1], {}), scale=100)
    predictions, references = ["the cat sat", "猫 坐"], ["a cat sat", "猫 坐 了"]
    assert copy(predictions, references) == metric(predictions, references)
    with pytest.raises(OptionError, match="'mean' option of mean must be a mean of metrics"):
        MeanOfMetrics(mean="mean.json")
    with pytest.raises(OptionError, match="must be a mean of metrics"):
        MeanOfMetrics(mean=SavedMean((), {}))


def test_a_segment_counts_where_every_metric_counts_it_in_any_order():
    # Only diversity counts the second one, which has no reference.
    predictions = ["el gato duerme", "es regnet heute", "猫 坐", ""]
    references = [["el gato come"], [], ["猫 坐 了", "猫 在 坐"], ["lluvia"]]
    parts = (WeightedMetric("chrf_multi", {}, "chrf", 0.5), WeightedMetric("diversity", {}, "distinct_1", 0.5))
    one, other = (
        MeanOfMetrics(mean=SavedMean(ordered, {}), missing_references="skip")(predictions, references, segments=True)
        for ordered in (parts, parts[::-1])
    )
    assert (one.n_segments, one.empty_predictions, one.missing_references) == (3, 1, 1)
    assert one.segments["mean"][1] is None
    assert one == other
    assert all("refs:1-2" in result.signature for result in (one, other))


def test_parts_merge_to_the_whole_and_intervals_hold_the_score():
    corpus = sample("en").corpus()
    scorer = MeanOfMetrics(mean=SavedMean(PARTS, {}))
    batch = corpus.system(0)
    whole = scorer.segment_stats(batch, scorer.fit(batch))
    halves = [batch.part(0, 20), batch.part(20, batch.n_items)]
    context = scorer.fit(halves[0]) + scorer.fit(halves[1])
    assert context == scorer.fit(batch)
    merged = SegmentStats.concatenate([scorer.segment_stats(half, context) for half in halves])
    np.testing.assert_array_equal(merged.rows, whole.rows)
    low, high = bootstrap(scorer, whole, n_resamples=100)["mean"].confidence_interval
    assert low < scorer.finalize(whole.total())["mean"] < high


def test_a_file_is_a_metric_of_compare_and_of_the_commands(tmp_path):
    path = tmp_path / "mean.json"
    mean = SavedMean(PARTS, {"dimension": "content"})
    mean.save(path)
    assert SavedMean.load(path) == mean
    assert SavedMean.load(path).digest == mean.digest
    found = tercet.compare(sample("en"), [str(path), "bleu"], n_resamples=50)
    assert [table.name for table in found.tables] == ["mean", "bleu"]
    assert f"digest:{mean.digest}" in found.tables[0].signature
    words = ("score", ROOT / "examples" / "data" / "en.tsv", "-m", path)
    assert "mean|of:bleu_multi,rouge_nlws|weights:0.25,0.75" in command(*words).stdout
    assert "would overwrite the input" in command(*words, "-o", path, code=2).stderr


def test_the_path_of_a_file_may_have_blanks_and_equals_signs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lr=0.1").mkdir()
    for path in ("lr=0.1/mean.json", "my mean.json"):
        SavedMean(PARTS, {}).save(tmp_path / path)
        found = tercet.compare(sample("en"), [path], test=None)
        assert [table.metric for table in found.tables] == [path]


def test_a_negative_weight_is_subtracted():
    parts = (WeightedMetric("chrf", {}, "chrf", 0.6), WeightedMetric("ter", {}, "ter", -0.4))
    assert SavedMean(parts, {}).formula == "0.6 chrf - 0.4 ter"
    assert SavedMean(parts[::-1], {}).formula == "-0.4 ter + 0.6 chrf"


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "mean.json"
    part = {"metric": "bleu", "options": {}, "score": "bleu", "weight": 1}
    about_a_list = json.dumps({"kind": "tercet mean of metrics", "parts": [part], "about": [1]})
    half = json.dumps({"kind": "tercet mean of metrics", "parts": [{"metric": "bleu"}]})
    for content, message in (
        (None, "cannot be read"), ("{", "is not JSON"), ("[]", "is not a mean of metrics"),
        (half, "expected metric, options"),
        (about_a_list, r"expected an object that says what the mean is about, got \[1\]"),
        (half.replace('{"metric": "bleu"}', ""), r"mean\.json is a mean of no metrics: expected one part or more"),
    ):  # fmt: skip
        if content:
            path.write_text(content)
        with pytest.raises(InputError, match=message):
            parse_metric(str(path))
    with pytest.raises(InputError, match="has no score 'rouge9'"):
        MeanOfMetrics(mean=SavedMean((WeightedMetric("rouge_nlws", {}, "rouge9", 1.0),), {}))
    with pytest.raises(InputError, match="cannot be saved"):
        SavedMean((WeightedMetric("bleu_multi", {"tokenizer": str.split}, "bleu", 1.0),), {}).save(path)


def test_the_best_mean_is_chosen_out_of_fold_and_scores_as_it_was_chosen(tmp_path):
    best = best_mean(on_form())
    assert best.in_sample >= best.out_of_fold
    assert sum(part.weight for part in best.mean.parts) == pytest.approx(1.0, abs=1e-5)
    best.mean.save(tmp_path / "mean.json")
    (figures,) = on_form(str(tmp_path / "mean.json")).tables[0].figures.values()
    assert figures["pooled.pearson"].value == pytest.approx(best.in_sample, abs=1e-5)
    assert "Best mean for form, pooled.pearson" in best.summary()[0]


def test_a_mean_of_complementary_metrics_is_better_and_of_noise_is_not():
    rng = np.random.default_rng(3)
    found = on_form()
    human = found.grades.mean("form")
    noise = [rng.normal(size=human.shape) * 2 for _ in range(3)]

    def with_scores(values):
        for column, each in zip(found.metrics, values, strict=True):
            column.scores[:] = each
        return best_mean(found)

    good = with_scores([human + noise[0], human - noise[0] + noise[1] / 4, noise[2]])
    assert good.pvalue < 0.05
    assert good.out_of_fold > good.single_out_of_fold + 0.2
    alone = with_scores([human + noise[0] / 9, noise[1], noise[2]])
    assert alone.pvalue > 0.05
    assert "not shown to be better than" in alone.summary()[1]


def test_folds_may_hold_systems():
    found = on_form()
    by_items, by_systems = best_mean(found), best_mean(found, unit="systems")
    assert by_items.mean == replace(by_systems.mean, about=by_items.mean.about)  # chosen on all data
    assert by_items.out_of_fold != by_systems.out_of_fold
    assert "on systems not used to choose the weights" in by_systems.summary()[1]
    with pytest.raises(OptionError, match=r"The unit of the folds must be one of items, systems\. Got 'words'"):
        best_mean(found, unit="words")
    for folds in (1, "3", 2.5):
        with pytest.raises(OptionError, match="number of folds must be an integer of at least 2"):
            best_mean(found, n_folds=folds)
    two = {name: found.test_set.systems[name] for name in ("careful", "short")}
    grades = {name: found.grades.mean("form")[place].tolist() for place, name in ((0, "careful"), (3, "short"))}
    few = tercet.correlate(two, METRICS, grades, references=found.test_set.references, **FEW)
    with pytest.raises(InputError, match="2 graded systems are too few"):
        best_mean(few, unit="systems")


def test_what_cannot_be_combined_is_named():
    found = on_form()
    with pytest.raises(InputError, match="at least two metrics"):
        best_mean(on_form(METRICS[:1]))
    with pytest.raises(OptionError, match="There is no dimension 'forms'"):
        best_mean(found, "forms")
    with pytest.raises(InputError, match="60 graded items are too few for 40 folds"):
        best_mean(found, n_folds=40)


def test_the_command_writes_the_mean(tmp_path):
    path = tmp_path / "mean.json"
    run = command(
        "correlate", GRADED, "-m", "bleu", "-m", "jaccard", "-d", "form", "--mean", path, "-f", "tsv",
        "--n-resamples", 20, "--n-permutations", 50,
    )  # fmt: skip
    assert "Best mean for form" in run.stderr
    assert len(SavedMean.load(path).parts) == 2
