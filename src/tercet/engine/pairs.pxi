# What a text shares with its references, by sets of places: tercet's pair_kernels.py and match_by_bits.

cdef int short_pair(
    Arena* a, size_t text, size_t first, size_t last, uint64_t n_types, int max_order, bint lcs, int64_t* row
) noexcept nogil:
    """Up to 64 tokens: all orders and the subsequence at once, so that their chains of steps overlap."""
    cdef uint32_t* of = a.token_of
    cdef uint64_t* places = <uint64_t*> room(a, PLACES, 8 * (n_types + 1))
    if places == NULL:
        return -1
    memset(places, 0, 8 * (n_types + 1))
    cdef uint64_t size = of[text + 1] - of[text], i, length, p, o1, o2, o3, o4, bit
    cdef uint64_t e1, e2, e3, e4, f1, f2, f3, f4, both
    cdef uint64_t common = ALL
    cdef uint64_t m1 = 0, m2 = 0, m3 = 0, m4 = 0
    cdef uint32_t* own = a.ids + of[text]
    cdef uint32_t* ids
    cdef size_t d
    for d in range(first, last):
        ids, length = a.ids + of[d], of[d + 1] - of[d]
        for i in range(length):
            places[ids[i]] |= <uint64_t> 1 << i
        e1 = e2 = e3 = 0
        f1 = f2 = f3 = f4 = common = ALL
        if last - first == 1:
            for i in range(size):
                p = places[own[i]]
                e4, e3, e2, e1 = (e3 << 1) & p, (e2 << 1) & p, (e1 << 1) & p, p
                f1 ^= lowest(e1 & f1)  # the lowest bit is used up
                f2 ^= lowest(e2 & f2)
                f3 ^= lowest(e3 & f3)
                f4 ^= lowest(e4 & f4)
                common = (common + (common & p)) | (common & ~p)
            m1, m2, m3, m4 = ~f1, ~f2, ~f3, ~f4
        else:
            for i in range(size):
                p = places[own[i]]
                e4, e3, e2, e1 = (e3 << 1) & p, (e2 << 1) & p, (e1 << 1) & p, p
                o1, o2, o3, o4 = lowest(e1 & f1), lowest(e2 & f2), lowest(e3 & f3), lowest(e4 & f4)
                f1 ^= o1
                f2 ^= o2
                f3 ^= o3
                f4 ^= o4
                m1 |= <uint64_t> (o1 != 0) << i
                m2 |= <uint64_t> (o2 != 0) << i
                m3 |= <uint64_t> (o3 != 0) << i
                m4 |= <uint64_t> (o4 != 0) << i
            for i in range(length):
                places[ids[i]] = 0
    row[0] = bit_count(m1)
    if max_order > 1:
        row[1] = bit_count(m2)
    if max_order > 2:
        row[2] = bit_count(m3)
    if max_order > 3:
        row[3] = bit_count(m4)
    if lcs:
        row[max_order] = bit_count(~common)
    return 0


cdef uint64_t clipped_rows(const uint64_t* ends, size_t size, size_t n_words, uint64_t* left) noexcept nogil:
    cdef size_t i, word
    cdef uint64_t not_yet, taken, n = 0
    memset(left, 255, 8 * n_words)
    for i in range(size):
        not_yet = ALL
        for word in range(n_words):
            taken = lowest(ends[i * n_words + word] & left[word]) & not_yet
            left[word] ^= taken
            not_yet &= <uint64_t> (taken != 0) - 1
    for word in range(n_words):
        n += bit_count(~left[word])
    return n


cdef uint64_t common_rows(
    const uint64_t* table, const uint32_t* own, size_t size, uint32_t nobody, size_t n_words, uint64_t* bits
) noexcept nogil:
    cdef size_t i, word
    cdef uint64_t carry, both, added, total, n = 0
    cdef const uint64_t* row
    memset(bits, 255, 8 * n_words)
    for i in range(size):
        if own[i] == nobody:
            continue
        row, carry = table + own[i] * n_words, 0
        for word in range(n_words):
            both = bits[word] & row[word]
            added = bits[word] + both
            total = added + carry
            carry = (added < both) | (total < carry)
            bits[word] = total | (bits[word] ^ both)
    for word in range(n_words):
        n += bit_count(~bits[word])
    return n


cdef int longer_pair(
    Arena* a, size_t text, size_t reference, uint64_t n_types, int max_order, bint lcs, int64_t* row
) noexcept nogil:
    """One reference, sets of several numbers; the subsequence is written behind `max_order` matches."""
    cdef uint32_t* of = a.token_of
    cdef size_t size = of[text + 1] - of[text], length = of[reference + 1] - of[reference], i, word
    cdef size_t n_words = (length + 63) >> 6
    cdef uint32_t* own = a.ids + of[text]
    cdef uint32_t* ids = a.ids + of[reference]
    cdef uint64_t* table = <uint64_t*> room(a, ROWS, 8 * (n_types + 1) * n_words + 8)
    cdef uint64_t* sets = <uint64_t*> room(a, SETS, (8 * size * n_words if max_order else 0) + 8)
    cdef uint64_t* left = <uint64_t*> room(a, LEFT, 8 * n_words + 8)
    cdef uint64_t bits, carry
    cdef uint64_t* here
    cdef uint64_t* places
    cdef int order
    if table == NULL or sets == NULL or left == NULL:
        return -1
    memset(table, 0, 8 * (n_types + 1) * n_words)
    for i in range(length):
        table[ids[i] * n_words + (i >> 6)] |= <uint64_t> 1 << (i & 63)
    for order in range(max_order):
        for i in range(size):
            i = size - 1 - i
            here, places = sets + i * n_words, table + own[i] * n_words
            if order == 0:
                memcpy(here, places, 8 * n_words)
            elif i == 0:
                memset(here, 0, 8 * n_words)
            else:
                carry = 0
                for word in range(n_words):
                    bits = (here - n_words)[word]
                    here[word] = ((bits << 1) | carry) & places[word]
                    carry = bits >> 63
        row[order] = clipped_rows(sets, size, n_words, left)
        if row[order] == 0:
            break
    if lcs:
        row[max_order] = common_rows(table, own, size, <uint32_t> n_types, n_words, left)
    return 0
