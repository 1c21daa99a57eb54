"""Texts -> ids of an encoder's subword tokenizer, by the rules of bert-score and sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged
from tercet.errors import OptionError
from tercet.locks import Lock

from .layers import text_config

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX_SPACES = ("auto", "installed")

#: Defaults of ``prefix_space``, by ``compat``.
DEFAULT_PREFIX_SPACES = {None: "auto", "bert_score": "installed"}

# Byte-level tokenizers that, in the packages of the time, put a space before the text: published scores have it.
_WITH_SPACE = {"GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer", "LEDTokenizer"}

# Models whose positions start after the id of padding, so that they take two tokens fewer than their table.
_SHIFTED_POSITIONS = {
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "longformer",
    "ibert",
    "luke",
    "data2vec-text",
    "roberta-prelayernorm",
    "xmod",
    "esm",
}
_RELATIVE_POSITIONS = {"t5", "mt5", "umt5", "longt5", "xlnet"}

#: A limit above this is none: tokenizers without a limit give 1e30.
_NO_LIMIT = 1_000_000
#: Most ids that a tokenizer keeps for later calls.
_KEPT_IDS = 5_000_000


class Subwords:
    """A tokenizer of transformers with the rules by which the suite uses it.

    A text is stripped, special tokens are added, and ids are kept: references that are counted first and embedded
    afterwards are split once.
    """

    def __init__(
        self, tokenizer: Any, config: Any, prefix_space: bool | str = "auto", use_fast: bool = False
    ) -> None:
        config = text_config(config)
        self.tokenizer = tokenizer
        self._check_vocabulary(config)
        self.prefix_space = puts_space(tokenizer, prefix_space, use_fast)
        self.limit = _limit(tokenizer, config)
        self.head, self.tail = self._around()
        self._ids_by_text: dict[str, NDArray[np.int32]] = {}
        self._n_ids = 0
        self._lock = Lock()
        self._fingerprint: str | None = None

    @property
    def zero_weight_ids(self) -> tuple[int, ...]:
        """The ids that count nothing without IDF: those of CLS and SEP, where the tokenizer has them."""
        ids = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return tuple(token_id for token_id in ids if token_id is not None)

    @property
    def padding_id(self) -> int:
        """The id that fills a batch; it is masked, so any will do where the tokenizer has none."""
        padding_id = self.tokenizer.pad_token_id
        return 0 if padding_id is None else int(padding_id)

    @property
    def n_special(self) -> int:
        """Number of special tokens around every text."""
        return len(self.head) + len(self.tail)

    @property
    def vocabulary_size(self) -> int:
        """Number of ids, added tokens included."""
        return len(self.tokenizer)

    @property
    def fingerprint(self) -> str:
        """Sixteen characters that stand for the tokenizer: its vocabulary and rules, and the space before texts."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint_of(self.tokenizer, self.prefix_space)
        return self._fingerprint

    def whole(self, texts: Sequence[str]) -> Ragged:
        """Return the ids of texts of any length, special tokens included; a row of int32 per text.

        Time: 20 to 60 microseconds for a sentence that is not among the kept ones.
        Memory: five million ids are kept, with their texts: a few hundred megabytes.
        """
        with self._lock:
            stored = self._ids_by_text
            new_texts = [text for text in dict.fromkeys(texts) if text not in stored]
            # copied, as what is stored may be dropped below
            ids_of_texts = {text: stored[text] for text in texts if text in stored}
            if new_texts:
                rows = self._encode(new_texts)
                ids_of_texts.update(zip(new_texts, rows, strict=True))
                n_ids = sum(map(len, rows))
                if self._n_ids + n_ids > _KEPT_IDS:
                    self._ids_by_text = {}
                    self._n_ids = 0
                if n_ids <= _KEPT_IDS:
                    self._ids_by_text.update(zip(new_texts, rows, strict=True))
                    self._n_ids += n_ids
        ids = [ids_of_texts[text] for text in texts]
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum([len(row) for row in ids], out=offsets[1:])
        values = np.concatenate(ids) if ids else np.zeros(0, np.int32)
        return Ragged(values, offsets)

    def length_limit(self, max_length: int | None) -> int | None:
        """Return the limit that holds for texts: the one asked for, or that of the encoder."""
        least = self.n_special + 1
        if max_length is None:
            return self.limit
        if max_length < least or (self.limit is not None and max_length > self.limit):
            upper_bound = "" if self.limit is None else f" to {self.limit}"
            raise OptionError(
                f"The 'max_length' option must be from {least}{upper_bound} for this encoder. Got {max_length} "
                "instead."
            )
        return max_length

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Return the tokenizer's own spelling of ids."""
        names: list[str] = self.tokenizer.convert_ids_to_tokens(list(ids))
        return names

    def spans(self, text: str) -> list[tuple[int, int] | None]:
        """Return where each token of a stripped text is in it, None for special tokens.

        An empty list where the tokenizer does not say (the slow ones of transformers).
        """
        if not getattr(self.tokenizer, "is_fast", False):
            return []
        encoded = self.tokenizer(
            self._prepared(text), return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
        )
        shift = int(self.prefix_space)
        spans: list[tuple[int, int] | None] = []
        for (start, stop), is_special in zip(encoded["offset_mapping"], encoded["special_tokens_mask"], strict=True):
            start = max(start - shift, 0)
            stop = max(stop - shift, 0)
            # Byte-level tokens include the space before a word.
            while start < stop and text[start].isspace():
                start += 1
            spans.append(None if is_special else (start, stop))
        return spans

    def _prepared(self, text: str) -> str:
        text = text.strip()
        if self.prefix_space and text:
            return f" {text}"
        return text

    def _encode(self, texts: list[str]) -> list[NDArray[np.int32]]:
        rows = self._ids([self._prepared(text) for text in texts])
        flat = np.fromiter(chain.from_iterable(rows), np.int32, sum(map(len, rows)))
        return np.split(flat, np.cumsum([len(row) for row in rows])[:-1])

    def _ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        encoded = self.tokenizer(
            texts,
            add_special_tokens=special,
            truncation=False,
            padding=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,  # longer texts are counted, cut or refused later
        )
        rows: list[list[int]] = encoded["input_ids"]
        return rows

    def _check_vocabulary(self, config: Any) -> None:
        """Refuse what transformers makes of a folder without the files of a tokenizer: a handful of tokens."""
        n_embeddings = getattr(config, "vocab_size", None)
        if isinstance(n_embeddings, int) and 2 * self.vocabulary_size < n_embeddings:
            raise OptionError(
                f"The tokenizer of this encoder has {self.vocabulary_size} tokens, but the encoder has embeddings "
                f"for {n_embeddings}: files of the tokenizer, such as tokenizer.json, are missing in the folder "
                "given as 'model_type'."
            )

    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the special tokens before and after every text, found by encoding one."""
        # a tokenizer of one script may have no token for a letter of another
        for probe in ("a", ".", "0", "中"):
            (content,) = self._ids([probe], special=False)
            (whole,) = self._ids([probe])
            for start in range(len(whole) - len(content) + 1):
                if content and whole[start : start + len(content)] == content:
                    return tuple(whole[:start]), tuple(whole[start + len(content) :])
        raise OptionError(
            f"The tokenizer {type(self.tokenizer).__name__} gives no token for single letters: its "
            "special tokens cannot be distinguished from those of a text."
        )


def fingerprint_of(tokenizer: Any, setting: Any) -> str:
    """Return sixteen characters that stand for a tokenizer, its vocabulary and rules, and a setting of its use."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        rules: Any = sorted(tokenizer.get_vocab().items())
    else:
        rules = json.loads(backend.to_str())
        # these are settings of the last call
        for setting_of_a_call in ("truncation", "padding"):
            rules.pop(setting_of_a_call, None)
    return sha256(json.dumps([rules, setting], sort_keys=True).encode()).hexdigest()[:16]


def puts_space(tokenizer: Any, requested: bool | str, use_fast: bool) -> bool:
    """Return whether a space is put before texts: as published, as bert-score does today, or as asked."""
    if isinstance(requested, bool):
        return requested
    if requested == "auto":
        return published_with_space(tokenizer)
    import transformers

    # bert-score passes add_prefix_space to the slow tokenizers; transformers 5 accepts and ignores it.
    old = int(transformers.__version__.split(".")[0]) < 5
    kind = type(tokenizer).__name__.removesuffix("Fast")
    return old and not use_fast and kind in ("GPT2Tokenizer", "RobertaTokenizer")


def lower_casing(tokenizer: Any) -> Any:
    """Let a tokenizer lower-case texts before all else, as sentence-transformers does where a folder asks for it."""
    from tokenizers.normalizers import Lowercase, Sequence

    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise OptionError(
            f"The folder given as 'model_type' requires lowercasing, which {type(tokenizer).__name__} cannot do: it "
            "is not a fast tokenizer (tokenizer.json)."
        )
    normalizers = [] if backend.normalizer is None else [backend.normalizer]
    backend.normalizer = Sequence([Lowercase(), *normalizers])
    return tokenizer


def published_with_space(tokenizer: Any) -> bool:
    """Return whether bert-score put a space before texts when the scores of papers and its table were made."""
    return type(tokenizer).__name__.removesuffix("Fast") in _WITH_SPACE


def _limit(tokenizer: Any, config: Any) -> int | None:
    # the tokenizer may know a limit, and the table of positions is one: the smaller holds
    limits = []
    if tokenizer.model_max_length <= _NO_LIMIT:
        limits.append(int(tokenizer.model_max_length))
    if config.model_type not in _RELATIVE_POSITIONS:
        positions = positions_of(config, ("max_position_embeddings", "n_positions"))
        if positions is not None:
            limits.append(positions)
    return min(limits, default=None)


def positions_of(config: Any, names: Sequence[str]) -> int | None:
    """Return how many tokens a network has positions for, by the first of some names in its configuration."""
    for name in names:
        positions = getattr(config, name, None)
        if not isinstance(positions, int) or positions <= 0:
            continue
        if config.model_type in _SHIFTED_POSITIONS:
            return positions - (config.pad_token_id or 0) - 1
        return positions
    return None
