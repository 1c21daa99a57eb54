"""The signature of a BLEU, and which implementation gives the same number."""

from __future__ import annotations

from collections.abc import Mapping

from tercet.corpus.stems import lemmatizer_label, stemmer_label
from tercet.signature import Signature

from .options import OF_SACREBLEU, BleuOptions
from .smoothing import ADD_ONE, SMOOTH_VALUES


def bleu_signature(metric: str, options: BleuOptions, method: str, lowercase: bool) -> Signature:
    """Return the options that the score depends on; `method` and `lowercase` are what it really used."""
    o = options
    value = ""
    if method in SMOOTH_VALUES:
        value = f"[{SMOOTH_VALUES[method] if o.smooth_value is None else o.smooth_value!r}]"
    weights: object = None
    if isinstance(o.weights, Mapping):
        weights = ";".join(f"{name}={','.join(map(repr, each))}" for name, each in o.weights.items())
    elif o.weights is not None:
        weights = tuple(o.weights)
    parts = {
        "tok": o.label,
        "case": "lc" if lowercase else "mixed",
        "order": o.max_order,
        "weights": weights,
        "smooth": method + value,
        "reflen": o.reference_length,
        "eff": o.effective_order,
        "stem": stemmer_label(o.stemmer),
        "lemma": lemmatizer_label(o.lemmatizer),
        "missing": None if o.missing_references == "error" else o.missing_references,
        "compat": o.compat,
        "equals": equal_implementation(o, method),
    }
    return Signature.of(metric, parts)


def equal_implementation(options: BleuOptions, method: str) -> str | None:
    """Return the name of the implementation that gives the same number with these options, if there is one."""
    o = options
    plain = o.stemmer is None and o.lemmatizer is None and o.missing_references == "error"
    if not plain or o.tokenizer not in OF_SACREBLEU:
        return None
    if o.compat == "nltk":
        usual = o.tokenizer == "none" and o.reference_length == "closest" and not o.lowercase
        by_order = method in ("nltk5", "nltk7")  # NLTK takes the order 5 whatever the weights
        four = o.max_order == 4 and (
            o.weights is None or (not isinstance(o.weights, Mapping) and len(o.weights) == 4)
        )
        return "nltk" if usual and (four or not by_order) else None
    if method.startswith("nltk") or (o.weights is not None and not isinstance(o.weights, Mapping)):
        return None
    only = "" if o.weights is None else "(bleu)"  # the named weightings have no equal there
    if o.compat == "evaluate":
        usual = o.tokenizer == "13a" and o.reference_length == "shortest" and not o.lowercase
        smoothed = o.smooth_method != "none" or o.smooth_value is not None
        return f"evaluate-bleu{only}" if usual and not smoothed and not o.effective_order else None
    return f"sacrebleu{only}" if o.reference_length == "closest" and method != ADD_ONE else None
