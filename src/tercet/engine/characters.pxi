# Numbers for characters: they stand in a table of all characters, made for the call; what is not used of it takes no
# memory.

cdef enum:
    N_CHARACTERS = 0x110000

cdef uint32_t LEFT_OUT = <uint32_t> -1
cdef uint32_t WHITE_SPACE[32]
cdef int N_WHITE_SPACE = 0
for _i in range(0x3001):
    if chr(_i).isspace():
        WHITE_SPACE[N_WHITE_SPACE] = _i
        N_WHITE_SPACE += 1


cdef inline bint is_white(uint32_t c) noexcept nogil:
    cdef int k
    if c < 128:
        return 9 <= c <= 13 or 28 <= c <= 32
    for k in range(N_WHITE_SPACE):
        if WHITE_SPACE[k] == c:
            return True
    return False


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


cdef int64_t number_characters(Arena* a, const Span* spans, size_t n, bint with_blanks, Numbered* out) noexcept nogil:
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
    return DONE if not problem else <int64_t> a.item if problem == NO_TEXT else problem
