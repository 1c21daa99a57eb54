# plain_chrf.py defines what is computed here.
#
# N-grams that two long texts share, by sorting: once the longest ones are in order, equal ones of every order stand
# side by side, and one pass counts all orders.
#
# A key is the n-gram that begins at a place, its first token highest, and below it the place: the text's places come
# before those of the other text. Behind the end of each stands a number that neither text has.
#
#     text b a b, other a b a     n-gram  side     order 1   order 2
#                                 a b     text     | a       | a b
#                                 a b     other    |         |
#                                 a /     other    |         | a /
#                                 b a     text     | b       | b a
#                                 b a     other    |         |
#                                 b .     text     |         | b .
#
# Where a key has not enough bits for the highest order, those that it has room for are counted first. What begins with
# one of them that both texts have then gets a new key: a number for the tokens that are counted, and the next ones.
#
# Memory is used from end to end, but that a pass of the sort writes to as many places at a time as its bits have
# values. A table of n-grams is used here and there: where it is larger than the caches, that is slower.

cdef enum:
    BITS_OF_PASS = 11  # at most
    TOO_MANY = 2       # for keys


cdef inline int n_bits(uint64_t number) noexcept nogil:
    return 1 + <int> highest_bit(number | 1)


cdef void sort_once(const uint64_t* keys, size_t n, int shift, int width, uint64_t* to) noexcept nogil:
    """Write the keys in the order of some of their bits, and else as they stand."""
    cdef uint32_t places[1 << BITS_OF_PASS]
    cdef uint32_t place = 0, number
    cdef uint64_t value, mask = (<uint64_t> 1 << width) - 1
    cdef size_t i
    memset(places, 0, 4 * (mask + 1))
    for i in range(n):
        places[(keys[i] >> shift) & mask] += 1
    for value in range(mask + 1):
        number = places[value]
        places[value] = place
        place += number
    for i in range(n):
        value = (keys[i] >> shift) & mask
        to[places[value]] = keys[i]
        places[value] += 1


cdef void count_sorted(
    const uint64_t* keys, size_t n, int shift, size_t middle, int bits, int n_orders, int64_t* matches
) noexcept nogil:
    """Add the matches of each order: of an n-gram, as many as the text has that has fewer.

    The last tokens of an n-gram, as many as there are orders, stand from bit `shift` on; those before are of every
    order. Places below `middle` are the text's.
    """
    cdef int first_that_ends[64]  # order, by the highest bit in which two keys differ
    cdef size_t texts[64]         # keys of the text before the present n-gram of an order
    cdef size_t others[64]        # and of the other
    cdef size_t n_texts = 0, n_others = 0, i
    cdef uint64_t before = keys[0], places = (<uint64_t> 1 << shift) - 1
    cdef int bit, k
    for bit in range(64):
        first_that_ends[bit] = n_orders if bit < shift else max(n_orders - 1 - (bit - shift) // bits, 0)
    memset(texts, 0, sizeof(texts))
    memset(others, 0, sizeof(others))
    for i in range(n):
        for k in range(first_that_ends[highest_bit((keys[i] ^ before) | 1)], n_orders):
            matches[k] += min(n_texts - texts[k], n_others - others[k])
            texts[k], others[k] = n_texts, n_others
        before = keys[i]
        n_others += (before & places) >= middle
        n_texts = i + 1 - n_others
    for k in range(n_orders):
        matches[k] += min(n_texts - texts[k], n_others - others[k])


cdef size_t first_keys(
    const uint32_t* tokens, size_t begin, size_t n, int bits, int n_orders, int shift, uint64_t* keys
) noexcept nogil:
    """Write the keys of a text that begins at a place; return how many there are."""
    cdef uint64_t ngram = 0
    cdef size_t i
    for i in range(n_orders):
        ngram = (ngram << bits) | tokens[begin + n]  # what stands behind the end
    for i in range(n, 0, -1):
        ngram = (ngram >> bits) | (<uint64_t> tokens[begin + i - 1] << (bits * (n_orders - 1)))
        keys[i - 1] = (ngram << shift) | (begin + i - 1)
    return n


cdef size_t keep_shared(uint64_t* keys, size_t n, int shift, size_t middle, int* of_number) noexcept nogil:
    """Keep the keys of n-grams that both texts have, which get numbers; return how many there are.

    Above its place, a key has the number alone then, in so many bits as are written.
    """
    cdef size_t first = 0, last, i, n_kept = 0
    cdef uint64_t places = (<uint64_t> 1 << shift) - 1, number = 0
    while first < n:
        last = first + 1
        while last < n and keys[last] >> shift == keys[first] >> shift:
            last += 1
        if keys[first] & places < middle and keys[last - 1] & places >= middle:  # places stand in order
            for i in range(first, last):
                keys[n_kept] = (number << shift) | (keys[i] & places)
                n_kept += 1
            number += 1
        first = last
    of_number[0] = n_bits(number)
    return n_kept


cdef void add_tokens(
    const uint32_t* tokens, int bits, int n_orders, int shift, uint64_t* keys, size_t n
) noexcept nogil:
    """Put the next tokens between the number of each key and its place, from which on they are counted."""
    cdef uint64_t key, place
    cdef size_t i
    cdef int k
    for i in range(n):
        key, place = keys[i] >> shift, keys[i] & ((<uint64_t> 1 << shift) - 1)
        for k in range(n_orders):
            key = (key << bits) | tokens[place + k]
        keys[i] = (key << shift) | place


cdef int match_by_sorting(
    Scratch* s, const uint32_t* text, size_t size, const uint32_t* other, size_t length, size_t n_types, int max_order,
    int64_t* matches,
) noexcept nogil:
    """Add the matches of each order; return DONE or a problem.

    Return TOO_MANY, and add nothing, of many millions of tokens: a key has no bits for the place, a number and one
    token.
    """
    cdef size_t middle = size + max_order, end = middle + length + max_order, n = 0, i
    cdef int bits = n_bits(n_types + 2), shift = n_bits(end), of_number = 0, order = 0
    cdef int n_orders, at, last, n_passes, width
    cdef uint64_t* keys
    cdef uint64_t* spare
    cdef uint32_t* tokens
    if 2 * shift + bits > 64:
        return TOO_MANY
    keys, spare = <uint64_t*> room(s, KEYS, 8 * end), <uint64_t*> room(s, SORTED_KEYS, 8 * end)
    tokens = <uint32_t*> room(s, LOCAL, 4 * end)
    if keys == NULL or spare == NULL or tokens == NULL:
        return NO_MEMORY
    memcpy(tokens, text, 4 * size)
    memcpy(tokens + middle, other, 4 * length)
    for i in range(max_order):
        tokens[size + i] = <uint32_t> n_types + 1
        tokens[middle + length + i] = <uint32_t> n_types + 2
    while order < max_order:
        if order > 0:
            n = keep_shared(keys, n, shift, middle, &of_number)
            if n == 0:
                break
        n_orders = min(max_order - order, (64 - shift - of_number) // bits)
        if order > 0:
            add_tokens(tokens + order, bits, n_orders, shift, keys, n)
        else:
            n = first_keys(tokens, 0, size, bits, n_orders, shift, keys)
            n += first_keys(tokens, middle, length, bits, n_orders, shift, keys + n)
        at, last = shift, shift + of_number + n_orders * bits
        n_passes = (last - at + BITS_OF_PASS - 1) // BITS_OF_PASS
        width = (last - at + n_passes - 1) // n_passes
        while at < last:
            sort_once(keys, n, at, width, spare)
            keys, spare = spare, keys
            at += width
            if stopped(s, n):
                return INTERRUPTED
        count_sorted(keys, n, shift, middle, bits, n_orders, matches + order)
        order += n_orders
    return DONE
