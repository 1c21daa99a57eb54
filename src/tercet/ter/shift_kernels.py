"""Kernels of the translation edit rate: the greedy search for shifts.

A shift exchanges two blocks of words that are next to each other, so the words before and behind them stay where they
were. What the text costs after it follows from the costs of all its beginnings (`heads`) and of all its ends
(`tails`), with new rows only for the words that moved: the least sum of a head and a tail that meet in the last row.
"""

import numpy as np

from tercet.core.jit import kernel, part_of_kernel

from .beam_kernels import DELETION, FAR, INSERTION, MATCH, fill_beam, fill_heads, fill_steps, fill_tails, next_row

_U64 = np.uint64
_ONE = np.uint64(1)

#: The limits of Tercom: words of a shift, and how far the words it matches may be apart; and that of sacrebleu.
_MOST_WORDS, _MOST_DISTANCE, _MOST_CANDIDATES = 10, 50, 1000


@part_of_kernel
def _fill_alignment(steps, n_steps, aligned, text_errors, reference_errors):
    """Fill which word of the text each of the reference is aligned with, and how many errors stand before each.

    A word of the reference without counterpart is aligned with the word before it, -1 at the beginning.
    """
    i, j = 0, 0
    text_errors[0] = reference_errors[0] = 0
    for n in range(n_steps - 1, -1, -1):
        step = steps[n]
        if step != DELETION:
            text_errors[i + 1] = text_errors[i] + (step != MATCH)
            i += 1
        if step != INSERTION:
            aligned[j] = i - 1
            reference_errors[j + 1] = reference_errors[j] + (step != MATCH)
            j += 1


@part_of_kernel
def _fill_candidates(
    words, n_words, n_reference, reference, aligned, text_errors, reference_errors, n_before, candidates
):
    """Fill the shifts to try: first word, number of words, and the word before which they go; return their number.

    Shifts are of words that stand in the reference too, and are not aligned there, to a place that is wrong. After
    `_MOST_CANDIDATES`, with the `n_before` of earlier rounds, the number is at least what was left of them.
    """
    n = 0
    for start in range(n_words):
        word = words[start]
        for place in range(max(0, start - _MOST_DISTANCE), min(n_reference, start + _MOST_DISTANCE + 1)):
            if reference[place + 1] != word:
                continue
            most = min(_MOST_WORDS, n_words - start, n_reference - place)
            for length in range(1, most + 1):
                if words[start + length - 1] != reference[place + length]:
                    break
                if text_errors[start + length] == text_errors[start]:
                    continue
                if reference_errors[place + length] == reference_errors[place]:
                    continue
                if start <= aligned[place] < start + length:
                    continue
                before = -1
                for k in range(place - 1, place + length):
                    target = 0 if k < 0 else aligned[k] + 1
                    if target != before:
                        candidates[n, 0], candidates[n, 1], candidates[n, 2] = start, length, target
                        before = target
                        n += 1
                if n_before + n >= _MOST_CANDIDATES:
                    return n
    return n


@part_of_kernel
def _blocks(n_words, start, length, target):
    """Return where the two blocks begin that a shift exchanges, where the second does, and where it ends."""
    if target < start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_words, length + target)  # into itself: moved on by so many words


@part_of_kernel
def _cost_of_exchange(words, n_words, first, middle, last, reference, lows, highs, bases, heads, tails, rows, size):
    """Return the edit distance of the text whose blocks are exchanged; `rows` holds two rows of `size` cells."""
    i = first
    here = _ONE
    for k in range(first, last):
        i += 1
        moved = words[middle + (k - first)] if k - first < last - middle else words[k - (last - middle)]
        low, high, next_high = _U64(lows[i]), _U64(highs[i]), _U64(highs[min(i + 1, n_words)])
        there, here = here, _U64(size) + _ONE if here == _ONE else _ONE
        if k == first:
            next_row(moved, reference, heads, bases[first], rows, here, low, high, next_high)
        else:
            next_row(moved, reference, rows, there, rows, here, low, high, next_high)
    least, base = FAR, bases[last]
    for j in range(_U64(lows[last]), _U64(highs[last])):
        least = min(least, rows[here + j] + tails[base + j])
    return least


@part_of_kernel
def _exchange(words, first, middle, last, room):
    """Exchange the two blocks."""
    for k in range(first, middle):
        room[k - first] = words[k]
    for k in range(middle, last):
        words[first + k - middle] = words[k]
    for k in range(middle - first):
        words[last - (middle - first) + k] = room[k]


@part_of_kernel
def _fewest_edits(words, n_words, n_reference, reference, counts):
    """Return a bound that no order of the words can beat: the words that are not in the other text."""
    common = 0
    for j in range(n_reference):
        counts[reference[j + 1]] += 1
    for i in range(n_words):
        if counts[words[i]] > 0:
            counts[words[i]] -= 1
            common += 1
    for j in range(n_reference):
        counts[reference[j + 1]] = 0
    return max(n_words, n_reference) - common


@part_of_kernel
def _best_shift(words, n_words, reference, lows, highs, bases, heads, tails, rows, size, candidates, n, cost, least):
    """Return the candidate of the least cost below `cost`, or -1, and where its blocks lie.

    Among equal ones: the longest, then the first in the text, then the one that goes farthest to the front.
    """
    best, best_cost, blocks = -1, cost, (0, 0, 0)
    for each in range(n):
        start, length, target = candidates[each, 0], candidates[each, 1], candidates[each, 2]
        preferred = False
        if best >= 0:
            rank = candidates[best, 1] - length
            if rank == 0:
                rank = start - candidates[best, 0]
            if rank == 0:
                rank = target - candidates[best, 2]
            preferred = rank < 0
        if best_cost == least and not preferred:
            continue
        first, middle, last = _blocks(n_words, start, length, target)
        if first == middle or middle == last:
            continue  # the text as it was
        found = _cost_of_exchange(
            words, n_words, first, middle, last, reference, lows, highs, bases, heads, tails, rows, size
        )
        if found < best_cost or (found == best_cost and preferred):
            best, best_cost, blocks = each, found, (first, middle, last)
    return best, blocks


@kernel
def fill_edits(ids, offsets, texts, references, n_types, edits, shifts, steps, sizes):
    """Fill `edits`, shape (g,), of pairs of documents; see :func:`tercet.ter.edits.edit_counts`.

    `shifts`, shape (1 + words of the longest document, 3), gets those of the last pair: where the first word stood,
    the number of words, and where the first one stands then. `steps`, as long as both documents of any pair, gets
    its alignment, from the end. `sizes` gets the number of both.
    """
    longest_text, longest = 1, 1
    for pair in range(len(texts)):
        longest_text = max(longest_text, offsets[texts[pair] + 1] - offsets[texts[pair]])
        longest = max(longest, offsets[references[pair] + 1] - offsets[references[pair]])
    counts = np.zeros(n_types, np.int32)
    words, room = np.empty(longest_text, np.int32), np.empty(longest_text, np.int32)
    reference = np.zeros(longest + 2, np.int32)
    lows, highs = np.zeros(longest_text + 1, np.int64), np.zeros(longest_text + 1, np.int64)
    bases = np.zeros(longest_text + 1, np.uint64)
    aligned, reference_errors = np.zeros(longest, np.int64), np.zeros(longest + 1, np.int64)
    text_errors = np.zeros(longest_text + 1, np.int64)
    candidates = np.empty((_MOST_CANDIDATES + _MOST_WORDS + 1, 3), np.int64)
    heads, tails = np.empty(1 << 10, np.int32), np.empty(1 << 10, np.int32)
    size = longest + 3
    rows = np.empty(2 * size, np.int32)
    for pair in range(len(texts)):
        text, target = offsets[texts[pair]], offsets[references[pair]]
        n_words, n_reference = offsets[texts[pair] + 1] - text, offsets[references[pair] + 1] - target
        n_shifts, n_tried, n_steps = 0, 0, 0
        if n_words == 0 or n_reference == 0:
            for n in range(n_words + n_reference):
                steps[n] = INSERTION if n_words else DELETION
            edits[pair] = n_words + n_reference
            sizes[0], sizes[1] = 0, n_words + n_reference
            continue
        for i in range(n_words):
            words[i] = ids[text + i]
        for j in range(n_reference):
            reference[j + 1] = ids[target + j]
        width = fill_beam(n_words, n_reference, lows, highs, bases)
        if len(heads) < (n_words + 1) * width:
            heads, tails = np.empty((n_words + 1) * width, np.int32), np.empty((n_words + 1) * width, np.int32)
        least = _fewest_edits(words, n_words, n_reference, reference, counts)
        first, last = -1, n_words + 1
        while True:
            fill_heads(words, first + 1, n_words, reference, lows, highs, bases, heads)
            cost = heads[bases[n_words] + _U64(n_reference)]
            n_steps = fill_steps(words, n_words, n_reference, reference, bases, heads, steps)
            if cost <= least:
                break  # no shift makes it less
            _fill_alignment(steps, n_steps, aligned, text_errors, reference_errors)
            n = _fill_candidates(
                words, n_words, n_reference, reference, aligned, text_errors, reference_errors, n_tried, candidates
            )
            n_tried += n
            if n_tried >= _MOST_CANDIDATES:
                break  # sacrebleu drops what it found in this round
            fill_tails(words, last - 1, n_words, n_reference, reference, lows, highs, bases, tails)
            best, (first, middle, last) = _best_shift(
                words, n_words, reference, lows, highs, bases, heads, tails, rows, size, candidates, n, cost, least
            )
            if best < 0:
                break
            _exchange(words, first, middle, last, room)
            start, length = candidates[best, 0], candidates[best, 1]
            shifts[n_shifts, 0], shifts[n_shifts, 1] = start, length
            shifts[n_shifts, 2] = first if first < start else last - length
            n_shifts += 1
        edits[pair] = n_shifts + cost
        sizes[0], sizes[1] = n_shifts, n_steps
