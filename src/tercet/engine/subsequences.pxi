# plain_subsequences.py defines what is computed here.
#
# Longest common subsequences: of very long texts, and of texts of several lines.
#
# The textbook's table is filled in strips of columns, one bit each as in ngrams.pxi; each token of the text keeps its
# carry for the next strip. For the length alone, tokens that one text lacks are left out, and a strip is as wide as
# makes good use of the processor (subsequences.h). Who needs the places of the matches keeps the bits of each cell,
# too, in strips of 64: on the way back from the end, a match is seen in the tokens; elsewhere a one says that the table
# does not grow in this column, so that the way goes on in the column before, and else in the row before.

cdef extern from "blocks.h" nogil:
    uint64_t add_with_carry(uint64_t a, uint64_t b, uint8_t* carry)

cdef extern from "subsequences.h" nogil:
    enum:
        NUMBERS_OF_STRIP
        COLUMNS_OF_NUMBER
        COLUMNS_OF_STRIP
        EMPTY_TOKENS
    uint64_t common_in_strip(const uint32_t* text, size_t size, const uint64_t* places, uint8_t* carries)


cdef inline uint64_t next_bits(uint64_t bits, uint64_t places, uint8_t* carry) noexcept nogil:
    """Return the next row, for 64 columns of many; the carry comes from those before, and goes to those behind."""
    cdef uint64_t both = bits & places
    return add_with_carry(bits, both, carry) | (bits ^ both)


cdef inline size_t number_of_strip(uint32_t token, size_t column) noexcept nogil:
    """Return which number among the places has a column of a token."""
    return NUMBERS_OF_STRIP * <size_t> token + column // COLUMNS_OF_NUMBER


cdef int long_common(Scratch* s, const Group* g, int64_t* common) noexcept nogil:
    """Write the length for a text and one reference of any length, in local ids."""
    cdef size_t length = g.bounds[1] - g.bounds[0], first, last, i, n_rows = 0, n_columns = 0
    cdef const uint32_t* ids = g.ids + g.bounds[0]
    cdef uint64_t* places = <uint64_t*> room(s, PLACES, 8 * NUMBERS_OF_STRIP * (g.n_types + 1))
    cdef uint32_t* rows = <uint32_t*> room(s, FOUND, 4 * (g.size + 2 * EMPTY_TOKENS))  # tokens of the text
    cdef uint32_t* columns = <uint32_t*> room(s, ENDS, 4 * length)                     # and of the reference
    cdef uint8_t* carries = <uint8_t*> room(s, CARRIES, g.size + EMPTY_TOKENS)
    cdef uint8_t* is_in_text = <uint8_t*> room(s, MARKED, g.n_types + 1)
    if not (places and rows and columns and carries and is_in_text):
        return NO_MEMORY
    memset(is_in_text, 0, g.n_types + 1)
    for i in range(EMPTY_TOKENS):
        rows[i] = <uint32_t> g.n_types
    rows += EMPTY_TOKENS
    for i in range(g.size):
        rows[n_rows] = g.text[i]
        n_rows += g.text[i] != g.n_types
        is_in_text[g.text[i]] = 1
    for i in range(n_rows, n_rows + EMPTY_TOKENS):
        rows[i] = <uint32_t> g.n_types
    for i in range(length):
        columns[n_columns] = ids[i]
        n_columns += is_in_text[ids[i]]
    memset(carries, 0, n_rows + EMPTY_TOKENS)
    common[0] = 0
    first = 0
    while first < n_columns:
        last = min(first + COLUMNS_OF_STRIP, n_columns)
        for i in range(first, last):
            places[number_of_strip(columns[i], i - first)] |= <uint64_t> 1 << (i - first) % COLUMNS_OF_NUMBER
        common[0] += common_in_strip(rows, n_rows, places, carries)
        for i in range(first, last):
            places[number_of_strip(columns[i], i - first)] = 0
        if stopped(s, NUMBERS_OF_STRIP * n_rows):
            return INTERRUPTED
        first = last
    return DONE


cdef void count_tokens(const Pairs* p, int64_t document, uint32_t* counts, bint anew) noexcept nogil:
    """Count the tokens that a document has to be hit; not `anew`, set these counts to zero."""
    cdef int64_t i
    for i in range(p.left_offsets[document], p.left_offsets[document + 1]):
        counts[p.left_ids[i]] = counts[p.left_ids[i]] + 1 if anew else 0


cdef int keep_steps(
    Scratch* s, const uint32_t* reference, size_t size, const uint32_t* text, const int64_t* line,
    const int64_t* last, uint64_t* places, uint8_t* carries, uint64_t* steps
) noexcept nogil:
    """Fill the bits of the tables of a line of the reference with each line of a text, `line` to `last`."""
    cdef size_t length = last[0] - line[0], word, first, i
    cdef int64_t j
    cdef uint64_t bits
    cdef const int64_t* each
    memset(carries, 0, length)
    for word in range((size + 63) >> 6):
        first = 64 * word
        for i in range(first, min(first + 64, size)):
            places[reference[i]] |= <uint64_t> 1 << (i - first)
        each = line
        while each < last:
            bits = ALL
            for j in range(each[0] - line[0], each[1] - line[0]):
                bits = next_bits(bits, places[text[j]], carries + j)
                steps[word * length + j] = bits
            each += 1
        for i in range(first, min(first + 64, size)):
            places[reference[i]] = 0
        if stopped(s, length):
            return INTERRUPTED
    return DONE


cdef uint64_t union_in_word(
    const uint32_t* reference, size_t size, const uint32_t* text, const int64_t* line, const int64_t* last,
    uint64_t* places, uint64_t* steps
) noexcept nogil:
    """Return which of up to 64 tokens of a line the subsequences with each line of a text go through, a bit each."""
    cdef uint64_t marked = 0, bits, here, open, ends
    cdef int64_t start = line[0], first, j
    cdef size_t i
    for i in range(size):
        places[reference[i]] |= <uint64_t> 1 << i
    while line < last:
        bits, first = ALL, line[0] - start
        for j in range(first, line[1] - start):
            here = places[text[j]]
            bits = (bits + (bits & here)) | (bits & ~here)
            steps[j] = bits
        open = ALL >> (64 - size) if ~bits else 0  # the columns that are left on the way back
        for j in range(line[1] - start - 1, first - 1, -1):
            here = places[text[j]]
            ends = (here | ~steps[j]) & open  # a match, or where the table grows, which is the way to the row before
            if ends == 0:
                break
            ends = <uint64_t> 1 << highest_bit(ends)
            open, here = ends | (ends - 1), here & ends
            open ^= here
            marked |= here
        line += 1
    for i in range(size):
        places[reference[i]] = 0
    return marked


cdef inline bint take_hit(uint32_t* left, uint32_t* theirs, uint32_t token) noexcept nogil:
    """Take a token that both texts have left, and return True; False where one has none."""
    if left[token] == 0 or theirs[token] == 0:
        return False
    left[token] -= 1
    theirs[token] -= 1
    return True


cdef int union_hits(Scratch* s, const Pairs* p, size_t pair, int64_t* hits) noexcept nogil:
    """Write how many tokens of the lines of a reference the subsequences with any line of the text go through."""
    cdef int64_t text = p.texts[pair], reference = p.references[pair], line, i, j
    cdef const int64_t* lines = p.lines + p.line_offsets[text]
    cdef const int64_t* last = p.lines + p.line_offsets[text + 1]
    cdef const int64_t* each
    cdef const uint32_t* own = p.ids + lines[0]
    cdef const uint32_t* ids
    cdef size_t length = last[0] - lines[0], size
    cdef uint64_t* places = <uint64_t*> room(s, PLACES, 8 * p.n_types)
    cdef uint32_t* left = <uint32_t*> room(s, LEFT, 4 * p.n_types)
    cdef uint32_t* theirs = <uint32_t*> room(s, THEIRS, 4 * p.n_types)
    cdef uint8_t* carries = <uint8_t*> room(s, CARRIES, length)
    cdef uint64_t* steps
    cdef uint64_t bits
    cdef uint8_t* marked
    if not (places and left and theirs and carries):
        return NO_MEMORY
    count_tokens(p, text, left, True)
    count_tokens(p, reference, theirs, True)
    for line in range(p.line_offsets[reference], p.line_offsets[reference + 1]):
        ids, size = p.ids + p.lines[line], p.lines[line + 1] - p.lines[line]
        steps = <uint64_t*> room(s, STEPS, 8 * length * ((size + 63) >> 6))
        marked = <uint8_t*> room(s, MARKED, size)
        if steps == NULL or marked == NULL:
            return NO_MEMORY
        if size <= 64:
            bits = union_in_word(ids, size, own, lines, last, places, steps)
            while bits:
                i = lowest_bit(bits)
                bits &= bits - 1
                hits[0] += take_hit(left, theirs, ids[i])
            if stopped(s, length):
                return INTERRUPTED
            continue
        memset(marked, 0, size)
        if keep_steps(s, ids, size, own, lines, last, places, carries, steps) != DONE:
            return INTERRUPTED
        each = lines
        while each < last:  # the way back
            i, j = <int64_t> size - 1, each[1] - lines[0] - 1
            while i >= 0 and j >= each[0] - lines[0]:
                if ids[i] == own[j]:
                    marked[i] = 1
                    i -= 1
                    j -= 1
                elif steps[(i >> 6) * <int64_t> length + j] >> (i & 63) & 1:
                    i -= 1
                else:
                    j -= 1
            each += 1
        for i in range(<int64_t> size):
            if marked[i]:
                hits[0] += take_hit(left, theirs, ids[i])
    count_tokens(p, text, left, False)
    count_tokens(p, reference, theirs, False)
    return DONE


def union_lcs_hits(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] lines, const int64_t[::1] line_offsets,
    const int64_t[::1] texts, const int64_t[::1] references, size_t n_types, const int32_t[::1] left_ids,
    const int64_t[::1] left_offsets,
):
    """See `plain.union_lcs_hits`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    p.lines, p.line_offsets, p.left_ids, p.left_offsets = (
        start(lines), start(line_offsets), tokens(left_ids), start(left_offsets)
    )
    return count_pairs(&p, union_hits, 1)[:, 0]
