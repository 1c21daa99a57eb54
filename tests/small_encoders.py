"""Small encoders of many architectures: random weights, and tokenizers trained on the texts of these tests.

Nothing is downloaded or read from a file. An encoder is drawn from its name: the same one every time.
"""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import log, sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from texts import ALL_TEXTS

LIMIT = 64  #: tokens that an encoder takes, special ones included
DEPTH = 3  #: layers of every encoder
_PIECES = 1000


def _lines() -> list[str]:
    """Return the texts of `PAIRS` in all languages, and words of random syllables."""
    rng = random.Random(0)
    words = ["".join(rng.choice("bdklmnrst") + rng.choice("aeiou") for _ in range(3)) for _ in range(60)]
    return [*ALL_TEXTS, " ".join(words)]


@cache
def byte_pairs(specials: str) -> dict[str, Any]:
    """Return vocabulary and merges of pieces of bytes; no text is unknown to them."""
    tokenizer, splitter = Tokenizer(models.BPE()), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = splitter
    trainer = trainers.BpeTrainer(
        vocab_size=_PIECES, special_tokens=specials.split(), initial_alphabet=splitter.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(_lines(), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(pair) for pair in model["merges"]]}


@cache
def word_pieces(specials: str) -> dict[str, Any]:
    """Return a vocabulary of pieces of lower-case words, marked ``##`` where they do not begin one, as BERT has."""
    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    lines = [splitter.pre_tokenize_str(normalizer.normalize_str(line)) for line in _lines()]
    pieces = _frequent([word for line in lines for word, _ in line], inside="##")
    return {"vocab": {piece: number for number, piece in enumerate([*specials.split(), *pieces])}}


@cache
def unigrams(specials: str) -> dict[str, Any]:
    """Return pieces with log-probabilities; ``▁`` stands before words, as in SentencePiece."""
    pieces = _frequent([f"▁{word}" for line in _lines() for word in line.split()])
    total = sum(pieces.values())
    scores = [(piece, log(count / total)) for piece, count in pieces.items()]
    return {"vocab": [(special, 0.0) for special in specials.split()] + scores}


def _frequent(words: list[str], inside: str = "") -> dict[str, int]:
    """Return how often each character and the most frequent longer pieces stand in words.

    The trainers of tokenizers number equally frequent pieces in another order every time.
    """
    counts: Counter[str] = Counter()
    for word in words:
        for start, stop in combinations(range(len(word) + 1), 2):
            counts[inside * (start > 0) + word[start:stop]] += 1
    order = sorted(
        counts, key=lambda piece: (len(piece.removeprefix(inside)) > 1, -counts[piece], -len(piece), piece)
    )
    return {piece: counts[piece] for piece in order[:_PIECES]}


@dataclass(frozen=True)
class Architecture:
    """What an encoder is made of."""

    sizes: dict[str, Any]  # arguments of the configuration beside those that all share
    tokenizer: type
    train: Callable[[str], dict[str, Any]]  # gives the vocabulary, in which special tokens stand first
    specials: str
    options: dict[str, Any] = field(default_factory=dict)  # further arguments of the tokenizer


_BERT = {"intermediate_size": 48, "max_position_embeddings": LIMIT}
_FACTORED = _BERT | {"embedding_size": 16}
_ROBERTA = _BERT | {"max_position_embeddings": LIMIT + 2}  # positions start behind the id of padding, 1
_DEBERTA = _BERT | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
_DEBERTA_V2 = _DEBERTA | {"position_buckets": 16, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
_DISTILBERT = {"hidden_dim": 48, "max_position_embeddings": LIMIT}
_MOBILE = _FACTORED | {"intra_bottleneck_size": 16, "num_feedforward_networks": 2}
_NYSTROM = _BERT | {"segment_means_seq_len": LIMIT, "num_landmarks": LIMIT}
_YOSO = _BERT | {"use_expectation": True, "hash_code_length": 4}
_DECODER = {"decoder_ffn_dim": 48, "decoder_layers": 1, "decoder_attention_heads": 4}
_BART = {"max_position_embeddings": LIMIT, "encoder_ffn_dim": 48, **_DECODER}
_GPT2 = {"n_positions": LIMIT, "bos_token_id": 0, "eos_token_id": 0}
_XLNET = {"d_inner": 48, "d_head": 8}
_T5 = {"d_kv": 8, "d_ff": 48, "num_decoder_layers": 1}

_WORD_PIECE_SPECIALS = "[PAD] [UNK] [CLS] [SEP] [MASK]"
_BART_SPECIALS = "<s> <pad> </s> <unk> <mask>"
_DEBERTA_SPECIALS = "[PAD] [CLS] [SEP] [UNK] [MASK]"

#: By the name that transformers has for the family.
ARCHITECTURES = {
    "bert": Architecture(_BERT, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "distilbert": Architecture(_DISTILBERT, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "electra": Architecture(_FACTORED, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "mpnet": Architecture(_ROBERTA, hf.MPNetTokenizer, word_pieces, "<s> <pad> </s> [UNK] <mask>"),
    "roberta": Architecture(_ROBERTA, hf.RobertaTokenizer, byte_pairs, _BART_SPECIALS),
    "bart": Architecture(_BART, hf.BartTokenizer, byte_pairs, _BART_SPECIALS),
    "gpt2": Architecture(_GPT2, hf.GPT2Tokenizer, byte_pairs, "<|endoftext|>", {"pad_token": "<|endoftext|>"}),
    "deberta": Architecture(_DEBERTA, hf.DebertaTokenizer, byte_pairs, _DEBERTA_SPECIALS),
    "deberta-v2": Architecture(_DEBERTA_V2, hf.DebertaV2Tokenizer, unigrams, _DEBERTA_SPECIALS),
    "xlm-roberta": Architecture(_ROBERTA, hf.XLMRobertaTokenizer, unigrams, _BART_SPECIALS),
    "albert": Architecture(_FACTORED, hf.AlbertTokenizer, unigrams, "<pad> <unk> [CLS] [SEP] [MASK]"),
    "xlnet": Architecture(_XLNET, hf.XLNetTokenizer, unigrams, "<unk> <s> </s> <cls> <sep> <pad> <mask>"),
    "layoutlm": Architecture(_BERT, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "t5": Architecture(_T5, hf.T5Tokenizer, unigrams, "<pad> </s> <unk>", {"extra_ids": 4}),
}

#: Those that embed a text in another way when a batch pads it, whatever its attention mask.
PADDING_SHOWS = {
    "convbert": Architecture(_FACTORED, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "fnet": Architecture(_BERT, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "mobilebert": Architecture(_MOBILE, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "nystromformer": Architecture(_NYSTROM, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "yoso": Architecture(_YOSO, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
}

#: Those that bert-score reads as a T5, for their names.
READ_AS_T5 = {
    "umt5": Architecture(_T5, hf.T5Tokenizer, unigrams, "<pad> </s> <unk>", {"extra_ids": 4}),
    "longt5": Architecture(_T5, hf.T5Tokenizer, unigrams, "<pad> </s> <unk>", {"extra_ids": 4}),
}

_SHARED = {"hidden_size": 32, "num_hidden_layers": DEPTH, "num_attention_heads": 4}
_GEMMA = {
    **_SHARED, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 48, "max_position_embeddings": LIMIT,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"], "sliding_window": 8,
    "bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 0,
}  # fmt: skip
_EMBEDDING_GEMMA = {
    **_GEMMA, "embedding_dim": 48, "hidden_size_per_layer_input": 8, "global_head_dim": 8,
    "num_global_key_value_heads": 2,
}  # fmt: skip
_GEMMA3N = {
    **_GEMMA, "intermediate_size": [48] * DEPTH, "activation_sparsity_pattern": [0.0] * DEPTH, "laurel_rank": 8,
    "hidden_size_per_layer_input": 8, "num_kv_shared_layers": 0, "vocab_size_per_layer_input": 2 * _PIECES,
}  # fmt: skip
_VISION = {**_SHARED, "intermediate_size": 48, "image_size": 32, "patch_size": 8}

#: Those that bert-score cannot run: with a last projection, several states for a token, or a configuration in parts.
IN_PARTS = {
    "embedding_gemma2_text": Architecture(_EMBEDDING_GEMMA, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "gemma3n_text": Architecture(_GEMMA3N, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS),
    "gemma3": Architecture(
        {"text_config": _GEMMA, "vision_config": _VISION}, hf.BertTokenizer, word_pieces, _WORD_PIECE_SPECIALS
    ),
    "t5gemma": Architecture(
        {"encoder": _GEMMA, "decoder": {**_GEMMA, "cross_attention_hidden_size": 32}}, hf.BertTokenizer, word_pieces,
        _WORD_PIECE_SPECIALS,
    ),
    "t5gemma2": Architecture(
        {"encoder": {"text_config": _GEMMA, "vision_config": _VISION}, "decoder": _GEMMA}, hf.BertTokenizer,
        word_pieces, _WORD_PIECE_SPECIALS,
    ),
}  # fmt: skip
#: Folders with the files of other encoders: bert-score goes by the text of a path, or knows the name.
COPIES = {
    "best5/bert": "bert",
    "five": "t5",
    "roberta-without-limit": "roberta",
    "roberta-large": "roberta",
    "bert-base-chinese": "bert",
    "bert-base-multilingual-cased": "bert",
    "dbmdz/bert-base-turkish-cased": "bert",
    "allenai/scibert_scivocab_uncased": "bert",
    "google/bert_uncased_L-4_H-128_A-2": "bert",
}


def build(name: str, folder: Path) -> None:
    """Save an encoder, tokenizer and weights, in the folder `name` of `folder`."""
    made = {**ARCHITECTURES, **PADDING_SHOWS, **READ_AS_T5, **IN_PARTS}[name]
    tokenizer = made.tokenizer(**made.train(made.specials), model_max_length=LIMIT, **made.options)
    sizes = made.sizes if name in IN_PARTS else {**_SHARED, **made.sizes}
    config = hf.AutoConfig.for_model(name, **_with_vocabulary(sizes, len(tokenizer)))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(crc32(name.encode()))
        network = hf.AutoModel.from_config(config)
        with torch.no_grad():
            _draw(network.parameters())
    network.save_pretrained(folder / name)
    tokenizer.save_pretrained(folder / name)


def _with_vocabulary(sizes: dict[str, Any], n_pieces: int) -> dict[str, Any]:
    """Return the sizes of a network and of its parts that read texts, with the number of pieces."""
    parts = {
        name: _with_vocabulary(part, n_pieces)
        for name, part in sizes.items()
        if isinstance(part, dict) and name != "vision_config"
    }
    return {"vocab_size": n_pieces, **sizes, **parts}


def build_all(folder: Path) -> None:
    """Save every encoder of the tables above in a folder of its own."""
    for name in (*ARCHITECTURES, *PADDING_SHOWS, *READ_AS_T5):
        build(name, folder)
    for name, source in COPIES.items():
        shutil.copytree(folder / source, folder / name)
    settings = folder / "roberta-without-limit" / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"model_max_length": None}))


def _draw(weights: Iterable[torch.nn.Parameter]) -> None:
    """Draw weights so great that every layer changes its input much, and biases and norms that are not 0 and 1."""
    for weight in weights:
        if weight.ndim > 1:
            weight.normal_(0, 1 / sqrt(weight.shape[-1]))
        else:
            weight.add_(torch.randn_like(weight), alpha=0.05)
