# plain_null_draws.py defines what is computed here.
#
# Differences of pairs of systems in draws of a null hypothesis: what takes too long in NumPy.

cdef extern from "loops.h" nogil:
    void exchange_sums(
        double* to_first, double* to_second, const double* first, const double* second, double total_of_first,
        double total_of_second, int64_t n,
    )
    int64_t count_alone(const double* differences, int64_t n, double centre, double least)
    int64_t count_largest(
        const double* differences, double* largest, int64_t n, double centre, double scale, double least
    )


def exchange(
    double[:, :, ::1] sums, const double[:, ::1] totals, const double[:, :, ::1] exchanged,
    const int64_t[::1] columns, const int64_t[:, ::1] pairs, Py_ssize_t start, Py_ssize_t stop,
):
    """See `plain_null_draws.exchange`."""
    cdef:
        Py_ssize_t k = sums.shape[0], n_systems = totals.shape[0], n_draws = stop - start, pair, place, column, to
        int64_t first, second
    if totals.shape[1] != k or exchanged.shape[0] != n_systems or exchanged.shape[1] != columns.shape[0]:
        raise ValueError("sums and totals are of other systems, or columns")
    if not 0 <= start <= stop <= exchanged.shape[2] or pairs.shape[1] != 2:
        raise ValueError("there are no such draws, or pairs")
    if sums.shape[1] != 2 or sums.shape[2] != pairs.shape[0] * n_draws:
        raise ValueError("there must be a sum for each pair and draw, of either side")
    for place in range(columns.shape[0]):
        if not 0 <= columns[place] < k:
            raise ValueError("there is no such column")
    for pair in range(pairs.shape[0]):
        if not (0 <= pairs[pair, 0] < n_systems and 0 <= pairs[pair, 1] < n_systems):
            raise ValueError("there is no such system")
    if n_draws == 0:
        return
    with nogil:
        for pair in range(pairs.shape[0]):
            first, second, to = pairs[pair, 0], pairs[pair, 1], pair * n_draws
            for place in range(columns.shape[0]):
                column = columns[place]
                exchange_sums(
                    &sums[column, 0, to], &sums[column, 1, to], &exchanged[first, place, start],
                    &exchanged[second, place, start], totals[first, column], totals[second, column], n_draws,
                )


def count_as_large(
    const double[:, ::1] differences, const int64_t[::1] order, const double[::1] centre, const double[::1] scale,
    const double[::1] least, const uint8_t[::1] is_constant, int64_t[::1] n_alone, int64_t[::1] n_largest,
):
    """See `plain_null_draws.count_as_large`."""
    cdef:
        Py_ssize_t n = differences.shape[0], n_draws = differences.shape[1], place
        int64_t row
        double[::1] largest = np.full(n_draws, -np.inf)
        int problem = DONE
    if not n == centre.shape[0] == scale.shape[0] == least.shape[0] == is_constant.shape[0]:
        raise ValueError("there must be numbers of each comparison")
    if not n == n_alone.shape[0] == n_largest.shape[0]:
        raise ValueError("there must be counts of each comparison")
    for place in range(order.shape[0]):
        if not 0 <= order[place] < n:
            raise ValueError("there is no such comparison")
    if n_draws == 0:
        return
    with nogil:
        for place in range(order.shape[0]):
            row = order[place]
            n_alone[row] += count_alone(&differences[row, 0], n_draws, centre[row], least[row])
            if not is_constant[row]:
                n_largest[row] += count_largest(
                    &differences[row, 0], &largest[0], n_draws, centre[row], scale[row], least[row] / scale[row]
                )
            if not place & 0x3FF and interrupted():
                problem = INTERRUPTED
                break
    raise_if(problem)
