"""Train a small GPT-2 with ROUGE-L as the reward of its completions: on a CPU, in seconds, without a network."""

import tempfile
import warnings

import datasets
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, PrinterCallback, set_seed
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer

import tercet

NUMBERS = ("one", "two", "three", "four", "five")
SHOWN = {"step": 0, "loss": 3, "reward": 3, "completions/mean_length": 1}  # and their digits


def make_tokenizer():
    ids = {word: number for number, word in enumerate(("<pad>", "</s>", "count", "to", *NUMBERS))}
    words = Tokenizer(models.WordLevel(ids, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", padding_side="left")


def train(folder, reward, steps=200):
    """Return what the trainer logs of a model that learns to count."""
    set_seed(0)
    torch.set_num_threads(1)  # small products: more threads would wait for each other
    tokenizer = make_tokenizer()
    answers = [" ".join(NUMBERS[: place + 1]) for place in range(len(NUMBERS))]
    examples = [{"prompt": f"count to {NUMBERS[place]}", "answer": answer} for place, answer in enumerate(answers)]
    ends = {"bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 0}
    config = GPT2Config(vocab_size=len(tokenizer), n_positions=16, n_embd=32, n_layer=1, n_head=2, **ends)
    arguments = GRPOConfig(
        str(folder), max_steps=steps, learning_rate=1e-2, per_device_train_batch_size=40, num_generations=8,
        max_completion_length=6, logging_steps=steps // 5, save_strategy="no", report_to=[], disable_tqdm=True,
        use_cpu=True, bf16=False, dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = GRPOTrainer(
        GPT2LMHeadModel(config),
        reward,
        arguments,
        train_dataset=datasets.Dataset.from_list(examples * 20),
        processing_class=tokenizer,
    )
    trainer.remove_callback(PrinterCallback)  # the table below instead
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def main():
    warnings.simplefilter("ignore", FutureWarning)
    logging.set_verbosity_error()
    reward = tercet.reward("rouge", references="answer", rouge_types=["rougeL"])
    with tempfile.TemporaryDirectory() as folder:
        history = train(folder, reward)
    print("  ".join(f"{name:>23}" for name in SHOWN))
    for entry in history:
        print("  ".join(f"{float(entry[name]):23.{digits}f}" for name, digits in SHOWN.items()))


if __name__ == "__main__":
    main()
