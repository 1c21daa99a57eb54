"""Metrics that tercet does not compute: what they are, and how their scores get beside those of tercet."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tercet.errors import on_command_line

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
    found = ELSEWHERE.get(re.sub(r"[\W_]+", "", name).lower())
    if found is None:
        return None
    called, about = found
    how = f"tercet.correlate takes them as scores={{{name!r}: {{system: [score, ...]}}}}"
    if on_command_line():
        how = f"put them into columns such as systemA.{name} of the table, for tercet correlate --scores {name}"
    return f"{called} is {about}. Its scores can be compared with tercet's metrics on human grades: {how}."
