# plain_rows.py defines what is computed here.
#
# GLEU of a prediction: n-grams of several lengths together, shared with its best reference.

cdef int write_gleu(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q, double* row
) noexcept nogil:
    """Matches, and n-grams of the longer text; without a reference, the prediction's own n-grams."""
    cdef uint32_t* of = a.token_of
    cdef int64_t size = of[text + 1] - of[text], longest = size, matches
    cdef double ngrams, share, best = -1
    cdef size_t d
    cdef int order, problem
    row[0], row[1] = 0, 0
    for d in range(first, max(last, first + 1)):
        if d < last:
            longest = max(size, <int64_t> (of[d + 1] - of[d]))
            problem = count_beside(a, text, d, d + 1, n_types, q)
            if problem != DONE:
                return problem
        ngrams, matches = 0, 0
        for order in range(q.shortest - 1, q.max_order):
            ngrams += <double> max(longest - order, 0)
            if d < last:
                matches += q.counts[order]
        # A pair without n-grams is the worst, because NLTK skips it; of equal ones the first counts.
        share = <double> matches / ngrams if ngrams > 0 else -1
        if d == first or share > best:
            best, row[0], row[1] = share, <double> matches, ngrams
    return DONE


cdef Request gleu_request(str reading, int min_order, int max_order) except *:
    """Return what asks for the rows of GLEU."""
    cdef Request q
    if not 1 <= min_order <= max_order:
        raise ValueError(f"orders must be 1 or more, the shortest first: {min_order}, {max_order}")
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.columns = GLEU_ROWS, READING_NUMBERS[reading], BASE + 2
    q.shortest, q.max_order = min_order, max_order
    return q


def gleu_rows(
    texts, size_t n, reference_offsets, str reading, int min_order, int max_order, size_t n_systems=1
):
    """See `plain.gleu_rows`."""
    cdef Request q = gleu_request(reading, min_order, max_order)
    return filled_rows(&q, texts, n, reference_offsets, n_systems)


cdef inline double gleu_of(const double* row, double scale) noexcept nogil:
    """Return GLEU of a sum of rows."""
    return scale * (row[BASE] / max(row[BASE + 1], 1.0))


def gleu_scores(rows, double scale):
    """See `plain.gleu_scores`."""
    cdef size_t n, columns, i, one
    cdef const double* row = doubles_of(rows, &n, &columns)
    if columns != BASE + 2:
        raise ValueError("rows have matches and n-grams")
    scores = np.empty(n)
    cdef double* to = doubles_of(scores, &one, &i)
    for i in range(n):
        to[i] = gleu_of(row + i * columns, scale)
    return scores
