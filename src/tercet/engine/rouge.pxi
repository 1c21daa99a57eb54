# plain_rouge.py defines what is computed here.
#
# What each type of ROUGE counts of a prediction and a reference: hits, and what precision and recall divide them by.
#
#   n-grams           matches of the order                          n-grams of each
#   L, Lsum           the longest common subsequence                tokens of each
#   S, SU             shared skip-bigrams, SU with shared tokens    skip-bigrams of each, SU with tokens
#   W, weight w       runs of k tokens for k ** w                   tokens ** w; for the reference, (tokens ** w) ** w
#
# Lsum and W are the union of what each two lines have in common, and W divides by the weight of the sum of the weights
# of the reference's lines; all others take a text as one line. Of W, precision and recall are raised to 1 / w.

from libc.math cimport pow

cdef dict ROUGE_KINDS = {"n": NGRAMS, "L": SUBSEQUENCE, "Lsum": UNION, "S": SKIPS, "SU": SKIPS_AND_TOKENS, "W": RUNS}

cdef struct Shares:
    double hits, of_text, of_reference


cdef int make_worth(Arena* a, Request* q, double weight, size_t longest) noexcept nogil:
    """Make the table of the worth of runs of up to `longest` tokens; return 0 or NO_MEMORY."""
    cdef size_t k
    if q.n_worth > longest:
        return 0
    q.worth = <double*> grown(&a.scratch, WORTH, 8 * (longest + 1))
    if q.worth == NULL:
        return NO_MEMORY
    for k in range(q.n_worth, longest + 1):
        q.worth[k] = pow(<double> k, weight)
    q.n_worth = longest + 1
    return 0


cdef inline int64_t skip_bigrams(int64_t size, int64_t gap) noexcept nogil:
    """Return how many skip-bigrams a text has."""
    cdef int64_t last = max(size - 1, 0), reach = last if gap < 0 or gap > last - 1 else gap + 1
    return reach * size - reach * (reach + 1) // 2


cdef int find_lines(Arena* a, Pairs* documents) noexcept nogil:
    """Write where the documents of the chunk begin, and their lines that have tokens; return 0 or NO_MEMORY."""
    cdef size_t n = a.n_documents
    cdef int64_t* offsets = <int64_t*> room(&a.scratch, LINE_OFFSETS, 16 * (n + 1))
    cdef Numbered lines
    memset(&lines, 0, sizeof(Numbered))
    lines.offsets, lines.line_offsets = offsets, offsets + n + 1
    if offsets == NULL or add_lines(a, &lines, 0):
        return NO_MEMORY
    lines.n_tokens = a.n_tokens
    if end_all(a, n, &lines) != DONE:
        return NO_MEMORY
    documents.ids = documents.left_ids = a.ids
    documents.offsets = documents.left_offsets = lines.offsets
    documents.lines, documents.line_offsets = <int64_t*> a.scratch.rooms[LINES], lines.line_offsets
    return 0


cdef inline bint is_line(const Pairs* p, int64_t document) noexcept nogil:
    return p.line_offsets[document + 1] - p.line_offsets[document] <= 1


cdef int count_kind(
    Arena* a, int64_t text, int64_t reference, size_t n_types, Request* q, const Kind* kind, Shares* found
) noexcept nogil:
    """Count a type of two documents; n-grams and the subsequence of the whole texts are counted already."""
    cdef int64_t size = a.token_of[text + 1] - a.token_of[text], less = 0, hits = 0
    cdef int64_t length = a.token_of[reference + 1] - a.token_of[reference], line, longest = 0
    cdef double weights = 0
    cdef int problem
    cdef Pairs pair
    cdef bint is_counted = kind.what <= SUBSEQUENCE
    if kind.what == UNION:
        is_counted = is_line(&q.documents, text) and is_line(&q.documents, reference)
    if is_counted:
        less = max(kind.order - 1, 0)
        found.hits = <double> q.counts[less if kind.what == NGRAMS else q.max_order]
        found.of_text, found.of_reference = <double> max(size - less, 0), <double> max(length - less, 0)
        return DONE
    pair = q.documents
    pair.texts, pair.references, pair.n_types, pair.gap = &text, &reference, n_types + 1, kind.order
    if kind.what == SKIPS or kind.what == SKIPS_AND_TOKENS:
        problem = skip_matches(&a.scratch, &pair, 0, &hits)
        found.of_text = <double> skip_bigrams(size, kind.order)
        found.of_reference = <double> skip_bigrams(length, kind.order)
        found.hits = <double> hits
        if kind.what == SKIPS_AND_TOKENS:
            found.hits += <double> q.counts[0]
            found.of_text, found.of_reference = found.of_text + <double> size, found.of_reference + <double> length
        return problem
    for line in range(pair.line_offsets[reference], pair.line_offsets[reference + 1]):
        longest = max(longest, pair.lines[line + 1] - pair.lines[line])
    if 8 * size * ((longest + 63) >> 6) > <int64_t> 1 << 31:  # the table that is kept for the way back
        q.uncounted = True
        return DONE
    if kind.what == UNION:
        problem = union_hits(&a.scratch, &pair, 0, &hits)
        found.hits, found.of_text, found.of_reference = <double> hits, <double> size, <double> length
        return problem
    if make_worth(a, q, kind.weight, max(size, length) + 1):
        return NO_MEMORY
    pair.weights, found.hits = q.worth, 0
    problem = weighted_hits(&a.scratch, &pair, 0, <int64_t*> &found.hits)
    for line in range(pair.line_offsets[reference], pair.line_offsets[reference + 1]):
        weights += q.worth[pair.lines[line + 1] - pair.lines[line]]
    found.of_text, found.of_reference = q.worth[size], pow(weights, kind.weight)
    return problem


cdef inline double f_of_shares(double precision, double recall, double weight) noexcept nogil:
    """Return F; `weight` is that of precision."""
    cdef double mixed = recall + weight * precision
    return (1 + weight) * precision * recall / mixed if mixed > 0 else 0


cdef int write_rouge(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q, double* to
) noexcept nogil:
    """Precision, recall and F of each type, of the best reference or of each: documents `first` to `last`."""
    cdef double precision, recall, f
    cdef size_t d
    cdef int number, problem
    cdef Shares found
    if q.pairs == NULL:
        memset(to, 0, 3 * sizeof(double) * q.n_kinds)
    for d in range(first, last):
        problem = count_beside(a, text, d, d + 1, n_types, q)
        for number in range(q.n_kinds):
            if problem == DONE:
                problem = count_kind(a, text, d, n_types, q, &q.kinds[number], &found)
            if problem != DONE:
                return problem
            precision, recall = found.hits / max(found.of_text, 1.0), found.hits / max(found.of_reference, 1.0)
            f = f_of_shares(precision, recall, q.weight)
            if q.pairs != NULL or d == first or f > to[3 * number + 2]:
                to[3 * number], to[3 * number + 1], to[3 * number + 2] = precision, recall, f
        if q.pairs != NULL:
            to += 3 * q.n_kinds
    return DONE


cdef int take_roots(table, Py_ssize_t first, double weight, double of_precision) except -1:
    """Raise precision and recall of W, in columns from `first` on, to 1 / weight, as NumPy does, and make F of them."""
    cdef double[:, ::1] rows = table
    cdef Py_ssize_t row
    cdef double precision, recall
    if weight != 1:
        shares = table[:, first : first + 2]
        shares **= 1 / weight
    for row in range(rows.shape[0]):
        precision, recall = rows[row, first], rows[row, first + 1]
        rows[row, first + 2] = f_of_shares(precision, recall, of_precision)
    return 0


cdef int write_best_pairs(
    double[:, ::1] rows, double[:, ::1] pairs, const int64_t[::1] bounds, size_t n, size_t n_systems
) except -1:
    """Write precision, recall and F of each type, of the first reference with the greatest F; without one, 0."""
    cdef size_t system, item, i, number, n_kinds = pairs.shape[1] // 3, first
    cdef int64_t pair, best
    for system in range(n_systems):
        first = system * bounds[n]
        for item in range(n):
            i = system * n + item
            for number in range(n_kinds):
                best = bounds[item]
                for pair in range(bounds[item], bounds[item + 1]):
                    if pairs[first + pair, 3 * number + 2] > pairs[first + best, 3 * number + 2]:
                        best = pair
                for pair in range(3):
                    rows[i, BASE + 3 * number + pair] = 0
                    if bounds[item] < bounds[item + 1]:
                        rows[i, BASE + 3 * number + pair] = pairs[first + best, 3 * number + pair]
    return 0


cdef Request rouge_request(str reading, types, double beta, bint porter, int* runs) except *:
    """Return what asks for the rows of ROUGE; `runs` becomes the number of the type W, or -1."""
    cdef Request q
    cdef Kind* kind
    cdef str name
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.max_order = ROUGE_ROWS, READING_NUMBERS[reading], 1
    q.weight, q.porter = beta * beta, porter
    runs[0] = -1
    for name, number in types:
        if q.n_kinds == MOST_TYPES or name == "W" and runs[0] >= 0:
            q.n_kinds = 0
            break
        kind = &q.kinds[q.n_kinds]
        q.n_kinds += 1
        kind.what, kind.weight, kind.order = ROUGE_KINDS[name], 0, 0
        if kind.what == RUNS:
            kind.weight, runs[0] = number, q.n_kinds - 1
        else:
            kind.order = number
        q.lcs |= kind.what == SUBSEQUENCE or kind.what == UNION
        q.as_pairs |= kind.what > SUBSEQUENCE
        if kind.what == NGRAMS:
            q.max_order = max(q.max_order, <int> kind.order)
    if not q.n_kinds:
        raise ValueError(f"there can be {MOST_TYPES} types, and one of W")
    q.columns = BASE + 3 * q.n_kinds
    return q


def rouge_rows(
    texts, size_t n, reference_offsets, str reading, types, double beta, bint each, size_t n_systems=1,
    bint porter=False,
):
    """See `plain.rouge_rows`."""
    cdef int runs
    cdef Request q = rouge_request(reading, types, beta, porter, &runs)
    rows, pairs = np.empty((n_systems * n, q.columns)), None
    # Of several references, the best one of W is known only after its roots.
    cdef bint by_pair = each or (runs >= 0 and reference_offsets is not None)
    if by_pair:
        n_pairs = n if reference_offsets is None else reference_offsets[n]
        pairs = np.empty((n_systems * n_pairs, 3 * q.n_kinds))
    fill(texts, reference_offsets, &q, n_systems, rows, pairs)
    if runs >= 0 and not q.uncounted:
        take_roots(pairs if by_pair else rows, 3 * runs + (0 if by_pair else BASE), q.kinds[runs].weight, q.weight)
    if by_pair and not each and not q.uncounted:
        write_best_pairs(rows, pairs, reference_offsets, n, n_systems)
    return rows, pairs if each else None, bool(q.uncounted)
