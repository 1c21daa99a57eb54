"""The signature of a Jaccard similarity: the rules of the call, and where its variants differ from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tercet.corpus.stems import lemmatizer_label, stemmer_label, stopwords_label
from tercet.corpus.tokenizers import tokenizer_label
from tercet.signature import Signature

if TYPE_CHECKING:
    from .metric import Jaccard


def jaccard_signature(metric: str, options: Jaccard, variants: Mapping[str, Jaccard]) -> Signature:
    """Return the options that the scores depend on."""
    own = _parts(options)
    changed = {
        name.removeprefix("jaccard_"): ",".join(
            f"{key}:{value}" for key, value in _parts(each).items() if value != own[key]
        )
        for name, each in variants.items()
        if name != "jaccard"
    }
    as_there = not any(each.multiset for each in variants.values()) and options.missing_references == "error"
    parts = {
        **own,
        "variants": ";".join(f"{name}={changes}" for name, changes in changed.items()) or None,
        "missing": None if options.missing_references == "error" else options.missing_references,
        "equals": "scikit-learn" if as_there else None,
    }
    return Signature.of(metric, parts)


def _parts(options: Jaccard) -> dict[str, object]:
    lowered = options.lowercase or options.tokenizer == "rouge"
    return {
        "tok": tokenizer_label(options.tokenizer),
        "case": "lc" if lowered else "mixed",
        "ngram": options.ngram,
        "of": "multisets" if options.multiset else "sets",
        "multi": options.multi_ref,
        "stem": stemmer_label(options.stemmer),
        "lemma": lemmatizer_label(options.lemmatizer),
        "stopwords": stopwords_label(options.stopwords),
    }
