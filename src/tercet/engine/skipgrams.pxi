# plain_ngrams.py defines what is computed here.
#
# Skip-bigrams that two texts share: pairs of the tokens that both have.
#
# Of short texts a small table counts all pairs of the reference, and the text takes its own from it. Tokens of one
# text only are number 0, whose row and column count nothing, and so are the places behind a text: each token then
# has as many partners as any other, and no branch has to be foreseen. Of long texts a table would take the square of
# their tokens; taken one left token at a time they take a row of it.

cdef enum:
    MOST_IN_TABLE = 200  # tokens of the shorter text of a pair whose table stays in the caches


cdef struct Side:  # a text, in numbers of the tokens that both texts have, from 1; others are 0
    uint32_t* tokens
    size_t size
    uint32_t* following  # behind the next place of the same token; 0 none
    uint32_t* heads      # behind the first place of each token

cdef enum:  # what is done to the row for each pair of a text
    ADD, TAKE, CLEAR


cdef uint32_t number_common(
    const uint32_t* text, size_t size, const uint32_t* reference, size_t length, bint common_only,
    uint32_t* number_of, Side* own, Side* other,
) noexcept nogil:
    """Number the tokens that both have, and return the last number; `common_only` leaves all others out."""
    cdef uint32_t in_text = <uint32_t> 0xFFFFFFFF, n_common = 0, number
    cdef uint32_t* to = other.tokens
    cdef size_t i, n = 0
    for i in range(size):
        number_of[text[i]] = in_text
    for i in range(length):
        number = number_of[reference[i]]
        if number == in_text:
            n_common += 1
            number = number_of[reference[i]] = n_common
        to[n] = number
        n += <int> (number > 0) | <int> (not common_only)
    other.size, to, n = n, own.tokens, 0
    for i in range(size):
        number = number_of[text[i]]
        to[n] = number * <uint32_t> (number != in_text)
        n += <int> (number != in_text) | <int> (not common_only)
    own.size = n
    for i in range(size):
        number_of[text[i]] = 0
    return n_common


cdef int64_t shared_by_table(
    const Side* own, const Side* other, size_t width, bint any_gap, size_t reach, uint32_t* table
) noexcept nogil:
    """Count by a table of `width` numbers squared, zero before and after; `reach` places behind a text are 0."""
    cdef const uint32_t* tokens = other.tokens
    cdef size_t i, j, size = other.size
    cdef uint32_t* row
    cdef uint32_t left, is_shared, is_common
    cdef int64_t total = 0
    for i in range(size):
        row = table + tokens[i] * width
        for j in range(i + 1, size if any_gap else i + 1 + reach):
            row[tokens[j]] += 1
    tokens, size = own.tokens, own.size
    for i in range(size):
        row, is_common = table + tokens[i] * width, tokens[i] > 0
        for j in range(i + 1, size if any_gap else i + 1 + reach):
            left = row[tokens[j]]
            is_shared = <uint32_t> (left > 0) & <uint32_t> (tokens[j] > 0) & is_common
            row[tokens[j]] = left - is_shared
            total += is_shared
    memset(table, 0, 4 * width * width)
    return total


cdef void find_heads(Side* side, uint32_t n_common) noexcept nogil:
    cdef size_t i
    memset(side.heads, 0, 4 * (n_common + 1))
    for i in range(side.size, 0, -1):
        side.following[i - 1] = side.heads[side.tokens[i - 1]]
        side.heads[side.tokens[i - 1]] = <uint32_t> i


cdef inline uint64_t change_cell(uint64_t* cell, uint64_t n, int what) noexcept nogil:
    """Add to a cell, take out of it what is there, or clear it; return what was taken."""
    cdef uint64_t taken = min(cell[0], n)
    cell[0] = cell[0] + n if what == ADD else cell[0] - taken if what == TAKE else 0
    return taken


cdef inline int change_row(
    Scratch* s, const Side* side, uint32_t left, bint any_gap, size_t reach, uint64_t* row, int what, int64_t* taken
) noexcept nogil:
    """Do so for each pair of a left token and one behind it, and add up what was taken."""
    cdef const uint32_t* tokens = side.tokens
    cdef size_t i = side.heads[left], j
    cdef uint64_t n_left = 0, sum = 0
    if any_gap:  # once through the text, with the number of left ones so far
        for j in range(i - 1, side.size if i else 0):
            sum += change_cell(row + tokens[j], n_left, what)
            n_left += tokens[j] == left
    while i and not any_gap:
        for j in range(i, min(side.size, i + reach)):
            sum += change_cell(row + tokens[j], 1, what)
        i = side.following[i - 1]
        if stopped(s, reach):
            return INTERRUPTED
    taken[0] += sum
    return INTERRUPTED if stopped(s, side.size) else DONE


cdef int shared_by_rows(
    Scratch* s, Side* own, Side* other, uint32_t n_common, bint any_gap, size_t reach, uint64_t* row, int64_t* total
) noexcept nogil:
    """Count by the row of each left token, zero before and after."""
    cdef uint32_t left
    cdef int64_t nothing = 0
    find_heads(own, n_common)
    find_heads(other, n_common)
    for left in range(1, n_common + 1):
        if change_row(s, other, left, any_gap, reach, row, ADD, &nothing) != DONE:
            return INTERRUPTED
        row[0] = 0
        if change_row(s, own, left, any_gap, reach, row, TAKE, total) != DONE:
            return INTERRUPTED
        if change_row(s, other, left, any_gap, reach, row, CLEAR, &nothing) != DONE:
            return INTERRUPTED
    return DONE


cdef int skip_matches(Scratch* s, const Pairs* p, size_t pair, int64_t* total) noexcept nogil:
    """Write how many skip-bigrams a pair shares."""
    cdef size_t size = size_of(p, p.texts[pair]), length = size_of(p, p.references[pair]), longest = max(size, length)
    cdef int64_t gap = p.gap
    cdef bint any_gap = gap < 0 or <size_t> gap + 2 >= longest  # or wide enough for the whole text
    cdef bint is_far = any_gap or gap > MOST_IN_TABLE  # then each token has many partners
    cdef bint in_table = (longest if is_far else min(size, length)) <= MOST_IN_TABLE
    cdef size_t reach = longest if any_gap else <size_t> gap + 1
    cdef uint32_t* number_of = <uint32_t*> room(s, NUMBER_OF, 4 * p.n_types)
    cdef uint32_t* table = <uint32_t*> room(s, PAIRS_LEFT, 4 * (MOST_IN_TABLE + 1) * (MOST_IN_TABLE + 1))
    cdef uint64_t* row
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
    own.heads = <uint32_t*> room(s, ENDS, 8 * (n_common + 1))
    row = <uint64_t*> room(s, ROW_LEFT, 8 * (n_common + 1))
    if own.heads == NULL or row == NULL:
        return NO_MEMORY
    other.heads = own.heads + n_common + 1
    return shared_by_rows(s, &own, &other, n_common, any_gap, reach, row, total)


def skip_bigram_matches(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types, int64_t gap,
):
    """See `plain.skip_bigram_matches`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    p.gap = gap
    return count_pairs(&p, skip_matches, 1)[:, 0]
