"""Where tokens begin and end: bits that say what each byte is, and where they change.

For the bytes of "Hi, a 3.5" by the rules of 13a, 64 at a time (the first one is the lowest bit):

    bytes    H i ,   a   3 . 5
    INSIDE   1 1 1 . 1 . 1 1 1     what a byte is, by arithmetic that compilers make vectors of
    POINT    . . 1 . . . . 1 .     likewise
    DIGIT    . . . . . . 1 . 1     likewise
    alone    . . 1 . . . . . .     POINT, but not between two of DIGIT
    cuts     1 . 1 1 . . . . . 1   before and behind what stands alone, and at both ends of the text
    starts   1 . 1 . 1 . 1 . .     INSIDE, and a cut here or no INSIDE before
    ends     . . 1 1 . 1 . . . 1   INSIDE before, and a cut here or no INSIDE

Flags are kept a byte each, so that they are made all at once, and then gathered to bits. Numbers are unsigned where
they are indices: numba adds a check to each access by a signed one.
"""

import numpy as np

from tercet.core.bit_kernels import NONE, ONE, bit_count, is_set, lowest_bit
from tercet.core.jit import part_of_kernel

U8, U64 = np.uint8, np.uint64

# How texts are read: letters and digits of ASCII alone, in lower case or not; what white space separates; the same
# with 13a's marks, where a blank stands beyond a text, and where nothing does (zh).
LOWER_WORDS, WORDS, BLANKS, MTEVAL, MTEVAL_ENDS = range(5)

# What a flag says of a byte.
INSIDE, LINE_END, MARK, POINT, DASH, DIGIT, WIDE = range(7)
#   INSIDE    part of a token
#   MARK      a token of its own in 13a
#   POINT     full stop or comma: a token of its own unless digits stand on both sides
#   DASH      hyphen: a token of its own behind a digit
#   WIDE      may begin a white-space character outside ASCII

_LOWEST_BITS = U64(0x0101010101010101)
_GATHER = U64(0x0102040810204080)  # times eight bytes of 0 or 1: their bits, in the highest byte


@part_of_kernel
def _within(byte, first, last):
    return U8(U8(byte - first) <= U8(last - first))


@part_of_kernel
def _read_words(data, lower, text, flags):
    for i in range(len(data)):
        byte = data[i]
        small = U8(byte | U8(_within(byte, U8(65), U8(90)) << U8(5)))  # A to Z
        text[i] = small if lower else byte
        inside = _within(small, U8(97), U8(122)) | _within(byte, U8(48), U8(57))  # a to z, 0 to 9
        flags[i] = inside | U8(U8(byte == U8(10)) << U8(LINE_END))


@part_of_kernel
def _read_blanks(data, text, flags):
    """Read NUL as 0xFF, which UTF-8 never has: the keys of tokens end in zeros."""
    for i in range(len(data)):
        byte = data[i]
        text[i] = U8(byte - U8(byte == U8(0)))
        blank = _within(byte, U8(9), U8(13)) | _within(byte, U8(28), U8(32))  # the white space of ASCII
        point, dash = U8(byte == U8(44)) | U8(byte == U8(46)), U8(byte == U8(45))  # , . and -
        before_letters = _within(byte, U8(33), U8(47)) | _within(byte, U8(58), U8(64))  # ! to / and : to @
        behind_letters = _within(byte, U8(91), U8(96)) | _within(byte, U8(123), U8(126))  # [ to ` and { to ~
        mark = (before_letters | behind_letters) & ~(point | dash | U8(byte == U8(39)))  # not the apostrophe
        wide = U8(byte == U8(0xC2)) | _within(byte, U8(0xE1), U8(0xE3))
        flags[i] = (
            (U8(1) ^ blank) | U8(U8(byte == U8(10)) << U8(LINE_END)) | U8(mark << U8(MARK)) | U8(point << U8(POINT))
            | U8(dash << U8(DASH)) | U8(_within(byte, U8(48), U8(57)) << U8(DIGIT)) | U8(wide << U8(WIDE))
        )  # fmt: skip


@part_of_kernel
def _gather(eights, flag, octets):
    """Gather a flag of each byte; `eights` are flags of eight bytes, and one of `octets` their bits."""
    for i in range(len(eights)):
        octets[i] = (((eights[i] >> U64(flag)) & _LOWEST_BITS) * _GATHER) >> U64(56)


@part_of_kernel
def _space_length(first, second, third):
    """Bytes of the white-space character outside ASCII that these bytes begin with (str.isspace), or 0."""
    if first == 0xC2:  # U+0085, U+00A0
        return 2 if second == 0x85 or second == 0xA0 else 0
    if first == 0xE1:  # U+1680
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE2:
        if second == 0x80:  # U+2000 to U+200A, U+2028, U+2029, U+202F
            return 3 if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0
        return 3 if second == 0x81 and third == 0x9F else 0  # U+205F
    return 3 if first == 0xE3 and second == 0x80 and third == 0x80 else 0  # U+3000


@part_of_kernel
def _blank_wide(text, wide, inside):
    """Take white space outside ASCII from the inside of tokens."""
    for block in range(len(wide)):
        left = wide[block]
        while left != NONE:
            p = (U64(block) << U64(6)) + lowest_bit(left)
            left &= left - ONE
            for q in range(p, p + U64(_space_length(text[p], text[p + ONE], text[p + U64(2)]))):
                inside[q >> U64(6)] &= ~(ONE << (q & U64(63)))


@part_of_kernel
def _stands_alone(text, place, begins, padded):
    """Whether the full stop or comma at a place, a digit behind it, is a token of its own.

    The first of several in a row is one unless a digit stands before it: the rule takes the two together, so the
    second is taken for what stands before the third, and so on: of a row it is every second one.
    """
    first = place
    while not is_set(begins, first) and (text[first - ONE] == 44 or text[first - ONE] == 46):
        first -= ONE
    digit_before = not padded if is_set(begins, first) else text[first - ONE] >= 48 and text[first - ONE] <= 57
    return (place - first) & ONE == U64(digit_before)


@part_of_kernel
def _cut_marks(text, bits, begins, padded, cuts):
    """Add cuts before and behind each byte that the rules of 13a make a token of its own.

    The rules are four regular expressions, one applied after the other; here they are what they say of one place.
    `begins` are the places at which texts begin. Beyond a text stands a blank if `padded`, else nothing that a rule
    could match.
    """
    marks, points, dashes, digits = bits[MARK], bits[POINT], bits[DASH], bits[DIGIT]
    digit_before_block, alone_before_block = NONE, NONE
    for block in range(len(cuts)):
        is_last = block + 1 == len(cuts)
        ends = (begins[block] >> ONE) | (NONE if is_last else begins[block + 1] << U64(63))  # last bytes of texts
        digit_before = ((digits[block] << ONE) | digit_before_block) & ~begins[block]
        digit_behind = (digits[block] >> ONE) | (NONE if is_last else digits[block + 1] << U64(63))
        digit_behind = digit_behind & ~ends if padded else digit_behind | ends
        digit_before_block = digits[block] >> U64(63)
        alone = marks[block] | (dashes[block] & digit_before) | (points[block] & ~digit_behind)
        unsure = points[block] & digit_behind
        while unsure != NONE:
            place = (U64(block) << U64(6)) + lowest_bit(unsure)
            alone |= U64(_stands_alone(text, place, begins, padded)) << (place & U64(63))
            unsure &= unsure - ONE
        cuts[block] |= alone | (alone << ONE) | alone_before_block
        alone_before_block = alone >> U64(63)


@part_of_kernel
def _places(bits, before, places):
    """Write the places of the ones, and how many stand before each block; return their number.

    Up to seven more places are overwritten.
    """
    n = NONE
    for block in range(len(bits)):
        before[block] = n
        left, first = bits[block], U64(block) << U64(6)
        for written in range(n, n + bit_count(left), U64(8)):  # by eights: a number of rounds that is foreseen
            for k in range(8):
                places[written + U64(k)] = first + lowest_bit(left)
                left &= left - ONE
        n += bit_count(bits[block])
    return n


@part_of_kernel
def count_before(bits, before, place):
    """Return how many ones stand before a place; ``before[b]`` of them stand before block b."""
    block = place >> U64(6)
    return before[block] + bit_count(bits[block] & ((ONE << (place & U64(63))) - ONE))


@part_of_kernel
def find_edges(data, reading, work):
    """Find the tokens of some texts; return the number of tokens and of line ends.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of the texts, one behind the other.
    reading : int
        How texts are read, such as MTEVAL.
    work : Workspace
        In `begins` is a bit for each place at which a text begins, and behind the last one; `text`, `starts`, `ends`
        and `line_ends` are filled. In ``bits[INSIDE]`` stay the places at which tokens start; `before` counts them.
    """
    n_blocks = len(data) // 64 + 1
    flags, begins, cuts = work.flags[: 64 * n_blocks], work.begins[:n_blocks], work.cuts[:n_blocks]
    n_flags = WIDE + 1
    if reading <= WORDS:
        _read_words(data, reading == LOWER_WORDS, work.text, flags)
        n_flags = LINE_END + 1
    else:
        _read_blanks(data, work.text, flags)
    flags[len(data) :] = U8(0)
    for flag in range(n_flags):
        _gather(work.eights[: 8 * n_blocks], flag, work.octets[flag])
    inside = work.bits[INSIDE][:n_blocks]
    for block in range(n_blocks):
        cuts[block] = begins[block]
    if reading >= BLANKS:
        _blank_wide(work.text, work.bits[WIDE][:n_blocks], inside)
    if reading >= MTEVAL:
        _cut_marks(work.text, work.bits, begins, reading == MTEVAL, cuts)
    last = NONE  # whether the last byte of the block before is inside
    for block in range(n_blocks):
        here = inside[block]
        behind = (here << ONE) | last
        last = here >> U64(63)
        inside[block] = here & (~behind | cuts[block])
        cuts[block] = behind & (~here | cuts[block])
    n_line_ends = _places(work.bits[LINE_END][:n_blocks], work.before, work.line_ends)
    _places(cuts, work.before, work.ends)
    return _places(inside, work.before, work.starts), n_line_ends
