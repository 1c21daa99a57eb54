"""Kernel that sets the words of any script apart, so that they can be numbered like words between blanks."""

from tercet.core.jit import kernel

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
