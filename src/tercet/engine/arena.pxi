# Memory of a call, in rooms that only grow; the next call takes it over. Texts are read into it a chunk at a time:
#
#     text        H i ,   y o u   Y o u      the bytes of some documents, one behind the other
#     documents   0               8          where each begins among the bytes, and the end
#     starts      0 2     4       8          where each token begins; a comma is one by some readings
#     ends        2 3     7       11
#     token_of    0               3          where each document begins among the tokens, and the end

cdef extern from "blocks.h" nogil:
    void* advised(void*, size_t)
    void* take_kept()
    void* give_kept(void*)

cdef enum:
    CHUNK = 1 << 13          # bytes of texts that are read at a time: what is made of them stays in the fastest cache
    LARGEST_KEPT = 1 << 24   # a larger arena is freed
    SLACK = 160              # bytes behind the text that are read or written with the last ones

cdef enum:  # rooms
    TEXT, DOCUMENTS, TOKEN_OF, PLANES, BEGINS, CUTS, BEFORE, STARTS, ENDS, IDS, SLOTS, KEYS, SPANS, BOUNDS,
    PLACES, ROWS, SETS, LEFT, NUMBERS, TEXT_NUMBERS, TABLE, MOST, HERE, SEEN, CARRIES,
    WORDS_OF_TYPES, WORD_STARTS, LINES, MISSED, N_ROOMS

cdef struct Arena:
    void* rooms[N_ROOMS]
    size_t sizes[N_ROOMS]
    size_t total, item              # bytes of all rooms; the item at fault where a text is too long
    size_t most_bytes, most_documents   # what there is room for in the chunk
    # the chunk
    uint8_t* text
    size_t used, n_documents, n_blocks, n_tokens
    uint32_t* documents
    uint32_t* token_of
    uint32_t* starts
    uint32_t* ends
    uint32_t* ids
    uint64_t* planes


cdef inline void* room(Arena* a, int which, size_t size) noexcept nogil:
    """Return at least so many bytes, NULL where there are none; what was in them is lost where they grow."""
    if a.rooms[which] == NULL or a.sizes[which] < size:
        free(a.rooms[which])
        a.total -= a.sizes[which]
        a.sizes[which] = 0
        a.rooms[which] = advised(malloc(size + (size >> 1) + 64), size)
        if a.rooms[which] != NULL:
            a.sizes[which] = size + (size >> 1) + 64
            a.total += a.sizes[which]
    return a.rooms[which]


cdef inline void* grown(Arena* a, int which, size_t size) noexcept nogil:
    """Return the same, with what was in them."""
    cdef void* new
    if a.rooms[which] == NULL or a.sizes[which] >= size:
        return room(a, which, size)
    new = advised(realloc(a.rooms[which], size + (size >> 1) + 64), size)
    if new != NULL:
        a.total += size + (size >> 1) + 64 - a.sizes[which]
        a.rooms[which], a.sizes[which] = new, size + (size >> 1) + 64
    return new


cdef int make_room(Arena* a, size_t n_bytes, size_t n_documents) noexcept nogil:
    """Make room in the chunk for so many bytes and documents, with those that stand there; return 0 or a problem."""
    cdef size_t n_blocks = n_bytes // 64 + 1
    if n_bytes <= a.most_bytes and n_documents <= a.most_documents:
        return 0
    n_bytes, n_documents = max(n_bytes, a.most_bytes), max(n_documents, a.most_documents)
    if (n_bytes + SLACK) >> 32 or n_documents >> 31:  # places are numbers of 32 bits
        return TOO_LONG
    a.text = <uint8_t*> grown(a, TEXT, n_bytes + SLACK)
    a.documents = <uint32_t*> grown(a, DOCUMENTS, 4 * (n_documents + 2))
    a.token_of = <uint32_t*> room(a, TOKEN_OF, 4 * (n_documents + 2))
    a.planes = <uint64_t*> room(a, PLANES, 8 * N_PLANES * n_blocks)
    a.starts = <uint32_t*> room(a, STARTS, 4 * (n_bytes + 16))
    a.ends = <uint32_t*> room(a, ENDS, 4 * (n_bytes + 16))
    a.ids = <uint32_t*> room(a, IDS, 4 * (n_bytes + 16))
    if a.text == NULL or a.documents == NULL or a.token_of == NULL or a.planes == NULL or a.starts == NULL \
            or a.ends == NULL or a.ids == NULL or room(a, BEGINS, 8 * n_blocks) == NULL \
            or room(a, CUTS, 8 * n_blocks) == NULL or room(a, BEFORE, 8 * n_blocks) == NULL:
        a.most_bytes = 0
        return NO_MEMORY
    a.most_bytes, a.most_documents = n_bytes, n_documents
    return 0


cdef Arena* take() except NULL:
    """Return an arena that no other call has."""
    cdef Arena* a = <Arena*> take_kept()
    if a == NULL:
        a = <Arena*> malloc(sizeof(Arena))
        if a == NULL:
            raise MemoryError
        memset(a, 0, sizeof(Arena))
    a.used = a.n_documents = a.item = 0
    return a


cdef void give(Arena* a) noexcept:
    """Keep an arena for the next call, or free it."""
    cdef int i
    if a.total <= LARGEST_KEPT:
        a = <Arena*> give_kept(a)
    if a != NULL:
        for i in range(N_ROOMS):
            free(a.rooms[i])
        free(a)
