# How many units two documents share, as sets or as multisets, and n-grams as such units.

cdef void set_overlap(const Pairs* p, size_t pair, int64_t* seen, int64_t* shared, int64_t* either) noexcept nogil:
    """Write the sizes of intersection and union; `seen` has of each unit the last pair that met it, from 1 on."""
    cdef int64_t in_text = 2 * pair + 2, in_both = in_text + 1, before, i
    cdef int64_t text = p.texts[pair], reference = p.references[pair], n_shared = 0, n_either = 0
    for i in range(p.offsets[text], p.offsets[text + 1]):
        n_either += seen[p.ids[i]] != in_text
        seen[p.ids[i]] = in_text
    for i in range(p.offsets[reference], p.offsets[reference + 1]):
        before = seen[p.ids[i]]
        n_shared += before == in_text
        n_either += before < in_text
        seen[p.ids[i]] = in_both
    shared[0], either[0] = n_shared, n_either


cdef void multiset_overlap(const Pairs* p, size_t pair, int64_t* left, int64_t* shared, int64_t* either) noexcept nogil:
    """Write the sums of the smaller and of the greater number of each unit; `left` is zero before and after."""
    cdef int64_t text = p.texts[pair], reference = p.references[pair], n_shared = 0, i
    for i in range(p.offsets[text], p.offsets[text + 1]):
        left[p.ids[i]] += 1
    for i in range(p.offsets[reference], p.offsets[reference + 1]):
        n_shared += left[p.ids[i]] > 0
        left[p.ids[i]] -= 1
    for i in range(p.offsets[text], p.offsets[text + 1]):
        left[p.ids[i]] = 0
    for i in range(p.offsets[reference], p.offsets[reference + 1]):
        left[p.ids[i]] = 0
    shared[0], either[0] = n_shared, size_of(p, text) + size_of(p, reference) - n_shared


def overlaps(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types, bint multiset,
):
    """See `plain.overlaps`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    cdef int64_t[::1] shared = np.zeros(p.n, np.int64), either = np.zeros(p.n, np.int64)
    cdef Scratch s = no_rooms()
    cdef int64_t* of_type
    cdef int problem = DONE
    cdef size_t pair
    with nogil:
        of_type = <int64_t*> zeros(&s, LEFT, 8 * n_types)
        if of_type == NULL:
            problem = NO_MEMORY
        for pair in range(p.n if of_type != NULL else 0):
            if multiset:
                multiset_overlap(&p, pair, of_type, &shared[pair], &either[pair])
            else:
                set_overlap(&p, pair, of_type, &shared[pair], &either[pair])
            if stopped(&s, size_of(&p, p.texts[pair]) + size_of(&p, p.references[pair])):
                problem = INTERRUPTED
                break
        free_rooms(&s)
    raise_if(problem)
    return np.asarray(shared), np.asarray(either)


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
    cdef Scratch s = no_rooms()
    cdef int64_t n = n_types, i, n_kept = 0
    cdef size_t document
    cdef int each
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
    if n < 0:
        raise_if(n)
    return np.asarray(numbers)[:n_kept], np.asarray(edges), n
