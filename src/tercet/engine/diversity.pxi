# plain_diversity.py defines what is computed here.
#
# What texts repeat of themselves, and of the others of their set: n-grams, and the lengths of the others.
#
# The n-grams of one order have numbers, the same in all texts. A set is walked through twice: first for what each
# n-gram has in its texts, then for what this is to each text.

from libc.stdlib cimport qsort

cdef struct InSet:  # an n-gram; all zero between sets
    int64_t count    # in the text at hand
    int64_t total    # in the set
    int64_t most     # in one text
    int64_t next     # in the text that has it most often but for one; equal to `most` where two have

cdef struct InText:  # a different n-gram of a text
    uint32_t number
    uint32_t count

cdef struct Texts:
    const int64_t* offsets
    const int64_t* edges   # set e: the texts edges[e] to edges[e + 1]
    size_t n, n_sets
    size_t columns, bleu_columns
    double* rows
    double* bleu
    int64_t longest, window
    int max_order
    bint divisors


cdef int by_value(const void* one, const void* other) noexcept nogil:
    cdef int64_t left = (<const int64_t*> one)[0], right = (<const int64_t*> other)[0]
    return (left > right) - (left < right)


cdef int count_order(Scratch* s, const Texts* t, int order, const uint32_t* numbers, size_t n_types) noexcept nogil:
    """Write matches, shares and repetitions of the n-grams of one order; `numbers` as of `number_order`."""
    cdef size_t n_tokens = t.offsets[t.n], e, d, k, n_totals
    cdef InSet* grams = <InSet*> room(s, COUNTS, sizeof(InSet) * (max(n_types, n_tokens) + 1))
    cdef InText* different = <InText*> room(s, FOUND, sizeof(InText) * (n_tokens + 1))
    cdef uint32_t* n_different = <uint32_t*> room(s, BOUNDS, 4 * (t.n + 1))
    cdef int64_t* times = <int64_t*> room(s, LEFT, 8 * (n_tokens + 1))  # by total, zero between texts
    cdef int64_t* totals = <int64_t*> room(s, ORDERS, 8 * (t.longest + 1))
    cdef int64_t i, size, matches, place
    cdef InSet* gram
    cdef InText* found
    cdef double share
    cdef double* row
    if grams == NULL or different == NULL or n_different == NULL or times == NULL or totals == NULL:
        return NO_MEMORY
    for e in range(t.n_sets):
        for d in range(t.edges[e], t.edges[e + 1]):
            found, n_different[d] = different + t.offsets[d], 0
            for i in range(t.offsets[d], t.offsets[d + 1] - order + 1):
                gram = grams + numbers[i]
                if gram.count == 0:
                    found[n_different[d]].number = numbers[i]
                    n_different[d] += 1
                gram.count += 1
            for k in range(n_different[d]):
                gram = grams + found[k].number
                found[k].count = <uint32_t> gram.count
                gram.total += gram.count
                if gram.count > gram.most:
                    gram.next, gram.most = gram.most, gram.count
                elif gram.count > gram.next:
                    gram.next = gram.count
                gram.count = 0
            if stopped(s, 1 + t.offsets[d + 1] - t.offsets[d]):
                return INTERRUPTED
        for d in range(t.edges[e], t.edges[e + 1]):
            found, matches, n_totals = different + t.offsets[d], 0, 0
            for k in range(n_different[d]):
                gram = grams + found[k].number
                matches += min(<int64_t> found[k].count, gram.next if gram.most == found[k].count else gram.most)
                if times[gram.total] == 0:
                    totals[n_totals] = gram.total
                    n_totals += 1
                times[gram.total] += found[k].count
            # By rising totals, so that the sum does not depend on the order of the texts, to the last bit.
            qsort(totals, n_totals, sizeof(int64_t), by_value)
            share = 0
            for k in range(n_totals):
                share += <double> times[totals[k]] / <double> totals[k]
                times[totals[k]] = 0
            size = max(t.offsets[d + 1] - t.offsets[d] - order + 1, 0)
            row = t.bleu + d * t.bleu_columns + BASE + 4 + order - 1
            row[0], row[t.max_order] = matches, size
            if t.divisors:
                row[2 * t.max_order] = max(size, 1)
            place = BASE + 1 + 2 * order
            row = t.rows + d * t.columns
            row[place], row[place + 1] = share, size
            place += 2 * t.max_order + 2
            row[place], row[place + 1] = <double> (size - n_different[d]) / <double> max(size, 1), size > 0
        for d in range(t.edges[e], t.edges[e + 1]):
            for k in range(n_different[d]):
                memset(grams + different[<size_t> t.offsets[d] + k].number, 0, sizeof(InSet))
    return DONE


cdef int moving_ratios(Scratch* s, const Texts* t, const uint32_t* ids, size_t n_types) noexcept nogil:
    """Write the mean share of different tokens in the windows of each text (Covington and McFall 2010).

    A token counts in the windows that it is the first of its type in: they begin behind the one before, and reach it.
    """
    cdef int64_t* behind = <int64_t*> room(s, FIRST, 8 * (n_types + 1))  # the one before; zero between texts
    cdef int64_t i, length, size, n_first
    cdef const uint32_t* text
    cdef double* row
    cdef size_t d
    if behind == NULL:
        return NO_MEMORY
    for d in range(t.n):
        text, length, n_first = ids + t.offsets[d], t.offsets[d + 1] - t.offsets[d], 0
        size = min(t.window, length)
        for i in range(length):
            n_first += max(min(i, length - size) - max(behind[text[i]], i - size + 1) + 1, 0)
            behind[text[i]] = i + 1
        for i in range(length):
            behind[text[i]] = 0
        row = t.rows + d * t.columns + BASE + 3 + 2 * t.max_order
        row[0], row[1] = <double> n_first / <double> max((length - size + 1) * size, 1), length > 0
        if stopped(s, 1 + length):
            return INTERRUPTED
    return DONE


cdef int closest_others(Scratch* s, const Texts* t) noexcept nogil:
    """Write the length of each text, and of the closest other of its set, of two the shorter; alone, its own."""
    cdef int64_t* n_texts = <int64_t*> room(s, THEIRS, 8 * (t.longest + 1))  # of each length; zero between sets
    cdef int64_t* closest = <int64_t*> room(s, BEST, 8 * (t.longest + 1))
    cdef int64_t length, longest, below, above
    cdef double* row
    cdef size_t e, d
    if n_texts == NULL or closest == NULL:
        return NO_MEMORY
    for e in range(t.n_sets):
        longest, below, above = 0, -1, -1
        for d in range(t.edges[e], t.edges[e + 1]):
            length = t.offsets[d + 1] - t.offsets[d]
            n_texts[length] += 1
            longest = max(longest, length)
        for length in range(longest + 1):
            if n_texts[length]:
                closest[length], below = below, length
        for length in range(longest, -1, -1):
            if n_texts[length]:
                below = closest[length]
                if n_texts[length] > 1 or (below < 0 and above < 0):
                    closest[length] = length
                elif below < 0 or (above >= 0 and above - length < length - below):
                    closest[length] = above
                n_texts[length], above = 0, length
        for d in range(t.edges[e], t.edges[e + 1]):
            length = t.offsets[d + 1] - t.offsets[d]
            row = t.bleu + d * t.bleu_columns + BASE
            row[0], row[1] = length, closest[length]
            row = t.rows + d * t.columns
            row[0], row[1], row[BASE + 2] = 1, length == 0, t.edges[e + 1] - t.edges[e] > 1
    return DONE


def diversity_rows(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] edges, size_t n_types, int max_order,
    int64_t window, bint divisors, size_t n_columns,
):
    """See `plain.diversity_rows`."""
    cdef Texts t
    cdef Scratch s
    cdef int32_t[::1] copied = np.array(ids, np.int32)
    cdef int32_t* numbers = <int32_t*> tokens(copied)
    cdef const uint32_t* first = tokens(ids)
    cdef int64_t n = n_types
    cdef int problem, order
    cdef size_t d
    if max_order < 1 or n_columns < <size_t> (BASE + 5 + 4 * max_order):
        raise ValueError(f"rows of {max_order} orders do not fit in {n_columns} columns")
    memset(&s, 0, sizeof(Scratch))
    memset(&t, 0, sizeof(Texts))
    t.offsets, t.edges, t.n, t.n_sets = start(offsets), start(edges), offsets.shape[0] - 1, edges.shape[0] - 1
    t.columns, t.bleu_columns, t.divisors = n_columns, BASE + 4 + (2 + divisors) * max_order, divisors
    t.window, t.max_order = window, max_order
    rows, bleu = np.zeros((t.n, t.columns)), np.zeros((t.n, t.bleu_columns))
    cdef double[:, ::1] to_rows = rows, to_bleu = bleu
    if t.n:
        t.rows, t.bleu = &to_rows[0, 0], &to_bleu[0, 0]
    with nogil:
        for d in range(t.n):
            t.longest = max(t.longest, t.offsets[d + 1] - t.offsets[d])
        problem = closest_others(&s, &t)
        if problem == DONE:
            problem = moving_ratios(&s, &t, first, n_types)
        for order in range(1, max_order + 1):
            if order > 1 and problem == DONE:
                n = number_order(&s, first, t.offsets, t.n, order, numbers)
                problem = <int> min(n, DONE)
            if problem == DONE:
                problem = count_order(&s, &t, order, <const uint32_t*> numbers, n)
        free_rooms(&s)
    raise_if(problem)
    return rows, bleu
