# Longest common subsequences: of very long texts, and of texts of several lines.
#
# Columns of the textbook's table are taken 64 at a time, one bit each as in ngrams.pxi; each token of the text keeps
# its carry for the next 64. Who needs the places of the matches keeps the bits of each cell, too: on the way back from
# the end, a match is seen in the tokens; elsewhere a one says that the table does not grow in this column, so that the
# way goes on in the column before, and else in the row before.

cdef inline uint64_t next_bits(uint64_t bits, uint64_t places, uint64_t* carry) noexcept nogil:
    """As `next_row`, for 64 columns of many; the carry comes from those before, and goes to those behind."""
    cdef uint64_t both = bits & places, added = bits + both, total = added + carry[0]
    carry[0] = (added < both) | (total < added)
    return total | (bits & ~places)


cdef int long_common(Scratch* s, const Group* g, int64_t* common) noexcept nogil:
    """Write the length for a text and one reference of any length, in local ids."""
    cdef size_t length = g.bounds[1] - g.bounds[0], first, last, i, j, n = 0
    cdef const uint32_t* ids = g.ids + g.bounds[0]
    cdef uint64_t* places = <uint64_t*> zeros(s, PLACES, 8 * (g.n_types + 1))
    cdef uint32_t* found = <uint32_t*> room(s, FOUND, 4 * g.size)  # the tokens of the text that are in the reference
    cdef uint64_t* carries = <uint64_t*> room(s, CARRIES, 8 * g.size)
    cdef uint64_t bits
    if places == NULL or found == NULL or carries == NULL:
        return NO_MEMORY
    for i in range(g.size):
        found[n] = g.text[i]
        n += g.text[i] != g.n_types
    memset(carries, 0, 8 * n)
    common[0] = 0
    for first in range(0, length, 64):
        last = min(first + 64, length)
        for i in range(first, last):
            places[ids[i]] |= <uint64_t> 1 << (i - first)
        bits = ALL
        for j in range(n):
            bits = next_bits(bits, places[found[j]], carries + j)
        common[0] += bit_count(~bits)
        for i in range(first, last):
            places[ids[i]] = 0
        if stopped(s, n):
            return INTERRUPTED
    return DONE
