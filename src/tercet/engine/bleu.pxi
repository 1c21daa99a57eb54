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


cdef inline bint has_match(const double* matches, size_t n) noexcept nogil:
    """Whether n-grams of any order match."""
    cdef size_t order
    for order in range(n):
        if matches[order] != 0:
            return True
    return False


cdef size_t write_precisions(
    const double* matches, size_t n, int method, double smooth_value, double scale, double* precisions
) noexcept nogil:
    """Write the precision of each of n orders; return how many orders the effective order keeps."""
    cdef const double* ngrams = matches + n
    cdef double n_matches, n_ngrams, divisor = 1
    cdef size_t order, n_orders = 0
    for order in range(n):
        precisions[order] = 0
    if method != ADD_ONE and not has_match(matches, n):
        for order in range(n):
            n_orders += ngrams[order] > 0
        return n_orders
    for order in range(n):
        n_matches, n_ngrams = matches[order], ngrams[order]
        if method == ADD_ONE or (method == ADD_K and order > 0):
            n_matches, n_ngrams = n_matches + smooth_value, n_ngrams + smooth_value
        if not n_ngrams > 0:
            break
        n_orders += 1
        if n_matches == 0 and method == EXP_DECAY:
            divisor *= 2
            precisions[order] = scale / (divisor * n_ngrams)
        elif n_matches == 0 and method == FLOOR:
            precisions[order] = scale * smooth_value / n_ngrams
        else:
            precisions[order] = scale * n_matches / n_ngrams
    return n_orders


cdef double sum_of_logs(const double* values, size_t n) noexcept nogil:
    """Return the sum of logarithms as Python's `sum` adds: from 3.12 on, with what each addition loses (Neumaier)."""
    cdef double total = 0, lost = 0, after, logarithm
    cdef size_t i
    for i in range(n):
        logarithm = log(values[i])
        after = total + logarithm
        if fabs(total) >= fabs(logarithm):
            lost += (total - after) + logarithm
        else:
            lost += (logarithm - after) + total
        total = after
    return total + lost if SUM_ROUNDS_ONCE and lost != 0 and isfinite(lost) else total


cdef double mean_of(
    const double* precisions, size_t n, size_t n_orders, const double* weights, double scale
) noexcept nogil:
    """Return the weighted geometric mean of the first orders."""
    cdef double total = 0, weight_of_orders = 0, weight_of_all = 0
    cdef bint uniform = True
    cdef size_t order
    for order in range(n):
        uniform &= weights[order] == 1 / <double> n
        if order < n_orders and weights[order] > 0 and precisions[order] == 0:
            return 0
    if uniform:
        return exp(sum_of_logs(precisions, n_orders) / <double> n_orders) if n_orders else 0
    for order in range(n):
        weight_of_all += weights[order]
        if order < n_orders and weights[order] > 0:
            weight_of_orders += weights[order]
            total += weights[order] * log(precisions[order] / scale)
    if weight_of_orders == 0:
        return 0
    if n_orders < n:
        total *= weight_of_all / weight_of_orders
    return scale * exp(total)


def bleu_scores(
    rows, size_t length_column, str method, double smooth_value, bint effective, weights, double scale
):
    """See `plain.bleu_scores`."""
    cdef size_t n, n_weightings, n_rows, columns, i, w, n_orders
    cdef const double* weight = doubles_of(weights, &n_weightings, &n)
    cdef const double* row = doubles_of(rows, &n_rows, &columns)
    cdef int smoothing = _METHODS[method]
    if columns < max(MATCHES + 2 * n, length_column + 1):
        raise ValueError(f"rows of {columns} columns do not have {n} orders")
    scores = empty((n_rows, n_weightings + n + 1))
    cdef double* to = doubles_of(scores, &i, &w)
    cdef double length, reference_length, penalty
    cdef bint scored
    for i in range(n_rows):
        length, reference_length, penalty = row[LENGTH], row[length_column], 1
        if length < reference_length:
            penalty = exp(1 - reference_length / length) if length > 0 else 0
        n_orders = write_precisions(row + MATCHES, n, smoothing, smooth_value, scale, to + n_weightings)
        if smoothing == ADD_ONE:
            scored = row[REFERENCES] > 0 and length > 0 and reference_length > 0
        else:
            scored = has_match(row + MATCHES, n)
        for w in range(n_weightings):
            to[w] = 0
            if scored:
                to[w] = penalty * mean_of(to + n_weightings, n, n_orders if effective else n, weight + w * n, scale)
        to[n_weightings + n] = penalty
        row, to = row + columns, to + n_weightings + n + 1
    return scores
