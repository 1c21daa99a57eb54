"""A small sequence-to-sequence model that learns in seconds, and the Trainer of transformers that trains it."""

import random
from contextlib import contextmanager

import numpy as np
import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

import tercet

WORDS = ("north", "south", "east", "west")
MARKS = ("up", "down", "right", "left")


def make_pairs(n):
    """Return pairs of directions in two languages, such as "north east" and "up right"."""
    chosen = random.Random(3)
    numbers = [[chosen.randrange(4) for _ in range(chosen.randint(2, 4))] for _ in range(n)]
    return [(" ".join(WORDS[each] for each in row), " ".join(MARKS[each] for each in row)) for row in numbers]


PAIRS = make_pairs(230)
HELD_OUT = PAIRS[200:]
TARGETS = [target for _, target in HELD_OUT]


#: Options of BLEU and ROUGE in one, for texts of two to four words.
OPTIONS = {"max_order": 2, "rouge_types": ["rouge1", "rougeL"]}


def by_hand(texts, references, length=None):
    """Return what must be logged for these texts, from the metrics themselves."""
    bleu = tercet.score("bleu_multi", texts, references, max_order=2)
    rouge = tercet.score("rouge_nlws", texts, references, rouge_types=["rouge1", "rougeL"])
    scores = {"bleu": bleu["bleu"], "rouge1": rouge["rouge1"], "rougeL": rouge["rougeL"]}
    return scores if length is None else {**scores, "gen_len": length}


def make_tokenizer():
    """Return a tokenizer of the words of the pairs."""
    words = Tokenizer(models.WordLevel(unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.WordLevelTrainer(special_tokens=special, show_progress=False)
    words.train_from_iterator([text for pair in PAIRS for text in pair], trainer)
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return hf.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


@contextmanager
def random_states_kept():
    """Put back Python's, numpy's and torch's global generators, which Trainers seed."""
    states = random.getstate(), np.random.get_state(), torch.random.get_rng_state()  # noqa: NPY002
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    torch.random.set_rng_state(states[2])


def ids(tokenizer, text):
    return tokenizer(text).input_ids


def rows(tokenizer, texts, pad):
    """Return the ids of texts as an array, filled with `pad` on the right."""
    lists = [ids(tokenizer, text) for text in texts]
    width = max(map(len, lists))
    return np.array([each + [pad] * (width - len(each)) for each in lists])


def items_of(tokenizer, pairs):
    return [{"input_ids": ids(tokenizer, text), "labels": ids(tokenizer, target)} for text, target in pairs]


def trainer_of(folder, tokenizer, compute, model=None, **settings):
    """Return a trainer of a small T5, or one that goes on with the model of another."""
    hf.set_seed(1)
    config = hf.T5Config(
        vocab_size=len(tokenizer) + 5, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0,
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    model = model or hf.T5ForConditionalGeneration(config)
    arguments = {
        "num_train_epochs": 2, "learning_rate": 5e-3, "per_device_train_batch_size": 10,
        "per_device_eval_batch_size": 7, "eval_strategy": "epoch", "save_strategy": "no", "report_to": [],
        "predict_with_generate": True, "generation_max_length": 8, "disable_tqdm": True, "use_cpu": True,
        "dataloader_pin_memory": False,
    }  # fmt: skip
    preprocess = settings.pop("preprocess_logits_for_metrics", None)
    return hf.Seq2SeqTrainer(
        model=model, args=hf.Seq2SeqTrainingArguments(str(folder), **{**arguments, **settings}),
        train_dataset=items_of(tokenizer, PAIRS[:200]), eval_dataset=items_of(tokenizer, HELD_OUT),
        data_collator=hf.DataCollatorForSeq2Seq(tokenizer, model=model), processing_class=tokenizer,
        compute_metrics=compute, preprocess_logits_for_metrics=preprocess,
    )  # fmt: skip
