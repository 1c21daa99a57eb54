"""Names that options have in other packages, or for short: what a user may mean by an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tercet.errors import OptionError, did_you_mean, shorten

from .dialect import Dialect

_CASE = ("lowercase", "case_sensitive")
_ORDER = ("max_order", "ngram", "word_order")
_MODEL = ("model_type", "model_id")

#: Other names -> the options that may be meant: the first that the metric has.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("lc", "lower", "lowercased", "case", "cased", "uncased", "do_lower_case", "ignore_case"), _CASE),
    **dict.fromkeys(("lowercase",), ("case_sensitive",)),
    **dict.fromkeys(("n", "order", "ngrams", "ngram_order", "n_gram", "max_n", "n_grams", "ngram"), _ORDER),
    **dict.fromkeys(("smooth", "smoothing", "smoothing_function", "smoothing_method", "sm"), ("smooth_method",)),
    **dict.fromkeys(("tok", "tokenize", "tokenise", "tokeniser", "tokenization"), ("tokenizer",)),
    **dict.fromkeys(("stem", "stemming", "use_stem", "stemmer"), ("use_stemmer", "stemmer")),
    **dict.fromkeys(("lemma", "lemmatize", "lemmas"), ("lemmatizer",)),
    **dict.fromkeys(("types", "type", "rouge", "metrics", "variants"), ("rouge_types",)),
    **dict.fromkeys(("punct", "ignore_punct", "remove_punct", "remove_punctuation"), ("no_punct",)),
    **dict.fromkeys(("effective", "eff"), ("effective_order",)),
    **dict.fromkeys(("model", "model_name", "model_name_or_path", "checkpoint", "encoder", "model_path"), _MODEL),
    **dict.fromkeys(("layer", "layers", "num_layer"), ("num_layers",)),
    **dict.fromkeys(("rescale", "baseline"), ("rescale_with_baseline",)),
    **dict.fromkeys(("language",), ("lang",)),
    **dict.fromkeys(("pool", "pooling_strategy"), ("pooling",)),
}


def no_option(called: str, name: str, options: Iterable[str], dialects: Mapping[str, Dialect]) -> OptionError:
    """Return the error for an unknown option, with what may be meant: by another name, or by spelling."""
    theirs = {each: (own,) for dialect in dialects.values() for each, own in dialect.arguments.items()}
    hint = did_you_mean(name, options, {**OTHER_NAMES, **theirs})
    return OptionError(f"{called} has no option {shorten(name)}. {hint}")
