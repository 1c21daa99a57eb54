"""ignite's engine attaches the metric, which sums over batches, and over ranks."""

import pytest
import torch

from harness_texts import PREDICTIONS, SEVERAL, by_sacrebleu, mean_of_sentences, numbers


def batches(size):
    parts = range(0, len(PREDICTIONS), size)
    return [(PREDICTIONS[at : at + size], SEVERAL[at : at + size]) for at in parts]


@pytest.mark.parametrize("size", [1, 2, 6])
def test_any_batches_give_the_score_of_the_corpus(size):
    from ignite.engine import Engine

    from tercet.harnesses.ignite import CorpusScores

    engine = Engine(lambda _, batch: {"y_pred": batch[0], "y": batch[1]})
    CorpusScores("bleu").attach(engine, "tercet")
    for _ in range(2):
        metrics = engine.run(batches(size)).metrics
        assert metrics["bleu"] == pytest.approx(by_sacrebleu())
        assert metrics["bleu"] != pytest.approx(mean_of_sentences(), rel=0.1)
        assert metrics["bleu_low"] < metrics["bleu"] < metrics["bleu_high"]
        assert metrics["tercet"].signature.startswith("bleu_multi|")


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_attached_by_the_name_of_a_score_it_is_that_score(metric):
    """ignite itself refuses such a name, after the epoch."""
    from ignite.engine import Engine

    from tercet.harnesses.ignite import CorpusScores

    engine = Engine(lambda _, batch: batch)
    CorpusScores(metric).attach(engine, metric)
    metrics = engine.run(batches(2)).metrics
    assert metrics[metric] == pytest.approx(numbers(metric)[metric])
    assert metrics[f"{metric}_low"] < metrics[metric] < metrics[f"{metric}_high"]


def on_a_rank(rank, found):
    import ignite.distributed as idist

    from tercet.harnesses.ignite import CorpusScores

    metric = CorpusScores("bleu")
    for batch in batches(1)[idist.get_rank() :: 2]:
        metric.update(batch)
    found[idist.get_rank()] = dict(metric.compute())


def test_two_ranks_give_the_score_of_one():
    import ignite.distributed as idist

    from tercet.harnesses.ignite import CorpusScores

    alone = CorpusScores("bleu")
    alone.update((PREDICTIONS, SEVERAL))
    with torch.multiprocessing.Manager() as manager:
        found = manager.dict()
        with idist.Parallel(backend="gloo", nproc_per_node=2, start_method="fork") as parallel:
            parallel.run(on_a_rank, found)
        assert dict(found) == {0: dict(alone.compute()), 1: dict(alone.compute())}
