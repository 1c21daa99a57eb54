"""Train a small T5 to write numbers as digits, and log BLEU and ROUGE of every epoch: on a CPU, without a network."""

import random
import tempfile

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)
from transformers.utils import logging

import tercet

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SHOWN = {"epoch": 0, "eval_loss": 3, "eval_bleu": 1, "eval_rougeL": 1, "eval_gen_len": 1}  # and their digits


def make_pairs(n):
    """Return pairs of a number in words and in digits, such as "two zero" and "2 0"."""
    chosen = random.Random(7)
    numbers = [[chosen.randrange(10) for _ in range(chosen.randint(3, 6))] for _ in range(n)]
    return [(" ".join(WORDS[digit] for digit in number), " ".join(map(str, number))) for number in numbers]


def make_tokenizer(pairs):
    words = Tokenizer(models.WordLevel(unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["<pad>", "</s>", "<unk>"])
    words.train_from_iterator([text for pair in pairs for text in pair], trainer)
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def main():
    set_seed(0)
    torch.set_num_threads(1)  # small products: more threads would wait for each other
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    pairs = make_pairs(2100)
    tokenizer = make_tokenizer(pairs)
    items = [
        {"input_ids": tokenizer(text).input_ids, "labels": tokenizer(target).input_ids} for text, target in pairs
    ]
    config = T5Config(
        vocab_size=len(tokenizer), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0.0,
        feed_forward_proj="gated-gelu", pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config)
    with tempfile.TemporaryDirectory() as folder:
        arguments = Seq2SeqTrainingArguments(
            folder, num_train_epochs=6, learning_rate=2e-3, per_device_train_batch_size=16,
            per_device_eval_batch_size=100, eval_strategy="epoch", save_strategy="epoch", logging_strategy="no",
            predict_with_generate=True, generation_max_length=10, load_best_model_at_end=True,
            metric_for_best_model="bleu", save_total_limit=1, report_to=[], disable_tqdm=True, use_cpu=True,
        )  # fmt: skip
        trainer = Seq2SeqTrainer(
            model=model, args=arguments, train_dataset=items[:2000], eval_dataset=items[2000:],
            data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
            compute_metrics=tercet.compute_metrics(tokenizer, options={"scale": 100, "rouge_types": ["rougeL"]}),
        )  # fmt: skip
        trainer.remove_callback(PrinterCallback)  # the table below instead
        trainer.train()
    print("  ".join(f"{name:>12}" for name in SHOWN))
    for entry in trainer.state.log_history:
        if "eval_bleu" in entry:
            print("  ".join(f"{entry[name]:12.{digits}f}" for name, digits in SHOWN.items()))
    print(f"best BLEU: {trainer.state.best_metric:.1f}")


if __name__ == "__main__":
    main()
