"""Texts -> their words, or numbers of tokens, in plain Python: strings or columns, checked and split by a reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np

from .character_kinds import is_counted, is_without_blanks
from .plain_readings import READINGS, Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Python strings, or bytes in UTF-8 and where each text begins among them, and the end, as in a column of Arrow; then
#: the same of further columns.
Texts: TypeAlias = "list[str] | tuple[NDArray[Any], ...]"
Offsets: TypeAlias = "NDArray[np.int64] | None"
Words = list[str]


class LoneSurrogateError(ValueError):
    """A text is not valid Unicode; the number of its item is `item`."""

    def __init__(self, item: int) -> None:
        super().__init__(f"text {item} is not valid Unicode: it holds a lone surrogate")
        self.item = item


class TooMuchMemoryError(MemoryError):
    """The texts of an item take more memory than there is, or are longer than 4 GiB; its number is `item`."""

    def __init__(self, item: int) -> None:
        super().__init__(f"item {item} takes more memory than is available")
        self.item = item


def texts_of_items(
    texts: Texts, n: int, reference_offsets: NDArray[np.int64] | None, n_systems: int
) -> list[tuple[list[str], list[str]]]:
    """Return the predictions of each item, one of each system, and its references.

    ValueError for another number of texts, and for one that is not valid Unicode.
    """
    every = strings(texts)
    n_predictions = n_systems * n
    references = every[n_predictions:]
    offsets = list(range(n + 1))
    if reference_offsets is not None:
        offsets = reference_offsets.tolist()
    if len(references) != offsets[n]:
        raise ValueError("the lists of texts have changed")
    items = []
    for item, (start, stop) in enumerate(pairwise(offsets)):
        predictions_of_item = every[item:n_predictions:n]  # every n-th: one of each system
        references_of_item = references[start:stop]
        if not all(map(is_valid, chain(predictions_of_item, references_of_item))):
            raise LoneSurrogateError(item)
        items.append((predictions_of_item, references_of_item))
    return items


def strings(texts: Texts) -> list[str]:
    """Return texts as Python strings."""
    if isinstance(texts, tuple):
        columns = zip(texts[::2], texts[1::2], strict=True)
        return [
            data[start:stop].tobytes().decode()
            for data, starts in columns
            for start, stop in pairwise(starts.tolist())
        ]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a text must be a string, got {type(text).__name__}")
    return texts


def pairs_of(
    texts: Texts, n: int, reference_offsets: Offsets, reading: str, n_systems: int
) -> list[tuple[Words, list[Words]]]:
    """Return the words of each prediction, and those of its references, system by system: of all their lines."""
    items = pairs_of_lines(texts, n, reference_offsets, reading, n_systems)
    return [(_words(text), list(map(_words, references))) for text, references in items]


def _words(lines: Lines) -> Words:
    return list(chain.from_iterable(lines))


def pairs_of_lines(
    texts: Texts,
    n: int,
    reference_offsets: Offsets,
    reading: str,
    n_systems: int,
    word_map: Callable[[str], str] = str,
) -> list[tuple[Lines, list[Lines]]]:
    """Return the lines of each prediction, and of its references, as words; those without words are left out."""
    split = READINGS[reading]

    def lines_of(text: str) -> Lines:
        lines = []
        for line in split(text):
            if line:
                lines.append(list(map(word_map, line)))
        return lines

    items = []
    for texts_of_systems, references in texts_of_items(texts, n, reference_offsets, n_systems):
        items.append((list(map(lines_of, texts_of_systems)), list(map(lines_of, references))))
    pairs = []
    for system in range(n_systems):
        for predictions, references_in_lines in items:
            pairs.append((predictions[system], references_in_lines))
    return pairs


Numbered: TypeAlias = (
    "tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], "
    "NDArray[np.int64]]"
)


def intern(texts: Texts, reading: str) -> Numbered:
    """Split texts into tokens, and give each different token a number, from 0 in the order of first occurrence.

    Texts are strings, or their bytes in UTF-8 and where each begins and the last one ends. Text i holds the tokens
    ``offsets[i]`` to ``offsets[i + 1]`` of the ids, and the lines ``line_offsets[i]`` to ``line_offsets[i + 1]``;
    line j (never one without tokens) the tokens ``line_starts[j]`` to ``line_starts[j + 1]``. Last come the different
    tokens in UTF-8, one behind the other, and where each begins.
    """
    split = READINGS[reading]
    types: dict[str, int] = {}
    ids: list[int] = []
    offsets = [0]
    line_starts = [0]
    line_offsets = [0]
    for item, text in enumerate(strings(texts)):
        if not is_valid(text):
            raise LoneSurrogateError(item)
        for line in filter(None, split(text)):
            ids.extend([types.setdefault(word, len(types)) for word in line])
            line_starts.append(len(ids))
        offsets.append(len(ids))
        line_offsets.append(len(line_starts) - 1)
    words = [word.encode() for word in types]
    return (
        np.array(ids, np.int32), np.array(offsets), np.array(line_starts), np.array(line_offsets),
        np.frombuffer(b"".join(words), np.uint8), np.array([0, *accumulate(map(len, words))]),
    )  # fmt: skip


def is_valid(text: str) -> bool:
    """Return whether a string is valid Unicode: without lone surrogates."""
    return text.isascii() or not re.search("[\ud800-\udfff]", text)


def paired_strings(
    texts: Sequence[Any], references: Sequence[Any]
) -> tuple[list[str], list[str], list[int] | None] | None:
    """Return texts, all their references in one list, and where those of each text begin; None for all else.

    An entry of the references is a string, as all others are, or a list or a tuple of strings. Where each is, or has,
    one string, there is no need to say where. The lists are new ones: another thread may change the original.
    """
    texts = list(texts)
    references = list(references)
    if len(texts) != len(references) or not all_strings(texts):
        return None
    if all_strings(references):
        return texts, references, None
    if not set(map(type, references)) <= {list, tuple}:
        return None
    flat = list(chain.from_iterable(references))
    if not all_strings(flat):
        return None
    if all(len(entry) == 1 for entry in references):
        return texts, flat, None
    return texts, flat, [0, *accumulate(map(len, references))]


def all_strings(values: list[Any]) -> bool:
    """Return whether all of a list are strings, and none is of a subclass."""
    return set(map(type, values)) <= {str}


def lowered(texts: list[str]) -> list[str]:
    """Return texts in lower case; compiled, of those in ASCII 16 letters at once."""
    return [text.lower() for text in texts]


def is_plain(texts: list[str], marks: bytes) -> bool:
    """Return whether texts have only characters of ASCII, and none of some of these."""
    joined = "".join(texts)
    return joined.isascii() and not set(joined) & set(marks.decode())


def letters(texts: Texts) -> tuple[int, int, int, int]:
    """Count letters a to z, those outside ASCII, those of scripts without blanks, and texts without a to z.

    The last are those that have letters, but none of a to z: a tokenizer for Latin letters loses them.
    """
    of_ascii = others = without_blanks = lost = 0
    for text in strings(texts):
        n_ascii = len(re.findall("[A-Za-z]", text))
        beyond: list[str] = []
        if not text.isascii():
            beyond = [c for c in text if c > "\x7f" and is_counted(c)]
        of_ascii += n_ascii
        others += len(beyond)
        without_blanks += sum(map(is_without_blanks, beyond))
        lost += bool(beyond) and not n_ascii
    return of_ascii, others, without_blanks, lost
