"""What a model writes while it is trained, in the loggers that the Trainer reports to; in a process of its own."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

CODE = """
import json, os, sys
os.environ["TRACKIO_DIR"] = os.path.abspath("trackio")
import mlflow, torch, trackio, wandb
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, Trainer, TrainingArguments
import tercet

words = Tokenizer(models.WordLevel({"<pad>": 0, "</s>": 1, "один": 2, "two": 3, "三": 4}, unk_token="<pad>"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>")
config = GPT2Config(vocab_size=5, n_positions=8, n_embd=8, n_layer=1, n_head=1, eos_token_id=1, pad_token_id=0)
callback = tercet.GenerationCallback(
    ["один", "two"], ["один 三", "two 三"], "chrf", every=1, generation_config={"max_new_tokens": 3}
)
items = [{"input_ids": torch.tensor([2, 3, 4]), "labels": torch.tensor([2, 3, 4])}] * 2
arguments = TrainingArguments(
    "out", max_steps=2, report_to=["wandb", "trackio", "mlflow"], use_cpu=True, save_strategy="no", run_name="run",
    project="test",
)
wandb.init(mode="offline", project="test")
trackio.init(project="test", name="run", embed=False)
mlflow.start_run()
trainer = Trainer(GPT2LMHeadModel(config), arguments, train_dataset=items, processing_class=tokenizer,
                  callbacks=[callback])
trainer.train()
logged = [entry for entry in trainer.state.log_history if "eval_chrf" in entry]
run = mlflow.active_run() or mlflow.last_active_run()
client = mlflow.MlflowClient()
history = client.get_metric_history(run.info.run_id, "eval_chrf")
print(json.dumps({
    "logged": [entry["eval_chrf"] for entry in logged],
    "p": logged[1]["eval_chrf_p_best"],
    "wandb": {name: wandb.run.summary[name] for name in ("eval/chrf", "eval/chrf_p_best", "eval/generations")},
    "mlflow": [point.value for point in history],
    "tables": [artifact.path for artifact in client.list_artifacts(run.info.run_id, "generations")],
}, default=dict))
from trackio.sqlite_storage import SQLiteStorage
rows = SQLiteStorage.get_logs("test", "run")
print(json.dumps([row["eval/chrf"] for row in rows if "eval/chrf" in row]))
"""


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("mlflow", "trackio", "wandb")),
    reason="mlflow, trackio, wandb: make test-harnesses",
)
def test_wandb_trackio_and_mlflow_show_scores_and_texts():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    said, of_trackio = map(json.loads, found.stdout.splitlines()[-2:])
    assert said["wandb"]["eval/chrf"] == said["logged"][-1] == said["mlflow"][-1] == of_trackio[-1]
    assert said["wandb"]["eval/chrf_p_best"] == said["p"]
    assert said["wandb"]["eval/generations"]["_type"] == "table-file"
    assert said["tables"] == ["generations/step-1.json", "generations/step-2.json"]
