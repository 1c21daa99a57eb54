# From texts to the rows of BLEU, and from these to its score; `plain_bleu` explains each step.

from libc.float cimport DBL_MIN
from libc.math cimport exp, fabs, isfinite, log  # those of Python's math, and so of sacrebleu: bits are the same

import sys

cdef bint SUM_ROUNDS_ONCE = sys.version_info >= (3, 12)

cdef enum:
    REFERENCES = 3  # columns of a row: how many references there are, the tokens of the prediction,
    LENGTH = 4
    MATCHES = 8     # and the first of the matches, behind which the n-grams stand

cdef enum:  # how orders without a match are smoothed; the last ones are NLTK's methods
    UNSMOOTHED, FLOOR, ADD_K, EXP_DECAY, ADD_ONE
    METHOD_0, METHOD_1, METHOD_2, METHOD_3, METHOD_4, METHOD_5, METHOD_6, METHOD_7

_NLTK_METHODS = {f"nltk{method}": METHOD_0 + method for method in range(8)}
_METHODS = {
    "none": UNSMOOTHED, "floor": FLOOR, "add-k": ADD_K, "exp": EXP_DECAY, "add-one": ADD_ONE, **_NLTK_METHODS
}


cdef int write_bleu(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q, double* row
) noexcept nogil:
    """Lengths, matches and n-grams of a prediction; its references are the documents from `first` on, up to `last`."""
    cdef uint32_t* of = a.token_of
    cdef int64_t size = of[text + 1] - of[text], length, away, nearest = -1
    cdef int64_t closest = size, shortest = size, total = 0
    cdef size_t d
    cdef int order, n = q.max_order - q.next_order, problem = count_beside(a, text, first, last, n_types, q)
    for d in range(first, last):
        length = of[d + 1] - of[d]
        away = length - size if length > size else size - length
        if nearest < 0 or away < nearest or (away == nearest and length < closest):
            nearest, closest = away, length
        shortest = length if d == first else min(shortest, length)
        total += length
    row[0], row[1], row[2] = <double> size, <double> closest, <double> shortest
    row[3] = <double> total / <double> (last - first) if last > first else <double> size
    row += 4
    for order in range(n):
        row[order] = <double> q.counts[order]
        row[n + order] = <double> max(size - order, 0)
        if q.divisors:
            row[2 * n + order] = <double> max(size - order, 1)
    if q.next_order:
        row += 3 * n if q.divisors else 2 * n
        row[0], row[1] = <double> q.counts[n], <double> max(size - n, 1)
    return problem


cdef Request bleu_request(str reading, int max_order, bint divisors, bint next_order) except *:
    """Return what asks for the rows of BLEU."""
    cdef Request q
    if max_order < 1:
        raise ValueError(f"the order must be 1 or more: {max_order}")
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.max_order = BLEU_ROWS, READING_NUMBERS[reading], max_order + next_order
    q.divisors, q.next_order = divisors, next_order
    q.columns = BASE + 4 + (3 if divisors else 2) * max_order + 2 * next_order
    return q


def bleu_rows(
    texts, size_t n, reference_offsets, str reading, int max_order, bint divisors=False, bint next_order=False,
    size_t n_systems=1,
):
    """See `plain.bleu_rows`."""
    cdef Request q = bleu_request(reading, max_order, divisors, next_order)
    return filled_rows(&q, texts, n, reference_offsets, n_systems)


cdef inline double brevity_penalty(double length, double reference_length) noexcept nogil:
    """Return 1 for predictions at least as long as their references, else exp(1 - reference / prediction length)."""
    if not length < reference_length:
        return 1
    return exp(1 - reference_length / length) if length > 0 else 0


cdef inline bint has_match(const double* matches, size_t n, size_t step) noexcept nogil:
    """Whether n-grams of any order match; `step` is how far one column is from the next."""
    cdef size_t order
    for order in range(n):
        if matches[order * step] != 0:
            return True
    return False


cdef size_t write_precisions(
    const double* matches, size_t n, size_t step, int method, double smooth_value, double scale, double* precisions
) noexcept nogil:
    """Write the precisions of n orders up to the first without n-grams; return how many there are."""
    cdef const double* ngrams = matches + n * step
    cdef double n_matches, n_ngrams, divisor = 1
    cdef size_t order
    for order in range(n):
        n_matches, n_ngrams = matches[order * step], ngrams[order * step]
        if method == ADD_ONE or (method == ADD_K and order > 0):
            n_matches, n_ngrams = n_matches + smooth_value, n_ngrams + smooth_value
        if not n_ngrams > 0:
            memset(precisions + order, 0, (n - order) * sizeof(double))
            return order
        if n_matches == 0:
            if method == EXP_DECAY:
                divisor *= 2
                n_matches, n_ngrams = 1, divisor * n_ngrams
            elif method == FLOOR:
                n_matches = smooth_value
        precisions[order] = scale * n_matches / n_ngrams
    return n


cdef double sum_of_logs(const double* values, size_t n) noexcept nogil:
    """Return the sum of logarithms as Python's `sum` adds: from 3.12 on, with what each addition loses (Neumaier)."""
    cdef double total = 0, lost = 0, after, logarithm
    cdef size_t i
    if not SUM_ROUNDS_ONCE:
        for i in range(n):
            total += log(values[i])
        return total
    for i in range(n):
        logarithm = log(values[i])
        after = total + logarithm
        if fabs(total) >= fabs(logarithm):
            lost += (total - after) + logarithm
        else:
            lost += (logarithm - after) + total
        total = after
    return total + lost if lost != 0 and isfinite(lost) else total


cdef double mean_of(
    const double* precisions, size_t n, size_t n_orders, const double* weights, double scale
) noexcept nogil:
    """Return the weighted geometric mean of the first orders."""
    cdef double total = 0, weight_of_orders = 0, weight_of_all = 0
    cdef bint uniform = True
    cdef size_t order
    for order in range(n):
        uniform &= weights[order] == 1 / <double> n
    if uniform:  # 0 if a precision is 0, whose logarithm is minus infinity
        return exp(sum_of_logs(precisions, n_orders) / <double> n_orders) if n_orders else 0
    for order in range(n):
        weight_of_all += weights[order]
        if order < n_orders and weights[order] > 0:
            if precisions[order] == 0:
                return 0
            weight_of_orders += weights[order]
            total += weights[order] * log(precisions[order] / scale)
    if weight_of_orders == 0:
        return 0
    if n_orders < n:
        total *= weight_of_all / weight_of_orders
    return scale * exp(total)


cdef void write_nltk_precisions(
    const double* row, size_t n, size_t columns, size_t step, int method, double value, double* precisions
) noexcept nogil:
    """Write the precision of each of n orders of a row of so many columns."""
    cdef const double* matches = row + MATCHES * step
    cdef const double* ngrams = matches + n * step
    cdef const double* divisors = ngrams + n * step
    cdef double length = row[LENGTH * step], n_matches, ngrams_at_least_one, power = 1, below, prior, above
    cdef size_t order
    for order in range(n):
        n_matches, ngrams_at_least_one = matches[order * step], max(divisors[order * step], 1.0)
        precisions[order] = n_matches / ngrams_at_least_one
        if n_matches == 0:
            power *= 2
        if method == METHOD_2 and order > 0:
            precisions[order] = (n_matches + 1) / (ngrams_at_least_one + 1)
        elif n_matches != 0:
            continue
        elif method == METHOD_0:
            precisions[order] = DBL_MIN
        elif method == METHOD_1:
            precisions[order] = value / ngrams_at_least_one
        elif method == METHOD_3:
            precisions[order] = 1 / (power * ngrams_at_least_one)
        elif (method == METHOD_4 or method == METHOD_7) and length > 1:
            precisions[order] = log(length) / (power * value) / ngrams_at_least_one
    if method == METHOD_6:
        for order in range(2, n):
            below, prior = precisions[order - 1], 0
            if precisions[order - 2] != 0:
                prior = below * below / precisions[order - 2]
            precisions[order] = (matches[order * step] + value * prior) / (ngrams[order * step] + value)
    elif method == METHOD_5 or method == METHOD_7:
        below = precisions[0] + 1
        for order in range(n):
            if order + 1 < n:
                above = precisions[order + 1]
            else:
                above = row[(columns - 2) * step] / max(row[(columns - 1) * step], 1.0)
            below = precisions[order] = (below + precisions[order] + above) / 3


cdef double nltk_mean(const double* precisions, size_t n, const double* weights) noexcept nogil:
    """Return the weighted geometric mean, in which a precision of 0 counts as 1."""
    cdef double total = 0
    cdef size_t order
    for order in range(n):
        if precisions[order] > 0:
            total += weights[order] * log(precisions[order])
    return exp(total)


cdef struct BleuFormula:
    size_t length_column    # of the reference length
    int smoothing
    bint effective
    double smooth_value, scale
    size_t columns          # of a row
    size_t n_weightings, n  # weightings, and their orders
    const double* weights


cdef void write_bleu_scores(const BleuFormula* f, const double* row, size_t step, double* to) noexcept nogil:
    """Write BLEU under each weighting, the precision of each order, and the brevity penalty, of a sum of rows.

    `step` is how far one column is from the next.
    """
    cdef const double* matches = row + MATCHES * step
    cdef double* precisions = to + f.n_weightings
    cdef double length = row[LENGTH * step], reference_length = row[f.length_column * step]
    cdef double penalty = brevity_penalty(length, reference_length)
    cdef size_t w, order, n_orders
    precisions[f.n] = penalty
    if f.smoothing >= METHOD_0:
        write_nltk_precisions(row, f.n, f.columns, step, f.smoothing, f.smooth_value, precisions)
        for w in range(f.n_weightings):
            to[w] = 0
            if matches[0] > 0:
                to[w] = f.scale * penalty * nltk_mean(precisions, f.n, f.weights + w * f.n)
        for order in range(f.n):
            precisions[order] *= f.scale
        return
    if f.smoothing != ADD_ONE and not has_match(matches, f.n, step):
        memset(to, 0, (f.n_weightings + f.n) * sizeof(double))
        return
    n_orders = write_precisions(matches, f.n, step, f.smoothing, f.smooth_value, f.scale, precisions)
    if f.smoothing == ADD_ONE and not (row[REFERENCES * step] > 0 and length > 0 and reference_length > 0):
        memset(to, 0, f.n_weightings * sizeof(double))
        return
    if not f.effective:
        n_orders = f.n
    for w in range(f.n_weightings):
        to[w] = penalty * mean_of(precisions, f.n, n_orders, f.weights + w * f.n, f.scale)


def bleu_scores(
    rows, size_t length_column, str method, double smooth_value, bint effective, weights, double scale
):
    """See `plain.bleu_scores`; rows may lie in memory row by row or column by column."""
    cdef size_t n, n_weightings, n_rows, columns, i, n_scores
    cdef Py_ssize_t next_row, step
    cdef const double* weight = doubles_of(weights, &n_weightings, &n)
    cdef const double* row = strided_doubles(rows, &n_rows, &columns, &next_row, &step)
    cdef BleuFormula f = BleuFormula(
        length_column, _METHODS[method], effective, smooth_value, scale, columns, n_weightings, n, weight
    )
    if columns < max(MATCHES + (3 if f.smoothing >= METHOD_0 else 2) * n, length_column + 1):
        raise ValueError(f"rows of {columns} columns do not have {n} orders")
    scores = np.empty((n_rows, n_weightings + n + 1))
    cdef double* to = doubles_of(scores, &i, &n_scores)
    with nogil:
        for i in range(n_rows):
            write_bleu_scores(&f, row, step, to)
            row, to = row + next_row, to + n_scores
    return scores


def nltk_precisions(const double[:, ::1] rows, size_t length_column, str method, double value, size_t max_order):
    """See `plain.nltk_precisions`."""
    cdef int smoothing = _NLTK_METHODS[method]
    cdef size_t k = rows.shape[1], i
    cdef double[:, ::1] precisions = np.empty((rows.shape[0], max_order + 1))
    cdef const double* row
    if not 1 <= max_order <= k // 3 or k < MATCHES + 3 * max_order or k <= length_column:
        raise ValueError(f"rows of {k} columns do not have {max_order} orders")
    for i in range(<size_t> rows.shape[0]):
        row = &rows[i, 0]
        write_nltk_precisions(row, max_order, k, 1, smoothing, value, &precisions[i, 0])
        precisions[i, max_order] = brevity_penalty(row[LENGTH], row[length_column])
    return precisions.base
