"""inspect-ai runs a task with its mock model, and its log has tercet's numbers."""

import math

import pytest

from harness_texts import ONE, PREDICTIONS, SEVERAL, by_sacrebleu, numbers


def run(scorer, references=SEVERAL, epochs=1):
    import inspect_ai
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def say(messages, *_):
        output = ModelOutput.from_content("mockllm/model", PREDICTIONS[int(messages[-1].text)])
        output.usage = ModelUsage()  # else the mock model counts tokens, for which it downloads a tokenizer
        return output

    samples = [Sample(input=str(number), target=target) for number, target in enumerate(references)]
    task = Task(dataset=samples, scorer=scorer)
    model = get_model("mockllm/model", custom_outputs=say)
    (log,) = inspect_ai.eval(task, model=model, log_dir="logs", display="none", epochs=epochs)
    assert log.status == "success", log.error
    return log


def test_the_log_has_the_corpus_score_its_interval_and_its_signature():
    from tercet.harnesses.inspect_ai import scorer

    log = run(scorer("bleu"))
    (score,) = log.results.scores
    found = {name: each.value for name, each in score.metrics.items()}
    assert {name: found[name] for name in numbers()} == numbers()
    assert found["bleu"] == pytest.approx(by_sacrebleu())
    assert found["bleu_stderr"] > 0
    assert score.name == "bleu_multi"
    assert log.samples[0].scores["bleu_multi"].metadata["signature"].startswith("bleu_multi|tok:")


def test_samples_have_the_scores_of_segments_and_the_log_the_options():
    import tercet
    from tercet.harnesses.inspect_ai import scorer

    options = {"rouge_types": ["rougeL"], "tokenizer": "unicode"}
    log = run(scorer("rouge", **options), ONE)
    found = [sample.scores["rouge_nlws"] for sample in log.samples]
    expected = tercet.score("rouge", PREDICTIONS, ONE, segments=True, **options)
    assert [each.value for each in found] == expected.segments["rougeL"]
    assert [each.answer for each in found] == PREDICTIONS
    assert [each.metadata["target"] for each in found] == [[text] for text in ONE]
    assert log.eval.scorers[0].options["tokenizer"] == "unicode"


def test_epochs_are_more_items_of_the_corpus():
    from tercet.harnesses.inspect_ai import scorer

    twice = numbers(references=[*SEVERAL, *SEVERAL], predictions=[*PREDICTIONS, *PREDICTIONS])
    (score,) = run(scorer("bleu"), epochs=2).results.scores
    assert score.metrics["bleu"].value == pytest.approx(twice["bleu"])


def test_epochs_of_the_same_answers_change_no_standard_error():
    """A sample is one unit, however often the model answers it."""
    from tercet.harnesses.inspect_ai import scorer

    once, ten = (
        {name: each.value for name, each in run(scorer("chrf"), epochs=epochs).results.scores[0].metrics.items()}
        for epochs in (1, 10)
    )
    assert ten == pytest.approx(once)
    assert once["chrf_stderr"] > 0


def test_an_item_left_out_is_not_scored():
    from tercet.harnesses.inspect_ai import scorer

    log = run(scorer("bleu", missing_references="skip"), [*SEVERAL[:-1], []])
    assert math.isnan(log.samples[-1].scores["bleu_multi"].value)
    assert log.results.scores[0].unscored_samples == 1
