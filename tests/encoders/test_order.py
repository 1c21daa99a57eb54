"""Scores of a text are those of its content: neither the order of items nor what was kept may show."""

import random

import pytest

import tercet
from language_models import small_model
from texts import ALL_TEXTS, MINILM

METRICS = {
    "bertscore": {"model_type": MINILM, "num_layers": 4, "idf": False},
    "cosine": {"model_type": MINILM},
    "perplexity": {"model_id": small_model("gpt2"), "batch_size": 2},
}


def items(n, seed):
    """Return predictions and references of many equal lengths."""
    rng = random.Random(seed)
    words = [word for text in ALL_TEXTS for word in text.split()]
    return [[" ".join(rng.choices(words, k=rng.randint(1, 14))) for _ in range(n)] for _ in range(2)]


def scores(name, predictions, references):
    texts = [predictions] if name == "perplexity" else [predictions, references]
    found = tercet.score(name, *texts, **METRICS[name], segments=True, device="cpu")["segments"]
    return [list(row) for row in zip(*found.values(), strict=True)]


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_the_order_of_items_changes_no_bit(name, kept):
    predictions, references = items(120, seed=1)
    tercet.free_models()
    expected = scores(name, predictions, references)
    for seed in range(2):
        order = random.Random(seed).sample(range(120), 120)
        if not kept:
            tercet.free_models()
        shuffled = scores(name, *([texts[place] for place in order] for texts in (predictions, references)))
        assert shuffled == [expected[place] for place in order]


@pytest.mark.parametrize("name", METRICS)
def test_what_was_kept_of_other_texts_changes_the_seventh_digit_at_most(name):
    predictions, references = items(120, seed=2)
    tercet.free_models()
    expected = scores(name, predictions, references)
    tercet.free_models()
    scores(name, predictions[::2], references[::2])
    for row, fresh in zip(scores(name, predictions, references), expected, strict=True):
        assert row == pytest.approx(fresh, rel=1e-6, abs=1e-6)
