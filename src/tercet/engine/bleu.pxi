# From the counts of BLEU to its score, row by row; each step is explained in `plain_bleu`.

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, exp, fabs, isfinite, log, sqrt  # those of Python's math, and so of sacrebleu: bits are the same

import sys

cdef bint SUM_ROUNDS_ONCE = sys.version_info >= (3, 12)

cdef enum:
    REFERENCES = 3  # columns of a row: how many references there are, the tokens of the prediction,
    LENGTH = 4
    MATCHES = 8     # and the first of the matches, behind which the n-grams stand

cdef enum:  # how orders without a match are smoothed
    UNSMOOTHED, FLOOR, ADD_K, EXP_DECAY, ADD_ONE

_METHODS = {"none": UNSMOOTHED, "floor": FLOOR, "add-k": ADD_K, "exp": EXP_DECAY, "add-one": ADD_ONE}


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


cdef struct BleuFormula:
    size_t length_column, n, n_weightings  # of orders, and of weightings: `weights` are n for each
    int method
    double smooth_value, scale
    bint effective
    const double* weights


cdef void write_scores(const double* row, size_t step, const BleuFormula* f, double* to) noexcept nogil:
    """Write the scores of a row, the precisions and the penalty."""
    cdef const double* matches = row + MATCHES * step
    cdef double length = row[LENGTH * step], reference_length = row[f.length_column * step]
    cdef double penalty = brevity_penalty(length, reference_length)
    cdef double* precisions = to + f.n_weightings
    cdef size_t w, n_orders
    precisions[f.n] = penalty
    if f.method != ADD_ONE and not has_match(matches, f.n, step):
        memset(to, 0, (f.n_weightings + f.n) * sizeof(double))
        return
    n_orders = write_precisions(matches, f.n, step, f.method, f.smooth_value, f.scale, precisions)
    if f.method == ADD_ONE and not (row[REFERENCES * step] > 0 and length > 0 and reference_length > 0):
        memset(to, 0, f.n_weightings * sizeof(double))
        return
    if not f.effective:
        n_orders = f.n
    for w in range(f.n_weightings):
        to[w] = penalty * mean_of(precisions, f.n, n_orders, f.weights + w * f.n, f.scale)


cdef int make_formula(
    BleuFormula* f, size_t columns, size_t length_column, str method, double smooth_value, bint effective, weights,
    double scale
) except -1:
    """Fill the formula, of which the weights must be kept as long; ValueError if rows have too few columns."""
    f.weights = doubles_of(weights, &f.n_weightings, &f.n)
    f.length_column, f.method, f.smooth_value = length_column, _METHODS[method], smooth_value
    f.effective, f.scale = effective, scale
    if columns < max(MATCHES + 2 * f.n, length_column + 1):
        raise ValueError(f"rows of {columns} columns do not have {f.n} orders")
    return 0


def bleu_scores(
    rows, size_t length_column, str method, double smooth_value, bint effective, weights, double scale
):
    """See `plain.bleu_scores`; rows may lie in memory row by row or column by column."""
    cdef BleuFormula f
    cdef size_t n_rows, columns, i, width
    cdef Py_ssize_t next_row, step
    cdef const double* row = strided_doubles(rows, &n_rows, &columns, &next_row, &step)
    make_formula(&f, columns, length_column, method, smooth_value, effective, weights, scale)
    scores = empty((n_rows, f.n_weightings + f.n + 1))
    cdef double* to = doubles_of(scores, &i, &width)
    with nogil:
        for i in range(n_rows):
            write_scores(row, step, &f, to)
            row, to = row + next_row, to + width
    return scores


cdef extern from "formulas.h" nogil:
    void write_roots(const double* matches, size_t step, double scale, double* to, size_t n)


cdef bint has_roots(const BleuFormula* f) noexcept nogil:
    """Whether the score is the fourth root of a product where n-grams of each order match."""
    cdef bint uniform = f.n == 4 and f.n_weightings == 1 and f.method != ADD_ONE and f.method != ADD_K
    cdef size_t order
    for order in range(f.n if uniform else 0):
        uniform &= f.weights[order] == 0.25
    return uniform


cdef enum:
    N_PENALTIES = 512  # a power of 2; they stay in the processor's nearest cache

cdef struct Penalty:
    double length, reference_length, penalty


cdef inline double known_penalty(Penalty* known, double length, double reference_length) noexcept nogil:
    """Return the brevity penalty, computed once for lengths that come again and again, as those of draws do."""
    if not length < reference_length:
        return 1
    cdef Penalty* at = known + (<int64_t> length & (N_PENALTIES - 1))
    if at.length != length or at.reference_length != reference_length:
        at.length, at.reference_length = length, reference_length
        at.penalty = brevity_penalty(length, reference_length)
    return at.penalty


def quick_bleu(
    rows, size_t length_column, str method, double smooth_value, bint effective, weights, double scale
):
    """See `plain.quick_bleu`."""
    cdef BleuFormula f
    cdef size_t n_rows, columns, i, width
    cdef Py_ssize_t next_row, step
    cdef const double* row = strided_doubles(rows, &n_rows, &columns, &next_row, &step)
    make_formula(&f, columns, length_column, method, smooth_value, effective, weights, scale)
    scores = empty((n_rows, f.n_weightings))
    all_of_a_row = empty(f.n_weightings + f.n + 1)
    cdef double* to = doubles_of(scores, &i, &width)
    cdef double* of_row = doubles_of(all_of_a_row, &i, &width)
    cdef bint by_roots = has_roots(&f), by_column = next_row == 1
    cdef Penalty known[N_PENALTIES]
    memset(known, 0, sizeof(known))  # of no length below that of its reference
    with nogil:
        if by_roots and by_column:
            write_roots(row + MATCHES * step, step, scale, to, n_rows)
        for i in range(n_rows):
            if by_roots and not by_column:
                write_roots(row + MATCHES * step, step, scale, to, 1)
            if by_roots and 0 < to[0] < INFINITY:
                to[0] = known_penalty(known, row[LENGTH * step], row[length_column * step]) * to[0]
            else:
                write_scores(row, step, &f, of_row)
                memcpy(to, of_row, f.n_weightings * sizeof(double))
            row, to = row + next_row, to + f.n_weightings
    return scores


cdef enum:  # NLTK's methods
    METHOD_0, METHOD_1, METHOD_2, METHOD_3, METHOD_4, METHOD_5, METHOD_6, METHOD_7

_NLTK_METHODS = {"none": METHOD_0, **{f"nltk{method}": method for method in range(1, 8)}}


cdef void write_nltk_precisions(
    const double* row, size_t n, int method, double value, double log_length, double last, double* precisions
) noexcept nogil:
    """Write the precision of each of n orders; `last` is that of the order above the highest."""
    cdef const double* matches = row + MATCHES
    cdef const double* ngrams = matches + n
    cdef double n_matches, ngrams_at_least_one, power = 1, below, prior
    cdef size_t order
    for order in range(n):
        n_matches, ngrams_at_least_one = matches[order], max(ngrams[n + order], 1.0)
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
        elif (method == METHOD_4 or method == METHOD_7) and row[LENGTH] > 1:
            precisions[order] = log_length / (power * value) / ngrams_at_least_one
    if method == METHOD_6:
        for order in range(2, n):
            below, prior = precisions[order - 1], 0
            if precisions[order - 2] != 0:
                prior = below * below / precisions[order - 2]
            precisions[order] = (matches[order] + value * prior) / (ngrams[order] + value)
    elif method == METHOD_5 or method == METHOD_7:
        below = precisions[0] + 1
        for order in range(n):
            below = (below + precisions[order] + (precisions[order + 1] if order + 1 < n else last)) / 3
            precisions[order] = below


def nltk_precisions(
    const double[:, ::1] rows, size_t length_column, str method, double value, size_t max_order,
    const double[:] log_lengths,
):
    """See `plain.nltk_precisions`."""
    cdef int smoothing = _NLTK_METHODS[method]
    cdef size_t k = rows.shape[1], i
    cdef double last = 0
    cdef double[:, ::1] precisions = empty((rows.shape[0], max_order + 1))
    cdef const double* row
    if log_lengths.shape[0] != rows.shape[0]:
        raise ValueError("there must be a logarithm for each row")
    if not 1 <= max_order <= k // 3 or k < MATCHES + 3 * max_order or k <= length_column:
        raise ValueError(f"rows of {k} columns do not have {max_order} orders")
    for i in range(<size_t> rows.shape[0]):
        row = &rows[i, 0]
        if smoothing == METHOD_5 or smoothing == METHOD_7:
            last = row[k - 2] / max(row[k - 1], 1.0)
        write_nltk_precisions(row, max_order, smoothing, value, log_lengths[i], last, &precisions[i, 0])
        precisions[i, max_order] = brevity_penalty(row[LENGTH], row[length_column])
    return precisions.base
