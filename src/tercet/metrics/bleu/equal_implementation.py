"""The implementation of another package that gives the same BLEU: an entry of the signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .options import ADD_ONE, OF_NEXT_ORDER, OF_SACREBLEU


def equal_implementation(bleu: Any) -> str | None:
    """Return the name of the implementation that gives the same number as a metric, a Bleu, if there is one."""
    if bleu.stemmer is not None or bleu.lemmatizer is not None or bleu.missing_references != "error":
        return None
    if bleu.tokenizer not in OF_SACREBLEU:
        return None
    if bleu.compat == "nltk":
        return "nltk" if _equals_nltk(bleu) else None
    # The others have neither NLTK's smoothing nor weights; of named weightings, `bleu` is uniform as theirs is.
    if bleu.method.startswith("nltk"):
        return None
    if bleu.weights is None:
        suffix = ""
    elif isinstance(bleu.weights, Mapping):
        suffix = "(bleu)"
    else:
        return None
    if bleu.compat == "evaluate":
        return f"evaluate-bleu{suffix}" if _equals_evaluate(bleu) else None
    if bleu.reference_length == "closest" and bleu.method != ADD_ONE:
        return f"sacrebleu{suffix}"
    return None


def _equals_nltk(bleu: Any) -> bool:
    if bleu.tokenizer != "none" or bleu.reference_length != "closest" or bleu.lowercase:
        return False
    if bleu.method not in OF_NEXT_ORDER:
        return True
    # These methods read the order after the last one, which NLTK takes to be 5 whatever the weights.
    if bleu.max_order != 4 or isinstance(bleu.weights, Mapping):
        return False
    return bleu.weights is None or len(bleu.weights) == 4


def _equals_evaluate(bleu: Any) -> bool:
    if bleu.tokenizer != "13a" or bleu.reference_length != "shortest" or bleu.lowercase or bleu.effective_order:
        return False
    return bleu.smooth_method == "none" and bleu.smooth_value is None
