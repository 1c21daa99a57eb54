# plain_readings.py defines what is computed here.
#
# Where tokens begin and end: bits that say what each byte is, and where they change.
#
# For the bytes of "Hi, a 3.5" by the rules of 13a, 64 at a time (the first one is the lowest bit):
#
#     bytes    H i ,   a   3 . 5
#     INSIDE   1 1 1 . 1 . 1 1 1     what a byte is (blocks.h)
#     POINT    . . 1 . . . . 1 .     likewise
#     DIGIT    . . . . . . 1 . 1     likewise
#     alone    . . 1 . . . . . .     POINT, but not between two of DIGIT
#     cuts     1 . 1 1 . . . . . 1   before and behind what stands alone, and at both ends of the text
#     starts   1 . 1 . 1 . 1 . .     INSIDE, and a cut here or no INSIDE before
#     ends     . . 1 1 . 1 . . . 1   INSIDE before, and a cut here or no INSIDE

cdef extern from "blocks.h" nogil:
    enum:
        INSIDE, LINE_END, WIDE, MARK, POINT, DASH, DIGIT, N_PLANES
    void read_words(uint8_t* text, size_t first, size_t last, size_t n_blocks, uint64_t* planes)
    void read_blanks(uint8_t* text, size_t first, size_t last, size_t n_blocks, uint64_t* planes)
    void read_marks(uint8_t* text, size_t first, size_t last, size_t n_blocks, uint64_t* planes)
    size_t write_places(
        const uint64_t* starts, const uint64_t* ends, size_t n_blocks, uint64_t* before, uint32_t* first, uint32_t* last
    )
    int has_white(const uint8_t* text, size_t size)
    void read_leads(const uint8_t* text, size_t n_blocks, uint64_t* leads)

cdef enum:  # how texts are read; the order matters: the first two know letters and digits of ASCII alone
    LOWER_WORDS, SCRIPT_WORDS, BLANKS, RUNS_OF_WHITE, MTEVAL, MTEVAL_UNSTRIPPED, ZH, UNICODE, CHRF_WORDS, CHARACTERS,
    ALL_CHARACTERS
    MANY_BLOCKS = 1 << 20  # 64 MB of text, read between two questions whether Ctrl-C was pressed

#: The numbers of readings by the names of their tokenizers; `plain_readings` says what each is.
READING_NUMBERS = {
    "rouge": LOWER_WORDS, "rouge-script": SCRIPT_WORDS, "none": BLANKS, "blanks": RUNS_OF_WHITE, "13a": MTEVAL,
    "13a-unstripped": MTEVAL_UNSTRIPPED, "zh": ZH, "unicode": UNICODE, "chrf-words": CHRF_WORDS, "char": CHARACTERS,
    "char-and-blank": ALL_CHARACTERS,
}


cdef inline size_t space_length(const uint8_t* p) noexcept nogil:
    """Bytes of the white-space character outside ASCII that stands here (str.isspace), or 0."""
    if p[0] == 0xC2:  # U+0085, U+00A0
        return 2 if p[1] == 0x85 or p[1] == 0xA0 else 0
    if p[0] == 0xE1:  # U+1680
        return 3 if p[1] == 0x9A and p[2] == 0x80 else 0
    if p[0] == 0xE2:
        if p[1] == 0x80:  # U+2000 to U+200A, U+2028, U+2029, U+202F
            return 3 if p[2] <= 0x8A or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF else 0
        return 3 if p[1] == 0x81 and p[2] == 0x9F else 0  # U+205F
    return 3 if p[0] == 0xE3 and p[1] == 0x80 and p[2] == 0x80 else 0  # U+3000


cdef uint64_t WHITE_OF_ASCII = (<uint64_t> 0x1F << 28) | (<uint64_t> 0x1F << 9)


cdef inline bint is_white(uint32_t c) noexcept nogil:
    """Whether a character is white space (str.isspace)."""
    if c < 0x85:
        return c < 64 and (WHITE_OF_ASCII >> (c & 63)) & 1
    if c < 0x1680:
        return c == 0x85 or c == 0xA0
    return c == 0x1680 or 0x2000 <= c <= 0x200A or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F \
        or c == 0x3000


cdef inline bint is_mark(uint8_t byte) noexcept nogil:
    """Whether a byte is one of Python's string.punctuation."""
    return 33 <= byte <= 47 or 58 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126


cdef void blank_wide(Arena* a) noexcept nogil:
    """Take white space outside ASCII from the inside of tokens."""
    cdef const uint64_t* wide = a.planes + WIDE * a.n_blocks
    cdef size_t block, place, q
    cdef uint64_t left
    for block in range(a.n_blocks):
        left = wide[block]
        while left:
            place = (block << 6) + lowest_bit(left)
            left &= left - 1
            for q in range(place, place + space_length(a.text + place)):
                a.planes[q >> 6] &= ~(<uint64_t> 1 << (q & 63))


cdef void join_words(Arena* a) noexcept nogil:
    """Put what stands alone between two others, and is no blank, inside of their word; a text is one line."""
    cdef size_t d, place, first, end, size, n_white
    memset(a.planes + LINE_END * a.n_blocks, 0, 8 * a.n_blocks)
    if not has_white(a.text, a.used):
        return
    for d in range(a.n_documents):
        place, end = a.documents[d], a.documents[d + 1]
        while place < end:
            first, n_white = place, 0
            while place < end:
                size = 1 if a.text[place] < 128 and is_white(a.text[place]) else space_length(a.text + place)
                if not size:
                    break
                n_white += 1
                place += size
            if n_white == 1 and a.text[first] != 32 and first > a.documents[d] and place < end:
                while first < place:
                    a.planes[first >> 6] |= <uint64_t> 1 << (first & 63)
                    first += 1
            place += n_white == 0


cdef inline bint stands_alone(const uint8_t* text, size_t place, const uint64_t* begins, bint padded) noexcept nogil:
    """Whether the full stop or comma at a place, a digit behind it, is a token of its own.

    The first of several in a row is one unless a digit stands before it: the rule takes the two together, so the
    second is taken for what stands before the third, and so on: of a row it is every second one.
    """
    cdef size_t first = place
    while not is_set(begins, first) and (text[first - 1] == 44 or text[first - 1] == 46):
        first -= 1
    cdef bint digit_before = not padded if is_set(begins, first) else 48 <= text[first - 1] <= 57
    return ((place - first) & 1) == digit_before


cdef void cut_marks(Arena* a, const uint64_t* begins, uint64_t* cuts, bint padded) noexcept nogil:
    """Add cuts before and behind each byte that the rules of 13a make a token of its own.

    The rules are four regular expressions, one applied after the other; here they are what they say of one place.
    Beyond a text stands a blank if `padded`, else nothing that a rule could match.
    """
    cdef size_t n = a.n_blocks, block, place
    cdef const uint64_t* marks = a.planes + MARK * n
    cdef const uint64_t* points = a.planes + POINT * n
    cdef const uint64_t* dashes = a.planes + DASH * n
    cdef const uint64_t* digits = a.planes + DIGIT * n
    cdef uint64_t digit_carry = 0, alone_carry = 0, last_bytes, before, behind, alone, unsure
    for block in range(n):
        last_bytes = (begins[block] >> 1) | (begins[block + 1] << 63 if block + 1 < n else 0)
        before = ((digits[block] << 1) | digit_carry) & ~begins[block]
        behind = (digits[block] >> 1) | (digits[block + 1] << 63 if block + 1 < n else 0)
        behind = behind & ~last_bytes if padded else behind | last_bytes
        digit_carry = digits[block] >> 63
        alone = marks[block] | (dashes[block] & before) | (points[block] & ~behind)
        unsure = points[block] & behind
        while unsure:
            place = (block << 6) + lowest_bit(unsure)
            alone |= <uint64_t> stands_alone(a.text, place, begins, padded) << (place & 63)
            unsure &= unsure - 1
        cuts[block] |= alone | (alone << 1) | alone_carry
        alone_carry = alone >> 63


cdef inline size_t count_before(const uint64_t* bits, const uint64_t* before, size_t place) noexcept nogil:
    """Return how many ones stand before a place; before[b] of them stand before block b."""
    return before[place >> 6] + bit_count(bits[place >> 6] & ((<uint64_t> 1 << (place & 63)) - 1))


cdef void part_marks(Arena* a, uint64_t* starts, uint64_t* ends) noexcept nogil:
    """Part each word of chrF that has more than one character from the mark at its end, or else at its beginning."""
    cdef size_t t, place
    cdef uint64_t bit
    for t in range(a.n_tokens):
        if a.ends[t] - a.starts[t] > 1:
            if is_mark(a.text[a.ends[t] - 1]):
                place = a.ends[t] - 1
            elif is_mark(a.text[a.starts[t]]):
                place = a.starts[t] + 1
            else:
                continue
            bit = <uint64_t> 1 << (place & 63)
            starts[place >> 6] |= bit
            ends[place >> 6] |= bit


cdef int find_edges(Arena* a, int reading) noexcept nogil:
    """Find the tokens of the chunk, and where those of each document begin; return 0 or INTERRUPTED.

    The plane INSIDE has the starts of tokens then, and BEFORE how many stand before each block.
    """
    cdef size_t n = a.used // 64 + 1, block, d, since = 0
    cdef uint64_t* begins = <uint64_t*> a.scratch.rooms[BEGINS]
    cdef uint64_t* cuts = <uint64_t*> a.scratch.rooms[CUTS]
    cdef uint64_t* before = <uint64_t*> a.scratch.rooms[BEFORE]
    cdef uint64_t* inside = a.planes
    cdef uint64_t here, behind, last = 0
    cdef bint has_marks = MTEVAL <= reading <= ZH
    a.n_blocks = n
    memset(a.text + a.used, 32, 64 * n - a.used + 32)
    memset(begins, 0, 8 * n)
    a.documents[a.n_documents] = <uint32_t> a.used
    for d in range(a.n_documents + 1):
        begins[a.documents[d] >> 6] |= <uint64_t> 1 << (a.documents[d] & 63)
    while since < n:
        block = min(since + MANY_BLOCKS, n)
        if reading <= SCRIPT_WORDS:
            read_words(a.text, since, block, n, a.planes)
        elif has_marks:
            read_marks(a.text, since, block, n, a.planes)
        else:
            read_blanks(a.text, since, block, n, a.planes)
        since = block
        if since < n and interrupted():
            return INTERRUPTED
    if reading < CHARACTERS:
        memcpy(cuts, begins, 8 * n)
    else:
        read_leads(a.text, n, cuts)
    if reading == ALL_CHARACTERS:
        memset(inside, 0xFF, 8 * n)
        inside[n - 1] = (<uint64_t> 1 << (a.used & 63)) - 1
    elif reading >= BLANKS:
        blank_wide(a)
    if reading == RUNS_OF_WHITE:
        join_words(a)
    if has_marks:
        cut_marks(a, begins, cuts, reading != ZH)
    for block in range(n):
        here = inside[block]
        behind = (here << 1) | last
        last = here >> 63
        inside[block] = here & (~behind | cuts[block])
        cuts[block] = behind & (~here | cuts[block])
    if n > MANY_BLOCKS and interrupted():
        return INTERRUPTED
    a.n_tokens = write_places(inside, cuts, n, before, a.starts, a.ends)
    if reading == CHRF_WORDS:
        part_marks(a, inside, cuts)
        a.n_tokens = write_places(inside, cuts, n, before, a.starts, a.ends)
    for d in range(a.n_documents + 1):
        a.token_of[d] = <uint32_t> count_before(inside, before, a.documents[d])
    return 0


# --- the key of a token: its first and its second eight bytes, exact for up to sixteen; of longer ones the second half
# is a hash, which no short token has, and they are compared by their bytes

cdef struct Key:
    uint64_t low, high
    uint32_t start, size   # where it stands in the chunk

cdef uint64_t MASKS[9]  # of the bytes of eight that belong to a token
cdef int _i
for _i in range(9):
    MASKS[_i] = ALL if _i == 8 else (<uint64_t> 1 << (8 * _i)) - 1


cdef inline uint64_t home(uint64_t low, uint64_t high) noexcept nogil:
    """Return a hash whose highest bits say where a key belongs in a table."""
    return (low ^ (high * <uint64_t> 0xC2B2AE3D27D4EB4F)) * <uint64_t> 0x9E3779B97F4A7C15


cdef uint64_t long_key(const uint8_t* p, uint32_t size) noexcept nogil:
    """What stands for the bytes behind the eighth of a long token: a byte that UTF-8 never has in its last place."""
    cdef uint64_t key = size
    cdef uint32_t at = 8
    while at + 8 < size:
        key = (key ^ load64(p + at)) * <uint64_t> 0x9E3779B97F4A7C15
        key ^= key >> 32
        at += 8
    return (((key ^ load64(p + size - 8)) * <uint64_t> 0x9E3779B97F4A7C15) >> 8) | <uint64_t> 0xFE00000000000000


cdef inline Key key_of(Arena* a, size_t token) noexcept nogil:
    cdef Key key
    cdef uint32_t size = a.ends[token] - a.starts[token]
    cdef const uint8_t* p = a.text + a.starts[token]
    key.start, key.size = a.starts[token], size
    key.low = load64(p) & MASKS[min(size, 8)]
    if size <= 16:
        key.high = load64(p + 8) & MASKS[size - 8 if size > 8 else 0]
    else:
        key.high = long_key(p, size)
    return key


cdef inline bint same(Arena* a, const Key* one, const Key* other) noexcept nogil:
    if one.low != other.low or one.high != other.high:
        return False
    if other.size <= 16:
        return True
    return one.size == other.size and memcmp(a.text + one.start, a.text + other.start, one.size) == 0
