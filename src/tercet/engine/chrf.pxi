# plain_chrf.py defines what is computed here.
#
# chrF: the n-grams of characters, and of words, that a prediction shares with each of its references.
#
#     read_points     the characters of a text, in 32 bits each
#     find_words      where its words begin and end
#     number          those of the references count up from 1; what only the prediction has is 0
#     match_texts     clipped matches of all orders of two texts, the shorter of which is `other`: of up to 128 tokens
#                     by sets of places (sets.h), of some thousands in the cells of a table, of more by sorting
#                     (sorted.pxi)
#     write_best      the counts of the reference with the greatest F

cdef extern from "sets.h" nogil:
    ctypedef struct wide_t:  # a number of 128 bits, or 64
        pass
    enum:
        MOST_AT_ONCE  # orders
    void match_in_one(uint64_t*, const uint32_t*, size_t, const uint32_t*, size_t, int, int64_t*)
    void match_in_two(wide_t*, const uint32_t*, size_t, const uint32_t*, size_t, int, int64_t*)

cdef enum:
    MOST_CELLS = 1 << 19  # of a table that the second cache holds; n-grams that may need more are sorted
    PARTS = 3             # of an order: n-grams of the prediction, of the reference, matches

cdef double EPSILON = 1e-16  # what eps_smoothing takes for a ratio that has no value

cdef struct Numbers:
    # Texts of an item as numbers: its references, and then its predictions.
    uint32_t* ids
    size_t* bounds
    size_t n_types

cdef struct ChrfRequest:
    int char_order, word_order, n_scores
    bint whitespace, eps_smoothing
    double factor            # beta squared
    int* word_orders         # of each score
    uint32_t* number_of      # of each character; all zero between items
    size_t n_cells           # of the table that hold numbers, or zeros
    uint32_t last            # number in the table
    double* counts           # room for those of all orders
    int64_t* matches         # likewise
    double* best             # F of each score


cdef inline bint is_ascii_mark(uint32_t c) noexcept nogil:
    return c < 128 and is_mark(<uint8_t> c)


cdef bint read_points(const Span* span, uint32_t** end) noexcept nogil:
    """Write the characters of a text from `end` on, which moves on; return whether a surrogate is among them."""
    cdef uint32_t* to = end[0]
    cdef size_t at = 0
    cdef bint found = False
    if span.form <= 1:  # a loop of its own, for speed
        for at in range(span.length):
            to[at] = span.data[at]
        end[0] += span.length
        return False
    while at < span.length:
        to[0] = character_at(span, &at)
        found |= is_surrogate(to[0])
        to += 1
    end[0] = to
    return found


cdef size_t number_points(
    ChrfRequest* q, const uint32_t* points, size_t n, bint is_reference, Numbers* to, uint32_t* ids
) noexcept nogil:
    """Write the numbers of the characters that count; return how many there are."""
    cdef size_t i, n_counted = 0
    cdef uint32_t number
    cdef bint counts, is_new
    for i in range(n):  # without a branch: what is new, and where blanks stand, is hard to foresee
        counts = q.whitespace | (not is_white(points[i]))
        number = q.number_of[points[i]]
        is_new = (number == 0) & counts & is_reference
        to.n_types += is_new
        number = <uint32_t> to.n_types if is_new else number
        q.number_of[points[i]] = number
        ids[n_counted] = number
        n_counted += counts
    return n_counted


cdef size_t find_words(const uint32_t* points, size_t begin, size_t end, size_t* ends) noexcept nogil:
    """Write where each word begins and ends, as chrF++ splits them; return twice their number.

    A word stands between white space. Of longer words than one character, a mark of ASCII at the end is a word of
    its own, or else one at the beginning.
    """
    cdef size_t i, since = begin, place, n = 0
    for i in range(begin, end + 1):
        if i < end and not is_white(points[i]):
            continue
        if i > since:
            place = i
            if i > since + 1:
                place = i - 1 if is_ascii_mark(points[i - 1]) else since + 1 if is_ascii_mark(points[since]) else i
            ends[n], ends[n + 1] = since, place
            n += 2
            if place < i:
                ends[n], ends[n + 1] = place, i
                n += 2
        since = i + 1
    return n


cdef int number_words(
    Scratch* s, const uint32_t* points, const size_t* ends, Numbers* to, size_t n_references, size_t n_documents
) noexcept nogil:
    """Write the numbers of words, whose places are known."""
    cdef size_t n = to.bounds[n_documents], n_of_references = to.bounds[n_references]
    cdef size_t capacity = 16, w, i, slot, size
    cdef int shift = 60
    while capacity < 2 * n_of_references:
        capacity *= 2
        shift -= 1
    cdef uint32_t* slots = <uint32_t*> room(s, SLOTS, 4 * capacity)
    cdef size_t* first = <size_t*> room(s, FIRST_WORDS, 8 * (n_of_references + 1))  # word of each number
    cdef uint64_t mixed
    cdef uint32_t number
    if slots == NULL or first == NULL:
        return NO_MEMORY
    memset(slots, 0, 4 * capacity)
    for w in range(n):
        mixed, size = 0, ends[2 * w + 1] - ends[2 * w]
        for i in range(ends[2 * w], ends[2 * w + 1]):
            mixed = (mixed ^ points[i]) * <uint64_t> 0x9E3779B97F4A7C15
        slot = mixed >> shift
        while True:
            number = slots[slot]
            if number == 0:
                if w < n_of_references:
                    to.n_types += 1
                    number = slots[slot] = <uint32_t> to.n_types
                    first[number] = w
                break
            i = first[number]
            if ends[2 * i + 1] - ends[2 * i] == size and \
                    memcmp(points + ends[2 * i], points + ends[2 * w], 4 * size) == 0:
                break
            slot = (slot + 1) & (capacity - 1)
        to.ids[w] = number
    return 0


cdef int match_by_cells(
    Scratch* s, ChrfRequest* q, const uint32_t* text, size_t size, const uint32_t* other, size_t length,
    size_t n_types, int max_order,
) noexcept nogil:
    """Count one order after the other: n-grams of the other text get numbers, in the cells of a table.

    The row of a cell is the number of the n-gram without its last token, from 1 on (0: it is not there), its column
    the last token. Numbers in cells go on from order to order, and from pair to pair: those of earlier ones, which
    still stand there, are not above `since`. So the table has rows for what there is, not for all there might be:
    where it has to grow, nothing is lost.
    """
    cdef size_t width = n_types + 1, n_cells = width, i, cell, found, room_before
    cdef uint32_t* rows = <uint32_t*> room(s, NUMBERS, 4 * length)
    cdef uint32_t* own_rows = <uint32_t*> room(s, OWN_NUMBERS, 4 * size)
    cdef uint32_t* left = <uint32_t*> room(s, FREE, 4 * (length + 1))   # n-grams of a row that are not yet matched
    cdef uint32_t* cells
    cdef uint32_t since, number, row, last = q.last
    cdef bint is_new, is_left
    cdef int n
    if rows == NULL or own_rows == NULL or left == NULL:
        return NO_MEMORY
    memset(rows, 0, 4 * length)
    memset(own_rows, 0, 4 * size)
    for n in range(max_order):
        room_before = s.sizes[TABLE]
        cells = <uint32_t*> room(s, TABLE, 4 * n_cells)
        if cells == NULL:
            return NO_MEMORY
        if s.sizes[TABLE] != room_before:  # zeros
            q.n_cells = s.sizes[TABLE] // 4
        if last >> 31:
            q.n_cells = last = 0
        if n_cells > q.n_cells:
            memset(cells + q.n_cells, 0, 4 * (n_cells - q.n_cells))
            q.n_cells = n_cells
        memset(left, 0, 4 * (length + 1))
        since, found, i = last, 0, 0
        while i + n < length:  # without a branch: what is new is hard to foresee
            cell = rows[i] * width + other[i + n]
            number = cells[cell]
            is_new = number <= since
            last += is_new
            number += (last - number) & (0 - <uint32_t> is_new)
            cells[cell] = number
            row = number - since
            rows[i] = row
            left[row] += 1
            i += 1
        i = 0
        while i + n < size:
            number = cells[own_rows[i] * width + text[i + n]]
            row = (number - since) & (0 - <uint32_t> (number > since))
            own_rows[i] = row
            is_left = left[row] > 0
            left[row] -= is_left
            found += is_left
            i += 1
        q.matches[n] = found
        q.last = last
        if found == 0:
            break
        n_cells = (last - since + 1) * width
    return 0


cdef int match_texts(
    Scratch* s, ChrfRequest* q, const uint32_t* text, size_t size, const uint32_t* other, size_t length,
    size_t n_types, int max_order,
) noexcept nogil:
    """Fill `q.matches` with what two texts share, order by order; `other` is not the longer one."""
    cdef bint in_one = length <= 64
    cdef uint64_t* places
    cdef uint32_t bounds[2]
    cdef Group group
    cdef int problem
    memset(q.matches, 0, 8 * max_order)
    if length == 0 or max_order == 0:
        return 0
    if length > 8 * sizeof(wide_t) or max_order > MOST_AT_ONCE:
        if (length + 1) * (n_types + 1) <= MOST_CELLS:
            return match_by_cells(s, q, text, size, other, length, n_types, max_order)
        problem = match_by_sorting(s, text, size, other, length, n_types, max_order, q.matches)
        if problem == TOO_MANY:
            bounds[0], bounds[1] = 0, <uint32_t> length
            group.text, group.size, group.ids, group.bounds = text, size, other, bounds
            group.n_references, group.n_types = 1, n_types
            problem = by_numbers(s, &group, max_order, q.matches)
            q.n_cells = 0  # its table lies where the cells do
        return problem
    places = <uint64_t*> room(s, SETS, sizeof(wide_t) * (n_types + 1))
    if places == NULL:
        return NO_MEMORY
    memset(places, 0, (8 if in_one else sizeof(wide_t)) * (n_types + 1))
    if not in_one:
        match_in_two(<wide_t*> places, text, size, other, length, MOST_AT_ONCE, q.matches)
    elif max_order <= 2:
        match_in_one(places, text, size, other, length, 2, q.matches)
    else:
        match_in_one(places, text, size, other, length, MOST_AT_ONCE, q.matches)
    return 0


cdef double f_of(
    const double* counts, size_t n_orders, double factor, bint eps_smoothing, double scale
) noexcept nogil:
    """Return F, in the steps and the order of sacrebleu, so that it is the same to the last digit."""
    cdef double precision, recall, below, total = 0, precisions = 0, recalls = 0, reached = 0
    cdef size_t n
    for n in range(n_orders):
        if eps_smoothing:
            precision = counts[2] / counts[0] if counts[0] > 0 else EPSILON
            recall = counts[2] / counts[1] if counts[1] > 0 else EPSILON
            below = factor * precision + recall
            total += (1 + factor) * precision * recall / below if below > 0 else EPSILON
        elif counts[0] > 0 and counts[1] > 0:
            precisions += counts[2] / counts[0]
            recalls += counts[2] / counts[1]
            reached += 1
        counts += PARTS
    if eps_smoothing:
        return scale * total / <double> n_orders
    precision, recall = precisions / max(reached, 1.0), recalls / max(reached, 1.0)
    below = factor * precision + recall
    return scale * ((1 + factor) * precision * recall / below) if below > 0 else 0


cdef int count_orders(
    Scratch* s, ChrfRequest* q, const Numbers* of, size_t prediction, size_t reference, size_t n_references,
    int max_order, double* counts,
) noexcept nogil:
    """Write the counts of each order of a prediction and a reference, or of the prediction alone where none is."""
    cdef size_t size = of.bounds[prediction + 1] - of.bounds[prediction], n
    cdef size_t length = of.bounds[reference + 1] - of.bounds[reference] if n_references else 0
    cdef const uint32_t* text = of.ids + of.bounds[prediction]
    cdef const uint32_t* other = of.ids + of.bounds[reference]
    cdef int problem
    if length < size:
        problem = match_texts(s, q, text, size, other, length, of.n_types, max_order)
    else:
        problem = match_texts(s, q, other, length, text, size, of.n_types, max_order)
    for n in range(<size_t> max_order):
        counts[0] = <double> (size - n) if size > n and (length > n or not n_references) else 0
        counts[1] = <double> (length - n) if length > n else 0
        counts[2] = <double> q.matches[n]
        counts += PARTS
    return problem


cdef int write_best(
    Scratch* s, ChrfRequest* q, const Numbers* characters, const Numbers* words, size_t prediction,
    size_t n_references, double* row
) noexcept nogil:
    """Write, for each score, the counts of the first reference with the greatest F."""
    cdef size_t reference, n_orders
    cdef double* to
    cdef double f
    cdef int score, problem
    for score in range(q.n_scores):
        q.best[score] = -1
    for reference in range(max(n_references, 1)):
        problem = count_orders(s, q, characters, prediction, reference, n_references, q.char_order, q.counts)
        if problem == 0 and q.word_order:
            to = q.counts + PARTS * q.char_order
            problem = count_orders(s, q, words, prediction, reference, n_references, q.word_order, to)
        if problem:
            return problem
        to = row
        for score in range(q.n_scores):
            n_orders = q.char_order + q.word_orders[score]
            f = f_of(q.counts, n_orders, q.factor, q.eps_smoothing, 100)  # as sacrebleu, to the last digit
            if f > q.best[score]:
                q.best[score] = f
                memcpy(to, q.counts, sizeof(double) * PARTS * n_orders)
            to += PARTS * n_orders
    return 0


cdef int fill_item(
    Scratch* s, ChrfRequest* q, const Span* predictions, size_t step, size_t n_systems, const Span* references,
    size_t n_references, double* row, size_t columns
) noexcept nogil:
    """Write the rows of an item, a row for every `step` predictions, n_systems of them; return 0 or a problem."""
    cdef size_t most = 0, n_documents = n_references + n_systems, d, i, n = 0
    cdef int problem
    for d in range(n_systems):
        most += predictions[d * step].length
    for d in range(n_references):
        most += references[d].length
    cdef size_t* bounds = <size_t*> room(s, BOUNDS, 8 * 3 * (n_documents + 1))
    cdef uint32_t* points = <uint32_t*> room(s, POINTS, 4 * most + 4)
    cdef Numbers characters, words
    cdef uint32_t* end = points
    cdef size_t* ends
    characters.bounds, words.bounds = bounds + n_documents + 1, bounds + 2 * (n_documents + 1)
    characters.n_types = words.n_types = 0
    characters.ids = <uint32_t*> room(s, CHARACTER_IDS, 4 * most + 4)
    if bounds == NULL or points == NULL or characters.ids == NULL or most >= <size_t> 0xFFFFFFFF:
        return NO_MEMORY
    bounds[0] = characters.bounds[0] = words.bounds[0] = 0
    for d in range(n_documents):
        if read_points(&references[d] if d < n_references else &predictions[(d - n_references) * step], &end):
            return NO_TEXT
        bounds[d + 1] = end - points
    if q.word_order:
        ends, words.ids = <size_t*> room(s, WORD_ENDS, 16 * most + 16), <uint32_t*> room(s, WORD_IDS, 4 * most + 4)
        if ends == NULL or words.ids == NULL:
            return NO_MEMORY
        for d in range(n_documents):
            n += find_words(points, bounds[d], bounds[d + 1], ends + n)
            words.bounds[d + 1] = n // 2
        if number_words(s, points, ends, &words, n_references, n_documents):
            return NO_MEMORY
    for d in range(n_documents):
        i = characters.bounds[d]
        characters.bounds[d + 1] = i + number_points(
            q, points + bounds[d], bounds[d + 1] - bounds[d], d < n_references, &characters, characters.ids + i
        )
    for i in range(bounds[n_references]):
        q.number_of[points[i]] = 0
    if stopped(s, most * (q.char_order + q.word_order)):
        return INTERRUPTED
    for d in range(n_references, n_documents):
        row[0], row[1] = 1, characters.bounds[d + 1] == characters.bounds[d]
        row[2], row[3] = n_references == 0, <double> n_references
        problem = write_best(s, q, &characters, &words, d, n_references, row + BASE)
        if problem:
            return problem
        row += step * columns
    return 0


cdef int64_t fill_items(
    Arena* a, size_t n, const int64_t* bounds, ChrfRequest* q, size_t n_systems, double* to, size_t columns
) noexcept nogil:
    """Fill the rows of n items of each system; return DONE or a problem."""
    cdef const Span* predictions = <const Span*> a.scratch.rooms[SPANS]
    cdef const Span* references = predictions + n_systems * n
    cdef size_t i, begin, end
    cdef int problem
    for i in range(n):
        a.item = begin = i
        end = i + 1
        if bounds != NULL:
            begin, end = bounds[i], bounds[i + 1]
        problem = fill_item(
            &a.scratch, q, predictions + i, n, n_systems, references + begin, end - begin, to + i * columns, columns
        )
        if problem:
            return problem
    return DONE


cdef int make_request(Scratch* s, ChrfRequest* q, int char_order, list word_orders) except -1:
    """Fill the request with what it keeps in rooms, and the longest of the orders of words."""
    cdef int score
    q.char_order, q.word_order, q.n_scores = char_order, max(word_orders), len(word_orders)
    cdef size_t n_orders = char_order + q.word_order
    q.word_orders = <int*> room(s, ORDERS, sizeof(int) * q.n_scores)
    q.counts = <double*> room(s, COUNTS, (sizeof(double) * PARTS + 8) * (n_orders + MOST_AT_ONCE))
    q.matches = <int64_t*> (q.counts + PARTS * n_orders)
    q.best = <double*> room(s, BEST, sizeof(double) * q.n_scores)
    q.number_of = <uint32_t*> room(s, NUMBER_OF, 4 * N_CHARACTERS)  # of which little is ever touched
    if q.word_orders == NULL or q.counts == NULL or q.best == NULL or q.number_of == NULL:
        raise MemoryError
    for score in range(q.n_scores):
        q.word_orders[score] = word_orders[score]
    q.n_cells = q.last = 0
    return 0


cdef size_t columns_of_chrf(int char_order, list word_orders) except 0:
    return BASE + PARTS * sum([char_order + order for order in word_orders])


cdef int fill_chrf(
    object texts, size_t n, const int64_t* bounds, int char_order, list word_orders, ChrfRequest* q, size_t n_systems,
    double* to, bint is_own=False
) except -1:
    """Fill the rows of n items of each system; texts are as for `hold_texts`."""
    cdef size_t n_texts, n_references = bounds[n] if bounds != NULL else n
    cdef size_t columns = columns_of_chrf(char_order, word_orders)
    cdef int64_t problem = NO_MEMORY
    cdef const Span* spans
    cdef Arena* a = take()
    try:
        make_request(&a.scratch, q, char_order, word_orders)
        kept = hold_texts(a, texts, &n_texts, is_own)
        if n_texts != n_systems * n + n_references:
            raise ValueError("the lists of texts have changed")
        if are_short(<const Span*> a.scratch.rooms[SPANS], n_texts):
            problem = fill_items(a, n, bounds, q, n_systems, to, columns)
        else:
            with nogil:
                problem = fill_items(a, n, bounds, q, n_systems, to, columns)
        raise_of_item(problem, a.item)
    finally:
        give(a, problem == DONE)
    return 0


def chrf_rows(
    texts, size_t n, reference_offsets, int char_order, list word_orders, bint whitespace, beta, bint eps_smoothing,
    size_t n_systems=1,
):
    """See `plain.chrf_rows`."""
    cdef ChrfRequest q
    cdef size_t i, columns
    cdef const int64_t[::1] bounds = reference_offsets
    q.whitespace, q.eps_smoothing, q.factor = whitespace, eps_smoothing, beta**2
    rows = np.empty((n_systems * n, columns_of_chrf(char_order, word_orders)))
    cdef double* to = doubles_of(rows, &i, &columns)
    fill_chrf(texts, n, NULL if bounds is None else &bounds[0], char_order, word_orders, &q, n_systems, to)
    return rows


cdef extern from "loops.h" nogil:
    void add_order(
        const double* predicted, const double* referenced, const double* matched, double* precisions, double* recalls,
        double* reached, size_t n,
    )
    void write_f(
        const double* precisions, const double* recalls, const double* reached, double factor, double scale,
        double* to, size_t n,
    )

cdef enum:
    SUMS_AT_A_TIME = 256  # what is added of them stays in the cache


cdef void f_of_columns(
    const double* counts, size_t step, size_t n_orders, double factor, double scale, double* to, size_t n
) noexcept nogil:
    """Write `f_of`, without smoothing, of sums that lie column by column."""
    cdef double precisions[SUMS_AT_A_TIME]
    cdef double recalls[SUMS_AT_A_TIME]
    cdef double reached[SUMS_AT_A_TIME]
    cdef const double* of_order
    cdef size_t first = 0, size, order
    while first < n:
        size = min(<size_t> SUMS_AT_A_TIME, n - first)
        memset(precisions, 0, sizeof(precisions))
        memset(recalls, 0, sizeof(recalls))
        memset(reached, 0, sizeof(reached))
        for order in range(n_orders):
            of_order = counts + PARTS * order * step + first
            add_order(of_order, of_order + step, of_order + 2 * step, precisions, recalls, reached, size)
        write_f(precisions, recalls, reached, factor, scale, to + first, size)
        first += size


def f_scores(rows, size_t first, size_t n_orders, beta, bint eps_smoothing, double scale):
    """See `plain.f_scores`; rows may lie in memory row by row, or column by column where nothing is smoothed."""
    cdef double factor = beta**2
    cdef size_t n, columns, i, one
    cdef Py_ssize_t next_row, step
    cdef const double* row = strided_doubles(rows, &n, &columns, &next_row, &step)
    if first > columns or PARTS * n_orders > columns - first:
        raise ValueError(f"rows of {columns} columns do not have {n_orders} orders from column {first} on")
    if step != 1 and (next_row != 1 or eps_smoothing):
        rows = np.ascontiguousarray(rows)
        row = strided_doubles(rows, &n, &columns, &next_row, &step)
    scores = np.empty(n)
    cdef double* to = doubles_of(scores, &one, &i)
    with nogil:
        if step != 1:
            f_of_columns(row + first * step, step, n_orders, factor, scale, to, n)
        else:
            for i in range(n):
                to[i] = f_of(row + <Py_ssize_t> i * next_row + first, n_orders, factor, eps_smoothing, scale)
    return scores
