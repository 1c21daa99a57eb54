# plain_rows.py defines what is computed here.
#
# Jaccard similarity of an item: its tokens or n-grams get numbers, and each prediction meets each reference.

cdef int64_t number_units(
    Arena* a, size_t text, size_t last, int order, int64_t* offsets, int32_t* numbers
) noexcept nogil:
    """Number the n-grams of the documents of an item, one behind the other; return how many differ, or a problem."""
    cdef uint32_t* of = a.token_of
    cdef const uint32_t* ids = a.ids + of[text]
    cdef size_t n_documents = last - text, n_types = 0, d
    cdef int64_t n, i, begin = 0, end, n_units = 0
    cdef int n_tokens
    if number_item(a, text, text, last, &n_types):  # those of predictions too
        return NO_MEMORY
    n = n_types
    for d in range(n_documents + 1):
        offsets[d] = of[text + d] - of[text]
    memcpy(numbers, ids, 4 * offsets[n_documents])
    for n_tokens in range(2, order + 1):
        n = number_order(&a.scratch, ids, offsets, n_documents, n_tokens, numbers)
        if n < 0:
            return n
    for d in range(n_documents):  # a document has fewer n-grams than tokens
        end = offsets[d + 1]
        for i in range(begin, end - order + 1):
            numbers[n_units] = numbers[i]
            n_units += 1
        begin = end
        offsets[d + 1] = n_units
    return n


cdef int write_jaccard(
    Arena* a, size_t text, size_t last, Request* q, size_t item, size_t n, size_t reference, size_t m
) noexcept nogil:
    """Score, intersection and union of an item's predictions; see `write_item`."""
    cdef size_t first = text + q.n_systems, n_references = last - first, system, r, size
    cdef size_t n_documents = last - text, n_tokens = a.token_of[last] - a.token_of[text]
    cdef int64_t* offsets = <int64_t*> room(&a.scratch, LOCAL, 8 * (n_documents + 2))
    cdef int32_t* numbers = <int32_t*> room(&a.scratch, NUMBERS, 4 * (n_tokens + 1))
    cdef int64_t documents[2]  # the pair's
    cdef int64_t counts[2]
    cdef int64_t n_units
    cdef double share
    cdef double* row
    cdef double* pair
    cdef Pairs p
    if offsets == NULL or numbers == NULL:
        return NO_MEMORY
    n_units = number_units(a, text, last, q.max_order, offsets, numbers)
    if n_units < 0:
        return <int> n_units
    offsets[n_documents + 1] = offsets[n_documents]  # an empty one, for items without a reference
    memset(&p, 0, sizeof(Pairs))
    p.ids, p.offsets, p.texts, p.references = <const uint32_t*> numbers, offsets, documents, documents + 1
    p.n_types = n_units
    for system in range(q.n_systems):
        row = q.rows + (system * n + item) * q.columns
        size = a.token_of[text + system + 1] - a.token_of[text + system]
        row[0], row[1], row[2], row[3] = 1, size == 0, n_references == 0, <double> n_references
        row += BASE
        for r in range(max(n_references, <size_t> 1)):
            documents[0] = system
            documents[1] = q.n_systems + r  # without a reference the empty one
            if q.multiset:
                if multiset_overlap(&a.scratch, &p, 0, counts) != DONE:
                    return NO_MEMORY
            elif set_overlap(&a.scratch, &p, 0, counts) != DONE:
                return NO_MEMORY
            share = <double> counts[0] / max(<double> counts[1], 1.0)
            if r == 0 or share > row[0]:
                row[0], row[1], row[2] = share, <double> counts[0], <double> counts[1]
            if q.pairs != NULL and n_references:
                pair = q.pairs + 3 * (system * m + reference + r)
                pair[0], pair[1], pair[2] = share, <double> counts[0], <double> counts[1]
    return DONE


def jaccard_rows(
    texts, size_t n, reference_offsets, str reading, int order, bint multiset, bint each, size_t n_systems=1
):
    """See `plain.jaccard_rows`."""
    cdef Request q
    if order < 1:
        raise ValueError(f"the order must be 1 or more: {order}")
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.max_order, q.multiset = JACCARD_ROWS, READING_NUMBERS[reading], order, multiset
    rows = np.empty((n_systems * n, BASE + 3))
    n_pairs = n if reference_offsets is None else reference_offsets[n]
    pairs = np.empty((n_systems * n_pairs, 3)) if each else None
    fill(texts, reference_offsets, &q, n_systems, rows, pairs)
    return rows, pairs
