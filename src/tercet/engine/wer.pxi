# plain_wer.py defines what is computed here.
#
# The fewest edits of single tokens between a text and a reference, in the alignment that rapidfuzz chooses.
#
# The table has a row for each token of the reference, 64 of which are in a word of bits, and a column for each token
# of the text; of a column only the differences between its rows are known (Myers 1999, Hyyro 2003). Cells count where
# a way of at most so many edits can lead through them:
#
#                 tokens of the text            A word holds 64 rows. Those beside the band are taken to cost one more
#             . . . . . . . . . . . . .         in each column and row, which no better way contradicts: what it says
#    words    # # # # . . . . . . . . .         of cells on a way of so few edits is right.
#    of 64    # # # # # # # . . . . . .
#    tokens   . . . # # # # # # # . . .         Where the edits are not known, the band begins narrow and doubles until
#             . . . . . . # # # # # # #         what is found lies in it. Of a few words, it is a band of
#                                           64 diagonals, or there is none (wer.h).
#
# The way back needs the bits of all columns. Of a table that is too large for it, the costs of the halves of the text
# say where the way crosses the middle, and each half is aligned alone (Hirschberg 1975).

cdef enum:
    LEAST_CELLS = 1 << 22   # of a table in halves: see `plain_wer`
    LEAST_ROWS = 65
    LEAST_COLUMNS = 10
    FIRST_BAND = 64        # edits more than the lengths differ by
    OFTEN = 128            # after so many columns, it is asked whether all ways lead out of the band
    LARGEST_TABLE = 1 << 18   # words of the places of tokens, where each token has one for each 64 of the reference
    FEW_BYTES = 1 << 12       # of documents that are not numbered: a table of places for all bytes is small then

cdef double EDITED = 0.6  # of the characters of a word that is wrong, about: only the speed depends on it

cdef uint32_t NO_WORD = <uint32_t> -1

cdef struct Places:        # where a token stands among 64 of the reference
    uint64_t bits
    uint32_t word          # behind the last ones of a token: NO_WORD

cdef struct Token:         # the places of a token: the first ones that may count, and how many there are
    uint32_t first, size

cdef extern from "wer.h" nogil:
    enum:
        FEW_WORDS         # of a small table
    ctypedef struct Column:
        uint64_t more, less
    void fill_words(
        Column* column, const uint64_t* equal, int64_t n_words, uint64_t last_row, Column* copy,
        uint64_t* last_rise, uint64_t* last_fall
    )
    void count_small(
        Column* columns, const uint64_t* places, int64_t n, const uint32_t* text, int64_t m, int64_t* counts
    )
    enum:
        LANES, MOST_ROWS, FEWEST_FAR
    ctypedef struct BytePair:
        const uint8_t* reference
        const uint8_t* text
        int64_t n, m
    ctypedef struct Lane:
        pass
    bint has_lanes()
    int64_t count_in_band(Column* columns, uint8_t* bytes, const BytePair* pair, int64_t* counts)
    void count_in_lanes(uint64_t* columns, Lane* lanes, BytePair* pairs, int n_pairs, int64_t* edits, int64_t* counts)
    int64_t same_first(const uint8_t* one, const uint8_t* other, int64_t size)
    int64_t same_last(const uint8_t* one_end, const uint8_t* other_end, int64_t size)

cdef struct Band:
    int64_t n, m           # tokens of the reference and of the text
    int64_t most           # edits
    int64_t low, high      # row i counts in column j from j + low to j + high
    int64_t last           # the last word

cdef struct Alignment:
    Scratch* scratch
    uint8_t* steps         # the alignment from its end, where it is asked for, else NULL
    int64_t counts[4]      # of each kind of step
    size_t n_types
    bint is_far            # whether many edits are expected, so that a narrow band would be tried in vain
    uint64_t* places       # of each token, all words of 64; NULL where that were too many
    int64_t likely         # a quarter more edits than at the pace of the columns before all ways led out of a band


cdef inline int64_t first_word(const Band* b, int64_t column) noexcept nogil:
    return max(column + b.low - 1, 0) >> 6


cdef inline int64_t last_word(const Band* b, int64_t column) noexcept nogil:
    return (min(column + b.high, b.n) - 1) >> 6


cdef inline void add_steps(Alignment* a, uint8_t kind, int64_t size) noexcept nogil:
    cdef int64_t at
    if a.steps != NULL:
        at = a.counts[0] + a.counts[1] + a.counts[2] + a.counts[3]
        memset(a.steps + at, kind, size)
    a.counts[kind] += size


cdef Band band_of(int64_t n, int64_t m, int64_t most) noexcept nogil:
    """Return the band of ways of at most so many edits, which are no fewer than the lengths differ by."""
    cdef Band b
    b.n, b.m, b.most, b.low, b.high, b.last = n, m, most, -((most - n + m) // 2), (most + n - m) // 2, (n - 1) >> 6
    return b


cdef int find_places(Alignment* a, const uint32_t* reference, int64_t n, int64_t direction) noexcept nogil:
    """Find where each token stands in the reference, which is read in a direction."""
    cdef size_t n_words = (n + 63) >> 6
    cdef Places* places
    cdef Token* all_tokens
    cdef Token* token
    cdef Places* last
    cdef uint32_t used = 1
    cdef int64_t i
    a.places = NULL
    if a.n_types <= LARGEST_TABLE // n_words:
        a.places = <uint64_t*> room(a.scratch, PLACES, 8 * n_words * a.n_types)
        if a.places == NULL:
            return NO_MEMORY
        for i in range(n):
            a.places[reference[i if direction > 0 else n - 1 - i] * n_words + (i >> 6)] |= <uint64_t> 1 << (i & 63)
        return 0
    places = <Places*> room(a.scratch, TABLE, sizeof(Places) * (2 * n + 1))
    all_tokens = <Token*> room(a.scratch, FIRST, sizeof(Token) * a.n_types)
    if places == NULL or all_tokens == NULL:
        return NO_MEMORY
    places[0].word = NO_WORD
    for i in range(n):
        all_tokens[reference[i]].size += 1
    for i in range(n):
        token = all_tokens + reference[i if direction > 0 else n - 1 - i]
        if token.first == 0:
            token.first = used
            used += token.size + 1
            token.size = 0
            places[token.first].word = NO_WORD
        last = places + token.first + token.size
        if token.size and (last - 1).word == <uint32_t> (i >> 6):
            (last - 1).bits |= <uint64_t> 1 << (i & 63)
        else:
            last[0], (last + 1).word = Places(<uint64_t> 1 << (i & 63), <uint32_t> (i >> 6)), NO_WORD
            token.size += 1
    return 0


cdef void forget_places(Alignment* a, const uint32_t* reference, int64_t n, int64_t direction) noexcept nogil:
    cdef Token* all_tokens = <Token*> a.scratch.rooms[FIRST]
    cdef size_t n_words = (n + 63) >> 6
    cdef int64_t i
    for i in range(n):
        if a.places != NULL:
            a.places[reference[i if direction > 0 else n - 1 - i] * n_words + (i >> 6)] = 0
        else:
            all_tokens[reference[i]] = Token(0, 0)


cdef inline int64_t rise_of(const Column* column, int64_t row) noexcept nogil:
    """Return what a row costs more than the one above it."""
    cdef const Column* bits = column + (row - 1 >> 6)
    return <int64_t> (bits.more >> (row - 1 & 63) & 1) - <int64_t> (bits.less >> (row - 1 & 63) & 1)


cdef bint leaves_band(const Band* b, const Column* column, int64_t j, int64_t cost) noexcept nogil:
    """Whether each way through a column takes more edits than those of the band; the last row's cost is given."""
    cdef int64_t first = 64 * first_word(b, j), i = min(64 * last_word(b, j) + 64, b.n), left
    while True:
        left = (b.n - i) - (b.m - j)
        if cost + max(left, -left) <= b.most:
            return False
        if i == first:
            return True
        cost -= rise_of(column, i)
        i -= 1


cdef int64_t fill_columns(
    Alignment* a, const Band* b, const uint32_t* text, int64_t n_columns, int64_t direction, Column* kept, size_t width
) noexcept nogil:
    """Fill the columns of so many tokens; return the cost of the last row that counts in the last one, or a problem.

    The last column lies in CARRIES. Each is kept, so many words of it from its first one on, where there is room.
    Where each way takes too many edits, the cost is the most that there can be.
    """
    cdef Column* column = <Column*> room(a.scratch, CARRIES, sizeof(Column) * (b.last + 1))
    cdef const Places* places = <const Places*> a.scratch.rooms[TABLE]
    cdef uint64_t* equal = a.places
    cdef Token* token
    cdef const Places* each
    cdef int64_t low, high, filled = -1, cost = 0, j
    cdef uint64_t rise, fall, end = (b.n - 1) & 63
    if equal == NULL:
        equal = <uint64_t*> room(a.scratch, PLACES, 8 * (b.last + 1))
    if column == NULL or equal == NULL:
        return NO_MEMORY
    for j in range(1, n_columns + 1):
        low, high = first_word(b, j), last_word(b, j)
        while filled < high:
            filled += 1
            column[filled] = Column(ALL, 0)
            cost = min(64 * (filled + 1), b.n) if j == 1 else cost + min(64, b.n - 64 * filled)
        if stopped(a.scratch, high - low + 1):
            return INTERRUPTED
        if a.places != NULL:
            equal = a.places + text[0] * (b.last + 1)
        else:
            token = <Token*> a.scratch.rooms[FIRST] + text[0]
            while places[token.first].word < low:
                token.first += 1
            each = places + token.first
            while each.word <= high:
                equal[each.word] = each.bits
                each += 1
        fill_words(column + low, equal + low, high - low + 1, 63 if high < b.last else end, kept, &rise, &fall)
        if a.places == NULL:
            memset(equal + low, 0, 8 * (high - low + 1))
        cost += <int64_t> rise - <int64_t> fall
        if kept != NULL:
            kept += width
        text += direction
        if j & (OFTEN - 1) == 0 and leaves_band(b, column, j, cost):
            a.likely = max(a.likely, (b.most + b.most // 4) * b.m // j)
            return b.n + b.m
    return cost


cdef void go_back(
    Alignment* a, const Band* b, const uint32_t* reference, const uint32_t* text, const Column* kept, size_t width
) noexcept nogil:
    """Add the steps, from the last: a deletion if it can be, then an insertion in place of a match."""
    cdef int64_t i = b.n - 1, j = b.m, word
    cdef uint8_t kind
    cdef uint8_t* to = a.steps
    if to != NULL:
        to += a.counts[0] + a.counts[1] + a.counts[2] + a.counts[3]
    while i >= 0 and j > 0:
        if kept[(j - 1) * width + (i >> 6) - first_word(b, j)].more >> (i & 63) & 1:
            kind = DELETION
            i -= 1
        else:
            j -= 1
            word = i >> 6
            if (
                j > 0 and word <= last_word(b, j)
                and kept[(j - 1) * width + word - first_word(b, j)].less >> (i & 63) & 1
            ):
                kind = INSERTION
            else:
                kind = MATCH if reference[i] == text[j] else SUBSTITUTION
                i -= 1
        a.counts[kind] += 1
        if to != NULL:
            to[0] = kind
            to += 1
    add_steps(a, DELETION, i + 1)
    add_steps(a, INSERTION, j)


cdef void unroll(const Alignment* a, const Band* b, int64_t j, int64_t cost, int64_t* costs) noexcept nogil:
    """Write the costs of the rows that count in the last column, from the one above its first word on."""
    cdef const Column* column = <const Column*> a.scratch.rooms[CARRIES]
    cdef int64_t first = 64 * first_word(b, j), i
    for i in range(min(64 * last_word(b, j) + 64, b.n), first, -1):
        costs[i - first] = cost
        cost -= rise_of(column, i)
    costs[0] = cost


cdef int64_t costs_of_half(
    Alignment* a, const Band* b, const uint32_t* reference, const uint32_t* text, int64_t n_columns, int64_t direction,
    int64_t* costs
) noexcept nogil:
    """Write the costs of the first half of the text, or of the second one from its end; return as `fill_columns`."""
    cdef int64_t found = find_places(a, reference, b.n, direction)
    if found == 0:
        found = fill_columns(a, b, text, n_columns, direction, NULL, 0)
        forget_places(a, reference, b.n, direction)
    if 0 <= found < b.n + b.m:
        unroll(a, b, n_columns, found, costs)
    return found


cdef int64_t find_middle(
    Alignment* a, const Band* b, const uint32_t* reference, const uint32_t* text, int64_t* before, int64_t* behind
) noexcept nogil:
    """Return the first place of the reference where the middle of the text can be; and what the two sides cost."""
    cdef int64_t half = b.m // 2, rest = b.m - half, i, place = 0, least = -1, start, stop, end
    cdef int64_t* costs = <int64_t*> room(a.scratch, BOUNDS, 16 * (b.n + 1))
    cdef int64_t* others = costs + b.n + 1
    before[0], behind[0] = b.n, b.m  # where the bands do not meet
    if costs == NULL:
        return NO_MEMORY
    i = costs_of_half(a, b, reference, text, half, 1, costs)
    if 0 <= i < b.n + b.m:
        i = costs_of_half(a, b, reference, text + b.m - 1, rest, -1, others)
    if i < 0 or i == b.n + b.m:
        return min(i, 0)
    start, end = 64 * first_word(b, half), 64 * first_word(b, rest)
    stop = min(min(64 * last_word(b, half) + 64, b.n), b.n - end)
    for i in range(max(start, b.n - min(64 * last_word(b, rest) + 64, b.n)), stop + 1):
        if least < 0 or costs[i - start] + others[b.n - i - end] < least:
            place, before[0], behind[0] = i, costs[i - start], others[b.n - i - end]
            least = before[0] + behind[0]
    return place


cdef int64_t align_band(
    Alignment* a, const Band* b, const uint32_t* reference, const uint32_t* text, int64_t most
) noexcept nogil:
    """Add the steps if they are at most so many; return the edits that were found, or a problem."""
    cdef size_t width = min((b.high - b.low) // 64 + 2, b.last + 1)
    cdef Column* kept = <Column*> room(a.scratch, STEPS, sizeof(Column) * width * b.m)
    cdef int64_t found
    if kept == NULL:
        return NO_MEMORY
    found = find_places(a, reference, b.n, 1)
    if found == 0:
        found = fill_columns(a, b, text, b.m, 1, kept, width)
        forget_places(a, reference, b.n, 1)
    if 0 <= found <= most:
        go_back(a, b, reference, text, kept, width)
    return found


cdef int64_t count_whole(
    Alignment* a, const uint32_t* reference, int64_t n, const uint32_t* text, int64_t m
) noexcept nogil:
    """Add the counts of a table of few words: of a narrow band of it, or else of the whole; return 0 or a problem."""
    cdef int64_t counts[4]
    cdef int64_t n_words = min(<int64_t> FEW_WORDS, max(1, (n + 63) >> 6))
    cdef Column* columns = <Column*> room(a.scratch, STEPS, sizeof(Column) * n_words * (m + 1))
    cdef uint8_t* bytes = <uint8_t*> room(a.scratch, CARRIES, 2 * n + m + 128)
    cdef uint8_t* narrow = bytes + n + 128  # behind the room that the band takes
    cdef BytePair pair = BytePair(narrow, narrow + n, n, m)
    cdef bint may_be_near = not a.is_far and a.n_types <= 256 and max(n - m, m - n) < FEWEST_FAR
    cdef int64_t i
    if columns == NULL or bytes == NULL:
        return NO_MEMORY
    if may_be_near:
        for i in range(n):
            narrow[i] = <uint8_t> reference[i]
        for i in range(m):
            narrow[n + i] = <uint8_t> text[i]
        may_be_near = count_in_band(columns, bytes, &pair, counts) < FEWEST_FAR
    if not may_be_near:
        if find_places(a, reference, n, 1):
            return NO_MEMORY
        count_small(columns, a.places, n, text, m, counts)
        forget_places(a, reference, n, 1)
    a.counts[MATCH] += counts[0]
    a.counts[SUBSTITUTION] += counts[1]
    a.counts[DELETION] += counts[2]
    a.counts[INSERTION] += counts[3]
    return INTERRUPTED if stopped(a.scratch, FEW_WORDS * m) else 0


cdef int64_t align(
    Alignment* a, const uint32_t* reference, int64_t n, const uint32_t* text, int64_t m, int64_t edits
) noexcept nogil:
    """Add the steps of two documents; the number of edits is known of halves, else -1. Return 0 or a problem."""
    cdef int64_t start = 0, most, found, before = 0, behind = 0, half
    cdef bint in_halves
    cdef Band b
    while start < n and start < m and reference[start] == text[start]:
        start += 1
    reference, text, n, m = reference + start, text + start, n - start, m - start
    found = n
    while n > 0 and m > 0 and reference[n - 1] == text[m - 1]:
        n, m = n - 1, m - 1
    add_steps(a, MATCH, found - n)
    if n == 0 or m == 0:
        add_steps(a, DELETION, n)
        add_steps(a, INSERTION, m)
        add_steps(a, MATCH, start)
        return 0
    most = max(n, m) if edits < 0 else edits
    in_halves = min(n, 2 * most + 1) * m >= LEAST_CELLS and n >= LEAST_ROWS and m >= LEAST_COLUMNS
    if a.steps == NULL and n <= 64 * FEW_WORDS and a.n_types <= LARGEST_TABLE // FEW_WORDS and not in_halves:
        add_steps(a, MATCH, start)
        return count_whole(a, reference, n, text, m)
    if edits < 0:
        edits = min(most, max(n, m) - min(n, m) + FIRST_BAND)
    half = m // 2
    while True:
        a.likely = 0
        b = band_of(n, m, edits)
        if in_halves:
            found = find_middle(a, &b, reference, text, &before, &behind)
            if found >= 0 and before + behind <= edits:
                break
        else:
            found = align_band(a, &b, reference, text, edits)
            if found <= edits:
                break
        if found < 0:
            return found
        edits = min(max(2 * edits, a.likely), before + behind if in_halves else found)  # no better than it is
    if found < 0:
        return found
    if in_halves:
        edits = align(a, reference + found, n - found, text + half, m - half, behind)
        if edits == 0:
            edits = align(a, reference, found, text, half, before)
        if edits < 0:
            return edits
    add_steps(a, MATCH, start)
    return 0


cdef int count_alignment(Scratch* s, const Pairs* p, size_t pair, int64_t* row) noexcept nogil:
    """Write hits, substitutions, deletions and insertions."""
    cdef int64_t text = p.texts[pair], reference = p.references[pair], problem
    cdef Alignment a
    memset(&a, 0, sizeof(Alignment))
    a.scratch, a.n_types = s, p.n_types
    problem = align(
        &a, p.ids + p.offsets[reference], size_of(p, reference), p.ids + p.offsets[text], size_of(p, text), -1
    )
    row[0], row[1], row[2], row[3] = a.counts[MATCH], a.counts[SUBSTITUTION], a.counts[DELETION], a.counts[INSERTION]
    return problem


cdef struct Bytes:
    const uint8_t* data
    int64_t size

cdef struct Sequences:     # the tokens of the documents of an item
    const uint32_t* ids    # may be NULL where there are bytes, until they are asked for
    uint32_t* of           # where those of each document begin among them
    const Bytes* bytes     # NULL where not each token is one
    size_t n, n_types


cdef int widen(Scratch* s, Sequences* c) noexcept nogil:
    """Number the characters that are bytes: the fewer numbers, the longer a text may be for a table of places.

    The bytes of short documents are their numbers.
    """
    cdef uint32_t* to = <uint32_t*> room(s, CHARACTER_IDS, 4 * (c.of[c.n] + 1))
    cdef uint32_t numbers[256]
    cdef Bytes bytes
    cdef uint8_t byte
    cdef size_t d
    cdef int64_t k
    if to == NULL:
        return NO_MEMORY
    c.ids, c.n_types = to, 256
    if c.of[c.n] <= FEW_BYTES:
        for d in range(c.n):
            bytes = c.bytes[d]
            for k in range(bytes.size):
                to[k] = bytes.data[k]
            to += bytes.size
        return 0
    c.n_types = 0
    memset(numbers, 0, sizeof(numbers))
    for d in range(c.n):
        for k in range(c.bytes[d].size):
            byte = c.bytes[d].data[k]
            if numbers[byte] == 0:
                c.n_types += 1
                numbers[byte] = <uint32_t> c.n_types
            to[k] = numbers[byte] - 1
        to += c.bytes[d].size
    return 0


cdef struct Queue:         # pairs that wait until there is one for each lane
    int n
    BytePair pairs[LANES]
    Bytes texts[LANES]
    Bytes references[LANES]
    double* rows[LANES]


cdef BytePair trimmed(const Bytes* reference, const Bytes* text) noexcept nogil:
    """Return the pair without what is common to both ends."""
    cdef int64_t start = same_first(reference.data, text.data, min(reference.size, text.size))
    cdef int64_t end = same_last(
        reference.data + reference.size, text.data + text.size, min(reference.size, text.size) - start
    )
    return BytePair(reference.data + start, text.data + start, reference.size - start - end, text.size - start - end)


cdef int count_near(Scratch* s, const BytePair* pair, int64_t* counts) noexcept nogil:
    """Write the counts of a pair where a narrow band tells them; return whether it did, or a problem."""
    cdef Column* columns
    cdef uint8_t* bytes
    if pair.n == 0 or pair.m == 0:
        counts[0], counts[1], counts[2], counts[3] = 0, 0, pair.n, pair.m
        return True
    if max(pair.n - pair.m, pair.m - pair.n) >= FEWEST_FAR or pair.n * pair.m >= LEAST_CELLS:
        return False
    columns = <Column*> room(s, STEPS, sizeof(Column) * (pair.m + 1))
    bytes = <uint8_t*> room(s, CARRIES, pair.n + 128)
    if columns == NULL or bytes == NULL:
        return NO_MEMORY
    return count_in_band(columns, bytes, pair, counts) < FEWEST_FAR


cdef int write_alignment(
    Scratch* s, Sequences* c, size_t text, size_t first, size_t last, double expected, double* row
) noexcept nogil:
    """Write the counts of a document and the nearest of those from `first` on, up to `last`.

    Where 64 edits or more are `expected`, no narrow band is tried.
    """
    cdef const uint32_t* of = c.of
    cdef int64_t size = of[text + 1] - of[text], problem, fewest = -1, edits
    cdef int64_t counts[4]
    cdef Alignment each
    cdef BytePair pair
    cdef size_t d
    cdef int is_near = False
    row[0] = row[1] = row[2] = 0
    row[3] = <double> size
    for d in range(first, last):
        if c.bytes != NULL and expected < FEWEST_FAR:
            pair = trimmed(c.bytes + d, c.bytes + text)
            is_near = count_near(s, &pair, counts)
            if is_near < 0:
                return is_near
        if is_near:
            counts[0] += c.bytes[d].size - pair.n
        else:
            if c.ids == NULL and widen(s, c):
                return NO_MEMORY
            memset(&each, 0, sizeof(Alignment))
            each.scratch, each.n_types = s, c.n_types
            each.is_far = c.bytes != NULL or expected >= FEWEST_FAR
            problem = align(&each, c.ids + of[d], of[d + 1] - of[d], c.ids + of[text], size, -1)
            if problem:
                return problem
            counts[0], counts[1] = each.counts[MATCH], each.counts[SUBSTITUTION]
            counts[2], counts[3] = each.counts[DELETION], each.counts[INSERTION]
        edits = counts[1] + counts[2] + counts[3]
        if fewest < 0 or edits < fewest:
            fewest = edits
            row[0], row[1] = <double> counts[0], <double> counts[1]
            row[2], row[3] = <double> counts[2], <double> counts[3]
    return DONE


cdef int write_queued(Scratch* s) noexcept nogil:
    """Write the rows of the pairs that wait."""
    cdef Queue* queue = <Queue*> s.rooms[QUEUE]
    cdef uint64_t* columns
    cdef Lane* lanes
    cdef int64_t edits[4]
    cdef int64_t counts[16]
    cdef uint32_t of[3]
    cdef Bytes both[2]
    cdef Sequences c
    cdef int k, n, column, problem
    if queue == NULL or queue.n == 0:
        return DONE
    n, queue.n = queue.n, 0
    if n > 1:
        columns = <uint64_t*> room(s, STEPS, 8 * 2 * LANES * (MOST_ROWS + FEWEST_FAR))
        lanes = <Lane*> room(s, LANES_OF_BYTES, sizeof(Lane) * LANES)
        if columns == NULL or lanes == NULL:
            return NO_MEMORY
        count_in_lanes(columns, lanes, queue.pairs, n, edits, counts)
    for k in range(n):
        if n > 1 and edits[k] < FEWEST_FAR:
            queue.rows[k][0] = <double> (counts[4 * k] + queue.references[k].size - queue.pairs[k].n)
            for column in range(1, 4):
                queue.rows[k][column] = <double> counts[4 * k + column]
            continue
        both[0], both[1] = queue.texts[k], queue.references[k]
        of[0], of[1], of[2] = 0, <uint32_t> both[0].size, <uint32_t> (both[0].size + both[1].size)
        c = Sequences(NULL, &of[0], &both[0], 2, 256)
        problem = write_alignment(s, &c, 0, 1, 2, FEWEST_FAR if n > 1 else 0, queue.rows[k])
        if problem != DONE:
            return problem
    return DONE


cdef int write_characters(
    Scratch* s, Sequences* c, size_t text, size_t first, size_t last, double expected, double* row
) noexcept nogil:
    """Do as `write_alignment`, now or when others can be aligned at once."""
    cdef Queue* queue
    cdef BytePair pair
    if c.bytes == NULL or last - first != 1 or expected >= FEWEST_FAR or not has_lanes():
        return write_alignment(s, c, text, first, last, expected, row)
    pair = trimmed(c.bytes + first, c.bytes + text)
    if pair.n == 0 or pair.m == 0 or pair.n > MOST_ROWS or max(pair.n - pair.m, pair.m - pair.n) >= FEWEST_FAR:
        return write_alignment(s, c, text, first, last, expected, row)
    queue = <Queue*> room(s, QUEUE, sizeof(Queue))
    if queue == NULL:
        return NO_MEMORY
    queue.pairs[queue.n], queue.rows[queue.n] = pair, row
    queue.texts[queue.n], queue.references[queue.n] = c.bytes[text], c.bytes[first]
    queue.n += 1
    if queue.n < LANES:
        return DONE
    c.ids = NULL  # others may take their place
    return write_queued(s)


cdef int read_characters(
    Arena* a, size_t item, size_t n, size_t n_systems, size_t reference, size_t n_references, Sequences* c
) noexcept nogil:
    """Read the characters of an item's predictions and references, without white space at their ends."""
    cdef const Span* spans = <const Span*> a.scratch.rooms[SPANS]
    cdef const Span* span
    cdef size_t d, at, total = 0, steps = 0, k
    cdef Bytes* bytes
    cdef uint32_t* numbers
    cdef uint32_t* points
    cdef uint32_t* ids
    cdef uint32_t* to
    c.n, c.n_types, c.ids = n_systems + n_references, 256, NULL
    c.of = <uint32_t*> room(&a.scratch, POINTS, 4 * (c.n + 1))
    c.bytes = bytes = <Bytes*> room(&a.scratch, BYTES, sizeof(Bytes) * c.n)
    if c.of == NULL or bytes == NULL:
        return NO_MEMORY
    for d in range(c.n):
        span = spans + (d * n + item if d < n_systems else n_systems * (n - 1) + reference + d)
        c.of[d] = <uint32_t> total
        if span.form != 1 and not is_ascii(span):
            break
        at, k = 0, span.length
        while at < k and is_white(span.data[at]):
            at += 1
        while at < k and is_white(span.data[k - 1]):
            k -= 1
        bytes[d] = Bytes(span.data + at, k - at)
        total += k - at
    else:
        c.of[c.n] = <uint32_t> total
        return 0
    c.bytes, total = NULL, 0
    for d in range(c.n):
        total += spans[d * n + item if d < n_systems else n_systems * (n - 1) + reference + d].length
    ids = <uint32_t*> room(&a.scratch, CHARACTER_IDS, 4 * (total + 1))
    numbers = <uint32_t*> room(&a.scratch, NUMBER_OF, 4 * N_CHARACTERS)  # of which little is ever touched
    points = <uint32_t*> room(&a.scratch, WORD_IDS, 4 * (total + 1))
    if ids == NULL or numbers == NULL or points == NULL:
        return NO_MEMORY
    c.ids = to = ids
    for d in range(c.n):
        span = spans + (d * n + item if d < n_systems else n_systems * (n - 1) + reference + d)
        c.of[d] = <uint32_t> (to - ids)
        at = 0
        while at < span.length:
            to[0] = character_at(span, &at)
            to += to > ids + c.of[d] or not is_white(to[0])
            if many(&steps):
                return INTERRUPTED
        while to > ids + c.of[d] and is_white((to - 1)[0]):
            to -= 1
    total = to - ids
    c.of[c.n], c.n_types = <uint32_t> total, 0
    for k in range(total):
        points[k] = ids[k]
        if numbers[points[k]] == 0:
            c.n_types += 1
            numbers[points[k]] = <uint32_t> c.n_types
        ids[k] = numbers[points[k]] - 1
    for k in range(total):
        numbers[points[k]] = 0
    return 0


cdef Request error_request(str reading, bint with_characters) except *:
    """Return what asks for the hits and edits of words, and of characters."""
    cdef Request q
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.words_alone, q.columns = ERROR_ROWS, READING_NUMBERS[reading], not with_characters, BASE + 8
    return q


def error_rows(texts, size_t n, reference_offsets, str reading, size_t n_systems=1, bint with_characters=True):
    """See `plain.error_rows`."""
    cdef Request q = error_request(reading, with_characters)
    return filled_rows(&q, texts, n, reference_offsets, n_systems)


cdef enum:
    RATES = 6  # of words, of characters, of matches, of information lost and preserved, of matches of characters


cdef void write_rates(const double* row, double scale, double* rates) noexcept nogil:
    """Write the error rates of a sum of rows."""
    cdef double hits, edits, character_edits, reference, prediction, preserved = 1
    row += BASE  # hits, substitutions, deletions, insertions: of words, then of characters
    hits, edits = row[0], row[1] + row[2] + row[3]
    reference, prediction = hits + row[1] + row[2], hits + row[1] + row[3]
    if hits + edits > 0:
        preserved = hits / max(reference, 1.0) * (hits / max(prediction, 1.0))
    rates[0] = scale * (edits / max(reference, 1.0))
    character_edits = row[5] + row[6] + row[7]
    rates[1] = scale * (character_edits / max(row[4] + row[5] + row[6], 1.0))
    rates[2] = scale * (edits / max(hits + edits, 1.0))
    rates[3] = scale * (1 - preserved)
    rates[4] = scale * preserved
    rates[5] = scale * character_edits / max(row[4] + character_edits, 1.0)


def error_rates(rows, double scale):
    """See `plain.error_rates`."""
    cdef size_t n, columns, i
    cdef const double* row = doubles_of(rows, &n, &columns)
    if columns != BASE + 8:
        raise ValueError("rows have the hits and edits of words and of characters")
    rates = np.empty((n, RATES))
    cdef double* to = doubles_of(rates, &i, &columns)
    with nogil:
        for i in range(n):
            write_rates(row + i * (BASE + 8), scale, to + i * RATES)
    return rates


def edit_counts(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types,
):
    """See `plain.edit_counts`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    return count_pairs(&p, count_alignment, 4)


def edit_steps(const int32_t[::1] text, const int32_t[::1] reference, size_t n_types):
    """See `plain.edit_steps`."""
    cdef Scratch s
    cdef Alignment a
    cdef int64_t problem
    cdef size_t n = reference.shape[0], m = text.shape[0]
    cdef const uint32_t* own = tokens(text)
    cdef const uint32_t* other = tokens(reference)
    steps = np.empty(n + m, np.uint8)
    cdef uint8_t[::1] view = steps
    memset(&s, 0, sizeof(Scratch))
    memset(&a, 0, sizeof(Alignment))
    a.scratch, a.n_types, a.steps = &s, n_types, &view[0] if n + m else NULL
    with nogil:
        problem = align(&a, other, n, own, m, -1)
        free_rooms(&s)
    raise_if(problem)
    return steps[: a.counts[0] + a.counts[1] + a.counts[2] + a.counts[3]][::-1].tolist()
