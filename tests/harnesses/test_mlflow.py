"""MLflow evaluates a table by both of its interfaces, with a file store, and logs tercet's numbers."""

import pytest

import tercet
from harness_texts import ONE, PREDICTIONS, SEVERAL, by_sacrebleu, numbers

pytest_plugins = ["mlflow_runs"]


def test_make_metric(mlflow):
    import pandas as pd

    from tercet.harnesses.mlflow import make_metric

    data = pd.DataFrame({"mt": PREDICTIONS, "ref": ONE})
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(
            data=data, predictions="mt", targets="ref", extra_metrics=[make_metric("bleu")],
            evaluators="default", evaluator_config={"log_model_explainability": False},
        )  # fmt: skip
    logged = mlflow.get_run(run.info.run_id).data.metrics
    expected = numbers(references=ONE)
    assert {name: found.metrics[f"bleu_multi/{name}"] for name in expected} == expected
    assert logged["bleu_multi/bleu"] == pytest.approx(by_sacrebleu(references=ONE))
    assert logged["bleu_multi/bleu_stderr"] > 0
    segments = tercet.score("bleu", PREDICTIONS, ONE, segments=True).segments["bleu"]
    table = found.tables["eval_results_table"]
    assert list(table["bleu_multi/score"]) == pytest.approx(segments)
    assert table["bleu_multi/justification"][0].startswith("bleu_multi|")


def rows(references):
    expected = [
        {"inputs": {"n": n}, "expectations": {"expected_response": each}} for n, each in enumerate(references)
    ]
    return [{**row, "outputs": text} for row, text in zip(expected, PREDICTIONS, strict=True)]


def test_genai_scorer(mlflow):
    from tercet.harnesses.mlflow import scorer

    bleu = scorer("bleu")
    for _ in range(2):  # it can be used again
        found = mlflow.genai.evaluate(data=rows(SEVERAL), scorers=[bleu])
        logged = {name.removeprefix("bleu_multi/"): value for name, value in found.metrics.items()}
        assert set(logged) == {"bleu", "bleu_stderr", "bleu_low", "bleu_high"}  # and no mean of sentences
        assert logged["bleu"] == numbers()["bleu"] == pytest.approx(by_sacrebleu())
        assert logged["bleu_low"] < logged["bleu"] < logged["bleu_high"]


def test_genai_scorer_gives_each_row_its_score_and_signature(mlflow):
    from tercet.harnesses.mlflow import scorer

    found = mlflow.genai.evaluate(data=rows(ONE), scorers=[scorer("chrf")]).result_df
    segments = tercet.score("chrf", PREDICTIONS, ONE, segments=True).segments["chrf"]
    assert sorted(found["chrf_multi/value"]) == sorted(segments)
    (assessment,) = [each for each in found["assessments"][0] if each["assessment_name"] == "chrf_multi"]
    assert assessment["metadata"]["signature"].startswith("chrf_multi|")
