"""A Trainer that logs the perplexity of what it generates under another model: no labels, the lowest is the best."""

import pytest
from transformers import AutoTokenizer

import tercet
from language_models import small_model
from tercet import InputError
from texts import all_pairs

TEXTS = all_pairs()[0]


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(small_model("gpt2"))


@pytest.fixture
def options():
    return {"model_id": small_model("llama"), "empty_text": "skip"}


def test_generated_ids_are_scored_without_labels(tokenizer, options):
    compute = tercet.compute_metrics(tokenizer, "perplexity_lm", options=options)
    ids = [tokenizer(text)["input_ids"] for text in TEXTS]
    width = max(map(len, ids))
    rows = [[*row, *[-100] * (width - len(row))] for row in ids]
    expected = tercet.score("perplexity_lm", TEXTS, **options)
    for labels in (None, rows[::-1]):
        found = compute(rows, labels)
        for name in ("perplexity", "mean_perplexity", "bits_per_byte", "bits_per_character"):
            assert found[name] == pytest.approx(expected[name], rel=1e-5)
    assert compute.higher_is_better["perplexity_lm"] is False
    assert not any(compute.higher_is_better.values())


def test_batches_add_up_to_the_whole_also_beside_a_metric_that_compares(tokenizer, options):
    options = {"bleu": {"max_order": 1}, "perplexity": options}
    compute = tercet.compute_metrics(tokenizer, ["bleu", "perplexity"], options=options)
    predictions, references = all_pairs()
    first = [texts[0] for texts in references]
    whole = compute(predictions, first)
    compute.add(predictions[:7], first[:7])
    compute.add(predictions[7:], first[7:])
    found = compute.result()
    assert found == pytest.approx(whole, rel=1e-5)
    assert {"bleu", "perplexity"} <= found.keys()
    with pytest.raises(InputError, match="There are no labels"):
        compute(predictions)


def test_a_generation_that_is_empty_ends_no_training(tokenizer, options):
    compute = tercet.compute_metrics(tokenizer, "perplexity_lm", options=options)
    with pytest.warns(UserWarning, match="1 text has no token to score: left out"):
        found = compute(["", *TEXTS])
    assert found == pytest.approx(compute(TEXTS), rel=1e-5)


def test_a_trainer_keeps_the_model_with_the_lowest(tokenizer, options, tmp_path):
    from transformers import TrainerState, TrainingArguments
    from transformers.trainer import Trainer

    compute = tercet.compute_metrics(tokenizer, "perplexity_lm", options=options)
    best = {"metric_for_best_model": "perplexity", "greater_is_better": compute.higher_is_better["perplexity_lm"]}
    arguments = TrainingArguments(output_dir=str(tmp_path), report_to="none", **best)
    trainer = Trainer.__new__(Trainer)  # nothing but what it decides the best model by
    trainer.args, trainer.state = arguments, TrainerState()
    best = []
    for texts in (TEXTS[:3], TEXTS[3:9], TEXTS[9:]):
        metrics = {f"eval_{name}": value for name, value in compute(texts).items()}
        trainer._determine_best_metric(metrics, trial=None)
        best.append(metrics["eval_perplexity"])
    assert trainer.state.best_metric == min(best)
