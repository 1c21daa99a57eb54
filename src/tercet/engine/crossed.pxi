# plain_ngrams.py defines what is computed here.
#
# What each of many texts shares with each of many references: clipped n-grams, one order after the other.
#
# The n-grams of the references get numbers, and each number the references that have it. A text takes its own n-grams
# one by one, and adds to the totals of all references at once. What most references have stands in a row of bytes, one
# for each reference, which is added as a whole; what few have, in a list of these:
#
#     references   a b a     "a"   row      2 1 0 ...         in the text twice:   totals + min(2, row)
#                  b a       "c"   list     (2, 1)                                 totals[2] + min(2, 1)
#                  c b

cdef extern from "loops.h" nogil:
    void add_clipped(uint8_t*, const uint8_t*, uint8_t, size_t)

cdef enum:
    MOST_IN_BYTE = 255
    SHARE_OF_ROW = 16  # a row takes as long as a list of this share of the references

cdef uint32_t NO_ROW = <uint32_t> -1

cdef struct Gram:
    uint64_t key        # number of the n-gram without its last token, and that token; 0: empty
    uint32_t n          # references that have it
    uint32_t last       # the last of them, from 1
    uint32_t here       # how often that one has it; of a text, how often the text has it
    uint32_t most       # how often one has it at most
    uint32_t row        # its row, or NO_ROW and
    uint32_t start      # where its list begins

cdef struct Holder:  # of an n-gram
    uint32_t reference, count

cdef struct Crossed:
    const uint32_t* ids
    const int64_t* offsets
    size_t n_texts, n_references, width  # bytes of a row
    int max_order
    uint32_t* numbers   # of the n-gram at each token, from 1; 0 where no reference has it
    uint32_t* own       # numbers of the different n-grams of a text
    Gram* grams
    uint64_t mask
    uint8_t* rows
    Holder* holders
    uint32_t* totals
    uint8_t* small      # totals that are not yet added to the others
    int64_t* found      # (n_texts, n_references, max_order)


cdef inline Gram* gram_of(const Crossed* c, uint64_t key) noexcept nogil:
    """Return the gram of a key, or the empty one where it belongs."""
    cdef uint64_t slot = ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 32) & c.mask
    while not <int> (c.grams[slot].key == 0) | <int> (c.grams[slot].key == key):
        slot = (slot + 1) & c.mask
    return c.grams + slot


cdef void number_references(Crossed* c, int order, size_t* n_rows, size_t* n_holders) noexcept nogil:
    """Number the n-grams of the references, and count how many references have each."""
    cdef size_t r, slot
    cdef int64_t i
    cdef uint64_t key
    cdef Gram* gram
    for r in range(c.n_references):
        for i in range(c.offsets[c.n_texts + r], c.offsets[c.n_texts + r + 1] - order + 1):
            key = (<uint64_t> c.numbers[i] << 32) | c.ids[i + order - 1]
            gram = gram_of(c, key)
            gram.key = key
            if gram.last != r + 1:
                gram.last = <uint32_t> r + 1
                gram.here = 0
                gram.n += 1
            gram.here += 1
            gram.most = max(gram.most, gram.here)
            c.numbers[i] = <uint32_t> (gram - c.grams) + 1
    n_rows[0] = n_holders[0] = 0
    for slot in range(c.mask + 1):
        gram = c.grams + slot
        gram.last = gram.here = 0
        gram.row, gram.start = NO_ROW, <uint32_t> n_holders[0]
        if gram.n * SHARE_OF_ROW > c.n_references and gram.most <= MOST_IN_BYTE:
            gram.row = <uint32_t> n_rows[0]
            n_rows[0] += 1
        else:
            n_holders[0] += gram.n
        gram.n = 0


cdef void fill_holders(Crossed* c, int order) noexcept nogil:
    """Write which references have each n-gram, and how often."""
    cdef size_t r
    cdef int64_t i
    cdef Gram* gram
    for r in range(c.n_references):
        for i in range(c.offsets[c.n_texts + r], c.offsets[c.n_texts + r + 1] - order + 1):
            gram = c.grams + c.numbers[i] - 1
            if gram.row != NO_ROW:
                c.rows[gram.row * c.width + r] += 1
                continue
            if gram.last != r + 1:
                gram.last = <uint32_t> r + 1
                c.holders[gram.start + gram.n] = Holder(<uint32_t> r, 0)
                gram.n += 1
            c.holders[gram.start + gram.n - 1].count += 1


cdef inline void add_small(Crossed* c) noexcept nogil:
    cdef size_t r
    for r in range(c.n_references):
        c.totals[r] += c.small[r]
    memset(c.small, 0, c.width)


cdef uint64_t cross_text(Crossed* c, int order, size_t text) noexcept nogil:
    """Write what a text shares with each reference; return how many steps that took."""
    cdef size_t n_own = 0, k, r
    cdef uint64_t n_steps = c.n_references
    cdef int64_t i
    cdef int64_t* to = c.found + text * c.n_references * c.max_order + order - 1
    cdef uint32_t count, left = MOST_IN_BYTE
    cdef Gram* gram
    cdef const Holder* holder
    for i in range(c.offsets[text], c.offsets[text + 1] - order + 1):
        if c.numbers[i] == 0:
            continue
        gram = gram_of(c, (<uint64_t> c.numbers[i] << 32) | c.ids[i + order - 1])
        if gram.key == 0:
            c.numbers[i] = 0
            continue
        c.numbers[i] = <uint32_t> (gram - c.grams) + 1
        c.own[n_own] = c.numbers[i]
        n_own += gram.here == 0
        gram.here += 1
    if n_own == 0:
        return 1  # they are 0
    memset(c.totals, 0, 4 * c.n_references)
    memset(c.small, 0, c.width)
    for k in range(n_own):
        gram = c.grams + c.own[k] - 1
        count = min(gram.here, gram.most)
        gram.here = 0
        if gram.row != NO_ROW:
            if count > left:
                add_small(c)
                left = MOST_IN_BYTE
            left -= count
            add_clipped(c.small, c.rows + gram.row * c.width, <uint8_t> count, c.width)
            n_steps += c.width >> 4
            continue
        holder = c.holders + gram.start
        for r in range(gram.n):
            c.totals[holder[r].reference] += min(holder[r].count, count)
        n_steps += gram.n
    add_small(c)
    for r in range(c.n_references):
        to[r * c.max_order] = c.totals[r]
    return n_steps


cdef int cross(Scratch* s, Crossed* c) noexcept nogil:
    """Fill what was found; return DONE, NO_MEMORY or INTERRUPTED."""
    cdef size_t n_documents = c.n_texts + c.n_references, text, n_rows, n_holders, longest = 0, capacity = 16
    cdef int64_t total = c.offsets[n_documents], of_references = total - c.offsets[c.n_texts], i
    cdef int order
    for text in range(c.n_texts):
        longest = max(longest, <size_t> (c.offsets[text + 1] - c.offsets[text]))
    while capacity < <size_t> (2 * of_references):
        capacity *= 2
    c.mask, c.width = capacity - 1, (c.n_references + 15) & ~(<size_t> 15)
    c.numbers = <uint32_t*> room(s, NUMBERS, 4 * total)
    c.own = <uint32_t*> room(s, OWN_NUMBERS, 4 * (longest + 1))
    c.grams = <Gram*> room(s, TABLE, sizeof(Gram) * capacity)
    c.totals = <uint32_t*> room(s, COUNTS, 4 * c.n_references)
    c.small = <uint8_t*> room(s, FREE, c.width)
    if not (c.numbers and c.own and c.grams and c.totals and c.small) or capacity >> 31:
        return NO_MEMORY
    for i in range(total):
        c.numbers[i] = 1
    for order in range(1, c.max_order + 1):
        memset(c.grams, 0, sizeof(Gram) * capacity)
        number_references(c, order, &n_rows, &n_holders)
        c.rows = <uint8_t*> room(s, SETS, n_rows * c.width)
        c.holders = <Holder*> room(s, FOUND, sizeof(Holder) * n_holders)
        if c.rows == NULL or c.holders == NULL:
            return NO_MEMORY
        memset(c.rows, 0, n_rows * c.width)
        fill_holders(c, order)
        for text in range(c.n_texts):
            if stopped(s, cross_text(c, order, text)):
                return INTERRUPTED
        if stopped(s, of_references):
            return INTERRUPTED
    return DONE


def crossed_matches(const int32_t[::1] ids, const int64_t[::1] offsets, size_t n_texts, int max_order):
    """See `plain.crossed_matches`."""
    cdef Crossed c
    cdef Scratch s
    cdef int problem
    memset(&s, 0, sizeof(Scratch))
    c.ids, c.offsets, c.n_texts, c.n_references = tokens(ids), start(offsets), n_texts, offsets.shape[0] - 1 - n_texts
    c.max_order = max_order
    cdef int64_t[::1] found = np.zeros(c.n_texts * c.n_references * max_order, np.int64)
    c.found = <int64_t*> start(found)
    with nogil:
        problem = cross(&s, &c)
        free_rooms(&s)
    raise_if(problem)
    return np.asarray(found).reshape(c.n_texts * c.n_references, max_order)
