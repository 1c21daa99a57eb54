"""Intervals and paired tests of ``tercet.compat.sacrebleu``, beside those of sacrebleu."""

import json
from itertools import zip_longest

import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from tercet.compat import sacrebleu as ours
from texts import all_pairs

HYPS, REFS = all_pairs()
STREAMS = [list(stream) for stream in zip_longest(*REFS)]


@pytest.mark.parametrize("metric", ["BLEU", "CHRF", "TER"])
@pytest.mark.parametrize("seed", ["12345", "7"])
def test_resamples_are_drawn_as_in_sacrebleu(metric, seed, monkeypatch):
    """sacrebleu sums them in single precision: the printed form is the same, the digits behind it are not."""
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    mine, theirs = getattr(ours, metric)(), getattr(sacrebleu, metric)()
    found, wanted = (each.corpus_score(HYPS, STREAMS, n_bootstrap=200) for each in (mine, theirs))
    assert found._mean == pytest.approx(wanted._mean, rel=1e-5)
    assert found._ci == pytest.approx(wanted._ci, rel=1e-5)
    assert f"|bs:200|seed:{seed}|" in str(mine.get_signature())
    for options in ({}, {"width": 1, "is_json": True}, {"score_only": True}):
        shown = [each.format(signature=str(theirs.get_signature()), **options) for each in (found, wanted)]
        assert shown[0] == shown[1]
    assert str(mine.get_signature()) == str(theirs.get_signature())


def test_resamples_without_a_seed_differ(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    bleu = ours.BLEU()
    means = {bleu.corpus_score(HYPS, STREAMS, n_bootstrap=20)._mean for _ in range(3)}
    assert len(means) == 3
    assert "seed:none" in str(bleu.get_signature())


def test_json_without_a_signature_is_json():
    assert json.loads(ours.sentence_chrf("a b", ["a b"]).format(is_json=True))["score"] == 100.0


@pytest.mark.parametrize("test_type", ["bs", "ar"])
def test_the_paired_tests_of_sacrebleu_take_these_metrics(test_type):
    systems = [("a", HYPS[:12]), ("b", [*HYPS[3:12], *HYPS[:3]])]
    tables = []
    for package in (ours, sacrebleu):
        metrics = {"BLEU": package.BLEU(), "TER": package.TER()}
        test = PairedTest(systems, metrics, [[each[0] for each in REFS[:12]]], test_type, n_samples=100)
        signatures, scores = test()
        tables.append([{name: str(each) for name, each in signatures.items()}, scores["BLEU"][1], scores["TER"][1]])
    (names, *mine), (their_names, *theirs) = tables
    assert names == their_names
    for one, other in zip(mine, theirs, strict=True):
        assert (one.score, one.p_value) == (other.score, other.p_value)
