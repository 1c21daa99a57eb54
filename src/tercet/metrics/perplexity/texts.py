"""Distinct texts as a language model reads them: their ids, what is cut, and how much text the ids stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.errors import InputError, OptionError, shorten

from .model import LanguageModel

if TYPE_CHECKING:
    from .metric import Perplexity


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts, ready to be scored."""

    rows: list[list[int]]  # the ids of each text, with the start token, after any truncation
    whole: NDArray[np.int64]  # how many ids each had before it was cut
    skipped: NDArray[np.int64]  # how many tokens of each were cut from its beginning
    sizes: NDArray[np.int64]  # bytes in UTF-8 and characters that the scored tokens of each stand for


def start_of(o: Perplexity, model: LanguageModel) -> list[int]:
    """Return the ids before each text: the start token, or nothing."""
    if not o.add_start_token:
        return []
    if model.tokenizer.bos_token_id is None:
        raise OptionError(
            "The tokenizer of this language model has no start token (BOS): give add_start_token=False. Then the "
            "first token of each text is read but not scored."
        )
    return [model.tokenizer.bos_token_id]


def window_of(o: Perplexity, model: LanguageModel) -> tuple[int | None, int]:
    """Return how many tokens the model sees at a time, None for no limit, and how far a window moves on."""
    size = model.limit if o.max_length is None else o.max_length
    if size is not None and model.limit is not None and size > model.limit:
        raise OptionError(
            f"The 'max_length' option of perplexity_lm must be from 2 to {model.limit} for this language model. Got "
            f"{o.max_length} instead."
        )
    if size is None or o.stride is None:
        return size, max((size or 2) // 2, 1)
    if o.stride >= size:
        raise OptionError(
            f"The 'stride' option of perplexity_lm must be below the length of a window, {size} tokens. Got "
            f"{o.stride} instead."
        )
    return size, o.stride


def read_texts(texts: Sequence[str], o: Perplexity, model: LanguageModel) -> Texts:
    """Return different texts as a model reads them.

    Time: about a microsecond per byte. Memory: the ids.
    """
    start, (size, _) = start_of(o, model), window_of(o, model)
    rows = [[*start, *row] for row in model.ids(texts)]
    whole = np.array([len(row) for row in rows], np.int64)
    sizes = np.array([(len(text.encode()), len(text)) for text in texts], np.int64).reshape(-1, 2)
    skipped = np.zeros(len(rows), np.int64)
    most = size if o.long_text == "truncate" and size is not None else whole.max(initial=0)
    for index in np.flatnonzero((whole > most) | (not start)).tolist():
        row = rows[index]
        first, stop = len(start), min(len(row), most)
        if stop < len(row) and model.tokenizer.truncation_side == "left":
            first, stop = len(row) - (stop - len(start)), len(row)
        rows[index], skipped[index] = [*start, *row[first:stop]], first - len(start)
        unread = 0 if start else 1  # the first token is read, not scored
        sizes[index] = _size(texts[index], first - len(start) + unread, stop - len(start), model)
    return Texts(rows, whole, skipped, sizes)


def _size(text: str, first: int, stop: int, model: LanguageModel) -> tuple[int, int]:
    """Return bytes and characters that the tokens `first` to `stop` of a text stand for."""
    if stop <= first:
        return 0, 0
    spans = model.spans(text)
    part = text[spans[first - 1][1] if first else 0 : spans[stop - 1][1] if stop < len(spans) else len(text)]
    return len(part.encode()), len(part)


def check_lengths(
    metric: Perplexity, model: LanguageModel, texts: Texts, own: NDArray[np.int64], batch: Corpus
) -> None:
    """Raise an InputError for the first item that is too short to be scored, or too long."""
    start, (size, _) = start_of(metric, model), window_of(metric, model)
    lengths = texts.whole[own]
    for index in np.flatnonzero(lengths < 2).tolist() if metric.empty_text == "error" else ():
        least = "one token" if start else "two tokens (one with add_start_token=True)"
        count = lengths[index] - len(start)
        raise InputError(
            f"item {batch.first_item + index % batch.n_segments} of predictions is too short to be scored: "
            f"{shorten(batch.texts[index].as_py())} has {count} {'token' if count == 1 else 'tokens'}, expected "
            f"at least {least}. empty_text='skip' leaves such texts out."
        )
    for index in np.flatnonzero(lengths > (size or lengths)).tolist() if metric.long_text == "error" else ():
        raise InputError(
            f"item {batch.first_item + index % batch.n_segments} of predictions has {lengths[index]} tokens, more "
            f"than the limit of {size}: {shorten(batch.texts[index].as_py())}. long_text='window' scores it whole, "
            "'truncate' only its beginning."
        )
