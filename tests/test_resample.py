"""Bootstrap intervals: against sacrebleu's, against a plain loop, and the same for the same seed."""

import numpy as np
import pytest
import sacrebleu

from tercet import score
from tercet.api import make_scorer
from tercet.columns import read_batch
from tercet.resample import bootstrap_scores, bootstrap_weights, percentile_intervals
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)


def stats_of(metric, **options):
    scorer = make_scorer(metric, options)
    batch = read_batch(PREDICTIONS, REFERENCES)
    return scorer, scorer.segment_stats(batch, scorer.fit(batch))


def test_the_draws_are_those_of_numpys_generator_in_one_piece_or_in_chunks(monkeypatch):
    expected = np.random.default_rng(7).choice(11, (30, 11))
    for cells in (2_000_000, 50):
        monkeypatch.setattr("tercet.resample._CHUNK_CELLS", cells)
        weights = np.concatenate(list(bootstrap_weights(11, 30, seed=7)))
        assert weights.shape == (30, 11)
        for drawn, row in zip(expected, weights, strict=True):
            assert (np.bincount(drawn, minlength=11) == row).all()


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
def test_resampled_scores_equal_those_of_the_drawn_texts(metric):
    options = {"smooth_method": "exp"} if metric == "bleu_multi" else {"rouge_types": ["rouge2"]}
    scorer, stats = stats_of(metric, **options)
    resampled = bootstrap_scores(scorer, stats, 20, seed=3)[scorer.primary]
    for drawn, value in zip(np.random.default_rng(3).choice(len(stats), (20, len(stats))), resampled, strict=True):
        again = score(metric, [PREDICTIONS[i] for i in drawn], [REFERENCES[i] for i in drawn], **options)
        assert value == pytest.approx(again[scorer.primary], abs=1e-12)


def test_percentiles():
    scorer, stats = stats_of("rouge_nlws", rouge_types=["rouge1"])
    scores = bootstrap_scores(scorer, stats, 500, seed=5)["rouge1"]
    low, high = percentile_intervals(scorer, stats, 0.9, 500, seed=5)["rouge1"]
    assert (low, high) == (np.quantile(scores, 0.05), np.quantile(scores, 0.95))
    assert np.mean((scores >= low) & (scores <= high)) == pytest.approx(0.9, abs=0.02)


def test_the_resamples_of_sacrebleu_are_ours(monkeypatch):
    """sacrebleu draws the same segments from the same seed, and computes in float32 (differences of 1e-7)."""
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    most = max(map(len, REFERENCES))
    streams = [[texts[i] if i < len(texts) else None for texts in REFERENCES] for i in range(most)]
    theirs = sacrebleu.BLEU().corpus_score(PREDICTIONS, streams, n_bootstrap=1000)
    scorer, stats = stats_of("bleu_multi", compat="sacrebleu", scale=100)
    scores = np.sort(bootstrap_scores(scorer, stats, 1000, seed=12345)["bleu"])
    assert scores.mean() == pytest.approx(theirs._mean, abs=1e-4)
    assert 0.5 * (scores[1000 - 26] - scores[25]) == pytest.approx(theirs._ci, abs=1e-4)


def test_seed_and_number_of_resamples_are_options():
    asked = {"confidence_level": 0.95, "rouge_types": ["rouge1"]}
    first = score("rouge_nlws", PREDICTIONS, REFERENCES, **asked)
    again = score("rouge_nlws", PREDICTIONS, REFERENCES, **asked)
    other = score("rouge_nlws", PREDICTIONS, REFERENCES, seed=1, **asked)
    assert first.intervals == again.intervals != other.intervals
    assert "ci:0.95,1000,12345" in first.signature
    assert "ci:0.95,1000,1|" in other.signature
