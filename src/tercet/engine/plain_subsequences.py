"""Longest common subsequences of texts of several lines, counted from token ids as in :mod:`.plain_ngrams`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from tercet import numpy_later as np

from .plain_ngrams import Ids, Places, Tokens, tokens_of_documents

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weights: TypeAlias = "NDArray[np.float64]"
Lines = Sequence[Tokens]


def union_lcs_hits(
    ids: Ids, offsets: Places, lines: Places, line_offsets: Places, texts: Places, references: Places, n_types: int,
    left_ids: Ids, left_offsets: Places,
) -> Places:  # fmt: skip
    """Return the clipped hits of the union LCS (Lin 2004, section 3.2; ROUGE-Lsum, ROUGE-1.5.5's ROUGE-L).

    A token of a reference line is hit when the longest common subsequence with any line of the text goes through it;
    hits count as long as both documents have that token left. Where several subsequences are longest, the one of
    rouge_score and ROUGE-1.5.5 is taken: from the ends, a match first, else back in the text only if that alone keeps
    the length, else back in the reference. `lines` holds the first token of every line, and where the last one ends;
    with `left_ids`, a token is hit at most as often as both documents have it there.
    """
    documents = _lines(ids, lines, line_offsets)
    left = tokens_of_documents(left_ids, left_offsets)
    hits = []
    for text, reference in zip(texts.tolist(), references.tolist(), strict=True):
        hits_by_line = hit_lines(documents[text], documents[reference], left[text], left[reference])
        hits.append(sum(map(len, hits_by_line)))
    return np.array(hits, np.int64)


def weighted_lcs_hits(
    ids: Ids, offsets: Places, lines: Places, line_offsets: Places, texts: Places, references: Places, n_types: int,
    left_ids: Ids, left_offsets: Places, weights: Weights,
) -> Weights:  # fmt: skip
    """Return the weighted hits of the union of weighted LCS (Lin 2004, section 4; ROUGE-W of ROUGE-1.5.5).

    As in the script, a match is always taken, and among equals the way back leads through the reference; a token that
    the text has no more of counts for nothing, and a run of hits that it would end goes on. ``weights[k]`` is the
    worth of a run of k hits; the rest is as for :func:`union_lcs_hits`.
    """
    documents = _lines(ids, lines, line_offsets)
    left = tokens_of_documents(left_ids, left_offsets)
    worth = weights.tolist()
    hits = []
    for text, reference in zip(texts.tolist(), references.tolist(), strict=True):
        hits.append(worth_of_runs(documents[text], documents[reference], left[text], left[reference], worth))
    return np.array(hits, np.float64)


def worth_of_runs(
    text: Lines, reference: Lines, text_left: Tokens, reference_left: Tokens, weights: list[float]
) -> float:  # fmt: skip
    """Return the weighted hits of one pair, in lines of tokens."""
    total = 0.0
    for line in hit_lines(text, reference, text_left, reference_left, weights):
        run = 0
        for goes_on in line:
            run += 1
            if not goes_on:
                total += weights[run]
                run = 0
    return total


def _lines(ids: Ids, lines: Places, line_offsets: Places) -> list[Lines]:
    """Return the lines of each document."""
    rows = tokens_of_documents(ids, lines)
    return [rows[start:stop] for start, stop in pairwise(line_offsets.tolist())]


def hit_lines(
    text: Lines, reference: Lines, text_left: Tokens, reference_left: Tokens, weights: Sequence[float] | None = None
) -> Iterator[list[bool]]:
    """Yield the hits in each line of the reference: whether a subsequence goes through the next token, too."""
    left = Counter(text_left) & Counter(reference_left)
    for line in reference:
        positions: set[int] = set()
        for line_of_text in text:
            positions |= _common_positions(line_of_text, line, weights)
        hits = []
        for position in sorted(positions):
            token = line[position]
            if left[token] > 0:
                left[token] -= 1
                hits.append(position + 1 in positions)
        yield hits


def _common_positions(text: Tokens, reference: Tokens, weights: Sequence[float] | None) -> set[int]:
    """Return where the heaviest common subsequence goes through the reference: the longest one without weights."""
    weights = weights or range(len(reference) + 2)
    # worth[j][i]: of the first j tokens of the text and the first i of the reference; runs: matches that end there.
    worth = [[0.0] * (len(reference) + 1)]
    runs_above = [0] * (len(reference) + 1)
    for token in text:
        above = worth[-1]
        row = [0.0]
        runs = [0]
        for i, other in enumerate(reference):
            if token == other:
                run = runs_above[i]
                row.append(above[i] + weights[run + 1] - weights[run])
                runs.append(run + 1)
            else:
                row.append(max(above[i + 1], row[i]))
                runs.append(0)
        worth.append(row)
        runs_above = runs
    positions: set[int] = set()
    i = len(reference)
    j = len(text)
    while i and j:
        if reference[i - 1] == text[j - 1]:
            i -= 1
            j -= 1
            positions.add(i)
        elif worth[j][i - 1] >= worth[j][i]:
            i -= 1
        else:
            j -= 1
    return positions
