"""What users may mean by a name that is not here: options as other packages call them, and metrics of those."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tercet.errors import OptionError, did_you_mean, on_command_line, shorten

from .dialects import Dialect

# Names that options have in other packages, or for short: what a user may mean by an unknown one.

_CASE = ("lowercase", "case_sensitive")
_ORDER = ("max_order", "ngram", "word_order")
_MODEL = ("model_type", "model_id")

#: Other names -> the options that may be meant: the first that the metric has.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("lc", "lower", "lowercased", "case", "cased", "uncased", "do_lower_case", "ignore_case"), _CASE),
    "lowercase": ("case_sensitive",),
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
    "language": ("lang",),
    **dict.fromkeys(("pool", "pooling_strategy"), ("pooling",)),
}


#: What people call the texts of a call.
_TEXTS = {
    *("prediction", "predictions", "preds", "hypothesis", "hypotheses", "hyps", "candidates", "outputs"),
    *("reference", "references", "ref", "refs", "target", "targets", "gold", "labels"),
}


def no_option(called: str, name: str, options: Iterable[str], dialects: Mapping[str, Dialect]) -> OptionError:
    """Return the error for an unknown option, with what may be meant: by another name, or by spelling."""
    other_names = dict(OTHER_NAMES)
    for dialect in dialects.values():
        for argument, option in dialect.arguments.items():
            other_names[argument] = (option,)
    hint = did_you_mean(name, options, other_names)
    if name in _TEXTS and not on_command_line():
        hint = "Texts are given in a call, as predictions and references."
    return OptionError(f"{called} has no option {shorten(name)}. {hint}")


# Metrics that tercet does not compute: what they are, and how their scores get beside those of tercet.

_TRAINED = "a network trained on human grades"
_LLM = "the verdict of a large language model, which changes with the model and the prompt"

#: By names in lower case and without signs: the name as written, what it is, and where it can be had.
ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "meteor": ("METEOR", "a score of matched words, stems and WordNet synonyms (in nltk); chrf is the nearest here"),
    "bleurt": ("BLEURT", f"{_TRAINED} (package bleurt)"),
    **dict.fromkeys(("comet", "comet22", "cometda", "unbabelcomet"), ("COMET", f"{_TRAINED} (unbabel-comet)")),
    **dict.fromkeys(("cometkiwi", "kiwi"), ("CometKiwi", f"COMET without references, {_TRAINED} (unbabel-comet)")),
    "xcomet": ("xCOMET", f"{_TRAINED} (unbabel-comet)"),
    "metricx": ("MetricX", f"{_TRAINED} (of Google)"),
    "unite": ("UniTE", _TRAINED),
    "prism": ("Prism", "the probability that a network for paraphrases gives to a text"),
    "bartscore": ("BARTScore", "the probability that the network BART gives to a text"),
    "yisi": ("YiSi", "a similarity of embeddings; bertscore is the nearest here"),
    "moverscore": ("MoverScore", "a distance of embeddings (package moverscore); bertscore is the nearest here"),
    **dict.fromkeys(
        ("cider", "ciderd"),
        ("CIDEr", "a similarity of n-grams, weighted by their rareness in all captions (in pycocoevalcap)"),
    ),
    "spice": ("SPICE", "a match of scenes parsed from captions (in pycocoevalcap)"),
    "nist": ("NIST", "BLEU with n-grams weighted by their rareness (in nltk); bleu is the nearest here"),
    "ribes": ("RIBES", "a correlation of word orders (in nltk); ter is the nearest here"),
    "mauve": ("MAUVE", "a divergence between two sets of texts, not a score of pairs (package mauve-text)"),
    "questeval": ("QuestEval", "a score of questions that networks ask and answer"),
    "summac": ("SummaC", "a network's verdict whether a source entails a summary"),
    "alignscore": ("AlignScore", "a network's verdict whether a source entails a text"),
    **dict.fromkeys(("geval", "gemba"), ("It", _LLM)),
    **dict.fromkeys(("gpt", "gpt4", "gpt4o", "chatgpt", "claude", "gemini"), ("It", _LLM)),
    **dict.fromkeys(("llm", "llmjudge", "llmasajudge", "llmasjudge", "judge"), ("It", _LLM)),
}


def what_is(name: str) -> str | None:
    """Return what a metric of another package is, and how to use its scores; None if it is not known."""
    key = re.sub(r"[\W_]+", "", name).lower()
    if key not in ELSEWHERE:
        return None
    title, about = ELSEWHERE[key]
    how = f"tercet.correlate takes them as scores={{{name!r}: {{system: [score, ...]}}}}"
    if on_command_line():
        how = f"put them into columns such as systemA.{name} of the table, for tercet correlate --scores {name}"
    return f"{title} is {about}. Its scores can be compared with tercet's metrics on human grades: {how}."
