"""Kernels of characters: their numbers, and words set apart, to be numbered like those between blanks."""

import numpy as np

from tercet.core.jit import kernel, part_of_kernel

U32, U64 = np.uint32, np.uint64

# What a character is to the tokenizer "unicode".
APART = 0  # separates words
LETTER = 1  # letter or digit of a script with blanks
MARK = 2  # mark of such a script, or of all: begins a word where none is open
JOINER = 3  # goes on with a word of such letters
ALONE = 4  # letter or digit of a script without blanks: a token with the marks behind it
MARK_ALONE = 5  # mark of such a script: only behind a token of that kind


@kernel
def space_words(points, data, offsets, kinds, spaced, spaced_offsets):
    """Write the tokens of each document, a blank before each, and line ends; return the number of bytes.

    Parameters
    ----------
    points : ndarray of uint32
        The characters of all documents.
    data : ndarray of uint8
        The same in UTF-8.
    offsets : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`.
    kinds : ndarray of uint8
        What each character is, by its code point.
    spaced : ndarray of uint8, shape (len(data) + len(points),)
    spaced_offsets : ndarray of int64, shape (d + 1,)
        Where each document begins in `spaced`.
    """
    character, p, n = 0, offsets[0], 0
    for document in range(len(offsets) - 1):
        spaced_offsets[document] = n
        open_kind = APART  # of the token that goes on: LETTER, ALONE or none
        while p < offsets[document + 1]:
            point = points[character]
            size = 1 + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000)
            kind = kinds[point]
            begins = kind == ALONE
            begins |= open_kind != LETTER and kind == LETTER
            begins |= open_kind == APART and kind == MARK
            goes_on = open_kind == LETTER and kind in (LETTER, MARK, JOINER)
            goes_on |= open_kind == ALONE and kind in (MARK, MARK_ALONE)
            if begins:
                spaced[n] = 32
                n += 1
                open_kind = ALONE if kind == ALONE else LETTER
            if begins or goes_on:
                for byte in range(size):
                    spaced[n + byte] = data[p + byte]
                n += size
            else:
                open_kind = APART
                if point == 10:
                    spaced[n] = 10
                    n += 1
            character += 1
            p += size
    spaced_offsets[len(offsets) - 1] = n
    return n


@part_of_kernel
def _decoded(data, p):
    """Return the character whose UTF-8 begins at a place, and the number of its bytes."""
    first = U32(data[p])
    if first < 0x80:
        return first, U64(1)
    second = U32(data[p + U64(1)]) & U32(0x3F)
    if first < 0xE0:
        return ((first & U32(0x1F)) << U32(6)) | second, U64(2)
    third = U32(data[p + U64(2)]) & U32(0x3F)
    if first < 0xF0:
        return ((first & U32(0x0F)) << U32(12)) | (second << U32(6)) | third, U64(3)
    fourth = U32(data[p + U64(3)]) & U32(0x3F)
    return ((first & U32(0x07)) << U32(18)) | (second << U32(12)) | (third << U32(6)) | fourth, U64(4)


@part_of_kernel
def _is_blank(point):
    """Whether a character is white space (str.isspace)."""
    if point < 0x80:
        return (point >= 9 and point <= 13) or (point >= 28 and point <= 32)
    if point < 0x1680:
        return point == 0x85 or point == 0xA0
    if point < 0x2030:
        return point == 0x1680 or (point >= 0x2000 and (point <= 0x200A or point in (0x2028, 0x2029, 0x202F)))
    return point == 0x205F or point == 0x3000


@kernel
def number_characters(data, bounds, with_blanks, numbers, points, ids, offsets, line_starts, line_offsets):
    """Number the characters of documents; return how many there are, how many lines, and how many different ones.

    Parameters
    ----------
    data : ndarray of uint8
        UTF-8 bytes of all documents.
    bounds : ndarray of int64, shape (d + 1,)
        Where each document begins in `data`.
    with_blanks : bool
        Whether white space is numbered, too.
    numbers : ndarray of uint32, shape (0x110000,)
        Room for the number of each character, from 1 on; all zero before and after.
    points : ndarray of uint32
        Filled with the different characters, by their numbers from 0 on.
    ids, offsets, line_starts, line_offsets
        Filled; see :class:`.intern.Interned`.
    """
    n, n_lines, n_types = U64(0), U64(0), U32(0)
    for document in range(U64(len(bounds) - 1)):
        offsets[document], line_offsets[document] = n, n_lines
        since, p, end = n, U64(bounds[document]), U64(bounds[document + U64(1)])
        while p < end:
            point, size = _decoded(data, p)
            p += size
            if with_blanks or not _is_blank(point):
                number = numbers[point]
                if number == 0:
                    points[n_types] = point
                    n_types += U32(1)
                    numbers[point] = number = n_types
                ids[n] = number - U32(1)
                n += U64(1)
            if point == 10 and n > since:
                line_starts[n_lines] = since
                n_lines += U64(1)
                since = n
        if n > since:
            line_starts[n_lines] = since
            n_lines += U64(1)
    offsets[len(bounds) - 1], line_offsets[len(bounds) - 1], line_starts[n_lines] = n, n_lines, n
    for each in range(U64(n_types)):  # here, where no Ctrl-C can come between
        numbers[points[each]] = U32(0)
    return n, n_lines, n_types


@part_of_kernel
def _is_mark(byte):
    """Whether a byte is one of Python's string.punctuation."""
    return (
        (byte >= 33 and byte <= 47) or (byte >= 58 and byte <= 64) or (byte >= 91 and byte <= 96)
        or (byte >= 123 and byte <= 126)
    )  # fmt: skip


@part_of_kernel
def _part_word(spaced, start, n, n_characters):
    """Set a blank before the mark at the end of a word, or else behind that at its beginning; return the new end."""
    if n_characters < 2:
        return n
    place = n - U64(1)
    if not _is_mark(spaced[place]):
        if not _is_mark(spaced[start]):
            return n
        place = start + U64(1)
    for p in range(n, place, U64(-1)):
        spaced[p] = spaced[p - U64(1)]
    spaced[place] = 32
    return n + U64(1)


@kernel
def space_marks(data, bounds, spaced, spaced_bounds):
    """Set one mark of each word apart by a blank, the last one or else the first; return the number of bytes.

    Parameters
    ----------
    data, bounds
        As for :func:`number_characters`.
    spaced : ndarray of uint8, shape (2 * len(data),)
    spaced_bounds : ndarray of int64, shape (d + 1,)
        Where each document begins in `spaced`.
    """
    n = U64(0)
    for document in range(U64(len(bounds) - 1)):
        spaced_bounds[document] = n
        p, end = U64(bounds[document]), U64(bounds[document + U64(1)])
        start, n_characters = n, U64(0)
        while p < end:
            point, size = _decoded(data, p)
            blank = _is_blank(point)
            if blank:
                n = _part_word(spaced, start, n, n_characters)
                n_characters = U64(0)
            for byte in range(size):
                spaced[n + byte] = data[p + byte]
            n += size
            p += size
            if blank:
                start = n
            else:
                n_characters += U64(1)
        n = _part_word(spaced, start, n, n_characters)
    spaced_bounds[len(bounds) - 1] = n
    return n
