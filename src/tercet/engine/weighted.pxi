# plain_subsequences.py defines what is computed here.
#
# Weighted longest common subsequences, from match to match.
#
# The worth of a cell is the greatest weight of a subsequence up to it; the way back (traceback) finds its matches.
# A row of the textbook's table changes at few places, and is kept as a bit for each of them, and the worth there. The
# rows of the text "the cat" for the reference "a cat, the cat", where k in a row are worth k * k:
#
#               a     cat   the   cat          changes at
#     the       0     0     1     1            "the"
#     cat       0     1     1     4            both "cat"
#
# Off the matches a cell is the greater of its left and its upper neighbour, so a match wipes out the changes behind
# it up to the first that is worth more. A match itself is worth what its upper left neighbour gives, even where that
# is less than its left neighbour: a dip, which the next row fills. The way back goes along matches, else up where the
# row changes (there it rises), else left. Sums and ties are those of the textbook. Places in a line count from 1.

cdef struct Row:  # for a line of `size` tokens
    uint64_t* changes     # a bit for each place at which the row changes
    double* worth         # at these places the worth;
    uint32_t* run         # where a match was, how many stand in a row,
    int64_t* row_of_run   # and in which row of the table that was
    double* found         # of the matches of the next row, the worth,
    double* above         # that of the cell above,
    uint32_t* found_run   # and how many stand in a row
    uint32_t* dips[2]     # matches worth no more than their left neighbours, of this row and of the one above
    uint32_t* following   # the next place of the same token, 0 none
    const double* weights
    size_t size


cdef int make_row(Scratch* s, Row* row) noexcept nogil:
    """Take the memory of a row: first what takes 8 bytes a place, then what takes 4."""
    cdef size_t n = row.size + 2
    row.worth = <double*> room(s, ROW, 8 * (4 * n + (n >> 6) + 1) + 4 * 5 * n)
    if row.worth == NULL:
        return NO_MEMORY
    row.found, row.above, row.row_of_run = row.worth + n, row.worth + 2 * n, <int64_t*> (row.worth + 3 * n)
    row.changes = <uint64_t*> (row.worth + 4 * n)
    row.run = <uint32_t*> (row.changes + (n >> 6) + 1)
    row.found_run, row.following = row.run + n, row.run + 2 * n
    row.dips[0], row.dips[1] = row.run + 3 * n, row.run + 4 * n
    return DONE


cdef inline double worth_at(const Row* row, size_t place) noexcept nogil:
    """Return the worth of a cell: that of the last place up to it where the row changes."""
    cdef size_t word = place >> 6
    cdef uint64_t bits = row.changes[word] & (ALL >> (63 - (place & 63)))
    while bits == 0:
        word -= 1
        bits = row.changes[word]
    return row.worth[(word << 6) + highest_bit(bits)]


cdef inline void spread(Row* row, size_t place, double best, size_t limit) noexcept nogil:
    """Let the cells behind a place be worth at least `best`, up to `limit`."""
    cdef uint64_t bits
    place += 1
    while place < limit:
        bits = row.changes[place >> 6] >> (place & 63)
        if bits == 0:
            place = ((place >> 6) + 1) << 6
            continue
        place += lowest_bit(bits)
        if place >= limit or row.worth[place] > best:
            return
        row.changes[place >> 6] ^= <uint64_t> 1 << (place & 63)


cdef inline size_t find_matches(Row* row, int64_t j, size_t place) noexcept nogil:
    """Note what the matches of row j, the first one at `place`, are worth; return their number.

    A match goes on from its upper left neighbour, so that all are found before the row is changed.
    """
    cdef size_t n = 0
    cdef uint32_t length
    cdef double corner
    while place != 0:
        length = row.run[place - 1] if row.row_of_run[place - 1] == j - 1 else 0
        corner = worth_at(row, place - 1)
        row.above[n] = row.worth[place] if is_set(row.changes, place) else corner
        row.found[n] = corner + row.weights[length + 1] - row.weights[length]
        row.found_run[n] = length + 1
        n += 1
        place = row.following[place]
    return n


cdef size_t change(Row* row, int64_t j, size_t place, size_t n_found, size_t n_dips) noexcept nogil:
    """Make row j, the first match of it at `place`, out of the one above it; return the number of its dips."""
    cdef const uint32_t* old = row.dips[j & 1]
    cdef uint32_t* new = row.dips[1 - (j & 1)]
    cdef size_t n_new = 0, dip = 0, match = 0, limit, hole, behind
    cdef double best, before
    while match < n_found or dip < n_dips:
        limit = place if match < n_found else row.size + 1
        if dip < n_dips and old[dip] < limit:  # no match here any more: it is as great as its left neighbour
            hole = old[dip]
            dip += 1
            before = worth_at(row, hole - 1)
            if before >= row.worth[hole]:
                row.changes[hole >> 6] &= ~(<uint64_t> 1 << (hole & 63))
                spread(row, hole, before, limit)
            continue
        dip += dip < n_dips and old[dip] == place
        best, behind = row.found[match], row.following[place]
        if best <= worth_at(row, place - 1):
            new[n_new] = <uint32_t> place
            n_new += 1
        row.changes[place >> 6] |= <uint64_t> 1 << (place & 63)
        row.worth[place], row.run[place], row.row_of_run[place] = best, row.found_run[match], j
        limit = behind if behind else row.size + 1
        if place + 1 < limit:
            if row.above[match] > best and not is_set(row.changes, place + 1):
                row.changes[(place + 1) >> 6] |= <uint64_t> 1 << ((place + 1) & 63)
                row.worth[place + 1] = row.above[match]
            else:
                spread(row, place, best, limit)
        match += 1
        place = behind
    return n_new


cdef int fill_rows(
    Scratch* s, Row* row, const uint32_t* text, size_t n_rows, const uint32_t* first, uint64_t* kept, size_t* row_of
) noexcept nogil:
    """Keep where each row of a line of the text changes; ``row_of[j]`` is that of row j, or the last that changed.

    ``first[token]`` is the first place of a token in the line of the reference, 0 none.
    """
    cdef size_t n_words = (row.size >> 6) + 1, n_kept = 0, n_dips = 0, n_found, j, place
    memset(row.changes, 0, 8 * n_words)
    memset(kept, 0, 8 * n_words)
    row.changes[0], row.worth[0] = 1, 0.0
    for place in range(row.size + 1):
        row.row_of_run[place] = -1
    row_of[0] = 0
    for j in range(1, n_rows + 1):
        place = first[text[j - 1]]
        if place or n_dips:
            n_found = find_matches(row, j, place)
            n_dips = change(row, j, place, n_found, n_dips)
            n_kept += 1
            memcpy(kept + n_kept * n_words, row.changes, 8 * n_words)
            if stopped(s, n_words + 16 * n_found):
                return INTERRUPTED
        row_of[j] = n_kept
    return DONE


cdef int weighted_hits(Scratch* s, const Pairs* p, size_t pair, int64_t* to) noexcept nogil:
    """Write what the runs of hits in the lines of a reference are worth, a double."""
    cdef double* hits = <double*> to
    cdef int64_t text = p.texts[pair], reference = p.references[pair], line, other
    cdef const uint32_t* own
    cdef const uint32_t* ids
    cdef uint32_t* first = <uint32_t*> room(s, FIRST, 4 * p.n_types)
    cdef uint32_t* left = <uint32_t*> room(s, LEFT, 4 * p.n_types)
    cdef uint32_t* theirs = <uint32_t*> room(s, THEIRS, 4 * p.n_types)
    cdef size_t n_words, n_rows, i, j, length
    cdef uint64_t* kept
    cdef size_t* row_of
    cdef uint8_t* marked
    cdef Row row
    if not (first and left and theirs):
        return NO_MEMORY
    row.weights = p.weights
    count_tokens(p, text, left, True)
    count_tokens(p, reference, theirs, True)
    for line in range(p.line_offsets[reference], p.line_offsets[reference + 1]):
        ids, row.size = p.ids + p.lines[line] - 1, p.lines[line + 1] - p.lines[line]
        n_words = (row.size >> 6) + 1
        marked = <uint8_t*> room(s, MARKED, row.size + 2)
        if marked == NULL or make_row(s, &row) != DONE:
            return NO_MEMORY
        memset(marked, 0, row.size + 2)
        for i in range(row.size, 0, -1):
            row.following[i] = first[ids[i]]
            first[ids[i]] = <uint32_t> i
        for other in range(p.line_offsets[text], p.line_offsets[text + 1]):
            own, n_rows = p.ids + p.lines[other] - 1, p.lines[other + 1] - p.lines[other]
            kept = <uint64_t*> room(s, STEPS, 8 * n_words * (n_rows + 1))
            row_of = <size_t*> room(s, ROW_OF, sizeof(size_t) * (n_rows + 1))
            if kept == NULL or row_of == NULL:
                return NO_MEMORY
            if fill_rows(s, &row, own + 1, n_rows, first, kept, row_of) != DONE:
                return INTERRUPTED
            i, j = row.size, n_rows
            while i > 0 and j > 0:  # the way back
                if ids[i] == own[j]:
                    marked[i] = 1
                    i -= 1
                    j -= 1
                elif is_set(kept + row_of[j] * n_words, i):
                    j -= 1
                else:
                    i -= 1
        length = 0
        for i in range(1, row.size + 1):
            first[ids[i]] = 0
            if marked[i] and take_hit(left, theirs, ids[i]):
                length += 1
                if not marked[i + 1]:
                    hits[0] += p.weights[length]
                    length = 0
    count_tokens(p, text, left, False)
    count_tokens(p, reference, theirs, False)
    return DONE


def weighted_lcs_hits(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] lines, const int64_t[::1] line_offsets,
    const int64_t[::1] texts, const int64_t[::1] references, size_t n_types, const int32_t[::1] left_ids,
    const int64_t[::1] left_offsets, const double[::1] weights,
):
    """See `plain.weighted_lcs_hits`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    p.lines, p.line_offsets, p.left_ids, p.left_offsets = (
        start(lines), start(line_offsets), tokens(left_ids), start(left_offsets)
    )
    p.weights = &weights[0] if weights.shape[0] else NULL
    return count_pairs(&p, weighted_hits, 1)[:, 0].view(np.float64)
