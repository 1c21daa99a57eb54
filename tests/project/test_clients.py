"""The programs that people use, as they stand, with a metric of the suite where one of evaluate's was.

Each client loops over the values of a result, logs them or averages them, as it does with evaluate's modules.
"""

import json
import os
import subprocess
import sys

import datasets
import evaluate
import numpy as np
import pytest
import torch
from accelerate.utils import recursively_apply, send_to_device
from evaluate.evaluator.text2text_generation import SummarizationEvaluator
from lightning_utilities.core.apply_func import apply_to_collection
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.trainer_utils import denumpify_detensorize

import tercet
from conftest import ROOT
from small_trainer import PAIRS, make_tokenizer, random_states_kept, trainer_of

pytest_plugins = ["mlflow_runs"]

METRICS = ROOT / "metrics"

#: What the clients themselves warn of is not the suite's.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{name}")
    for name in ("DeprecationWarning", "FutureWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
]


@pytest.fixture(autouse=True)
def _own_files_and_random_states(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path / "metrics"))
    with random_states_kept():
        yield


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


def texts_of(tokenizer, prediction):
    rows = (np.where(ids == -100, tokenizer.pad_token_id, ids) for ids in (prediction[0], prediction[1]))
    return [tokenizer.batch_decode(each, skip_special_tokens=True) for each in rows]


def small_gpt2(tokenizer):
    ends = {"bos_token_id": 1, "eos_token_id": 1}
    return GPT2LMHeadModel(
        GPT2Config(vocab_size=len(tokenizer), n_positions=32, n_embd=16, n_layer=1, n_head=2, **ends)
    )


def of_trl(folder):
    """Return the settings for trainers of TRL to report nowhere and to save nothing."""
    no = dict.fromkeys(("bf16", "dataloader_pin_memory"), False)
    return {
        "output_dir": str(folder),
        "report_to": [],
        "use_cpu": True,
        "disable_tqdm": True,
        "save_strategy": "no",
        **no,
    }


class TestTheExampleScriptsOfTransformers:
    """`compute_metrics` of run_summarization.py and run_translation.py, but for the line that loads."""

    def test_summarization(self, tokenizer, tmp_path):
        metric = evaluate.load(str(METRICS / "rouge_nlws"), "rouge_score")

        def compute_metrics(given):
            predictions, labels = given
            if isinstance(predictions, tuple):
                predictions = predictions[0]
            decoded, targets = texts_of(tokenizer, (predictions, labels))
            decoded = ["\n".join(text.strip().split(". ")) for text in decoded]
            targets = ["\n".join(text.strip().split(". ")) for text in targets]
            result = metric.compute(predictions=decoded, references=targets, use_stemmer=True)
            result = {k: round(v * 100, 4) for k, v in result.items()}
            result["gen_len"] = np.mean([np.count_nonzero(row != tokenizer.pad_token_id) for row in predictions])
            return result

        logged = trainer_of(tmp_path, tokenizer, compute_metrics).evaluate()
        scores = {"eval_rouge1", "eval_rouge2", "eval_rougeL", "eval_rougeLsum"}
        assert scores | {"eval_gen_len"} <= set(logged)
        assert all(0 <= logged[name] <= 100 for name in scores)

    def test_translation(self, tokenizer, tmp_path):
        metric = evaluate.load(str(METRICS / "bleu_multi"), "sacrebleu")

        def compute_metrics(given):
            decoded, targets = texts_of(tokenizer, given)
            decoded, targets = [text.strip() for text in decoded], [[text.strip()] for text in targets]
            result = {"bleu": metric.compute(predictions=decoded, references=targets)["score"]}
            result["gen_len"] = np.mean([np.count_nonzero(row != tokenizer.pad_token_id) for row in given[0]])
            return {k: round(v, 4) for k, v in result.items()}

        trainer = trainer_of(tmp_path, tokenizer, compute_metrics, num_train_epochs=4)
        before = trainer.evaluate()["eval_bleu"]
        trainer.train()
        assert trainer.state.log_history[-2]["eval_bleu"] > before


class TestAResultReturnedAsItIs:
    """`return metric.compute(...)`, in a function that a Trainer calls."""

    def test_to_an_sft_trainer(self, tokenizer, tmp_path):
        from trl import SFTConfig, SFTTrainer

        returned = []

        def compute_metrics(given):
            predictions, labels = texts_of(tokenizer, given)
            returned.append(tercet.load("rouge").compute(predictions=predictions, references=labels))
            return returned[0].copy()

        data = datasets.Dataset.from_list([{"prompt": text, "completion": f" {mark}"} for text, mark in PAIRS[:8]])
        trainer = SFTTrainer(
            model=small_gpt2(tokenizer), args=SFTConfig(**of_trl(tmp_path)), train_dataset=data, eval_dataset=data,
            processing_class=tokenizer, compute_metrics=compute_metrics,
            preprocess_logits_for_metrics=tercet.preprocess_logits_for_metrics,
        )  # fmt: skip
        found = trainer.evaluate()
        assert {name: found[f"eval_{name}"] for name in returned[0]} == returned[0]

    @pytest.mark.parametrize("made_anew", [
        denumpify_detensorize,
        lambda result: send_to_device(result, "cpu"),
        lambda result: recursively_apply(lambda value: value, result),
        lambda result: apply_to_collection(result, float, lambda value: value),
        lambda result: torch.utils.data.default_collate([result]),
    ])  # fmt: skip
    def test_to_what_makes_a_dict_of_its_type_with_other_values(self, made_anew):
        result = tercet.score("rouge", ["the cat sat on the mat"], ["the cat lay on the mat"])
        again = made_anew(result)
        assert type(again) is type(result)
        assert {name: float(value) for name, value in again.items()} == result


class TestLoggers:
    @pytest.fixture
    def result(self):
        return tercet.load("rouge_nlws").compute(
            predictions=["the cat sat on the mat"], references=["the cat lay on it"]
        )

    def test_mlflow(self, result, mlflow):
        with mlflow.start_run() as run:
            mlflow.log_metrics(result)
        assert mlflow.get_run(run.info.run_id).data.metrics == pytest.approx(dict(result))

    def test_tensorboard(self, result, tmp_path):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(str(tmp_path)) as writer:
            writer.add_scalars("rouge", result, 7)
            for name, value in result.items():
                writer.add_scalar(name, value, 7)
        events = EventAccumulator(str(tmp_path)).Reload()
        assert {name: events.Scalars(name)[0].value for name in result} == pytest.approx(dict(result))

    @pytest.mark.long
    def test_wandb_offline(self, tmp_path):
        code = (
            "import json, sys, wandb, tercet\n"
            "with wandb.init(mode='offline', project='test', dir=sys.argv[1]) as run:\n"
            "    result = tercet.score('rouge_nlws', ['the cat sat on the mat'], ['the cat lay on the mat'])\n"
            "    run.log(result)\n"
            "    run.log({'eval': result, 'step': 2})\n"
            "    run.summary.update(result)\n"
            "    assert {name: run.summary[name] for name in result} == dict(result)\n"
        )
        own = {"WANDB_SILENT": "true", "WANDB_MODE": "offline", "WANDB_ERROR_REPORTING": "false"}
        command, environment = [sys.executable, "-c", code, str(tmp_path)], {**os.environ, **own}
        subprocess.run(command, env=environment, cwd=tmp_path, timeout=180, check=True)


TEXTS = {
    "predictions": ["the cat sat on the", "a dog barked at the", "it rains in Lima today"] * 3,
    "references": ["the cat sat there", "the dog barked", "it rains today"] * 3,
}


def test_the_evaluator_by_either_strategy():
    """Its step from texts to scores; the pipelines before that step are those of transformers 4."""
    module, score = SummarizationEvaluator().compute_metric, tercet.score("rouge_nlws", *TEXTS.values())
    assert module(tercet.load("rouge_nlws"), TEXTS) == score
    found = module(tercet.load("rouge_nlws"), TEXTS, strategy="bootstrap", n_resamples=20, random_state=0)
    for name, value in score.items():
        low, high = found[name]["confidence_interval"]
        assert found[name]["score"] == value
        assert low <= value <= high


@pytest.mark.long
def test_lm_evaluation_harness(tmp_path):
    """A task whose metric is loaded by the harness through `hf_evaluate`, and whose values it averages."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from lm_eval import simple_evaluate
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.models.dummy import DummyLM

    class Parrot(DummyLM):
        def generate_until(self, requests, disable_tqdm=False):
            return [request.args[0].removeprefix("Say: ") + " again" for request in requests]

    sentences = ["the cat sat on the mat", "it rains in Lima today", "Привет, мир"]
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps({"text": each, "target": each}) + "\n" for each in sentences))
    metric = {
        "metric": str(METRICS / "rouge_nlws"), "hf_evaluate": True, "aggregation": "mean", "higher_is_better": True,
        "tokenizer": "unicode",
    }  # fmt: skip
    config = {
        "task": "parrot", "dataset_path": "json", "test_split": "test", "output_type": "generate_until",
        "dataset_kwargs": {"data_files": {"test": str(file)}, "cache_dir": str(tmp_path / "cache")},
        "doc_to_text": "Say: {{text}}", "doc_to_target": "{{target}}", "generation_kwargs": {"until": ["\n"]},
        "metric_list": [metric],
    }  # fmt: skip
    task = ConfigurableTask(config=config)
    found = simple_evaluate(model=Parrot(), tasks=[task], bootstrap_iters=10, log_samples=False)
    scores, texts = found["results"]["parrot"], [f"{each} again" for each in sentences]
    for name, expected in tercet.score("rouge_nlws", texts, sentences, tokenizer="unicode").items():
        assert scores[f"{name},none"] == pytest.approx(expected)


def test_grpo_trainer_is_rewarded_by_a_score(tokenizer, tmp_path):
    """Group relative policy optimization of TRL, with the ROUGE of each completion as its reward."""
    from trl import GRPOConfig, GRPOTrainer

    rewards = []

    def rouge_reward(completions, target, **_):
        result = tercet.score("rouge_nlws", completions, target, rouge_types=["rouge1"], segments=True)
        rewards.append(result["segments"]["rouge1"])
        return result["segments"]["rouge1"]

    torch.manual_seed(0)
    tokenizer.padding_side = "left"
    arguments = GRPOConfig(
        max_steps=2, per_device_train_batch_size=4, num_generations=4, max_completion_length=6, logging_steps=1,
        **of_trl(tmp_path),
    )  # fmt: skip
    data = datasets.Dataset.from_list([{"prompt": text, "target": target} for text, target in PAIRS[:8]])
    given = {"reward_funcs": rouge_reward, "args": arguments, "train_dataset": data, "processing_class": tokenizer}
    trainer = GRPOTrainer(small_gpt2(tokenizer), **given)
    trainer.train()
    assert len(rewards) == 2
    logged = [each["reward"] for each in trainer.state.log_history if "reward" in each]
    assert logged == pytest.approx([sum(each) / len(each) for each in rewards])
