"""One of two processes that generate together, and write what they found: ``-m training.sharing_ranks OUT``."""

import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import torch
from accelerate import PartialState
from torch.distributed.fsdp import fully_shard
from transformers import TrainerState, set_seed

from tercet.huggingface.checkpoint_file import FILE
from tercet.huggingface.generation import generate
from training.test_generation_callback import PROMPTS, SETTINGS, callback_of, small_model, tokenizer_of

#: In one batch of a process each, and more.
MANY = PROMPTS * 4


def of_sharded_weights(rank):
    """Return the texts of a model of which each process has a part; the clock of one runs ahead."""
    model = fully_shard(small_model())
    # So Accelerate marks it.
    model._is_fsdp_managed_module = True
    whole_clock = time.monotonic
    time.monotonic = lambda: whole_clock() + 1000 * rank * next(looks)
    looks = iter(range(1000))
    try:
        return generate(model, tokenizer_of(), MANY, SETTINGS, batch_size=2, seed=1, seconds=500)
    finally:
        time.monotonic = whole_clock


def where_memory_runs_out(rank):
    """Return the texts, and the sizes of the batches, where the memory of one process is too small for two texts."""
    model, sizes = small_model(), []
    whole = model.generate

    def generate_few(input_ids, **settings):
        sizes.append(len(input_ids))
        if rank == 1 and len(input_ids) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return whole(input_ids=input_ids, **settings)

    model.generate = generate_few
    return generate(model, tokenizer_of(), PROMPTS, SETTINGS, batch_size=2, seed=1), sizes


def where_one_fails(rank):
    """Return the error of each process where one of them has an error that smaller batches are no help for."""
    model = small_model()
    whole = model.generate

    def generate_or_fail(input_ids, **settings):
        if rank == 1:
            raise RuntimeError("index out of range")
        return whole(input_ids=input_ids, **settings)

    model.generate = generate_or_fail
    try:
        generate(model, tokenizer_of(), PROMPTS, SETTINGS, batch_size=2, seed=1)
    except RuntimeError as error:
        return str(error)


def resumed_where_one_has_the_file(folder, rank):
    """Return the checkpoints that a callback knows when a run is resumed."""
    mine = folder / f"machine-{rank}"
    mine.mkdir()
    if rank == 0:
        rows = [json.dumps({"source": prompt, "step 20": "one"}) for prompt in PROMPTS]
        (mine / FILE).write_text("\n".join(rows), encoding="utf-8")
    callback = callback_of()
    state = TrainerState(global_step=20, is_world_process_zero=rank == 0)
    callback.on_train_begin(SimpleNamespace(output_dir=str(mine)), state, None, small_model(), tokenizer_of())
    return [checkpoint.name for checkpoint in callback._comparison.checkpoints]


if __name__ == "__main__":
    torch.set_num_threads(1)
    rank = int(os.environ["RANK"])
    PartialState(cpu=True, timeout=timedelta(seconds=60))
    folder = Path(sys.argv[1])
    found = {}
    for what in (of_sharded_weights, where_memory_runs_out, where_one_fails):
        set_seed(0)
        found[what.__name__] = what(rank)
    found["resumed_where_one_has_the_file"] = resumed_where_one_has_the_file(folder, rank)
    (folder / f"found-{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    torch.distributed.destroy_process_group()
