"""``tercet.compat.scoring`` stands in for rouge_score.scoring: the same intervals from the same draws."""

import pickle
from collections import namedtuple

import numpy as np
import pytest
import rouge_score.scoring as original_scoring

from tercet.compat import rouge_scorer, scoring


def test_scores_are_aggregated():
    scorer, aggregator = rouge_scorer.RougeScorer(["rouge1"]), scoring.BootstrapAggregator()
    for prediction in ("the cat", "a cat", "the mat"):
        aggregator.add_scores(scorer.score("the cat sat", prediction))
    middle = aggregator.aggregate()["rouge1"].mid
    assert 0.4 < middle.fmeasure < middle.precision < 0.8


@pytest.mark.parametrize("name", ["Score", "AggregateScore"])
def test_scores_are_printed_as_those_of_the_original(name):
    ours, theirs = (getattr(each, name)(0.1, 0.2, 0.3) for each in (scoring, original_scoring))
    assert repr(ours) == repr(theirs)
    assert ours._asdict() == theirs._asdict()


def test_intervals_are_those_of_the_original_from_the_same_draws(monkeypatch):
    rng = np.random.default_rng(7)
    scores = [scoring.Score(*row) for row in rng.random((40, 3)).tolist()]
    draws = iter(np.random.default_rng(12345).integers(0, 40, 40 * 200, dtype=np.int32).reshape(200, 40))
    monkeypatch.setattr(np.random, "choice", lambda items, size: items[next(draws)])
    found, expected = (each.BootstrapAggregator(0.9, 200) for each in (scoring, original_scoring))
    for score in scores:
        found.add_scores({"rouge1": score})
        expected.add_scores({"rouge1": score})
    ours, theirs = found.aggregate()["rouge1"], expected.aggregate()["rouge1"]
    assert np.array(ours) == pytest.approx(np.array(theirs), abs=1e-12)
    assert type(ours.mid) is scoring.Score
    assert type(ours.mid.fmeasure) is float


def test_the_seed_decides_the_interval():
    def bounds(**seed):
        aggregator = scoring.BootstrapAggregator(n_samples=50, **seed)
        for value in (0.1, 0.2, 0.4, 0.8):
            aggregator.add_scores({"rouge1": scoring.Score(value, value, value)})
        return pickle.loads(pickle.dumps(aggregator)).aggregate()

    assert bounds() == bounds(seed=12345) != bounds(seed=1)


def test_types_may_have_other_scores_and_fewer_of_them():
    pair = namedtuple("pair", "one other")
    aggregator = scoring.BootstrapAggregator()
    aggregator.add_scores({"a": pair(1, 2)})
    aggregator.add_scores({"a": pair(1, 2), "b": scoring.Score(1, 1, 1)})
    found = aggregator.aggregate()
    assert found["a"].low == found["a"].high == pair(1.0, 2.0)
    assert found["b"].mid == (1, 1, 1)
    assert scoring.BootstrapAggregator().aggregate() == {}


@pytest.mark.parametrize(
    ("given", "message"), [((1.5,), "confidence_interval must be in"), ((0.9, 0), "n_samples must be")]
)
def test_wrong_arguments_of_an_aggregator(given, message):
    for each in (scoring, original_scoring):
        with pytest.raises(ValueError, match=message):
            each.BootstrapAggregator(*given)
