"""When results are equal; and two ranks that share their modules' states: one in a process of its own."""

import sys
from datetime import timedelta

import torch

from tercet.compat.torchmetrics import (
    BERTScore,
    CHRFScore,
    ROUGEScore,
    SacreBLEUScore,
    TranslationEditRate,
    WordInfoLost,
)
from texts import MINILM, PAIRS

ITEMS = [pair for pairs in PAIRS.values() for pair in pairs]
SMALL = {"model_name_or_path": MINILM, "num_layers": 2}


def values(found):
    return found if isinstance(found, dict) else {"": found}


def equal(found, expected, tolerance=0.0):
    """Return whether two results have the same keys, types, shapes and, within the tolerance, numbers."""
    found, expected = values(found), values(expected)
    return list(found) == list(expected) and all(
        each.dtype == expected[key].dtype
        and each.shape == expected[key].shape
        and torch.allclose(each, expected[key], rtol=0, atol=tolerance)
        for key, each in found.items()
    )


def modules():
    return {
        "bleu": SacreBLEUScore(n_gram=2),
        "chrf": CHRFScore(return_sentence_level_score=True),
        "ter": TranslationEditRate(),
        "wil": WordInfoLost(),
        "rouge": ROUGEScore(rouge_keys=("rouge1", "rougeL"), tokenizer=str.split, normalizer=str.lower),
        "bert": BERTScore(**SMALL),
        "bert_idf": BERTScore(**SMALL, idf=True),
        "bert_layers": BERTScore(MINILM, all_layers=True),
        "chrf_none_here": CHRFScore(return_sentence_level_score=True),
        "bert_none_here": BERTScore(**SMALL, idf=True),
    }


def scores(batches, few=()):
    """Return what the modules compute of batches, those that end in `none_here` of others."""
    found = {}
    for name, module in modules().items():
        for batch in few if name.endswith("none_here") else batches:
            module.update(*map(list, zip(*batch, strict=True)))
        found[name] = module.compute()
    return found


def scores_of_rank(rank, meeting):
    """Return what one of two ranks computes of its batches; of some modules the other rank has none."""
    meet = f"file://{meeting}"
    torch.distributed.init_process_group("gloo", meet, timedelta(minutes=2), rank=rank, world_size=2)
    try:
        return scores([[ITEMS[:1], ITEMS[1:6]], [ITEMS[6:]]][rank], few=[[ITEMS[:3]], []][rank])
    finally:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.save(scores_of_rank(1, sys.argv[1]), sys.argv[2])
