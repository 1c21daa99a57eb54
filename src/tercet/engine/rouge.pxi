# What each type of ROUGE counts of a prediction and a reference: hits, and what precision and recall divide them by.
#
#   n-grams           matches of the order                          n-grams of each
#   L, Lsum           the longest common subsequence                tokens of each
#   S, SU             shared skip-bigrams, SU with shared tokens    skip-bigrams of each, SU with tokens
#   W, weight w       runs of k tokens for k ** w                   tokens ** w; for the reference, (tokens ** w) ** w
#
# Texts are taken as one line; where Lsum or W meet several, the caller counts from tokens.

from libc.math cimport pow

ROUGE_KINDS = {"n": NGRAMS, "L": SUBSEQUENCE, "Lsum": SUBSEQUENCE, "S": SKIPS, "SU": SKIPS_AND_TOKENS, "W": RUNS}

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


cdef int count_kind(Arena* a, Group* g, Request* q, const Kind* kind, Shares* found) noexcept nogil:
    """Count a type; n-grams and the subsequence are counted already."""
    cdef int64_t size = g.size, length = g.bounds[1] - g.bounds[0], less = 0, hits = 0
    cdef int64_t bounds[4]  # for functions that count pairs: document 0 is the prediction, 2 the reference
    cdef int64_t numbers[4]
    cdef int problem = DONE
    cdef Pairs pair
    if kind.what == SUBSEQUENCE or kind.what == NGRAMS:
        less = max(kind.order - 1, 0)
        found.hits = <double> q.counts[q.max_order if kind.what == SUBSEQUENCE else less]
        found.of_text, found.of_reference = <double> max(size - less, 0), <double> max(length - less, 0)
        return DONE
    memset(&pair, 0, sizeof(Pairs))
    bounds[0], bounds[2], bounds[3] = g.text - g.ids, g.bounds[0], g.bounds[1]
    bounds[1] = bounds[0] + size
    for less in range(4):
        numbers[less] = less
    pair.ids = pair.left_ids = g.ids
    pair.offsets = pair.left_offsets = pair.lines = bounds
    pair.texts, pair.references, pair.line_offsets = numbers, numbers + 2, numbers
    pair.n_types, pair.gap = g.n_types + 1, kind.order
    if kind.what != RUNS:
        problem = skip_matches(&a.scratch, &pair, 0, &hits)
        found.of_text, found.of_reference = <double> skip_bigrams(size, kind.order), <double> skip_bigrams(length, kind.order)
        found.hits = <double> hits
        if kind.what == SKIPS_AND_TOKENS:
            found.hits += <double> q.counts[0]
            found.of_text, found.of_reference = found.of_text + <double> size, found.of_reference + <double> length
        return problem
    if 8 * size * ((length + 63) >> 6) > <int64_t> 1 << 31:  # the table of runs that is kept for the way back
        q.uncounted = True
        return DONE
    if make_worth(a, q, kind.weight, max(size, length) + 1):
        return NO_MEMORY
    pair.weights = q.worth
    found.hits = 0
    problem = weighted_hits(&a.scratch, &pair, 0, <int64_t*> &found.hits)
    found.of_text, found.of_reference = q.worth[size], pow(q.worth[length], kind.weight)
    return problem


cdef int write_rouge(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q, double* to
) noexcept nogil:
    """Precision, recall and F of each type, of the best reference or of each: documents `first` to `last`."""
    cdef double precision, recall, mixed, f
    cdef size_t d
    cdef int number, problem
    cdef Shares found
    cdef Group group
    if q.pairs == NULL:
        memset(to, 0, 3 * sizeof(double) * q.n_kinds)
    for d in range(first, last):
        group = group_of(a, text, d, d + 1, n_types)
        memset(q.counts, 0, 8 * (q.max_order + 1))
        problem = count_group(&a.scratch, &group, q.max_order, q.lcs, MOST_BY_PLACES, q.counts, q.counts + q.max_order)
        for number in range(q.n_kinds):
            if problem == DONE:
                problem = count_kind(a, &group, q, &q.kinds[number], &found)
            if problem != DONE:
                return problem
            precision, recall = found.hits / max(found.of_text, 1.0), found.hits / max(found.of_reference, 1.0)
            mixed = recall + q.weight * precision
            f = (1 + q.weight) * precision * recall / mixed if mixed > 0 else 0
            if q.pairs != NULL or d == first or f > to[3 * number + 2]:
                to[3 * number], to[3 * number + 1], to[3 * number + 2] = precision, recall, f
        if q.pairs != NULL:
            to += 3 * q.n_kinds
    return DONE


def rouge_rows(
    texts, size_t n, reference_offsets, str reading, types, double beta, bint each, size_t n_systems=1,
    bint porter=False,
):
    """See `plain.rouge_rows`."""
    cdef Request q
    cdef Kind* kind
    if len(types) > MOST_TYPES or [name for name, _ in types].count("W") > 1:
        raise ValueError(f"there can be {MOST_TYPES} types, and one of W")
    memset(&q, 0, sizeof(Request))
    q.reading, q.max_order, q.weight, q.porter = READINGS[reading], 1, beta * beta, porter
    for name, number in types:
        kind = &q.kinds[q.n_kinds]
        q.n_kinds += 1
        kind.what, kind.weight, kind.order = ROUGE_KINDS[name], 0, 0
        if kind.what == RUNS:
            kind.weight = number
        else:
            kind.order = number
        q.lcs |= kind.what == SUBSEQUENCE
        q.in_lines |= name == "Lsum" or name == "W"
        if kind.what == NGRAMS:
            q.max_order = max(q.max_order, <int> kind.order)
    rows = empty((n_systems * n, BASE + 3 * q.n_kinds))
    n_pairs = n if reference_offsets is None else reference_offsets[n]
    pairs = empty((n_systems * n_pairs, 3 * q.n_kinds)) if each else None
    fill(texts, reference_offsets, &q, n_systems, rows, pairs)
    return rows, pairs, bool(q.uncounted)
