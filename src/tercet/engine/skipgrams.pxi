# Skip-bigrams that two texts share: pairs of the tokens that both have.
#
# Of short texts a small table counts all pairs of the reference, and the text takes its own from it. Tokens of one
# text only are number 0, whose row and column count nothing, and so are the places behind a text: each token then has
# as many partners as any other, and no branch has to be foreseen. Of long texts a table would take the square of their
# tokens; taken one left token at a time they take a row.

cdef enum:
    MOST_IN_TABLE = 200  # tokens of the shorter text of a pair whose table stays in the caches


cdef struct Side:  # a text, in numbers of the tokens that both texts have, from 1; others are 0
    uint32_t* tokens
    size_t size
    uint32_t* following  # behind the next place of the same token; 0 none
    uint32_t* heads      # behind the first place of each token
    uint64_t* row        # of the present left token: how often with each right one


cdef uint32_t number_common(
    const uint32_t* text, size_t size, const uint32_t* reference, size_t length, bint common_only, uint32_t* number_of,
    Side* own, Side* other
) noexcept nogil:
    """Number the tokens that both have, and return the last number; `common_only` leaves all others out."""
    cdef uint32_t in_text = <uint32_t> 0xFFFFFFFF, n_common = 0, number
    cdef size_t i
    own.size = other.size = 0
    for i in range(size):
        number_of[text[i]] = in_text
    for i in range(length):
        number = number_of[reference[i]]
        if number == in_text:
            n_common += 1
            number = number_of[reference[i]] = n_common
        other.tokens[other.size] = number
        other.size += number > 0 or not common_only
    for i in range(size):
        number = number_of[text[i]]
        own.tokens[own.size] = number if number != in_text else 0
        own.size += number != in_text or not common_only
    for i in range(size):
        number_of[text[i]] = 0
    return n_common


cdef int64_t shared_by_table(Side* own, Side* other, size_t width, bint any_gap, size_t reach, uint32_t* table) noexcept nogil:
    """Count by a table of `width` numbers squared, zero before and after; `reach` places behind a text are 0."""
    cdef size_t i, j, row
    cdef uint32_t left, is_shared, is_common
    cdef int64_t total = 0
    for i in range(other.size):
        row = other.tokens[i] * width
        for j in range(i + 1, other.size if any_gap else i + 1 + reach):
            table[row + other.tokens[j]] += 1
    for i in range(own.size):
        row, is_common = own.tokens[i] * width, own.tokens[i] > 0
        for j in range(i + 1, own.size if any_gap else i + 1 + reach):
            left = table[row + own.tokens[j]]
            is_shared = <uint32_t> (left > 0) & <uint32_t> (own.tokens[j] > 0) & is_common
            table[row + own.tokens[j]] = left - is_shared
            total += is_shared
    memset(table, 0, 4 * width * width)
    return total


cdef void find_heads(Side* side, uint32_t n_common) noexcept nogil:
    cdef size_t i
    memset(side.heads, 0, 4 * (n_common + 1))
    for i in range(side.size, 0, -1):
        side.following[i - 1] = side.heads[side.tokens[i - 1]]
        side.heads[side.tokens[i - 1]] = <uint32_t> i


cdef size_t count_partners(Side* side, uint32_t left, bint any_gap, size_t reach) noexcept nogil:
    """Count the tokens behind each `left`, in `row`; return the steps."""
    cdef size_t i = side.heads[left], j, n_steps = 0
    cdef uint64_t before = 0
    if any_gap:  # once through the text, with the number of left ones so far
        if i == 0:
            return 0
        for j in range(i - 1, side.size):
            side.row[side.tokens[j]] += before
            before += side.tokens[j] == left
        return side.size - i
    while i:
        for j in range(i, min(side.size, i + reach)):
            side.row[side.tokens[j]] += 1
        n_steps += reach
        i = side.following[i - 1]
    return n_steps


cdef int shared_by_rows(
    Scratch* s, Side* own, Side* other, uint32_t n_common, bint any_gap, size_t reach, int64_t* total
) noexcept nogil:
    """Count by the row of each left token."""
    cdef uint32_t left, right
    cdef size_t n_steps
    find_heads(own, n_common)
    find_heads(other, n_common)
    for left in range(1, n_common + 1):
        n_steps = count_partners(own, left, any_gap, reach) + count_partners(other, left, any_gap, reach)
        for right in range(1, n_common + 1):
            total[0] += <int64_t> min(own.row[right], other.row[right])
        memset(own.row, 0, 8 * (n_common + 1))
        memset(other.row, 0, 8 * (n_common + 1))
        if stopped(s, n_steps + n_common):
            return INTERRUPTED
    return DONE


cdef int skip_matches(Scratch* s, const Pairs* p, size_t pair, int64_t gap, int64_t* total) noexcept nogil:
    cdef size_t size = size_of(p, p.texts[pair]), length = size_of(p, p.references[pair])
    cdef bint any_gap = gap < 0, is_far = any_gap or gap > MOST_IN_TABLE  # then each token has the whole text for partners
    cdef bint in_table = (max(size, length) if is_far else min(size, length)) <= MOST_IN_TABLE
    cdef size_t longest = max(size, length), reach = longest if any_gap else min(longest, <size_t> gap + 1)
    cdef uint32_t* number_of = <uint32_t*> zeros(s, NUMBER_OF, 4 * p.n_types)
    cdef uint32_t* table = <uint32_t*> zeros(s, PAIRS_LEFT, 4 * (MOST_IN_TABLE + 1) * (MOST_IN_TABLE + 1))
    cdef uint32_t n_common
    cdef Side own, other
    own.tokens, other.tokens = <uint32_t*> room(s, OWN, 8 * longest + 8), <uint32_t*> room(s, OTHER, 8 * longest + 8)
    if not (number_of and table and own.tokens and other.tokens):
        return NO_MEMORY
    n_common = number_common(
        p.ids + p.offsets[p.texts[pair]], size, p.ids + p.offsets[p.references[pair]], length, any_gap, number_of,
        &own, &other,
    )
    if in_table:
        if not any_gap:
            memset(own.tokens + own.size, 0, 4 * reach)
            memset(other.tokens + other.size, 0, 4 * reach)
        total[0] = shared_by_table(&own, &other, n_common + 1, any_gap, reach, table)
        return INTERRUPTED if stopped(s, (size + length) * reach) else DONE
    own.following, other.following = own.tokens + longest + 1, other.tokens + longest + 1
    own.heads, other.heads = <uint32_t*> room(s, HEADS, 8 * (n_common + 1)), NULL
    own.row = <uint64_t*> room(s, ENDS, 16 * (n_common + 1))
    if own.heads == NULL or own.row == NULL:
        return NO_MEMORY
    other.heads, other.row = own.heads + n_common + 1, own.row + n_common + 1
    memset(own.row, 0, 16 * (n_common + 1))
    return shared_by_rows(s, &own, &other, n_common, any_gap, reach, total)


def skip_bigram_matches(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types, int64_t gap,
):
    """See `plain.skip_bigram_matches`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    cdef int64_t[::1] matches = np.zeros(p.n, np.int64)
    cdef Scratch s = no_rooms()
    cdef int problem = DONE
    cdef size_t pair
    with nogil:
        for pair in range(p.n):
            problem = skip_matches(&s, &p, pair, gap, &matches[pair])
            if problem != DONE:
                break
        free_rooms(&s)
    raise_if(problem)
    return np.asarray(matches)
