"""The cells of a column -> what they are: texts, codes, labels, and whether they go with the references."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from tercet.engine.character_kinds import UNSPACED
from tercet.files.json_values import as_list

from .lacks import Lack

if TYPE_CHECKING:
    from tercet.files.table import Table

# A number, a date, an id, a hash or an address. Each digit that must be there is the first of its kind, so that no
# other is tried: long runs of digits would take the square of their length.
_CODE = re.compile(
    r"[\s:.,/+-]*\d[\d\s:.,/+-]*|(?:[A-Za-z_.:/#-]*[0-9]|[A-Za-z0-9_.:/#-]*(?![0-9])\d)[A-Za-z0-9_.:/#-]*"
    r"|[a-z]+://\S+"
)
# These numbers are chosen, not measured.
#: Different values that labels have at most, such as "a", "b" and "tie".
_MOST_LABELS = 4
#: In fewer rows, texts may share words by chance, or none.
LEAST_ROWS = 4
# Rows that are compared, of a larger table, spread over all of it: more take longer and say no more.
_MOST_ROWS = 300
# How many other rows' references a text is compared with: one alone may be like it by chance.
_SHIFTS = 5
# What a column must share beyond chance, as a part of what the best column shares, which counts up to _ENOUGH.
_LEAST_PART = 0.3
_ENOUGH = 0.5
# What the best column must share beyond chance; below that, nothing is said of any.
_LEAST_BEST = 0.1
_WordSet = frozenset[str]


def lack(cells: Iterable[Any]) -> Lack | None:
    """Return why a column has no texts; None where it has some: its cells are texts or missing, not all numbers."""
    from tercet.files.numbers import is_written_number

    values = [cell for cell in cells if cell is not None and cell != ""]
    if not values:
        return Lack.EMPTY
    if not all(isinstance(cell, str) for cell in values):
        return Lack.NO_TEXT
    if all(map(is_written_number, values)):
        return Lack.CODES
    return None


def may_be_texts(cells: Iterable[Any], why_not: Lack) -> bool:
    """Return whether a column that has no texts may have been meant to have a system's.

    An empty one may, and bytes, which are texts in another encoding than UTF-8. Numbers and lists are scores or
    contexts.
    """
    if why_not is Lack.EMPTY:
        return True
    if why_not is Lack.CODES:
        return False
    texts = []
    for cell in cells:
        if isinstance(cell, str):
            texts.append(cell)
        elif isinstance(cell, bytes):
            texts.append("bytes")
    return lack(texts) is None


def are_codes(cells: Iterable[Any]) -> bool:
    """Return whether all filled cells are numbers, dates, ids, hashes or addresses."""
    return all(map(_CODE.fullmatch, (cell.strip() for cell in cells if cell)))


def has_few_values(cells: Sequence[Any]) -> bool:
    """Return whether a column has a few values of a word each, which repeat, as labels do."""
    values = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    different = set(values)
    return (
        len(values) >= 2 * LEAST_ROWS
        and 1 < len(different) <= _MOST_LABELS
        and not any(re.search(r"\s", value) for value in different)
    )


def are_among(cells: Sequence[Any], labels: set[str]) -> bool:
    """Return whether most filled cells are one of some labels."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(cell in labels for cell in filled) > len(filled)


def are_names(cells: Sequence[Any]) -> bool:
    """Return whether all cells are filled with texts or whole numbers, of which some repeat."""
    are_filled = all(isinstance(cell, str | int) and cell != "" for cell in cells)
    return are_filled and 1 < len(set(cells)) < len(cells)


def texts_within(cells: Iterable[Any]) -> Iterable[Any]:
    """Return the values of cells, those of lists one by one."""
    return chain.from_iterable(map(as_list, cells))


def texts_of_rows(table: Table, columns: Sequence[str]) -> list[list[str]]:
    """Return the texts that each row has in some columns, whose cells may be lists of them."""
    texts = []
    for row in range(len(table.lines)):
        cells = texts_within([table.columns[name][row] for name in columns])
        texts.append([cell for cell in cells if isinstance(cell, str) and cell])
    return texts


def unrelated(columns: Mapping[str, Sequence[Any]], references: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns that hardly share a word with the references of their rows, while others do.

    What counts is how much more a text shares with the references of its row than with those of other rows: remarks
    in the language of the references share its articles with any. Letters of scripts without blanks are words.
    """
    # One of the rows with the same references: to compare it with the others would say nothing.
    row_of_texts = {tuple(texts): row for row, texts in enumerate(references) if texts}
    step = max(1, math.ceil(len(row_of_texts) / _MOST_ROWS))
    rows = sorted(row_of_texts.values())[::step]
    if len(rows) < LEAST_ROWS or len(columns) < 2:
        return []
    targets = [_word_set(references[row]) for row in rows]
    shares = {}
    for name, cells in columns.items():
        texts = [_word_set([cells[row] or ""]) for row in rows]
        shares[name] = _shares(texts, targets)
    best_beyond = max(beyond for _, beyond in shares.values())
    largest_share = max(share for share, _ in shares.values())
    if best_beyond < _LEAST_BEST:
        return []
    least = _LEAST_PART * min(best_beyond, _ENOUGH)
    return [name for name, (share, beyond) in shares.items() if beyond < least and 2 * share < largest_share]


def _shares(texts: Sequence[_WordSet], targets: Sequence[_WordSet]) -> tuple[float, float]:
    """Return the mean share of words in common with the own references, and how much more it is than with others."""
    own_share = _mean_share(zip(texts, targets, strict=True))
    other_shares = []
    for shift in range(1, min(_SHIFTS, len(targets) - 1) + 1):
        shifted = [*targets[shift:], *targets[:shift]]
        other_shares.append(_mean_share(zip(texts, shifted, strict=True)))
    return own_share, own_share - sum(other_shares) / len(other_shares)


def _mean_share(pairs: Iterable[tuple[_WordSet, _WordSet]]) -> float:
    # Of the shorter text: an answer of one word is wholly within a long explanation.
    shares = [len(text & target) / min(len(text), len(target)) for text, target in pairs if text and target]
    if not shares:
        return 0.0
    return sum(shares) / len(shares)


def _word_set(texts: Iterable[str]) -> _WordSet:
    words: set[str] = set()
    for text in texts:
        words.update(_pattern().findall(text.casefold()))
    return frozenset(words)


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(rf"[{UNSPACED}]\p{{M}}*|[\p{{L}}\p{{N}}][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*", regex.V1)
