"""``tercet.free_models``: networks that metrics have loaded leave the memory, and are loaded again when needed."""

import gc
import weakref

import pytest
import torch
from transformers import AutoModel

import tercet
from language_models import small_model
from tercet.metrics.cosine import vectors
from texts import MINILM

TEXTS = ["Der Fluss ist breit.", "El río es ancho.", "河很宽。"]
METRICS = {
    "bertscore": {"model_type": MINILM, "num_layers": 2, "idf": False},
    "cosine": {"model_type": MINILM},
    "perplexity": {"model_id": small_model("gpt2")},
}


def parameters():
    """Return all parameters of networks that are in memory."""
    gc.collect()
    return [each for each in gc.get_objects() if torch.nn.Parameter in type(each).__mro__]


def network_of(metric):
    return metric.model().network if hasattr(metric, "model") else metric.encoder().network.model


@pytest.mark.parametrize("name", METRICS)
def test_a_network_is_freed_although_its_metric_and_results_are_kept(name):
    tercet.free_models()
    metric = tercet.scorer(name, **METRICS[name])
    before = metric(TEXTS) if name == "perplexity" else metric(TEXTS, TEXTS[::-1])
    network = weakref.ref(network_of(metric))
    assert network_of(metric) is network()  # kept from call to call
    tercet.free_models()
    assert network() is None
    after = metric(TEXTS) if name == "perplexity" else metric(TEXTS, TEXTS[::-1])
    assert dict(after) == dict(before)
    assert after.signature == before.signature


def test_nothing_of_any_network_stays():
    tercet.free_models()
    n_before = len(parameters())
    for name, options in METRICS.items():
        tercet.score(name, TEXTS, *([] if name == "perplexity" else [TEXTS]), **options)
    assert len(parameters()) > n_before
    tercet.free_models()
    assert len(parameters()) == n_before


@pytest.mark.parametrize("name", ["bertscore", "cosine"])
def test_embeddings_that_were_kept_of_references_go_with_their_encoder(name):
    tercet.free_models()
    metric = tercet.scorer(name, **METRICS[name])
    result = metric(TEXTS, TEXTS[::-1])
    encoder = metric.encoder()
    kept = [weakref.ref(block.vectors) for block in encoder._blocks] if name == "bertscore" else []
    vectors_of = vectors._caches if name == "cosine" else {}
    assert kept or len(vectors_of[encoder].vectors) == len(TEXTS)
    del encoder
    tercet.free_models()
    assert [reference() for reference in kept] == [None] * len(kept)
    assert len(vectors_of) == 0
    assert dict(metric(TEXTS, TEXTS[::-1])) == dict(result)


@pytest.mark.parametrize(
    ("name", "options"), [("bertscore", {"compat": "bert_score", "num_layers": 2}), ("cosine", {})]
)
def test_a_model_in_memory_leaves_it_when_nothing_else_uses_it(name, options):
    model = AutoModel.from_pretrained(MINILM)
    reference = weakref.ref(model)
    tercet.score(name, TEXTS, TEXTS, model_type=model, **options)
    del model
    tercet.free_models()
    assert reference() is None


if torch.cuda.is_available():  # CI fails where a test is skipped in every run, and its machines may have no GPU

    def test_memory_of_a_gpu_is_given_back():
        tercet.free_models()
        before = torch.cuda.memory_reserved()
        tercet.score("bertscore", TEXTS, TEXTS, **METRICS["bertscore"], device="cuda")
        assert torch.cuda.memory_reserved() > before
        tercet.free_models()
        assert torch.cuda.memory_reserved() <= before
