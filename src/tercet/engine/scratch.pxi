# Pairs of documents as arrays give them, and memory for each: rooms that only grow from pair to pair.

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer

cdef struct Pairs:
    const uint32_t* ids         # of the tokens of all documents, smaller than n_types
    const int64_t* offsets      # document d: ids[offsets[d]] to ids[offsets[d + 1]]
    const int64_t* texts        # of each pair the one document
    const int64_t* references   # and the other,
    const int64_t* lasts        # or the first of several, up to this one; NULL where there is one each
    const int64_t* lines        # line k: ids[lines[k]] to ids[lines[k + 1]]
    const int64_t* line_offsets    # document d: the lines line_offsets[d] to line_offsets[d + 1]
    const uint32_t* left_ids       # the tokens that each document has to be hit
    const int64_t* left_offsets
    const double* weights
    int64_t gap
    size_t n, n_types, most_by_places
    int max_order
    bint with_lcs

cdef enum:  # what a room holds
    # texts and their tokens
    TEXT, DOCUMENTS, TOKEN_OF, PLANES, BEGINS, CUTS, BEFORE, TOKEN_STARTS, TOKEN_ENDS, IDS, SLOTS, TOKEN_KEYS, SPANS,
    STEMS, WORDS_OF_TYPES, WORD_STARTS, LINES, LINE_OFFSETS, MISSED,
    # counts
    TABLE, ENDS, FREE, NUMBERS, OWN_NUMBERS, SEEN_IN, LOCAL, BOUNDS, FOUND, CARRIES, STEPS, MARKED, ROW, ROW_OF, OWN,
    OTHER, COUNTS, WORTH,
    POINTS, BYTES, LANES_OF_BYTES, CHARACTER_IDS, WORD_IDS, WORD_ENDS, FIRST_WORDS, SETS, ORDERS, BEST,
    KEYS, SORTED_KEYS,
    # kept from call to call: `n` is 0 between them
    QUEUE,
    # these are zero before and after each use
    PLACES, NUMBER_OF, LEFT, THEIRS, FIRST, PAIRS_LEFT, ROW_LEFT,
    N_ROOMS

# A pointer dies with the next `room` or `grown` of its name. A function owns its rooms until it returns, and what it
# calls uses others. TABLE is used by longer_pair and by_numbers (ngrams.pxi), number_order (overlaps.pxi), cross
# (crossed.pxi), find_places (wer.pxi), the edits of TER, and chrF's cells, which by_numbers writes over.
cdef struct Scratch:
    void* rooms[N_ROOMS]
    size_t sizes[N_ROOMS]
    size_t total    # of the sizes
    uint64_t steps  # since Ctrl-C was last asked for

ctypedef int (*Count)(Scratch*, const Pairs*, size_t, int64_t*) noexcept nogil


cdef inline void* room(Scratch* s, int which, size_t size) noexcept nogil:
    """Return at least so many bytes, NULL where there is no memory. New ones are zero, others as they were left."""
    if s.rooms[which] == NULL or s.sizes[which] < size:
        free(s.rooms[which])
        s.total -= s.sizes[which]
        s.sizes[which] = size + (size >> 1) + 64
        s.rooms[which] = calloc(s.sizes[which], 1)
        s.sizes[which] *= s.rooms[which] != NULL
        s.total += s.sizes[which]
    return s.rooms[which]


cdef inline void* grown(Scratch* s, int which, size_t size) noexcept nogil:
    """Return the same, with what was in them."""
    cdef void* new
    if s.rooms[which] == NULL or s.sizes[which] >= size:
        return room(s, which, size)
    new = realloc(s.rooms[which], size + (size >> 1) + 64)
    if new != NULL:
        s.total += size + (size >> 1) + 64 - s.sizes[which]
        s.rooms[which], s.sizes[which] = new, size + (size >> 1) + 64
    return new


cdef void free_rooms(Scratch* s) noexcept nogil:
    cdef int which
    for which in range(N_ROOMS):
        free(s.rooms[which])


cdef inline bint stopped(Scratch* s, uint64_t steps) noexcept nogil:
    """Whether Ctrl-C was pressed, asked every some million steps; rooms of zeros may then hold others."""
    s.steps += steps
    if s.steps < 1 << 24:
        return False
    s.steps = 0
    return interrupted()


cdef double* doubles_of(object array, size_t* n, size_t* columns) except? NULL:
    """Return where the numbers of an array lie, of float64 and shape (n, columns) or one row; it must be kept as long.

    A memoryview of Cython takes three times as long, a third of the time of a pair.
    """
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    cdef bint fits = 1 <= view.ndim <= 2 and view.itemsize == 8 and view.format[0] == b"d"
    cdef double* numbers = <double*> view.buf
    if fits:
        n[0], columns[0] = view.shape[0] if view.ndim == 2 else 1, view.shape[view.ndim - 1]
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("expected an array of float64 of one or two dimensions")
    return numbers


cdef const double* strided_doubles(
    object array, size_t* n, size_t* columns, Py_ssize_t* next_row, Py_ssize_t* next_column
) except? NULL:
    """Return where the numbers of an array of two dimensions lie, row by row or not, and the steps in numbers.

    They are read alone, so that an array that may not be written to will do; its owner must be kept as long.
    """
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_STRIDES | PyBUF_FORMAT)
    cdef bint fits = view.ndim == 2 and view.itemsize == 8 and view.format[0] == b"d"
    cdef const double* numbers = <const double*> view.buf
    if fits:
        n[0], columns[0] = view.shape[0], view.shape[1]
        next_row[0], next_column[0] = view.strides[0] // 8, view.strides[1] // 8
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError("expected an array of float64 of two dimensions")
    return numbers


cdef const int64_t* start(const int64_t[::1] values) noexcept:
    """Return where the values lie; an empty view has no first one to point to."""
    return &values[0] if values.shape[0] else NULL


cdef const uint32_t* tokens(const int32_t[::1] ids) noexcept:
    return <const uint32_t*> &ids[0] if ids.shape[0] else NULL


cdef Pairs pairs_of(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types,
) noexcept:
    """Return the pairs of arrays; ids, offsets and pairs are those of `intern` and TokenBatch: unchecked here."""
    cdef Pairs p
    memset(&p, 0, sizeof(Pairs))
    p.ids, p.offsets, p.texts, p.references = tokens(ids), start(offsets), start(texts), start(references)
    p.n, p.n_types = texts.shape[0], n_types
    return p


cdef inline size_t size_of(const Pairs* p, int64_t document) noexcept nogil:
    return p.offsets[document + 1] - p.offsets[document]


cdef object count_pairs(const Pairs* p, Count count, size_t n_columns):
    """Return a row of counts for each pair, zero before `count` writes to it."""
    cdef int64_t[::1] rows = np.zeros(p.n * n_columns, np.int64)
    cdef int64_t* to = <int64_t*> start(rows)
    cdef int problem = DONE
    cdef size_t pair
    cdef Scratch s
    memset(&s, 0, sizeof(Scratch))
    with nogil:
        for pair in range(p.n):
            problem = count(&s, p, pair, to + pair * n_columns)
            if problem == DONE and stopped(&s, 1 + size_of(p, p.texts[pair])):
                problem = INTERRUPTED
            if problem != DONE:
                break
        free_rooms(&s)
    raise_if(problem)
    return np.asarray(rows).reshape(p.n, n_columns)
