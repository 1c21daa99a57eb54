"""The signature of a ROUGE, and which implementation gives the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tercet.corpus.stems import lemmatizer_label, stemmer_label, stopwords_label
from tercet.corpus.tokenizers import tokenizer_label
from tercet.signature import Signature

from .package import PACKAGES

if TYPE_CHECKING:
    from .metric import Rouge


def rouge_signature(metric: str, options: Rouge, tokenizer: str | Callable[[str], Iterable[str]]) -> Signature:
    """Return the options that the score depends on; `tokenizer` is the one that was really used."""
    o = options
    parts = {
        "types": ",".join(each.name for each in o.types),
        "tok": tokenizer_label(tokenizer),
        "beta": o.beta if o.alpha is None else None,
        "alpha": o.alpha,
        "multi": o.multi_ref,
        "measure": o.output,
        "stem": "porter" if o.porter else stemmer_label(o.stemmer),
        "lemma": lemmatizer_label(o.lemmatizer),
        "stopwords": stopwords_label(o.stopwords),
        "words": o.max_words,
        "bytes": o.max_bytes,
        "split": o.sentence_split,
        "missing": None if o.missing_references == "error" else o.missing_references,
        "rounded": None if o.rounded is not False else o.rounded,
        "compat": o.compat,
        "equals": equal_implementation(o, tokenizer),
    }
    return Signature.of(metric, parts)


def equal_implementation(options: Rouge, tokenizer: str | Callable[[str], Iterable[str]]) -> str | None:
    """Return the name of the implementation that gives the same numbers with these options, if there is one."""
    o = options
    package = o.compat if o.compat in PACKAGES else None
    plain = o.sentence_split == "newline" and o.missing_references == "error" and o.lemmatizer is None
    if not plain or tokenizer != ("rouge" if package is None else "none"):
        return None
    if o.stemmer not in ((None, "porter") if package is None else (None,)):
        return None
    if o.compat == "rouge155":
        usual = o.stemmer is None and o.stopwords in (None, "smart")
        return "ROUGE-1.5.5" if usual and o.rounded is not False else None
    if o.beta != 1 or o.multi_ref != "best" or (o.stopwords, o.max_words, o.max_bytes) != (None, None, None):
        return None
    if package is not None:
        return None if o.porter else package
    in_rouge_score = [each.kind in ("n", "L", "Lsum") for each in o.types]
    if not any(in_rouge_score):
        return None
    return "rouge_score" if all(in_rouge_score) else "rouge_score(N+L)"
