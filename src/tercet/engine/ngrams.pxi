# plain_ngrams.py defines what is computed here.
#
# What a text shares with its references: clipped n-grams and, with a single one, the longest common subsequence.
#
# All counts come from sets of places in a reference, one bit each: where it has the token that the text has at i, and
# from these, order by order, where the n-gram ends that ends at i in the text:
#
#     ends of order n at i  =  (ends of order n - 1 at i - 1, moved on by one)  and  places at i
#
#     reference   a b a b        a: 0 1 0 1   (place 0 stands right)
#     text        b a b          b: 1 0 1 0
#     ends of order 2 in the text at "ba": 0100, at "ab": 1010
#
# Each n-gram of the text takes the lowest place that is still free, which clips. Of the subsequence a row of the
# textbook's table is kept (Hyyro 2004): a bit is 0 where the row grows from one column to the next.
#
#     up to 64 tokens                a set is one number            short_group     any ids
#     one reference, some hundreds   sets of several numbers        longer_pair     local ids
#     longer ones, longer groups     n-grams get numbers            by_numbers      local ids
#     the subsequence of longer ones, strip by strip: long_common of subsequences.pxi
#
# For whoever has texts in ids (a `Group`), `count_group` chooses among these:
#
#     cdef int count_group(Scratch* s, const Group* g, int max_order, bint with_lcs, size_t most_by_places,
#                          int64_t* row, int64_t* common) noexcept nogil
#
# adds `max_order` matches to `row`, with_lcs (a group of one reference only) a length to `common`, both zero before,
# and returns DONE, NO_MEMORY or INTERRUPTED. Local ids: those of the references' tokens count up from 0 to
# n_types - 1, and a token of the text that no reference has is n_types. To groups of up to 64 tokens any ids are as
# good that are at most n_types.

cdef struct Group:
    const uint32_t* text
    size_t size
    const uint32_t* ids     # reference r: ids[bounds[r]] to ids[bounds[r + 1]]
    const uint32_t* bounds
    size_t n_references
    size_t n_types

cdef enum:
    MOST_BY_PLACES = 512  # tokens: beyond, n-grams are counted faster by numbers
    MOST_FOR_LCS = 512    # and the subsequence is found faster strip by strip


cdef inline size_t longest_of(const Group* g) noexcept nogil:
    cdef size_t r, longest = g.size
    for r in range(g.n_references):
        longest = max(longest, g.bounds[r + 1] - g.bounds[r])
    return longest


cdef int count_group(
    Scratch* s, const Group* g, int max_order, bint with_lcs, size_t most_by_places, int64_t* row, int64_t* common
) noexcept nogil:
    """Write what a text shares with its references; see the head of this file."""
    cdef size_t longest = longest_of(g)
    cdef int problem = DONE
    if g.size == 0 or g.n_references == 0:
        return DONE
    if longest <= 64:
        return short_group(s, g, max_order, with_lcs, row, common)
    if g.n_references == 1 and longest <= most_by_places:
        return longer_pair(s, g, max_order, with_lcs, row, common)
    if max_order:
        problem = by_numbers(s, g, max_order, row)
    if with_lcs and problem == DONE:
        if longest <= MOST_FOR_LCS:
            return longer_pair(s, g, 0, True, row, common)
        return long_common(s, g, common)
    return problem


cdef int short_group(
    Scratch* s, const Group* g, int max_order, bint with_lcs, int64_t* row, int64_t* common
) noexcept nogil:
    """Texts of up to 64 tokens, four orders at a time."""
    cdef uint64_t* places = <uint64_t*> room(s, PLACES, 8 * (g.n_types + 1))
    cdef uint64_t matched[64]  # of each order, a bit for each n-gram; of more than 64 tokens there are none
    cdef uint64_t moved[64]    # the ends of the order before the four, moved on by one
    cdef uint64_t i, length, common_row = ALL
    cdef int n, n_orders = min(max_order, 64)
    cdef size_t r
    cdef const uint32_t* ids
    if places == NULL:
        return NO_MEMORY
    memset(matched, 0, 8 * ((n_orders + 3) // 4 * 4))
    for r in range(g.n_references):
        ids, length = g.ids + g.bounds[r], g.bounds[r + 1] - g.bounds[r]
        for i in range(length):
            places[ids[i]] |= <uint64_t> 1 << i
        for n in range(0, max(n_orders, 1), 4):  # what the compiler knows of a call makes a loop of less work
            if g.n_references > 1:
                match(g, places, moved, matched + n, 4, n == 0, True)
            elif n > 0:
                match(g, places, moved, matched + n, 4, False, False)
            elif n_orders > 2:
                common_row = match(g, places, moved, matched, 4, True, False)
            elif n_orders == 2:
                common_row = match(g, places, moved, matched, 2, True, False)
            else:
                common_row = match(g, places, moved, matched, 1, True, False)
            if matched[n + 3] == 0:  # nor does a longer one match
                break
        for i in range(length):
            places[ids[i]] = 0
    for n in range(n_orders):
        row[n] = bit_count(matched[n])
    if with_lcs:
        common[0] = bit_count(~common_row)
    return DONE


cdef inline uint64_t match(
    const Group* g, const uint64_t* places, uint64_t* moved, uint64_t* matched, int n_orders, bint are_first,
    bint in_text,
) noexcept nogil:
    """Match up to four orders with one reference, and return the last row of the subsequence's table.

    What is `matched` are places in the reference or, for one of several, in the text. All is done at once, for these
    chains of steps overlap in the processor.
    """
    cdef uint64_t i, p, e0 = ALL, e1 = 0, e2 = 0, e3 = 0, e4 = 0, f1 = ALL, f2 = ALL, f3 = ALL, f4 = ALL, row = ALL
    cdef uint64_t m1 = matched[0], m2 = matched[1], m3 = matched[2], m4 = matched[3], o1, o2 = 0, o3 = 0, o4 = 0
    for i in range(g.size):
        p = places[g.text[i]]
        if not are_first:
            e0 = moved[i]
        if n_orders == 4:
            moved[i] = e4 << 1
        e4, e3, e2, e1 = (e3 << 1) & p, (e2 << 1) & p, (e1 << 1) & p, e0 & p
        o1 = lowest(e1 & f1)
        f1 ^= o1  # the place is used up
        if n_orders > 1:
            o2 = lowest(e2 & f2)
            f2 ^= o2
        if n_orders > 2:
            o3, o4 = lowest(e3 & f3), lowest(e4 & f4)
            f3, f4 = f3 ^ o3, f4 ^ o4
        if in_text:
            m1 |= <uint64_t> (o1 != 0) << i
            m2 |= <uint64_t> (o2 != 0) << i
            m3 |= <uint64_t> (o3 != 0) << i
            m4 |= <uint64_t> (o4 != 0) << i
        row = (row + (row & p)) | (row & ~p)
    if in_text:
        matched[0], matched[1], matched[2], matched[3] = m1, m2, m3, m4
    else:
        matched[0], matched[1], matched[2], matched[3] = ~f1, ~f2, ~f3, ~f4
    return row


cdef int longer_pair(
    Scratch* s, const Group* g, int max_order, bint with_lcs, int64_t* row, int64_t* common
) noexcept nogil:
    """One reference, sets of `n_words` numbers: of each type in `table`, of each place in the text in `ends`."""
    cdef size_t size = g.size, length = g.bounds[1] - g.bounds[0], n_words = (length + 63) >> 6, i, k, word
    cdef const uint32_t* ids = g.ids + g.bounds[0]
    cdef uint64_t* table = <uint64_t*> room(s, TABLE, 8 * (g.n_types + 1) * n_words)
    cdef uint64_t* ends = <uint64_t*> room(s, ENDS, 8 * size * n_words if max_order else 0)
    cdef uint64_t* bits = <uint64_t*> room(s, FREE, 8 * n_words)
    cdef uint64_t carry, before
    cdef uint64_t* here
    cdef uint64_t* places
    cdef int n
    if table == NULL or ends == NULL or bits == NULL:
        return NO_MEMORY
    memset(table, 0, 8 * (g.n_types + 1) * n_words)
    for i in range(length):
        table[ids[i] * n_words + (i >> 6)] |= <uint64_t> 1 << (i & 63)
    for n in range(max_order):
        for k in range(1, size + 1):
            i = size - k
            here, places = ends + i * n_words, table + g.text[i] * n_words
            if n == 0:
                memcpy(here, places, 8 * n_words)
            elif i == 0:
                memset(here, 0, 8 * n_words)
            else:
                carry = 0
                for word in range(n_words):
                    before = (here - n_words)[word]
                    here[word] = ((before << 1) | carry) & places[word]
                    carry = before >> 63
        row[n] = clipped_rows(ends, size, n_words, bits)
        if row[n] == 0:
            break
        if stopped(s, size * n_words):
            return INTERRUPTED
    if with_lcs:
        common[0] = common_rows(table, g, n_words, bits)
    return INTERRUPTED if stopped(s, size * n_words) else DONE


cdef uint64_t clipped_rows(const uint64_t* ends, size_t size, size_t n_words, uint64_t* free_places) noexcept nogil:
    """Return how many n-grams of the text find an end that no earlier one has taken."""
    cdef size_t i, word
    cdef uint64_t not_yet, taken, n = 0
    memset(free_places, 255, 8 * n_words)
    for i in range(size):
        not_yet = ALL
        for word in range(n_words):  # without a branch: where it is found is hard to foresee
            taken = lowest(ends[i * n_words + word] & free_places[word]) & not_yet
            free_places[word] ^= taken
            not_yet &= <uint64_t> (taken != 0) - 1
    for word in range(n_words):
        n += bit_count(~free_places[word])
    return n


cdef uint64_t common_rows(const uint64_t* table, const Group* g, size_t n_words, uint64_t* row) noexcept nogil:
    """Return the length of the subsequence, of rows of several numbers: each hands its carry to the next."""
    cdef size_t i, word
    cdef uint64_t n = 0
    cdef uint8_t carry
    cdef const uint64_t* places
    memset(row, 255, 8 * n_words)
    for i in range(g.size):
        if g.text[i] == g.n_types:
            continue
        places, carry = table + g.text[i] * n_words, 0
        for word in range(n_words):
            row[word] = next_bits(row[word], places[word], &carry)
    for word in range(n_words):
        n += bit_count(~row[word])
    return n


cdef struct Slot:
    uint64_t key   # 0: empty
    uint32_t most  # how often a reference has the n-gram at most
    uint32_t here  # how often the present one has it


cdef inline uint64_t slot_of(uint64_t key, const Slot* table, uint64_t mask) noexcept nogil:
    """Return the slot of a key in a table of open addressing, or the empty one in which it belongs."""
    cdef uint64_t slot = ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 33) & mask
    # One branch, which nearly always goes the same way.
    while not <int> (table[slot].key == 0) | <int> (table[slot].key == key):
        slot = (slot + 1) & mask
    return slot


cdef int by_numbers(Scratch* s, const Group* g, int max_order, int64_t* row) noexcept nogil:
    """Texts of any length: an n-gram's number is its slot in a table, and one more.

    There the next order finds its own by (number of the n-gram without its last token, last token). A single token's
    slot is its id. ``numbers[i]`` is that of the n-gram at token i; in `own`, 0 where no reference has it.
    """
    cdef const uint32_t* ids = g.ids + g.bounds[0]
    cdef const uint32_t* text = g.text
    cdef size_t total = g.bounds[g.n_references] - g.bounds[0], capacity = 16, i, end, r
    while capacity < 4 * total or capacity <= g.n_types:  # ids may be those of a larger group
        capacity *= 2
    cdef uint64_t mask = capacity - 1, slot, key, n_matched
    cdef Slot* table = <Slot*> room(s, TABLE, sizeof(Slot) * capacity)
    cdef Slot* at
    cdef uint32_t* seen_in = <uint32_t*> room(s, SEEN_IN, 4 * capacity)  # the last reference that has it
    cdef uint32_t* numbers = <uint32_t*> room(s, NUMBERS, 4 * total)
    cdef uint32_t* own = <uint32_t*> room(s, OWN_NUMBERS, 4 * g.size)
    cdef uint32_t is_known, is_left
    cdef bint is_only = g.n_references == 1
    cdef int n
    if not (table and seen_in and numbers and own):
        return NO_MEMORY
    for i in range(total):
        numbers[i] = 1
    for i in range(g.size):
        own[i] = 1
    for n in range(1, max_order + 1):
        memset(table, 0, sizeof(Slot) * capacity)
        for r in range(g.n_references):
            i, end = g.bounds[r] - g.bounds[0] + n - 1, g.bounds[r + 1] - g.bounds[0]
            for i in range(i, end):  # where the n-gram ends
                key = (<uint64_t> numbers[i - n + 1] << 32) | ids[i]
                slot = ids[i] if n == 1 else slot_of(key, table, mask)
                numbers[i - n + 1] = <uint32_t> slot + 1
                at = table + slot
                if is_only:
                    at.most += 1
                else:
                    if at.key == 0 or seen_in[slot] != r:
                        seen_in[slot] = <uint32_t> r
                        at.here = 0
                    at.here += 1
                    at.most = max(at.most, at.here)
                at.key = key
                if i & 0xFFFFF == 0 and interrupted():
                    return INTERRUPTED
        n_matched = 0
        for i in range(n - 1, g.size):
            if own[i - n + 1] == 0:
                continue
            key = (<uint64_t> own[i - n + 1] << 32) | text[i]
            slot = text[i] if n == 1 else slot_of(key, table, mask)
            at = table + slot
            is_known = at.key == key
            own[i - n + 1] = (<uint32_t> slot + 1) * is_known
            is_left = is_known & <uint32_t> (at.most > 0)  # without a branch: it is hard to foresee
            at.most -= is_left
            n_matched += is_left
            if i & 0xFFFFF == 0 and interrupted():
                return INTERRUPTED
        row[n - 1] = n_matched
        if n_matched == 0:
            break
    return INTERRUPTED if stopped(s, total + g.size) else DONE


cdef int make_local(Scratch* s, Group* g) noexcept nogil:
    """Give a group local ids instead of those of its corpus, in memory of the scratch."""
    cdef size_t first = g.bounds[0], total = g.bounds[g.n_references] - first, i
    cdef uint32_t* number_of = <uint32_t*> room(s, NUMBER_OF, 4 * (g.n_types + 1))  # from 1
    cdef uint32_t* local = <uint32_t*> room(s, LOCAL, 4 * (total + g.size))
    cdef uint32_t n = 0, number, is_new
    if number_of == NULL or local == NULL:
        return NO_MEMORY
    for i in range(total):  # without a branch: whether it is new is hard to foresee
        number = number_of[g.ids[first + i]]
        is_new = number == 0
        n += is_new
        number += n * is_new
        number_of[g.ids[first + i]] = number
        local[i] = number - 1
    for i in range(g.size):
        number = number_of[g.text[i]]
        local[total + i] = number + (n + 1) * <uint32_t> (number == 0) - 1
    for i in range(total):
        number_of[g.ids[first + i]] = 0
    g.ids, g.text, g.n_types = local - first, local + total, n
    return DONE


cdef int group_counts(Scratch* s, const Pairs* p, size_t pair, int64_t* row) noexcept nogil:
    """Write the matches of a text with its references, and behind them the length of the subsequence."""
    cdef const int64_t* begins = p.offsets + p.references[pair]
    cdef size_t r, n_references = 1 if p.lasts == NULL else p.lasts[pair] - p.references[pair]
    cdef uint32_t* bounds = <uint32_t*> room(s, BOUNDS, 4 * (n_references + 1))
    cdef Group g
    if bounds == NULL:
        return NO_MEMORY
    g.text, g.size, g.n_types = p.ids + p.offsets[p.texts[pair]], size_of(p, p.texts[pair]), p.n_types
    g.ids, g.bounds, g.n_references = p.ids + begins[0], bounds, n_references
    for r in range(n_references + 1):
        bounds[r] = <uint32_t> (begins[r] - begins[0])
    if longest_of(&g) > 64 and make_local(s, &g) != DONE:
        return NO_MEMORY
    return count_group(s, &g, p.max_order, p.with_lcs, p.most_by_places, row, row + p.max_order)


def pair_matches(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types, int max_order, bint with_lcs, size_t most_by_places,
):
    """See `plain.pair_matches`; ids, offsets and pairs are those of `intern` and TokenBatch: unchecked here."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    p.max_order, p.with_lcs, p.most_by_places = max_order, with_lcs, most_by_places
    rows = count_pairs(&p, group_counts, max_order + 1)
    return rows[:, :max_order], rows[:, max_order]


def clipped_matches(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] firsts,
    const int64_t[::1] lasts, size_t n_types, int max_order,
):
    """See `plain.clipped_matches`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, firsts, n_types)
    p.lasts, p.max_order, p.most_by_places = start(lasts), max_order, MOST_BY_PLACES
    return count_pairs(&p, group_counts, max_order)
