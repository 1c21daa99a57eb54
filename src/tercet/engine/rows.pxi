# Texts to rows in one pass: those of every metric but chrF and the diversity of sets.
#
#   add_text     the texts of some items, one behind the other   (texts.pxi)
#   find_edges   where their tokens begin and end                (token_edges.pxi)
#   stem_tokens  their stems, if asked for, in their places      (porter.pxi)
#   number_item  numbers for the tokens of an item, by a table of its own: it stays in the fastest cache
#   count_group  what a prediction shares with the references    (ngrams.pxi)
#   write        its row, or one for each of its references
#
# N-grams are counted in time linear in the tokens; where both texts have up to 512, in their product / 64.
#
# The documents of an item are its predictions, one of each system, and then its references.

cdef enum:
    BASE = 4         # items, empty, missing, references: the columns that all rows begin with
    MOST_TYPES = 32  # of ROUGE
    LOOK = 1 << 22   # bytes of text after which to look for Ctrl-C

cdef enum:  # whose rows are filled
    BLEU_ROWS, ROUGE_ROWS, TER_ROWS, ERROR_ROWS, GLEU_ROWS, BLEU_ROUGE_ROWS, JACCARD_ROWS

cdef enum:  # what a type of ROUGE counts
    NGRAMS, SUBSEQUENCE, UNION, SKIPS, SKIPS_AND_TOKENS, RUNS

cdef struct Kind:
    int what
    int64_t order            # of n-grams; of skip-bigrams, the gap
    double weight            # of runs

cdef struct Request:
    int what, reading, max_order, n_kinds
    bint porter              # whether tokens are stemmed
    bint lcs
    bint as_pairs            # whether a type is counted from `documents`
    bint uncounted           # a table takes more than 2 GiB; the rows are then undefined
    Pairs documents          # those of the chunk, and their lines
    Kind kinds[MOST_TYPES]
    double* worth            # of runs, n_worth of them
    size_t n_worth
    double weight            # of precision in F: beta squared
    size_t columns, n_systems
    double* rows             # (n_systems, n, columns)
    double* pairs            # of ROUGE (n_systems, m, 3 n_kinds), of Jaccard (n_systems, m, 3), or NULL
    int64_t* counts          # matches of each order, and the length of the subsequence
    Edits* edits             # of TER, the search for them, where it is read later, else NULL
    bint words_alone         # of error rates: those of characters are left out
    int shortest             # n-grams of GLEU
    bint multiset            # Jaccard's
    int recall               # how several references count beside BLEU's precision
    bint divisors, next_order  # further columns of BLEU: for the latter, max_order is one more


cdef inline bint same_token(Arena* a, size_t one, size_t other) noexcept nogil:
    cdef const uint8_t* p = a.text + a.starts[one]
    cdef const uint8_t* q = a.text + a.starts[other]
    cdef size_t size = a.ends[one] - a.starts[one]
    if size != a.ends[other] - a.starts[other] or (load64(p) ^ load64(q)) & MASKS[min(size, 8)]:
        return False
    return size <= 8 or memcmp(p + 8, q + 8, size - 8) == 0


cdef int number_item(
    Arena* a, size_t text, size_t first, size_t last, size_t* n_types, bint trimmed=False
) noexcept nogil:
    """Number the tokens of an item: 0, 1, ... for those of the references; all others share the next number.

    Its predictions are the documents from `text` on, its references those from `first` on, up to `last`. Of a pair that
    is `trimmed`, the tokens that both texts begin or end with have the number 0 whatever they are.
    """
    cdef uint32_t* of = a.token_of
    cdef uint64_t begin = of[text], end = of[first], since = of[first], until = of[last], n, capacity = 64, types = 0
    cdef int shift = 58
    if trimmed:
        while begin < end and since < until and same_token(a, begin, since):
            a.ids[begin] = a.ids[since] = 0
            begin, since = begin + 1, since + 1
        while begin < end and since < until and same_token(a, end - 1, until - 1):
            end, until = end - 1, until - 1
            a.ids[end] = a.ids[until] = 0
    n = until - since
    while capacity < 4 * n:
        capacity *= 2
        shift -= 1
    cdef uint32_t* slots = <uint32_t*> room(&a.scratch, SLOTS, 4 * capacity)
    cdef Key* keys = <Key*> room(&a.scratch, TOKEN_KEYS, sizeof(Key) * (n + 1))
    if slots == NULL or keys == NULL:
        return NO_MEMORY
    memset(slots, 0, 4 * capacity)
    cdef uint64_t mask = capacity - 1, t, slot
    cdef Key key
    for t in range(since, until):  # the references
        key = key_of(a, t)
        slot = home(key.low, key.high) >> shift
        while slots[slot] and not same(a, &keys[slots[slot]], &key):
            slot = (slot + 1) & mask
        if not slots[slot]:
            types += 1
            keys[types] = key
            slots[slot] = <uint32_t> types
        a.ids[t] = slots[slot] - 1
    for t in range(begin, end):  # the predictions
        key = key_of(a, t)
        slot = home(key.low, key.high) >> shift
        while slots[slot] and not same(a, &keys[slots[slot]], &key):
            slot = (slot + 1) & mask
        a.ids[t] = slots[slot] - 1 if slots[slot] else <uint32_t> types
    n_types[0] = types
    return 0


cdef inline int count_beside(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q
) noexcept nogil:
    """Write into `q.counts` what a prediction shares with some of its references, documents `first` to `last`."""
    cdef uint32_t* of = a.token_of
    cdef Group group = Group(a.ids + of[text], of[text + 1] - of[text], a.ids, of + first, last - first, n_types)
    memset(q.counts, 0, 8 * (q.max_order + 1))
    return count_group(
        &a.scratch, &group, q.max_order, q.lcs, MOST_BY_PLACES, q.counts, q.counts + q.max_order
    )


cdef int write_item(
    Arena* a, size_t text, size_t last, Request* q, size_t item, size_t n, size_t reference, size_t m
) noexcept nogil:
    """Write the rows of an item, of n, that begins with document `text`; `reference` numbers its first one, of m."""
    cdef size_t n_types = 0, first = text + q.n_systems, system
    cdef double* row
    cdef double expected
    cdef int problem = DONE
    cdef Sequences words, characters
    cdef bint is_aligned = q.what == ERROR_ROWS
    if q.what == JACCARD_ROWS:
        return write_jaccard(a, text, last, q, item, n, reference, m)
    if number_item(a, text, first, last, &n_types, is_aligned and q.n_systems == 1 and last - first == 1):
        return NO_MEMORY
    if is_aligned:
        if not q.words_alone:
            problem = read_characters(a, item, n, q.n_systems, reference, last - first, &characters)
            if problem:
                return problem
        # The number of all words that no reference has is n_types.
        words = Sequences(a.ids, a.token_of, NULL, 0, n_types + 1)
    for system in range(q.n_systems):
        row = q.rows + (system * n + item) * q.columns
        row[0], row[1] = 1, a.token_of[text + 1] == a.token_of[text]
        row[2], row[3] = first == last, <double> (last - first)
        row += BASE
        if q.what == TER_ROWS:
            problem = write_edits(a, text, first, last, n_types, q.edits, row)
        elif is_aligned:
            problem = write_alignment(&a.scratch, &words, text, first, last, 0, row)
            if q.words_alone:
                row[4] = row[5] = row[6] = row[7] = 0
            elif problem == DONE:
                # A word that is wrong has as many characters as all of the prediction's have, of which some are right.
                expected = EDITED * (row[1] + row[2] + row[3]) * (characters.of[system + 1] - characters.of[system])
                expected /= max(row[0] + row[1] + row[3], 1.0)
                problem = write_characters(
                    &a.scratch, &characters, system, q.n_systems, q.n_systems + last - first, expected, row + 4
                )
        elif q.what == BLEU_ROUGE_ROWS:
            problem = write_bleu_rouge(a, text, first, last, n_types, q, row)
        elif q.what == GLEU_ROWS:
            problem = write_gleu(a, text, first, last, n_types, q, row)
        elif q.what == BLEU_ROWS:
            problem = write_bleu(a, text, first, last, n_types, q, row)
        else:
            if q.pairs != NULL:
                row = q.pairs + 3 * q.n_kinds * (system * m + reference)
            problem = write_rouge(a, text, first, last, n_types, q, row)
        if problem != DONE:
            return problem
        text += 1
    return DONE


cdef int rows_of_items(Arena* a, const Span* texts, size_t n, const int64_t* bounds, Request* q) noexcept nogil:
    """Fill the rows of n items, a chunk of items at a time; return DONE, or what ended it.

    The n predictions of each system come first, then the references: of item i bounds[i] to bounds[i + 1], or the
    i-th without bounds.
    """
    cdef const Span* references = texts + q.n_systems * n
    cdef size_t m = bounds[n] if bounds != NULL else n, system
    cdef size_t item = 0, begun, r, first, last, need, document, since = 0
    cdef int problem
    while item < n:
        begun = item
        a.used, a.n_documents = 0, 0
        while item < n:
            a.item = item
            first = bounds[item] if bounds != NULL else item
            last = bounds[item + 1] if bounds != NULL else item + 1
            need = 0
            for system in range(q.n_systems):
                need += most_bytes(&texts[system * n + item], q.reading)
            for r in range(first, last):
                need += most_bytes(&references[r], q.reading)
            if item > begun and a.used + need > CHUNK:
                break
            problem = make_room(a, a.used + need, a.n_documents + q.n_systems + last - first)
            for system in range(q.n_systems):
                if not problem:
                    problem = add_text(a, &texts[system * n + item], q.reading)
            for r in range(first, last):
                if not problem:
                    problem = add_text(a, &references[r], q.reading)
            if problem:
                return problem
            item += 1
        if find_edges(a, q.reading):
            return INTERRUPTED
        if q.porter and stem_tokens(a):
            return NO_MEMORY
        if q.as_pairs and find_lines(a, &q.documents):
            return NO_MEMORY
        document = 0
        while begun < item:
            a.item = begun
            first = bounds[begun] if bounds != NULL else begun
            last = document + q.n_systems + (bounds[begun + 1] - first if bounds != NULL else 1)
            problem = write_item(a, document, last, q, begun, n, first, m)
            if problem != DONE or q.uncounted:
                return problem
            document = last
            begun += 1
        since += a.used
        if since > LOOK:
            since = 0
            if interrupted():
                return INTERRUPTED
    return write_queued(&a.scratch)


cdef int fill_request(object texts, size_t n, const int64_t* begins, Request* q, bint is_own=False) except -1:
    """Fill the rows of n items of each system, where the request has them; texts are as for `hold_texts`."""
    cdef size_t n_texts = 0
    cdef int problem = NO_MEMORY
    cdef Arena* a = take()
    try:
        kept = hold_texts(a, texts, &n_texts, is_own)
        if n_texts != q.n_systems * n + (begins[n] if begins != NULL else n):
            raise ValueError("the lists of texts have changed")
        q.counts = <int64_t*> room(&a.scratch, COUNTS, 8 * (q.max_order + 1))
        if q.counts != NULL and q.what != TER_ROWS and are_short(<const Span*> a.scratch.rooms[SPANS], n_texts):
            problem = rows_of_items(a, <const Span*> a.scratch.rooms[SPANS], n, begins, q)
        elif q.counts != NULL:
            with nogil:
                problem = rows_of_items(a, <const Span*> a.scratch.rooms[SPANS], n, begins, q)
        raise_of_item(problem, a.item)
    finally:
        give(a, problem == DONE)
    return 0


cdef int fill(
    object texts, object reference_offsets, Request* q, size_t n_systems, object rows, object pairs
) except -1:
    """Fill the rows, and the pairs where there are any; texts are as for `intern`, predictions first."""
    cdef const int64_t[::1] bounds
    cdef const int64_t* begins = NULL
    cdef double[:, ::1] of_pairs
    cdef size_t n_rows
    q.rows, q.pairs, q.n_systems = doubles_of(rows, &n_rows, &q.columns), NULL, n_systems
    if n_rows == 0:
        return 0
    if reference_offsets is not None:
        bounds = reference_offsets
        begins = &bounds[0]
    if pairs is not None:
        of_pairs = pairs
        q.pairs = &of_pairs[0, 0] if len(pairs) else q.rows  # nothing is written there
    return fill_request(texts, n_rows // n_systems, begins, q)


cdef object filled_rows(Request* q, texts, size_t n, reference_offsets, size_t n_systems):
    """Return the rows of n items of each system, as requested."""
    rows = np.empty((n_systems * n, q.columns))
    fill(texts, reference_offsets, q, n_systems, rows, None)
    return rows
