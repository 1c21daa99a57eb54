# plain_ngrams.py defines what is computed here.
#
# How many units two documents share, as sets or as multisets, and n-grams as such units.

cdef inline void clear_tokens(const Pairs* p, int64_t document, int64_t* counts) noexcept nogil:
    cdef int64_t i
    for i in range(p.offsets[document], p.offsets[document + 1]):
        counts[p.ids[i]] = 0


cdef int set_overlap(Scratch* s, const Pairs* p, size_t pair, int64_t* row) noexcept nogil:
    """Write the sizes of intersection and union."""
    cdef int64_t* seen = <int64_t*> room(s, LEFT, 8 * p.n_types)
    cdef int64_t before, i, n_shared = 0, n_either = 0
    cdef int64_t text = p.texts[pair], reference = p.references[pair]
    if seen == NULL:
        return NO_MEMORY
    for i in range(p.offsets[text], p.offsets[text + 1]):
        n_either += seen[p.ids[i]] == 0
        seen[p.ids[i]] = 1
    for i in range(p.offsets[reference], p.offsets[reference + 1]):
        before = seen[p.ids[i]]
        n_shared += before == 1
        n_either += before == 0
        seen[p.ids[i]] = 2
    clear_tokens(p, text, seen)
    clear_tokens(p, reference, seen)
    row[0], row[1] = n_shared, n_either
    return DONE


cdef int multiset_overlap(Scratch* s, const Pairs* p, size_t pair, int64_t* row) noexcept nogil:
    """Write the sums of the smaller and of the greater number of each unit."""
    cdef int64_t* left = <int64_t*> room(s, LEFT, 8 * p.n_types)
    cdef int64_t text = p.texts[pair], reference = p.references[pair], n_shared = 0, i
    if left == NULL:
        return NO_MEMORY
    for i in range(p.offsets[text], p.offsets[text + 1]):
        left[p.ids[i]] += 1
    for i in range(p.offsets[reference], p.offsets[reference + 1]):
        n_shared += left[p.ids[i]] > 0
        left[p.ids[i]] -= 1
    clear_tokens(p, text, left)
    clear_tokens(p, reference, left)
    row[0], row[1] = n_shared, size_of(p, text) + size_of(p, reference) - n_shared
    return DONE


def overlaps(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types, bint multiset,
):
    """See `plain.overlaps`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    return tuple(count_pairs(&p, multiset_overlap if multiset else set_overlap, 2).T)


cdef int64_t number_order(
    Scratch* s, const uint32_t* ids, const int64_t* offsets, size_t n_documents, int order, int32_t* numbers
) noexcept nogil:
    """Number the n-grams of all documents, from those of one order less; return how many different ones there are.

    ``numbers[i]`` is that of the n-gram that begins at token i.
    """
    cdef size_t total = offsets[n_documents], capacity = 16, document
    while capacity < 2 * total:
        capacity *= 2
    cdef Slot* table = <Slot*> room(s, TABLE, sizeof(Slot) * capacity)
    cdef Slot* at
    cdef int64_t n_types = 0, i
    cdef uint64_t key
    if table == NULL:
        return NO_MEMORY
    memset(table, 0, sizeof(Slot) * capacity)
    for document in range(n_documents):
        for i in range(offsets[document], offsets[document + 1] - order + 1):
            key = (<uint64_t> (numbers[i] + 1) << 32) | ids[i + order - 1]
            at = table + slot_of(key, table, capacity - 1)
            if at.key == 0:
                at.key, at.most = key, <uint32_t> n_types
                n_types += 1
            numbers[i] = at.most
            if i & 0xFFFFF == 0 and interrupted():
                return INTERRUPTED
    return n_types


def ngram_ids(const int32_t[::1] ids, const int64_t[::1] offsets, size_t n_types, int order):
    """See `plain.ngram_ids`."""
    cdef int32_t[::1] numbers = np.array(ids, np.int32)
    cdef const uint32_t* first = tokens(ids)
    cdef const int64_t* of_documents = start(offsets)
    cdef int32_t* to = <int32_t*> tokens(numbers)
    cdef size_t n_documents = offsets.shape[0] - 1
    cdef int64_t[::1] edges = np.zeros(n_documents + 1, np.int64)
    cdef Scratch s
    cdef int64_t n = n_types, i, n_kept = 0
    cdef size_t document
    cdef int each
    memset(&s, 0, sizeof(Scratch))
    with nogil:
        for each in range(2, order + 1):
            n = number_order(&s, first, of_documents, n_documents, each, to)
            if n < 0:
                break
        free_rooms(&s)
        for document in range(n_documents):
            for i in range(of_documents[document], of_documents[document + 1] - order + 1):
                to[n_kept] = to[i]
                n_kept += 1
            edges[document + 1] = n_kept
    raise_if(min(n, DONE))
    return np.asarray(numbers)[:n_kept], np.asarray(edges), n
