"""The implementation of another package that gives the same BLEU: an entry of the signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .options import ADD_ONE, OF_NEXT_ORDER, OF_SACREBLEU


def equal_implementation(options: Any) -> str | None:
    """Return the name of the implementation that gives the same number with these options, if there is one."""
    if options.stemmer is not None or options.lemmatizer is not None or options.missing_references != "error":
        return None
    if options.tokenizer not in OF_SACREBLEU:
        return None
    if options.compat == "nltk":
        return "nltk" if _equals_nltk(options) else None
    # The others have neither NLTK's smoothing nor weights; of named weightings, `bleu` is uniform as theirs is.
    if options.method.startswith("nltk"):
        return None
    if options.weights is None:
        suffix = ""
    elif isinstance(options.weights, Mapping):
        suffix = "(bleu)"
    else:
        return None
    if options.compat == "evaluate":
        return f"evaluate-bleu{suffix}" if _equals_evaluate(options) else None
    if options.reference_length == "closest" and options.method != ADD_ONE:
        return f"sacrebleu{suffix}"
    return None


def _equals_nltk(options: Any) -> bool:
    if options.tokenizer != "none" or options.reference_length != "closest" or options.lowercase:
        return False
    if options.method not in OF_NEXT_ORDER:
        return True
    # These methods read the order after the last one, which NLTK takes to be 5 whatever the weights.
    if options.max_order != 4 or isinstance(options.weights, Mapping):
        return False
    return options.weights is None or len(options.weights) == 4


def _equals_evaluate(options: Any) -> bool:
    if (
        options.tokenizer != "13a"
        or options.reference_length != "shortest"
        or options.lowercase
        or options.effective_order
    ):
        return False
    return options.smooth_method == "none" and options.smooth_value is None
