# plain_text.py defines what is computed here.
#
# Numbers for the tokens of many texts, from one table. All tokens of a chunk are looked up where their keys belong in
# it, without a branch; the few that were not found there, or are longer than a key, are looked up again, one by one.

cdef struct Types:
    uint32_t* slots       # the table: numbers of types, from 1 on; 0 is free
    size_t capacity       # a power of two
    int shift             # what makes a slot of a hash
    uint64_t* keys        # of each number low and high; of 0, what no token has
    uint8_t* words        # their bytes
    uint64_t* starts      # where those of each number begin among them, and the end
    size_t n

cdef uint64_t LOW_MASKS[18]   # of the first and the second eight bytes of a token, by its size; nothing of long ones
cdef uint64_t HIGH_MASKS[18]
for _i in range(18):
    LOW_MASKS[_i] = MASKS[min(_i, 8)] if _i <= 16 else 0
    HIGH_MASKS[_i] = MASKS[max(_i - 8, 0)] if _i <= 16 else 0


cdef void enter(Types* types, uint64_t low, uint64_t high, uint32_t number) noexcept nogil:
    """Enter a number in the first free slot for its key."""
    cdef size_t slot = home(low, high) >> types.shift
    while types.slots[slot]:
        slot = (slot + 1) & (types.capacity - 1)
    types.slots[slot] = number


cdef int make_types(Arena* a, Types* types) noexcept nogil:
    """Make room for the tokens of a chunk, all of which may be new; return 0 or NO_MEMORY."""
    cdef bint first = types.starts == NULL
    cdef size_t most = types.n + a.n_tokens, number, used = 0 if first else types.starts[types.n + 1]
    types.words = <uint8_t*> grown(&a.scratch, WORDS_OF_TYPES, used + a.used + 8)
    types.starts = <uint64_t*> grown(&a.scratch, WORD_STARTS, 8 * (most + 2))
    types.keys = <uint64_t*> grown(&a.scratch, TOKEN_KEYS, 16 * (most + 2))
    if types.words == NULL or types.starts == NULL or types.keys == NULL:
        return NO_MEMORY
    if first:
        types.keys[0] = types.keys[1] = <uint64_t> 0xFE00000000000000
        types.starts[0] = types.starts[1] = 0
    elif 2 * most <= types.capacity:
        return 0
    while types.capacity < 2 * most:
        types.capacity *= 4
    types.shift = 64 - <int> lowest_bit(types.capacity)
    types.slots = <uint32_t*> room(&a.scratch, SLOTS, 4 * types.capacity)
    if types.slots == NULL:
        return NO_MEMORY
    memset(types.slots, 0, 4 * types.capacity)
    for number in range(1, types.n + 1):
        enter(types, types.keys[2 * number], types.keys[2 * number + 1], <uint32_t> number)
    return 0


cdef size_t look_up(Arena* a, Types* types, uint32_t* ids, uint32_t* missed, uint64_t* keys) noexcept nogil:
    """Write the number in the home slot of each token, right or not; return how many are wrong, listed in `missed`.

    Plain loops, one behind the other, take half the time of one that does all.
    """
    cdef size_t t, size, n_missed = 0, n = a.n_tokens
    cdef const uint32_t* slots = types.slots
    cdef const uint64_t* known = types.keys
    cdef uint32_t* homes = a.ids
    cdef int shift = types.shift
    cdef const uint8_t* p
    for t in range(n):
        p = a.text + a.starts[t]
        size = min(a.ends[t] - a.starts[t], 17)
        keys[2 * t] = load64(p) & LOW_MASKS[size]
        keys[2 * t + 1] = load64(p + 8) & HIGH_MASKS[size]
    for t in range(n):
        homes[t] = <uint32_t> (home(keys[2 * t], keys[2 * t + 1]) >> shift)
    for t in range(n):
        ids[t] = slots[homes[t]]
    for t in range(n):
        missed[n_missed] = <uint32_t> t
        n_missed += (known[2 * ids[t]] != keys[2 * t]) | (known[2 * ids[t] + 1] != keys[2 * t + 1])
    for t in range(n):
        ids[t] -= 1
    return n_missed


cdef void look_up_again(Arena* a, Types* types, uint32_t* ids, const uint32_t* missed, size_t n) noexcept nogil:
    """Find the missed tokens, or give them new numbers."""
    cdef size_t i, slot, number, begin
    cdef Key key
    for i in range(n):
        key = key_of(a, missed[i])
        slot = home(key.low, key.high) >> types.shift
        while True:
            number = types.slots[slot]
            if number == 0:
                types.n += 1
                number = types.slots[slot] = <uint32_t> types.n
                types.keys[2 * number], types.keys[2 * number + 1] = key.low, key.high
                begin = types.starts[number]
                memcpy(types.words + begin, a.text + key.start, key.size)
                types.starts[number + 1] = begin + key.size
                break
            if types.keys[2 * number] == key.low and types.keys[2 * number + 1] == key.high:
                begin = types.starts[number]
                if key.size <= 16 or (
                    types.starts[number + 1] - begin == key.size
                    and memcmp(types.words + begin, a.text + key.start, key.size) == 0
                ):
                    break
            slot = (slot + 1) & (types.capacity - 1)
        ids[missed[i]] = <uint32_t> number - 1


cdef struct Numbered:
    uint32_t* ids
    int64_t* offsets
    int64_t* line_offsets
    size_t n_tokens, n_lines, most_tokens
    Types types


cdef inline int end_line(Arena* a, Numbered* out, int64_t* since, int64_t now) noexcept nogil:
    """Write where a line begins that ends now, if it has tokens; return 0 or NO_MEMORY."""
    cdef int64_t* lines
    if now > since[0]:
        lines = <int64_t*> grown(&a.scratch, LINES, 8 * (out.n_lines + 2))
        if lines == NULL:
            return NO_MEMORY
        lines[out.n_lines] = since[0]
        out.n_lines += 1
        since[0] = now
    return 0


cdef int add_lines(Arena* a, Numbered* out, size_t document) noexcept nogil:
    """Write where the tokens and lines of the chunk's documents begin; return 0 or NO_MEMORY."""
    cdef const uint64_t* ends = a.planes + LINE_END * a.n_blocks
    cdef const uint64_t* before = <const uint64_t*> a.scratch.rooms[BEFORE]
    cdef size_t d, place, block = 0
    cdef uint64_t left = ends[0]
    cdef int64_t since
    for d in range(a.n_documents):
        since = out.n_tokens + a.token_of[d]
        out.offsets[document + d], out.line_offsets[document + d] = since, out.n_lines
        while block < a.n_blocks:
            place = (block << 6) + lowest_bit(left)
            if left and place >= a.documents[d + 1]:
                break
            # A line end belongs to its line, where it is a token itself.
            if left and end_line(a, out, &since, out.n_tokens + count_before(a.planes, before, place + 1)):
                return NO_MEMORY
            left &= left - 1
            while not left and block < a.n_blocks:
                block += 1
                left = ends[block] if block < a.n_blocks else 0
        if end_line(a, out, &since, out.n_tokens + a.token_of[d + 1]):
            return NO_MEMORY
    return 0


cdef int number_texts(Arena* a, const Span* spans, size_t n, int reading, Numbered* out) noexcept nogil:
    """Fill `out`; return DONE or a problem."""
    cdef size_t first = 0, next = 0, need, n_bytes = 0, n_missed
    cdef uint8_t* room_of_keys
    cdef int problem
    while first < n:
        a.used = a.n_documents = 0
        while next < n:
            need = most_bytes(&spans[next], reading)
            if next > first and a.used + need > CHUNK:
                break
            problem = make_room(a, a.used + need, a.n_documents + 1)
            if problem == 0:
                problem = add_text(a, &spans[next], reading)
            if problem:
                a.item = next
                return problem
            next += 1
        n_bytes += a.used
        if n_bytes >= MANY:
            n_bytes = 0
            if interrupted():
                return INTERRUPTED
        if find_edges(a, reading):
            return INTERRUPTED
        room_of_keys = <uint8_t*> room(&a.scratch, MISSED, 20 * (a.n_tokens + 8))
        if room_of_keys == NULL or out.n_tokens + a.n_tokens > out.most_tokens \
                or make_types(a, &out.types) or add_lines(a, out, first):
            return NO_MEMORY
        n_missed = look_up(
            a, &out.types, out.ids + out.n_tokens, <uint32_t*> (room_of_keys + 16 * (a.n_tokens + 8)),
            <uint64_t*> room_of_keys,
        )
        look_up_again(
            a, &out.types, out.ids + out.n_tokens, <uint32_t*> (room_of_keys + 16 * (a.n_tokens + 8)), n_missed
        )
        out.n_tokens += a.n_tokens
        first = next
    return DONE


cdef int end_all(Arena* a, size_t n, Numbered* out) noexcept nogil:
    """Write where the last text and the last line end; return DONE or NO_MEMORY."""
    cdef int64_t* lines = <int64_t*> grown(&a.scratch, LINES, 8 * (out.n_lines + 1))
    if lines == NULL:
        return NO_MEMORY
    lines[out.n_lines] = out.offsets[n] = out.n_tokens
    out.line_offsets[n] = out.n_lines
    return DONE


# --- numbers for characters: they stand in a table of all of them, made for the call; what is not used takes no memory

cdef enum:
    N_CHARACTERS = 0x110000

cdef uint32_t LEFT_OUT = <uint32_t> -1
cdef uint32_t WHITE_SPACE[32]
cdef int N_WHITE_SPACE = 0
for _i in range(0x3001):
    if chr(_i).isspace():
        WHITE_SPACE[N_WHITE_SPACE] = _i
        N_WHITE_SPACE += 1


cdef int add_character(Arena* a, Types* types, uint32_t c) noexcept nogil:
    """Write one more type; return 0 or a problem."""
    cdef size_t end = types.starts[types.n + 1] if types.n else 0
    if is_surrogate(c):
        return NO_TEXT
    types.words = <uint8_t*> grown(&a.scratch, WORDS_OF_TYPES, end + 4)
    types.starts = <uint64_t*> grown(&a.scratch, WORD_STARTS, 8 * (types.n + 3))
    if types.words == NULL or types.starts == NULL:
        return NO_MEMORY
    types.n += 1
    types.starts[types.n] = end
    types.starts[types.n + 1] = put(types.words + end, c) - types.words
    return 0


cdef int number_characters(Arena* a, const Span* spans, size_t n, bint with_blanks, Numbered* out) noexcept nogil:
    """Do for characters what `number_texts` does for words."""
    cdef uint32_t* numbers = <uint32_t*> calloc(N_CHARACTERS, 4)
    cdef uint32_t* to = out.ids
    cdef uint32_t c, number
    cdef size_t document, at, steps = 0
    cdef int64_t since
    cdef int problem = NO_MEMORY if numbers == NULL else 0
    cdef Span span
    if not problem and not with_blanks:
        for at in range(N_WHITE_SPACE):
            numbers[WHITE_SPACE[at]] = LEFT_OUT
    for document in range(n):
        span, at = spans[document], 0
        since = to - out.ids
        out.offsets[document], out.line_offsets[document] = since, out.n_lines
        while at < span.length and not problem:
            c = character_at(&span, &at)
            number = numbers[c]
            if number == 0:
                problem = add_character(a, &out.types, c)
                number = numbers[c] = <uint32_t> out.types.n
            to[0] = number - 1
            to += number != LEFT_OUT
            if c == 10:
                problem = problem or end_line(a, out, &since, to - out.ids)
            if many(&steps):
                problem = INTERRUPTED
        if not problem:
            problem = end_line(a, out, &since, to - out.ids)
        if problem:
            a.item = document
            break
    free(numbers)
    out.n_tokens = to - out.ids
    return problem


cdef object copied(const void* memory, size_t n, str dtype):
    """Return an array of n numbers that stand in an arena."""
    array = np.empty(n, dtype)
    cdef uint8_t[::1] view = array.view("uint8")
    if view.shape[0]:
        memcpy(&view[0], memory, view.shape[0])
    return array


def intern(object texts, str reading):
    """Split texts into tokens, and give each different token a number."""
    cdef Arena* a = take()
    cdef Numbered out
    cdef size_t n, i, total = 0
    cdef int how = READING_NUMBERS[reading]
    cdef int problem = NO_MEMORY
    cdef const Span* spans
    cdef uint32_t[::1] ids_view
    cdef int64_t[:, ::1] both_view
    memset(&out, 0, sizeof(out))
    try:
        kept = hold_texts(a, texts, &n)
        spans = <const Span*> a.scratch.rooms[SPANS]
        for i in range(n):
            total += spans[i].length
        # No text has more tokens than characters. What is never written takes no memory.
        ids, both = np.empty(total + 1, "uint32"), np.empty((2, n + 1), "int64")
        ids_view, both_view = ids, both
        out.ids, out.offsets, out.line_offsets = &ids_view[0], &both_view[0, 0], &both_view[1, 0]
        out.most_tokens = total
        out.types.capacity = 64
        while out.types.capacity < total // 8 and out.types.capacity < 1 << 17:  # a guess at the vocabulary
            out.types.capacity *= 2
        with nogil:
            if how >= CHARACTERS:
                problem = number_characters(a, spans, n, how == ALL_CHARACTERS, &out)
            else:
                problem = number_texts(a, spans, n, how, &out)
            if problem == DONE:
                problem = end_all(a, n, &out)
        raise_if(problem, a.item)
        offsets, line_offsets = both
        n = out.types.n
        word_offsets = copied(out.types.starts + 1, n + 1, "int64") if n else np.zeros(1, "int64")
        words = copied(out.types.words, word_offsets[n], "uint8")
        words[words == 0xFF] = 0  # as NUL was read
        return (
            ids[: out.n_tokens].view("int32"), offsets, copied(a.scratch.rooms[LINES], out.n_lines + 1, "int64"),
            line_offsets, words, word_offsets,
        )
    finally:
        give(a, problem == DONE)
