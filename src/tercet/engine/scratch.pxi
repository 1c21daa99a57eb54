# Memory that a call works in: rooms that only grow from item to item, and are freed where the call ends.

cdef enum:  # what a room holds
    # texts and their tokens
    TEXT, DOCUMENTS, TOKEN_OF, PLANES, BEGINS, CUTS, BEFORE, TOKEN_STARTS, TOKEN_ENDS, IDS, SLOTS, TOKEN_KEYS, SPANS,
    WORDS_OF_TYPES, WORD_STARTS, LINES, MISSED,
    # counts
    TABLE, ENDS, FREE, NUMBERS, OWN_NUMBERS, SEEN_IN, LOCAL, BOUNDS, FOUND, CARRIES, STEPS, MARKED, ROW_OF, FOLLOWING, HEADS,
    CHANGES, WORTH, RUN, ROW_OF_RUN, NEW_WORTH, ABOVE, NEW_RUN, DIPS, NEW_DIPS, OWN, OTHER, COUNTS,
    POINTS, CHARACTER_IDS, WORD_IDS, WORD_ENDS, FIRST_WORDS, SETS, ORDERS, BEST,
    # these are zero before and after each use
    PLACES, NUMBER_OF, LEFT, THEIRS, FIRST, PAIRS_LEFT, ROW_LEFT,
    N_ROOMS

cdef struct Scratch:
    void* rooms[N_ROOMS]
    size_t sizes[N_ROOMS]
    uint64_t steps  # since Ctrl-C was last asked for


cdef inline void* room(Scratch* s, int which, size_t size) noexcept nogil:
    """Return at least so many bytes, with anything in them; NULL where there is no memory."""
    if s.sizes[which] < size or s.rooms[which] == NULL:
        free(s.rooms[which])
        s.sizes[which] = size + (size >> 1) + 64
        s.rooms[which] = malloc(s.sizes[which])
        s.sizes[which] *= s.rooms[which] != NULL
    return s.rooms[which]


cdef inline void* grown(Scratch* s, int which, size_t size) noexcept nogil:
    """Return the same, with what was in them."""
    cdef void* new
    if s.rooms[which] == NULL or s.sizes[which] >= size:
        return room(s, which, size)
    new = realloc(s.rooms[which], size + (size >> 1) + 64)
    if new != NULL:
        s.rooms[which], s.sizes[which] = new, size + (size >> 1) + 64
    return new


cdef inline void* zeros(Scratch* s, int which, size_t size) noexcept nogil:
    """Return at least so many bytes that are all zero, for one who leaves them so."""
    if s.sizes[which] < size or s.rooms[which] == NULL:
        free(s.rooms[which])
        s.sizes[which] = size + 64
        s.rooms[which] = calloc(s.sizes[which], 1)
        s.sizes[which] *= s.rooms[which] != NULL
    return s.rooms[which]


cdef Scratch no_rooms() noexcept:
    cdef Scratch s
    memset(&s, 0, sizeof(Scratch))
    return s


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


# The pairs of documents that are counted, as arrays give them.
cdef struct Pairs:
    const uint32_t* ids      # of the tokens of all documents, smaller than n_types
    const int64_t* offsets   # document d: ids[offsets[d]] to ids[offsets[d + 1]]
    const int64_t* texts     # of pair i the one document,
    const int64_t* references  # and the other
    size_t n, n_types


cdef Pairs pairs_of(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types,
) noexcept:
    return Pairs(tokens(ids), start(offsets), start(texts), start(references), texts.shape[0], n_types)


cdef inline size_t size_of(const Pairs* p, int64_t document) noexcept nogil:
    return p.offsets[document + 1] - p.offsets[document]


cdef const int64_t* start(const int64_t[::1] values) noexcept:
    """Return where the values lie; an empty view has no first one to point to."""
    return &values[0] if values.shape[0] else NULL


cdef const uint32_t* tokens(const int32_t[::1] ids) noexcept:
    """Return where token ids lie, which are never negative."""
    return <const uint32_t*> &ids[0] if ids.shape[0] else NULL
