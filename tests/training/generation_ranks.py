"""One of two processes that train a model together, and write what they log: ``-m training.generation_ranks OUT``."""

import json
import os
import sys
from pathlib import Path

import torch

from training.test_generation_callback import callback_of, tokenizer_of, trainer_of

if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    trainer = trainer_of(folder / "run", tokenizer_of(), callback_of(), max_steps=20)
    trainer.train()
    log = json.dumps(trainer.state.log_history)
    (folder / f"log-{os.environ['RANK']}.json").write_text(log, encoding="utf-8")
    torch.distributed.destroy_process_group()
