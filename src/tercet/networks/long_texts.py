"""Texts that are longer than an encoder takes: cut, with a warning, or read in windows that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, shorten

from .subwords import Subwords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tercet.corpus.corpus import Corpus
    from tercet.corpus.reading import Crossing


def cut_texts(whole: Ragged, batch: Corpus | Crossing, limit: int | None, long_text: str) -> NDArray[np.bool_]:
    """Return which documents of a batch are cut at `limit` tokens; InputError for one that is too long."""
    is_too_long = np.zeros(len(whole.lengths), bool)
    if limit is not None:
        is_too_long = whole.lengths > limit
    if long_text == "error" and is_too_long.any():
        document = int(np.flatnonzero(is_too_long)[0])
        text = document % len(batch.texts)  # of a crossing whose texts have a document on each side
        raise InputError(
            f"{batch.name_of(text)} has {whole.lengths[document]} tokens, more than the encoder's "
            f"limit of {limit}: {shorten(batch.texts[text].as_py())}. long_text='window' scores it whole, "
            "'truncate' only its beginning."
        )
    if long_text == "truncate":
        return is_too_long
    return np.zeros_like(is_too_long)


def truncate(whole: Ragged, limit: int | None, subwords: Subwords) -> Ragged:
    """Cut every row to `limit` tokens, the special ones at its ends kept."""
    lengths = whole.lengths
    if limit is None or not (lengths > limit).any():
        return whole
    position = np.arange(len(whole.values)) - np.repeat(whole.offsets[:-1], lengths)
    distance_to_end = np.repeat(lengths, lengths) - position
    if getattr(subwords.tokenizer, "truncation_side", "right") == "left":
        is_kept = (position < len(subwords.head)) | (distance_to_end <= limit - len(subwords.head))
    else:
        is_kept = (position < limit - len(subwords.tail)) | (distance_to_end <= len(subwords.tail))
    is_kept |= np.repeat(lengths <= limit, lengths)
    offsets = np.append(0, np.minimum(lengths, limit).cumsum())
    return Ragged(whole.values[is_kept], offsets)


def cut_warning(cut: int, limit: int | None) -> str:
    """Return a warning of texts that were cut at `limit` tokens."""
    texts_were = "text was" if cut == 1 else "texts were"
    return f"{cut} {texts_were} longer than {limit} tokens and truncated: long_text='window' scores such texts whole."


@dataclass(frozen=True, slots=True)
class Windows:
    """The input of the encoder: texts, or overlapping windows of those that are too long."""

    ids: Ragged  # a row per window
    # the tokens of the window whose embeddings are taken: from `first` up to, but not including, `last`
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    target: NDArray[np.int64]  # the row of the store where the first of them goes
    widths: NDArray[np.int64] | None = None  # to how many tokens each is padded; None for the longest of its batch

    def some(self, chosen: NDArray[np.bool_]) -> Windows:
        """Return the windows that are marked."""
        if chosen.all():
            return self
        ids = self.ids.rows(np.flatnonzero(chosen))
        widths = None if self.widths is None else self.widths[chosen]
        return Windows(ids, self.first[chosen], self.last[chosen], self.target[chosen], widths)


def windows_of(rows: Ragged, limit: int | None, subwords: Subwords) -> Windows:
    """Return the input of an encoder: texts, or overlapping windows of those of more than `limit` tokens."""
    if limit is None or not (rows.lengths > limit).any():
        # One window per text, all of it; none for a text without tokens.
        lengths = rows.lengths
        has_tokens = lengths > 0
        first = np.zeros(int(has_tokens.sum()), np.int64)
        offsets = np.append(rows.offsets[:-1][has_tokens], rows.offsets[-1])
        return Windows(Ragged(rows.values, offsets), first, lengths[has_tokens], offsets[:-1])
    return overlapping_windows(rows, limit, subwords.head, subwords.tail)


def overlapping_windows(rows: Ragged, limit: int, head: tuple[int, ...], tail: tuple[int, ...]) -> Windows:
    """Cut texts of more than `limit` tokens into windows that overlap by half.

    Every window has the special tokens around it. A token is taken from the window in which it stands farthest from
    an edge, so that it is embedded with a quarter of the window on either side at least (but at the ends of a text).
    Time: twice that of the tokens once.
    """
    content_size = limit - len(head) - len(tail)
    step = max(content_size // 2, 1)
    ids: list[NDArray[np.int32]] = []
    taken: list[tuple[int, int, int]] = []  # of each window: its first and last token, and where they go
    for start, stop in zip(rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True):
        row = rows.values[start:stop]
        if len(row) <= limit:
            ids.append(row)
            taken.append((0, len(row), start))
            continue
        content = row[len(head) : len(row) - len(tail)]
        starts = [*range(0, len(content) - content_size, step), len(content) - content_size]
        # The first window takes one half of the tokens that both share, the second the other.
        borders = [(content_start + content_size + next_start) // 2 for content_start, next_start in pairwise(starts)]
        for number, content_start in enumerate(starts):
            first_taken = 0
            if number > 0:
                first_taken = borders[number - 1] - content_start + len(head)
            last_taken = limit
            if number < len(borders):
                last_taken = borders[number] - content_start + len(head)
            part = content[content_start : content_start + content_size]
            ids.append(np.concatenate([head, part, tail]).astype(np.int32))
            taken.append((first_taken, last_taken, start + content_start + first_taken))
    first, last, target = np.array(taken, np.int64).reshape(-1, 3).T
    offsets = np.append(0, np.cumsum([len(row) for row in ids])).astype(np.int64)
    values = np.concatenate(ids) if ids else rows.values
    return Windows(Ragged(values, offsets), first, last, target)
