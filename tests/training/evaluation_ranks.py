"""One of two processes that evaluate a model, and write what they log: ``-m training.evaluation_ranks OUT``."""

import json
import os
import sys
from pathlib import Path

import torch
import transformers as hf

import tercet
from small_trainer import OPTIONS, make_tokenizer, trainer_of

if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    tokenizer, logs = make_tokenizer(), {}
    for name, settings in json.loads((folder / "settings.json").read_text(encoding="utf-8")).items():
        model = hf.T5ForConditionalGeneration.from_pretrained(folder / "model")
        compute = tercet.compute_metrics(tokenizer, ["bleu_multi", "rouge_nlws"], options=OPTIONS)
        trainer = trainer_of(folder / "run", tokenizer, compute, model, **settings)
        logs[name] = trainer.evaluate()
    (folder / f"log-{os.environ['RANK']}.json").write_text(json.dumps(logs), encoding="utf-8")
    torch.distributed.destroy_process_group()
