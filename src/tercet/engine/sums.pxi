# plain_sums.py defines what is computed here.
#
# Sums of rows that are drawn at random, and of pairs of points: what takes too long in NumPy.

cdef extern from "loops.h" nogil:
    enum:
        TILE  # resamples whose weights and sums stay in the processor's nearest cache
        TOGETHER  # items that are added at a time, as the sums go through memory
    void add_items(double* totals, double (*weights)[TILE], const double* values, int n)

cdef enum:
    ROWS_AT_A_TIME = 64

cdef uint64_t STEP = <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint64_t mixed(uint64_t bits) noexcept nogil:
    """Return 64 bits that look random: the last steps of splitmix64."""
    bits = (bits ^ (bits >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    bits = (bits ^ (bits >> 27)) * <uint64_t> 0x94D049BB133111EB
    return bits ^ (bits >> 31)


cdef inline uint64_t eight_bytes(const uint8_t* at) noexcept nogil:
    """Return a number of which the first byte is the highest part: one instruction, as compilers see."""
    return (<uint64_t> at[0] << 56 | <uint64_t> at[1] << 48 | <uint64_t> at[2] << 40 | <uint64_t> at[3] << 32
            | <uint64_t> at[4] << 24 | <uint64_t> at[5] << 16 | <uint64_t> at[6] << 8 | at[7])


def hash_texts(const uint8_t[::1] data, const int64_t[::1] offsets, const uint64_t[::1] keys):
    """See `plain_sums.hash_texts`."""
    cdef:
        Py_ssize_t text, n = keys.shape[0]
        int64_t at, end, stop
        uint64_t key, word
        uint64_t[::1] found = np.empty(n, np.uint64)
    with nogil:
        for text in range(n):
            at, stop = offsets[text], offsets[text + 1]
            key = mixed(keys[text] + <uint64_t> (stop - at) * STEP)
            while at < stop:
                if at + 8 <= stop:
                    word = eight_bytes(&data[at])
                else:
                    word = 0
                    for end in range(at, stop):
                        word = word << 8 | data[end]
                at += 8
                key = mixed((key ^ word) + STEP)
            found[text] = key
    return found.base


cdef void add_rows(const double* begin, size_t n, size_t k, double* to) noexcept nogil:
    """Add n rows of k columns to sums."""
    cdef const double* at
    cdef double a, b, c, d
    cdef size_t i, j, first = 0, last
    while first < n:
        j, last = 0, min(n, first + ROWS_AT_A_TIME)  # they stay in the cache
        while j + 4 <= k:  # four sums in registers
            at, a, b, c, d = begin + first * k + j, to[j], to[j + 1], to[j + 2], to[j + 3]
            for i in range(first, last):
                a, b, c, d = a + at[0], b + at[1], c + at[2], d + at[3]
                at += k
            to[j], to[j + 1], to[j + 2], to[j + 3] = a, b, c, d
            j += 4
        while j < k:
            at = begin + first * k + j
            for i in range(first, last):
                to[j] += at[0]
                at += k
            j += 1
        first = last


def sum_rows(rows):
    """See `plain.sum_rows`."""
    cdef size_t n, k, i, j
    cdef const double* begin = doubles_of(rows, &n, &k)
    totals = np.zeros(k)
    cdef double* to = doubles_of(totals, &i, &j)
    with nogil:
        add_rows(begin, n, k, to)
    return totals


cdef inline double mean_of_items(const double* row, size_t column, double scale) noexcept nogil:
    """Return the mean of a column over the items of a sum of rows."""
    return scale * row[column] / max(row[0], 1.0)


def item_means(rows, double scale):
    """See `plain.item_means`."""
    cdef size_t n, columns, i, n_means, column
    cdef const double* row = doubles_of(rows, &n, &columns)
    means = np.empty((n, columns - BASE))
    cdef double* to = doubles_of(means, &i, &n_means)
    with nogil:
        for i in range(n):
            for column in range(BASE, columns):
                to[i * n_means + column - BASE] = mean_of_items(row + i * columns, column, scale)
    return means


def span_of_column(rows, size_t column):
    """See `plain_sums.span_of_column`."""
    cdef size_t n, k, i
    cdef Py_ssize_t next_row, next_column
    cdef const double* at = strided_doubles(rows, &n, &k, &next_row, &next_column)
    if n == 0 or column >= k:
        raise ValueError("there is no such column, or no row")
    at += <Py_ssize_t> column * next_column
    cdef double low = at[0], high = at[0]
    for i in range(1, n):
        at += next_row
        low, high = min(low, at[0]), max(high, at[0])
    return low, high


def add_draws(const int32_t[::1] draws, int64_t start, int64_t n, uint16_t[::1] counts):
    """See `plain_sums.add_draws`."""
    cdef:
        int64_t draw = 0, stop, end = draws.shape[0], first
        const int32_t* drawn
        uint16_t* own  # of the resample at hand
    if n < 1:
        raise ValueError(f"a resample has one segment or more: {n}")
    first = start // n * n
    with nogil:
        while draw < end:
            stop, own, drawn = min(end, first + n - start), &counts[first], &draws[0]
            for draw in range(draw, stop):
                own[drawn[draw]] += 1
            draw, first = stop, first + n


def poisson_sums(
    const double[:, ::1] digits, const uint64_t[::1] keys, const uint8_t[::1] weight_of, Py_ssize_t n_resamples
):
    """See `plain_sums.poisson_sums`."""
    cdef:
        Py_ssize_t n = digits.shape[1], first = 0, size, item, column, place
        double weights[TOGETHER][TILE]
        double values[TOGETHER]
        double[:, ::1] totals = np.zeros((digits.shape[0], n_resamples))
        int problem = DONE
    memset(weights, 0, sizeof(weights))  # of few items, some rows are never filled
    with nogil:
        while first < n_resamples and problem == DONE:
            size = min(<Py_ssize_t> TILE, n_resamples - first)
            item = 0
            while item < n:
                for place in range(min(<Py_ssize_t> TOGETHER, n - item)):
                    fill_weights(keys[item + place], &weight_of[0], first // 4, weights[place])
                for column in range(digits.shape[0]):
                    for place in range(TOGETHER):  # behind the last item there is nothing
                        values[place] = digits[column, item + place] if item + place < n else 0
                    add_items(&totals[column, first], weights, values, size)
                item += TOGETHER
            first += TILE
            if interrupted():
                problem = INTERRUPTED
    raise_if(problem)
    return totals.base


cdef inline void fill_weights(uint64_t key, const uint8_t* weight_of, uint64_t quarter, double* weights) noexcept nogil:
    """Fill in how often an item is drawn in each resample of a tile; a resample has 16 bits of a hash."""
    cdef:
        uint64_t bits
        Py_ssize_t place
    for place in range(0, TILE, 4):
        quarter += 1
        bits = mixed(key + quarter * STEP)
        weights[place] = weight_of[bits & 0xFFFF]
        weights[place + 1] = weight_of[bits >> 16 & 0xFFFF]
        weights[place + 2] = weight_of[bits >> 32 & 0xFFFF]
        weights[place + 3] = weight_of[bits >> 48]


def order_sums(const int64_t[::1] starts, const int64_t[::1] ranks, Py_ssize_t n_ranks, const double[:, ::1] weights):
    """See `plain_sums.order_sums`."""
    cdef:
        Py_ssize_t row = 0
        int64_t problem = DONE
        double[::1] tree = np.empty(n_ranks + 1)
        double[::1] sums = np.zeros(weights.shape[0])
    with nogil:
        while row < weights.shape[0] and problem == DONE:
            problem = order_sum(starts, ranks, weights[row], tree, &sums[row])
            row += 1
    raise_if(problem)
    return sums.base


cdef int64_t order_sum(
    const int64_t[::1] starts, const int64_t[::1] ranks, const double[::1] weights, double[::1] tree, double* found
) noexcept nogil:
    """Add the sum of one row, with a tree of partial sums (Fenwick 1994); return how it ended.

        tree[4] is the weight of ranks 1 to 4, tree[6] of 5 and 6, tree[7] of 7: as many as the lowest one of the place
        says. So ranks 1 to 7 are tree[7] + tree[6] + tree[4], and rank 4 is tree[4] - tree[3] - tree[2].
    """
    cdef:
        Py_ssize_t group, point
        int64_t rank, place
        double total = 0, below, alike
    tree[:] = 0
    for group in range(starts.shape[0] - 1):
        for point in range(starts[group], starts[group + 1]):
            rank = ranks[point]
            below, place = 0, rank - 1
            while place > rank & (rank - 1):
                below += tree[place]
                place &= place - 1
            alike = tree[rank] - below
            while place:
                below += tree[place]
                place &= place - 1
            found[0] += weights[point] * (below - (total - below - alike))
        for point in range(starts[group], starts[group + 1]):
            place = ranks[point]
            while place < tree.shape[0]:
                tree[place] += weights[point]
                place += place & -place
            total += weights[point]
            if not point & 0xFFFFF and interrupted():
                return INTERRUPTED
    return DONE
