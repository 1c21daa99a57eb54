# Memory that a call takes, and gives back to the next one: rooms that only grow.

cdef extern from "blocks.h" nogil:
    enum:
        INSIDE, LINE_END, MARK, POINT, DASH, DIGIT, WIDE, N_PLANES
    void read_words(uint8_t*, size_t, uint64_t*)
    void read_blanks(uint8_t*, size_t, uint64_t*)
    void* take_kept()
    void* give_kept(void*)

cdef enum:
    CHUNK = 1 << 13
    LARGEST_KEPT = 1 << 24   # an arena of long texts is freed

cdef enum:   # rooms of an arena
    TEXT, DOCUMENTS, TOKENS_OF, PLANES, BEGINS, CUTS, BEFORE, STARTS, ENDS, LINE_ENDS, IDS, SLOTS, KEYS, SPANS, BOUNDS,
    PLACES, ROWS, ROWS_OF_COUNTS, SETS, LEFT, NUMBERS, TEXT_NUMBERS, TABLE, MOST, HERE, SEEN, CARRIES,
    CHARACTERS, N_ROOMS

cdef struct Arena:
    void* rooms[32]
    size_t sizes[32]
    size_t total, item
    # of the present chunk
    uint8_t* text
    size_t used, n_documents, n_blocks, n_tokens
    uint32_t* documents   # where each begins among the bytes, and the end
    uint32_t* token_of    # and among the tokens
    uint32_t* starts
    uint32_t* ends
    uint32_t* ids
    uint64_t* planes


cdef inline void* room(Arena* a, int which, size_t size) noexcept nogil:
    """Return at least so many bytes; what was in them is lost where they grow."""
    if a.sizes[which] < size:
        free(a.rooms[which])
        a.total -= a.sizes[which]
        a.sizes[which] = 0
        a.rooms[which] = malloc(size + (size >> 1) + 64)
        if a.rooms[which] == NULL:
            return NULL
        a.sizes[which] = size + (size >> 1) + 64
        a.total += a.sizes[which]
    return a.rooms[which]


cdef inline void* grown(Arena* a, int which, size_t size, size_t used) noexcept nogil:
    """Return the same, with the first `used` bytes as they were."""
    if a.sizes[which] >= size:
        return a.rooms[which]
    cdef void* old = a.rooms[which]
    cdef size_t old_size = a.sizes[which]
    a.rooms[which], a.sizes[which] = NULL, 0
    cdef void* new = room(a, which, size)
    if new != NULL and old != NULL and used:
        memcpy(new, old, used)
    a.total -= old_size
    free(old)
    return new


cdef int make_room(Arena* a, size_t n_bytes, size_t n_documents) noexcept nogil:
    a.text = <uint8_t*> grown(a, TEXT, n_bytes + 160, a.used)
    a.documents = <uint32_t*> grown(a, DOCUMENTS, 4 * (n_documents + 2), 4 * a.n_documents)
    a.token_of = <uint32_t*> room(a, TOKENS_OF, 4 * (n_documents + 2))
    cdef size_t n_blocks = n_bytes // 64 + 1
    a.planes = <uint64_t*> room(a, PLANES, 8 * N_PLANES * n_blocks)
    a.starts = <uint32_t*> room(a, STARTS, 4 * (n_bytes + 16))
    a.ends = <uint32_t*> room(a, ENDS, 4 * (n_bytes + 16))
    a.ids = <uint32_t*> room(a, IDS, 4 * (n_bytes + 1))
    cdef bint good = a.text != NULL and a.documents != NULL and a.token_of != NULL and a.planes != NULL
    good = good and a.starts != NULL and a.ends != NULL and a.ids != NULL
    good = good and room(a, BEGINS, 8 * n_blocks) != NULL and room(a, CUTS, 8 * n_blocks) != NULL
    good = good and room(a, BEFORE, 8 * n_blocks) != NULL
    return 0 if good else -1


cdef Arena* take() except NULL:
    cdef Arena* a = <Arena*> take_kept()
    if a == NULL:
        a = <Arena*> malloc(sizeof(Arena))
        if a == NULL:
            raise MemoryError
        memset(a, 0, sizeof(Arena))
    return a


cdef void give(Arena* a) noexcept:
    if a.total <= LARGEST_KEPT:
        a = <Arena*> give_kept(a)
    cdef int i
    if a != NULL:
        for i in range(N_ROOMS):
            free(a.rooms[i])
        free(a)
