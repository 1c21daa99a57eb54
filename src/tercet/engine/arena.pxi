# Memory of a call, in rooms that only grow; the next call takes it over. Texts are read into it a chunk at a time:
#
#     text        H i ,   y o u   Y o u      the bytes of some documents, one behind the other
#     documents   0               8          where each begins among the bytes, and the end
#     starts      0 2     4       8          where each token begins; a comma is one by some readings
#     ends        2 3     7       11
#     token_of    0               3          where each document begins among the tokens, and the end

cdef extern from "blocks.h" nogil:
    void* take_kept()
    void* give_kept(void*)

cdef enum:
    CHUNK = 1 << 13          # bytes of texts that are read at a time: what is made of them stays in the fastest cache
    LARGEST_KEPT = 1 << 25   # a larger arena is freed
    SLACK = 160              # bytes behind the text that are read or written with the last ones

cdef struct Arena:
    Scratch scratch
    size_t item                         # the one at work, at fault where something is
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


cdef int make_room(Arena* a, size_t n_bytes, size_t n_documents) noexcept nogil:
    """Make room in the chunk for so many bytes and documents, with those that stand there; return 0 or a problem.

    Pointers into the chunk die; only the text and where its documents begin are kept.
    """
    cdef size_t n_blocks = n_bytes // 64 + 1
    if n_bytes <= a.most_bytes and n_documents <= a.most_documents:
        return 0
    n_bytes, n_documents = max(n_bytes, a.most_bytes), max(n_documents, a.most_documents)
    if (n_bytes + SLACK) >> 32 or n_documents >> 31:  # places are numbers of 32 bits
        return TOO_LONG
    a.text = <uint8_t*> grown(&a.scratch, TEXT, n_bytes + SLACK)
    a.documents = <uint32_t*> grown(&a.scratch, DOCUMENTS, 4 * (n_documents + 2))
    a.token_of = <uint32_t*> room(&a.scratch, TOKEN_OF, 4 * (n_documents + 2))
    a.planes = <uint64_t*> room(&a.scratch, PLANES, 8 * N_PLANES * n_blocks)
    a.starts = <uint32_t*> room(&a.scratch, TOKEN_STARTS, 4 * (n_bytes + 16))
    a.ends = <uint32_t*> room(&a.scratch, TOKEN_ENDS, 4 * (n_bytes + 16))
    a.ids = <uint32_t*> room(&a.scratch, IDS, 4 * (n_bytes + 16))
    if a.text == NULL or a.documents == NULL or a.token_of == NULL or a.planes == NULL or a.starts == NULL \
            or a.ends == NULL or a.ids == NULL or room(&a.scratch, BEGINS, 8 * n_blocks) == NULL \
            or room(&a.scratch, CUTS, 8 * n_blocks) == NULL or room(&a.scratch, BEFORE, 8 * n_blocks) == NULL:
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


cdef void give(Arena* a, bint as_it_was) noexcept:
    """Keep an arena for the next call, or free it: a large one, and one that was left in the middle of something.

    That it is as it was promises that the rooms of zeros are zero.
    """
    if as_it_was and a.scratch.total <= LARGEST_KEPT:
        a = <Arena*> give_kept(a)
    if a != NULL:
        free_rooms(&a.scratch)
        free(a)
