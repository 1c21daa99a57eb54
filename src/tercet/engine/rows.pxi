# Texts to rows in one pass: those of BLEU, and of ROUGE for n-grams and longest common subsequences.
#
#   add_text    some items' texts, one behind the other     (texts.pxi)
#   find_edges  where their tokens begin and end            (edges.pxi)
#   number      the tokens of an item, by a table of its own: it stays in the fastest cache
#   count       what the prediction shares with the references of its item
#   write       the item's row, or one for each of its references

cdef enum:
    BASE = 4            # items, empty, missing, references: the columns that all rows begin with
    MOST_TYPES = 32
    LOOK = 1 << 22      # bytes of text between two looks for Ctrl-C

cdef struct Request:
    int reading, max_order, n_types
    bint lcs
    bint has_lines              # found: a text with a line end
    int orders[MOST_TYPES]      # of ROUGE's types: an order of n-grams, 0 for the subsequence
    double weight               # of recall in F, squared
    size_t columns
    double* rows                # (n, columns)
    double* pairs               # of ROUGE (m, 3 n_types), or NULL where every item has one reference
    int64_t* counts             # room for matches of each order, and the subsequence


cdef int number_item(Arena* a, size_t first, size_t last, uint64_t* n_types) noexcept nogil:
    """Give the tokens of an item numbers: the references' count up; what they lack gets the next one, "nobody"."""
    cdef uint32_t* of = a.token_of
    cdef uint64_t n = of[last] - of[first], capacity = 64, types = 0
    cdef int shift = 58
    while capacity < 2 * n:
        capacity *= 2
        shift -= 1
    cdef uint32_t* slots = <uint32_t*> room(a, SLOTS, 4 * capacity)
    cdef Key* keys = <Key*> room(a, KEYS, sizeof(Key) * (n + 1))
    if slots == NULL or keys == NULL:
        return NO_MEMORY
    memset(slots, 0, 4 * capacity)
    cdef uint64_t mask = capacity - 1, t, slot
    cdef uint32_t number
    cdef Key key
    for t in range(of[first + 1], of[last]):  # references
        key = key_of(a, t)
        slot = home(key.low, key.high) >> shift
        while True:
            number = slots[slot]
            if number == 0:
                types += 1
                keys[types] = key
                number = slots[slot] = <uint32_t> types
                break
            if same(a, &keys[number], &key):
                break
            slot = (slot + 1) & mask
        a.ids[t] = number - 1
    for t in range(of[first], of[first + 1]):  # the prediction
        key = key_of(a, t)
        slot = home(key.low, key.high) >> shift
        while True:
            number = slots[slot]
            if number == 0:
                number = <uint32_t> types + 1
                break
            if same(a, &keys[number], &key):
                break
            slot = (slot + 1) & mask
        a.ids[t] = number - 1
    n_types[0] = types
    return 0


cdef int count_shared(
    Arena* a, size_t text, size_t first, size_t last, uint64_t n_types, Request* q
) noexcept nogil:
    """Fill `q.counts` with what a text shares with a group of references, taken together."""
    cdef uint32_t* of = a.token_of
    cdef int64_t longest = of[text + 1] - of[text]
    cdef size_t d
    for d in range(first, last):
        longest = max(longest, <int64_t> (of[d + 1] - of[d]))
    memset(q.counts, 0, 8 * (q.max_order + 1))
    if longest <= 64 and q.max_order <= 4:
        return short_pair(a, text, first, last, n_types, q.max_order, q.lcs, q.counts)
    if last - first == 1 and longest <= 512:
        return longer_pair(a, text, first, n_types, q.max_order, q.lcs, q.counts)
    if match_by_numbers(a, text, first, last, n_types, q.max_order, q.counts):
        return NO_MEMORY
    if not q.lcs:
        return 0
    if longest <= 4096:
        return longer_pair(a, text, first, n_types, 0, True, q.counts + q.max_order)
    return long_common(a, text, first, n_types, q.counts + q.max_order)


cdef inline void write_base(Arena* a, size_t first, size_t last, double* row) noexcept nogil:
    cdef size_t references = last - first - 1
    row[0], row[1] = 1, a.token_of[first + 1] == a.token_of[first]
    row[2], row[3] = references == 0, <double> references


cdef int write_bleu(Arena* a, size_t first, size_t last, uint64_t n_types, Request* q, double* row) noexcept nogil:
    """Lengths, matches and n-grams of the item whose prediction is document `first`."""
    cdef uint32_t* of = a.token_of
    cdef int64_t size = of[first + 1] - of[first], length, away, best = -1, closest = size, shortest = size, total = 0
    cdef size_t d
    cdef int order
    for d in range(first + 1, last):
        length = of[d + 1] - of[d]
        away = length - size if length > size else size - length
        if best < 0 or away < best or (away == best and length < closest):
            best, closest = away, length
        if d == first + 1 or length < shortest:
            shortest = length
        total += length
    row[BASE], row[BASE + 1], row[BASE + 2] = <double> size, <double> closest, <double> shortest
    row[BASE + 3] = <double> total / <double> (last - first - 1) if last > first + 1 else <double> size
    row += BASE + 4
    if last > first + 1:
        if count_shared(a, first, first + 1, last, n_types, q):
            return NO_MEMORY
    else:
        memset(q.counts, 0, 8 * (q.max_order + 1))
    for order in range(q.max_order):
        row[order] = <double> q.counts[order]
        row[q.max_order + order] = <double> max(size - order, 0)
    return 0


cdef int write_rouge(Arena* a, size_t first, size_t last, uint64_t n_types, Request* q, double* to) noexcept nogil:
    """Precision, recall and F of each type, for each reference of the item whose prediction is document `first`."""
    cdef uint32_t* of = a.token_of
    cdef int64_t size = of[first + 1] - of[first], length, less
    cdef double hits, precision, recall, mixed
    cdef size_t d
    cdef int kind
    for d in range(first + 1, last):
        length = of[d + 1] - of[d]
        if count_shared(a, first, d, d + 1, n_types, q):
            return NO_MEMORY
        for kind in range(q.n_types):
            less = max(q.orders[kind] - 1, 0)
            hits = <double> q.counts[less if q.orders[kind] else q.max_order]
            precision = hits / <double> max(size - less, 1)
            recall = hits / <double> max(length - less, 1)
            mixed = recall + q.weight * precision
            to[0], to[1] = precision, recall
            to[2] = (1 + q.weight) * precision * recall / mixed if mixed > 0 else 0
            to += 3
    return 0


cdef int write_item(Arena* a, size_t first, size_t last, Request* q, size_t item, size_t reference) noexcept nogil:
    cdef uint64_t n_types = 0
    cdef double* row = q.rows + item * q.columns
    if number_item(a, first, last, &n_types):
        return NO_MEMORY
    write_base(a, first, last, row)
    if not q.n_types:
        return write_bleu(a, first, last, n_types, q, row)
    if q.pairs == NULL:
        return write_rouge(a, first, last, n_types, q, row + BASE)
    return write_rouge(a, first, last, n_types, q, q.pairs + reference * 3 * q.n_types)


cdef int64_t fill_rows(Arena* a, Span* texts, Span* references, const int64_t* bounds, size_t n, Request* q) noexcept nogil:
    """Fill the rows of n items; item i has the references bounds[i] to bounds[i + 1], or the i-th alone.

    Some items at a time, of CHUNK bytes together or a single one that is longer. Returns DONE, or why it ended.
    """
    cdef size_t item = 0, begun, r, first_reference, last_reference, need, document, since = 0, block
    while item < n:
        begun = item
        a.used, a.n_documents = 0, 0
        while item < n:
            first_reference = bounds[item] if bounds != NULL else item
            last_reference = bounds[item + 1] if bounds != NULL else item + 1
            need = most_bytes(&texts[item], q.reading)
            for r in range(first_reference, last_reference):
                need += most_bytes(&references[r], q.reading)
            if item > begun and a.used + need > CHUNK:
                break
            a.item = item
            if make_room(a, a.used + need, a.n_documents + 1 + last_reference - first_reference):
                return NO_MEMORY
            if add_text(a, &texts[item], q.reading):
                return item
            for r in range(first_reference, last_reference):
                if add_text(a, &references[r], q.reading):
                    return item
            item += 1
        find_edges(a, q.reading)
        if q.n_types:
            for block in range(a.n_blocks):
                q.has_lines |= a.planes[LINE_END * a.n_blocks + block] != 0
        document = 0
        while begun < item:
            r = bounds[begun + 1] - bounds[begun] if bounds != NULL else 1
            a.item = begun
            if write_item(a, document, document + 1 + r, q, begun, bounds[begun] if bounds != NULL else begun):
                return NO_MEMORY
            document += 1 + r
            begun += 1
        since += a.used
        if since > LOOK:
            since = 0
            if interrupted():
                return INTERRUPTED
    return DONE


cdef int fill(
    object first, object second, object reference_offsets, Request* q, object rows, object pairs
) except -1:
    """Fill rows from two lists of texts, or from the bytes and offsets of all texts; see `bleu_rows` in plain."""
    cdef bint in_lists = isinstance(first, list)
    cdef const int64_t[::1] bounds
    cdef const int64_t* begins = NULL
    cdef const uint8_t[::1] data
    cdef const int64_t[::1] offsets
    cdef double[:, ::1] view = rows
    cdef double[:, ::1] pair_view
    cdef size_t n = view.shape[0], m = n
    cdef int64_t problem = NO_MEMORY
    cdef Arena* a
    cdef Span* spans
    if n == 0:
        return 0
    if reference_offsets is not None:
        bounds = reference_offsets
        begins = &bounds[0]
        m = begins[n]
    q.rows, q.columns = &view[0, 0], view.shape[1]
    q.pairs = NULL
    if pairs is not None and m:
        pair_view = pairs
        q.pairs = &pair_view[0, 0]
    a = take()
    try:
        spans = <Span*> room(a, SPANS, sizeof(Span) * (n + m + 1))
        q.counts = <int64_t*> room(a, ROWS_OF_COUNTS, 8 * (q.max_order + 1))
        if spans == NULL or q.counts == NULL:
            raise MemoryError
        if in_lists:
            if len(<list> first) != <Py_ssize_t> n or len(<list> second) != <Py_ssize_t> m:
                raise ValueError("the lists of texts have changed")
            read_list(first, spans)
            read_list(second, spans + n)
        else:
            data, offsets = first, second
            if data.shape[0]:
                read_column(&data[0], &offsets[0], n + m, spans)
            else:
                memset(spans, 0, sizeof(Span) * (n + m))
        with nogil:
            problem = fill_rows(a, spans, spans + n, begins, n, q)
        raise_if(problem)
        if problem >= 0:
            raise ValueError(f"item {problem} holds a lone surrogate")
    finally:
        give(a)
    return 0


def bleu_rows(first, second, size_t n, reference_offsets, int reading, int max_order):
    """See plain.bleu_rows."""
    cdef Request q
    q.reading, q.max_order, q.lcs, q.n_types = reading, max_order, False, 0
    rows = _empty((n, BASE + 4 + 2 * max_order))
    fill(first, second, reference_offsets, &q, rows, None)
    return rows


def rouge_rows(first, second, size_t n, reference_offsets, int reading, orders, double beta):
    """See plain.rouge_rows."""
    cdef Request q
    cdef int order
    q.reading, q.max_order, q.lcs, q.n_types, q.has_lines = reading, 1, False, 0, False
    q.weight = beta * beta
    for order in orders:
        q.orders[q.n_types] = order
        q.n_types += 1
        q.max_order = max(q.max_order, order)
        q.lcs |= order == 0
    pairs = None
    rows = _empty((n, BASE + 3 * q.n_types))
    if reference_offsets is not None:
        pairs = _empty((reference_offsets[n], 3 * q.n_types))
    fill(first, second, reference_offsets, &q, rows, pairs)
    return rows, pairs, q.has_lines


from numpy import empty as _empty
