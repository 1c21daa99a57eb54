"""Layers of encoders: the one whose scores agree best with human grades, how many there are, which are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.errors import OptionError

# Which encoder stands for a language, and the layer whose scores agree best with human grades (bert-score's table).

_OF_LANGUAGE = {
    "en": "roberta-large",
    "zh": "bert-base-chinese",
    "tr": "dbmdz/bert-base-turkish-cased",
    "en-sci": "allenai/scibert_scivocab_uncased",
}
_OF_OTHER_LANGUAGES = "bert-base-multilingual-cased"

# Folders that the Hub gave to models which had a bare name when bert-score's table was made.
_HOMES = {
    "FacebookAI",
    "google-bert",
    "google-t5",
    "distilbert",
    "albert",
    "xlnet",
    "openai-community",
    "distilbert-community",
}

#: Models by the layer with the greatest correlation with grades of WMT16 (bert-score 0.3.13, utils.py).
_BY_LAYER = {
    0: "amazon/bort",
    1: """
        google/bert_uncased_L-2_H-128_A-2 google/bert_uncased_L-2_H-256_A-4 google/bert_uncased_L-2_H-512_A-8
        google/byt5-small
    """,
    2: "google/bert_uncased_L-2_H-768_A-12 sshleifer/tiny-mbart facebook/blenderbot-400M-distill",
    3: """
        google/bert_uncased_L-4_H-128_A-2 google/bert_uncased_L-4_H-256_A-4 google/bert_uncased_L-4_H-512_A-8
        google/bert_uncased_L-4_H-768_A-12
    """,
    4: """
        distilbert-base-uncased-distilled-squad microsoft/prophetnet-large-uncased
        zhiheng-huang/bert-base-uncased-embedding-relative-key dbmdz/distilbert-base-turkish-cased
        microsoft/deberta-v3-small
    """,
    5: """
        xlnet-base-cased distilroberta-base distilbert-base-uncased distilbert-base-multilingual-cased
        google/bert_uncased_L-6_H-128_A-2 google/bert_uncased_L-6_H-256_A-4 google/bert_uncased_L-6_H-512_A-8
        google/bert_uncased_L-6_H-768_A-12
    """,
    6: "xlm-mlm-en-2048 google/bert_uncased_L-8_H-512_A-8 facebook/bart-base t5-small allenai/led-base-16384",
    7: """
        roberta-base-openai-detector xlnet-large-cased google/bert_uncased_L-8_H-128_A-2
        google/bert_uncased_L-8_H-256_A-4 google/bert_uncased_L-8_H-768_A-12 facebook/blenderbot_small-90M
        microsoft/prophetnet-large-uncased-cnndm microsoft/xprophetnet-large-wiki100-cased
        allenai/longformer-base-4096 zhiheng-huang/bert-base-uncased-embedding-relative-key-query
    """,
    8: """
        bert-base-chinese allenai/scibert_scivocab_uncased albert-xxlarge-v1 albert-xxlarge-v2
        google/bert_uncased_L-10_H-128_A-2 google/bert_uncased_L-10_H-256_A-4
        google/bert_uncased_L-10_H-768_A-12 microsoft/mpnet-base google/pegasus-large
        SpanBERT/spanbert-base-cased google/mt5-small google/bigbird-base-trivia-itc
        princeton-nlp/unsup-simcse-roberta-base
    """,
    9: """
        bert-base-uncased bert-base-cased-finetuned-mrpc bert-base-multilingual-cased
        allenai/scibert_scivocab_cased nfliu/scibert_basevocab_uncased albert-base-v2 xlm-roberta-base
        google/electra-small-generator google/electra-base-discriminator google/bert_uncased_L-10_H-512_A-8
        google/bert_uncased_L-12_H-768_A-12 facebook/bart-large-xsum vinai/bertweet-base microsoft/deberta-base
        microsoft/deberta-base-mnli YituTech/conv-bert-medium-small squeezebert/squeezebert-uncased
        squeezebert/squeezebert-mnli squeezebert/squeezebert-mnli-headless microsoft/deberta-v3-base
    """,
    10: """
        roberta-base xlm-mlm-100-1280 albert-base-v1 google/electra-base-generator
        google/bert_uncased_L-12_H-128_A-2 google/bert_uncased_L-12_H-512_A-8 facebook/bart-large
        facebook/bart-large-cnn YituTech/conv-bert-base YituTech/conv-bert-small ProsusAI/finbert
        microsoft/deberta-v2-xlarge google/bigbird-roberta-base princeton-nlp/unsup-simcse-bert-base-uncased
        princeton-nlp/sup-simcse-bert-base-uncased princeton-nlp/sup-simcse-roberta-base
        dbmdz/bert-base-turkish-cased microsoft/deberta-v3-xsmall microsoft/mdeberta-v3-base
    """,
    11: """
        google/electra-small-discriminator google/bert_uncased_L-12_H-256_A-4 facebook/bart-large-mnli t5-base
        google/pegasus-xsum ramsrigouthamg/t5_paraphraser google/mt5-base
    """,
    12: """
        facebook/mbart-large-cc25 facebook/mbart-large-50 facebook/mbart-large-en-ro
        facebook/mbart-large-50-many-to-many-mmt facebook/mbart-large-50-one-to-many-mmt
        Vamsi/T5_Paraphrase_Paws microsoft/deberta-v3-large
    """,
    13: "albert-xlarge-v2 princeton-nlp/unsup-simcse-roberta-large",
    14: """
        albert-large-v2 google/electra-large-discriminator allenai/longformer-large-4096
        allenai/longformer-large-4096-finetuned-triviaqa google/bigbird-roberta-large
    """,
    15: "roberta-large-openai-detector tuner007/pegasus_paraphrase",
    16: "albert-xlarge-v1 microsoft/deberta-large princeton-nlp/sup-simcse-roberta-large",
    17: """
        roberta-large albert-large-v1 xlm-roberta-large SpanBERT/spanbert-large-cased
        microsoft/deberta-v2-xlarge-mnli google/byt5-base
    """,
    18: """
        bert-large-uncased google/electra-large-generator microsoft/deberta-large-mnli microsoft/deberta-xlarge
        princeton-nlp/unsup-simcse-bert-large-uncased princeton-nlp/sup-simcse-bert-large-uncased
        khalidalt/DeBERTa-v3-large-mnli
    """,
    19: """
        roberta-large-mnli zhiheng-huang/bert-large-uncased-whole-word-masking-embedding-relative-key-query
        google/mt5-large
    """,
    21: "microsoft/deberta-v2-xxlarge",
    22: "microsoft/deberta-v2-xxlarge-mnli",
    23: "t5-large",
    24: "google/mt5-xl",
    30: "google/byt5-large",
    40: "microsoft/deberta-xlarge-mnli",
}
BEST_LAYERS: Mapping[str, int] = {name: layer for layer, names in _BY_LAYER.items() for name in names.split()}


def model_of_language(lang: str) -> str:
    """Return the name of bert-score's encoder for a language code; the multilingual one for all others."""
    return _OF_LANGUAGE.get(lang.lower(), _OF_OTHER_LANGUAGES)


def best_layer(model: str) -> int | None:
    """Return the layer that bert-score uses for a model of the Hub; None for one that it does not know."""
    return BEST_LAYERS.get(first_name(model))


def first_name(model: str) -> str:
    """Return the name that a model had when bert-score's tables were made."""
    home, _, bare = model.partition("/")
    if home in _HOMES and model not in BEST_LAYERS:
        return bare
    return model


# The layers of an encoder: how many there are, and which are dropped.

#: Where networks keep the list of their layers, in the order in which these names are tried.
_LAYER_LISTS = (
    "encoder.layer",
    "encoder.block",
    "encoder.layers",
    "transformer.layer",
    "layers",
    "layer",
    "block",
    "h",
    # Networks that take images too.
    "language_model.layers",
    "text_model.layers",
)
#: Networks whose code in transformers fails without a layer.
_NEED_A_LAYER = {"DebertaV2Model"}
#: Where configurations say how many layers there are.
_DEPTHS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
#: Where the configuration of a network of several parts describes the one that reads texts.
_PARTS = ("encoder", "text_encoder", "text_config")


def text_config(config: Any) -> Any:
    """Return the part of a configuration that describes what reads texts: all of it, for most."""
    for name in _PARTS:
        part = getattr(config, name, None)
        if hasattr(part, "model_type"):
            return text_config(part)
    return config


def model_depth(config: Any) -> int:
    """Return the number of layers of an encoder."""
    for name in _DEPTHS:
        depth = getattr(text_config(config), name, None)
        if isinstance(depth, int):
            return depth
    raise OptionError(f"The configuration of a {config.model_type!r} model does not say how many layers it has.")


def cut(network: Any, num_layers: int, depth: int) -> None:
    """Drop the layers after the one that is used; norms after the last layer stay, as in bert-score."""
    import torch

    least = 1 if type(network).__name__ in _NEED_A_LAYER else 0
    if not least <= num_layers <= depth:
        raise OptionError(
            f"The 'num_layers' option of bertscore_idf must be from {least} to {depth} for this encoder. "
            f"Got {num_layers} instead."
        )
    if num_layers == depth:
        return
    if hasattr(network, "n_layers"):  # XLM counts them at run time
        network.n_layers = num_layers
        return
    if hasattr(getattr(network, "encoder", None), "albert_layer_groups"):  # ALBERT repeats the same layer
        network.encoder.config.num_hidden_layers = num_layers
        return
    for path in _LAYER_LISTS:
        *parents, name = path.split(".")
        owner = network
        for parent in parents:
            owner = getattr(owner, parent, None)
        layers = getattr(owner, name, None)
        if isinstance(layers, torch.nn.ModuleList):
            setattr(owner, name, layers[:num_layers])
            return
    raise OptionError(
        f"bertscore_idf does not know where {type(network).__name__} keeps its layers: only all_layers=True works."
    )
