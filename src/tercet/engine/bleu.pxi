# From the counts of BLEU to its score, row by row; each step is explained in `plain_bleu`.

from libc.math cimport exp, fabs, isfinite, log  # those of Python's math, and so of sacrebleu: bits are the same

import sys

cdef bint SUM_ROUNDS_ONCE = sys.version_info >= (3, 12)

cdef enum:
    REFERENCES = 3  # columns of a row: how many references there are, the tokens of the prediction,
    LENGTH = 4
    MATCHES = 8     # and the first of the matches, behind which the n-grams stand

cdef enum:  # how orders without a match are smoothed
    UNSMOOTHED, FLOOR, ADD_K, EXP_DECAY, ADD_ONE

_METHODS = {"none": UNSMOOTHED, "floor": FLOOR, "add-k": ADD_K, "exp": EXP_DECAY, "add-one": ADD_ONE}


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


def bleu_scores(
    const double[:, :] rows, size_t length_column, str method, double smooth_value, bint effective,
    const double[:, ::1] weights, double scale,
):
    """See `plain.bleu_scores`; rows may lie in memory row by row or column by column."""
    cdef size_t n = weights.shape[1], n_weightings = weights.shape[0], i, w, n_orders
    cdef size_t step = rows.strides[1] // <Py_ssize_t> sizeof(double)
    cdef int smoothing = _METHODS[method]
    cdef double[:, ::1] scores = empty((rows.shape[0], n_weightings + n + 1))
    cdef const double* matches
    cdef double* to
    cdef double length, reference_length, penalty
    for i in range(<size_t> rows.shape[0]):
        matches, to = &rows[i, MATCHES], &scores[i, 0]
        length, reference_length, penalty = rows[i, LENGTH], rows[i, length_column], 1
        if length < reference_length:
            penalty = exp(1 - reference_length / length) if length > 0 else 0
        to[n_weightings + n] = penalty
        if smoothing != ADD_ONE and not has_match(matches, n, step):
            memset(to, 0, (n_weightings + n) * sizeof(double))
            continue
        n_orders = write_precisions(matches, n, step, smoothing, smooth_value, scale, to + n_weightings)
        if smoothing == ADD_ONE and not (rows[i, REFERENCES] > 0 and length > 0 and reference_length > 0):
            memset(to, 0, n_weightings * sizeof(double))
            continue
        for w in range(n_weightings):
            to[w] = penalty * mean_of(to + n_weightings, n, n_orders if effective else n, &weights[w, 0], scale)
    return np.asarray(scores)
