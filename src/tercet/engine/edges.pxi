# Where tokens begin and end, and the keys of tokens: tercet's edge_kernels.py and parts of intern_kernels.py.

cdef enum:
    LOWER_WORDS = 0
    BLANKS = 2
    MTEVAL = 3
    UNICODE = 5



cdef inline size_t space_length(const uint8_t* p) noexcept nogil:
    """Bytes of the white-space character outside ASCII that stands here (str.isspace), or 0."""
    if p[0] == 0xC2:
        return 2 if p[1] == 0x85 or p[1] == 0xA0 else 0
    if p[0] == 0xE1:
        return 3 if p[1] == 0x9A and p[2] == 0x80 else 0
    if p[0] == 0xE2:
        if p[1] == 0x80:
            return 3 if p[2] <= 0x8A or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF else 0
        return 3 if p[1] == 0x81 and p[2] == 0x9F else 0
    return 3 if p[0] == 0xE3 and p[1] == 0x80 and p[2] == 0x80 else 0


cdef inline bint stands_alone(const uint8_t* text, size_t place, const uint64_t* begins) noexcept nogil:
    """Whether the full stop or comma at a place, a digit behind it, is a token of its own; see tercet."""
    cdef size_t first = place
    while not is_set(begins, first) and (text[first - 1] == 44 or text[first - 1] == 46):
        first -= 1
    cdef bint digit_before = not is_set(begins, first) and 48 <= text[first - 1] <= 57
    return ((place - first) & 1) == digit_before


cdef void cut_marks(Arena* a, const uint64_t* begins, uint64_t* cuts) noexcept nogil:
    """Add cuts before and behind each byte that the rules of 13a make a token of its own."""
    cdef size_t n = a.n_blocks, block, place
    cdef uint64_t* marks = a.planes + MARK * n
    cdef uint64_t* points = a.planes + POINT * n
    cdef uint64_t* dashes = a.planes + DASH * n
    cdef uint64_t* digits = a.planes + DIGIT * n
    cdef uint64_t digit_carry = 0, alone_carry = 0, ends, before, behind, alone, unsure
    for block in range(n):
        ends = (begins[block] >> 1) | (begins[block + 1] << 63 if block + 1 < n else 0)
        before = ((digits[block] << 1) | digit_carry) & ~begins[block]
        behind = ((digits[block] >> 1) | (digits[block + 1] << 63 if block + 1 < n else 0)) & ~ends
        digit_carry = digits[block] >> 63
        alone = marks[block] | (dashes[block] & before) | (points[block] & ~behind)
        unsure = points[block] & behind
        while unsure:
            place = (block << 6) + lowest_bit(unsure)
            alone |= <uint64_t> stands_alone(a.text, place, begins) << (place & 63)
            unsure &= unsure - 1
        cuts[block] |= alone | (alone << 1) | alone_carry
        alone_carry = alone >> 63


cdef size_t places_of(const uint64_t* bits, size_t n_blocks, uint64_t* before, uint32_t* places) noexcept nogil:
    """Write the places of the ones, and how many stand before each block; up to seven more are overwritten."""
    cdef size_t n = 0, block, written, count, k
    cdef uint64_t left
    for block in range(n_blocks):
        before[block] = n
        left = bits[block]
        count, written = bit_count(left), 0
        while written < count:  # by eights: a number of rounds that is foreseen
            for k in range(8):
                places[n + written + k] = <uint32_t> ((block << 6) + lowest_bit(left))
                left &= left - 1
            written += 8
        n += count
    return n


cdef void find_edges(Arena* a, int reading) noexcept nogil:
    """Find the tokens of the chunk, and where those of each document begin."""
    cdef size_t n = a.used // 64 + 1, block, d, place
    cdef uint64_t* begins = <uint64_t*> a.rooms[BEGINS]
    cdef uint64_t* cuts = <uint64_t*> a.rooms[CUTS]
    cdef uint64_t* before = <uint64_t*> a.rooms[BEFORE]
    cdef uint64_t* inside = a.planes
    cdef uint64_t here, behind, last = 0, left, q
    a.n_blocks = n
    memset(a.text + a.used, 32, 64 * n - a.used + 32)
    memset(begins, 0, 8 * n)
    a.documents[a.n_documents] = <uint32_t> a.used
    for d in range(a.n_documents + 1):
        begins[a.documents[d] >> 6] |= <uint64_t> 1 << (a.documents[d] & 63)
    memcpy(cuts, begins, 8 * n)
    if reading == LOWER_WORDS:
        read_words(a.text, n, a.planes)
    else:
        read_blanks(a.text, n, a.planes)
        for block in range(n):
            left = a.planes[WIDE * n + block]
            while left:
                place = (block << 6) + lowest_bit(left)
                left &= left - 1
                for q in range(place, place + space_length(a.text + place)):
                    inside[q >> 6] &= ~(<uint64_t> 1 << (q & 63))
    if reading == MTEVAL:
        cut_marks(a, begins, cuts)
    for block in range(n):
        here = inside[block]
        behind = (here << 1) | last
        last = here >> 63
        inside[block] = here & (~behind | cuts[block])
        cuts[block] = behind & (~here | cuts[block])
    places_of(cuts, n, before, a.ends)
    a.n_tokens = places_of(inside, n, before, a.starts)
    for d in range(a.n_documents + 1):
        place = a.documents[d]
        here = inside[place >> 6] & ((<uint64_t> 1 << (place & 63)) - 1)
        a.token_of[d] = <uint32_t> (before[place >> 6] + bit_count(here))


cdef struct Key:
    uint64_t low, high
    uint32_t start, size   # of the first occurrence: tokens beyond 16 bytes are compared with it

cdef uint64_t MASKS[9]
cdef int _i
for _i in range(9):
    MASKS[_i] = ALL if _i == 8 else (<uint64_t> 1 << (8 * _i)) - 1


cdef inline uint64_t home(uint64_t low, uint64_t high) noexcept nogil:
    return (low ^ (high * 0xC2B2AE3D27D4EB4FULL)) * 0x9E3779B97F4A7C15ULL


cdef uint64_t long_key(const uint8_t* p, uint32_t size) noexcept nogil:
    """What stands for the bytes behind the eighth of a long token: a byte that UTF-8 never has in its last place."""
    cdef uint64_t key = size
    cdef uint32_t at = 8
    while at + 8 < size:
        key = (key ^ load64(p + at)) * 0x9E3779B97F4A7C15ULL
        key ^= key >> 32
        at += 8
    return (((key ^ load64(p + size - 8)) * 0x9E3779B97F4A7C15ULL) >> 8) | 0xFE00000000000000ULL


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
