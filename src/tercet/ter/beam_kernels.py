"""The edit distance of two texts within a beam, as parts of kernels.

Its table has a row for each word of the text, and one before the first, and a column for each word of the reference.
In a row, only the cells near the diagonal count. All rows lie in one array, `width` cells each: ``bases[i] + j`` is
where cell (i, j) lies. Cells beside those of a row that are read from the next one are filled with `FAR`. Bases are
unsigned and may wrap around: they are below 0 where a row begins far to the right.

Word j of the reference, from 1 on, is ``reference[j]``; there is room for one more behind the last.
"""

import math

import numpy as np

from tercet.core.jit import part_of_kernel

_U64, _I32, _I64 = np.uint64, np.int32, np.int64
_ONE = np.uint64(1)
FAR = np.int32(1 << 29)

#: How many cells beside the diagonal count: Tercom's beam.
_BEAM = 25

#: What an alignment is made of, in `steps`: the word of the text equals that of the reference, stands for it, has no
#: counterpart there, or the other way round.
MATCH, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3


@part_of_kernel
def fill_beam(n_words, n_reference, lows, highs, bases):
    """Fill the first cell of each row and the one behind the last; return the width of a row of the table."""
    ratio = n_reference / n_words
    beam = _BEAM
    if beam < ratio / 2:
        beam = math.ceil(ratio / 2 + beam)
    for i in range(1, n_words + 1):
        diagonal = math.floor(i * ratio)
        lows[i] = max(0, diagonal - beam)
        highs[i] = min(n_reference + 1, diagonal + beam)
    highs[n_words] = n_reference + 1
    lows[0], highs[0] = 0, highs[1]  # of the row before the first word, what the next one reads
    width = 0
    for i in range(n_words + 1):
        first = lows[max(i - 1, 0)]
        last = highs[min(i + 1, n_words)]
        width = max(width, last - first + 3)
    for i in range(n_words + 1):
        bases[i] = _U64(i * width - lows[max(i - 1, 0)] + 1)
    return width


@part_of_kernel
def next_row(word, reference, before, before_base, here, here_base, low, high, next_high):
    """Fill a row of costs of beginnings, from that of the word before."""
    diagonal, left = before[before_base + low - _ONE], FAR
    here[here_base + low - _ONE] = FAR
    for j in range(low, high):
        above = before[before_base + j]
        cost = min(min(above, left) + _I32(1), diagonal + _I32(reference[j] != word))
        here[here_base + j] = cost
        diagonal, left = above, cost
    for j in range(high, next_high):
        here[here_base + j] = FAR


@part_of_kernel
def fill_heads(words, first, n_words, reference, lows, highs, bases, heads):
    """Fill rows `first` to `n_words` of the costs of all beginnings."""
    if first == 0:
        heads[bases[0] - _ONE] = FAR
        for j in range(highs[0]):
            heads[bases[0] + _U64(j)] = j
        first = 1
    for i in range(first, n_words + 1):
        next_high = highs[min(i + 1, n_words)]
        next_row(
            words[i - 1], reference, heads, bases[i - 1], heads, bases[i], _U64(lows[i]), _U64(highs[i]),
            _U64(next_high),
        )  # fmt: skip


@part_of_kernel
def fill_tails(words, last, n_words, n_reference, reference, lows, highs, bases, tails):
    """Fill rows `last` to 1 of the costs of all ends."""
    for i in range(last, 0, -1):
        low, high, base = _U64(lows[i]), _U64(highs[i]), bases[i]
        for j in range(_U64(lows[i - 1]), low):
            tails[base + j] = FAR
        tails[base + high] = FAR
        if i == n_words:
            for j in range(low, high):
                tails[base + j] = n_reference - _I64(j)
            continue
        below_base, word = bases[i + 1], words[i]
        right, diagonal, j = FAR, tails[below_base + high], high
        while j > low:
            j -= _ONE
            below = tails[below_base + j]
            cost = min(min(below, right) + _I32(1), diagonal + _I32(reference[j + _ONE] != word))
            tails[base + j] = cost
            diagonal, right = below, cost


@part_of_kernel
def fill_steps(words, n_words, n_reference, reference, bases, heads, steps):
    """Fill the alignment, from its end; return its length.

    Among equal ones: a match or a substitution first, then a word of the text alone, then one of the reference.
    """
    i, j, n = n_words, n_reference, 0
    while i > 0 or j > 0:
        if i == 0:
            steps[n] = DELETION
            j -= 1
        else:
            cost = heads[bases[i] + _U64(j)]
            differs = j > 0 and words[i - 1] != reference[j]
            if j > 0 and heads[bases[i - 1] + _U64(j) - _ONE] + differs == cost:
                steps[n] = SUBSTITUTION if differs else MATCH
                i -= 1
                j -= 1
            elif heads[bases[i - 1] + _U64(j)] + 1 == cost:
                steps[n] = INSERTION
                i -= 1
            else:
                steps[n] = DELETION
                j -= 1
        n += 1
    return n
