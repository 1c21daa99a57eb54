# plain_ter.py defines what is computed here.
#
# Edits and shifts that turn a text into a reference: Tercom's greedy search, in the form of sacrebleu.
#
# The edit distance is a table with a row for each word of the text and one before the first, and a column for each
# word of the reference and one before the first. Only cells in a beam around the diagonal count:
#
#               words of the reference          A shift exchanges two blocks of words, so what stands before and
#            0  1  2  .  .  .  .  .             behind them stays where it was:
#            1  0  1  2  .  .  .  .
#    words   2  1  0  1  2  .  .  .                . . . [b b b] [c c] . . .
#    of the  .  2  1  0  1  2  .  .                . . . [c c] [b b b] . . .
#    text    .  .  2  1  0  1  2  .                heads               tails
#
# What the text costs after it follows from the costs of all beginnings of the text (`heads`) and of all its ends
# (`tails`), with new rows only for the words that moved: the least sum of a head and a tail that meet in the last row.
#
# A cell of `heads` holds its cost less its column, one of `tails` its cost and its column: so a step along a row
# changes nothing, which saves an addition where each cell waits for the one before, and sums are what they were.

from libc.math cimport ceil

cdef enum:
    BEAM = 25               # Tercom's: how many cells beside the diagonal count
    MOST_WORDS = 10         # of a shift
    MOST_DISTANCE = 50      # between the words of a shift and those that they match
    MOST_CANDIDATES = 1000  # sacrebleu's: shifts that a text tries
    FAR = 1 << 29           # the cost of a cell beside the beam
    MATCH = 0               # what an alignment is made of: see `plain_ter`
    SUBSTITUTION = 1
    INSERTION = 2
    DELETION = 3

cdef struct Shift:
    int32_t start, length, target  # the first of the words, their number, and the word before which they go

cdef struct Edits:
    Scratch* scratch     # where its rooms are
    int problem          # DONE, or why the search ended early
    int64_t n_words, n_reference, n_steps, n_shifts
    int64_t width        # cells of a row in memory
    uint32_t* words      # of the text, in the order of now
    uint32_t* moved      # some of them
    uint32_t* reference  # its word j, from 1 on, is reference[j]; one more is read on either side
    int32_t* counts      # of each word, all 0
    int32_t* lows        # row i has the columns from lows[i] to highs[i] - 1
    int32_t* highs
    int32_t* heads
    int32_t* tails
    int32_t* rows        # two, of a text that is tried
    int32_t* aligned     # the word of the text that each of the reference is aligned with
    int32_t* errors      # of the alignment, from each word of the text on
    int32_t* reference_errors
    Shift* candidates
    Shift* shifts        # those that were made; `target` is where the first word stands then
    uint8_t* steps       # the alignment, from its end


cdef inline int32_t* cut(int32_t** rest, int64_t size) noexcept nogil:
    """Take so many numbers from the rest of some memory."""
    rest[0] += size
    return rest[0] - size


cdef int make_room_for_edits(Edits* e, int64_t n, int64_t m, int64_t n_types) noexcept nogil:
    """Make room for a text of `n` words, a reference of `m`, and ids below `n_types`; return 0 or NO_MEMORY."""
    # A beam has b = max(25, m / 2n + 26) cells on either side, a row 2b + 2m / n + 4: all together no more than this.
    cdef int64_t n_cells = 56 * (n + 1) + 6 * (m + 1), others = 7 * (n + 2) + 6 * (m + 3) + 6 * MOST_CANDIDATES + 60
    cdef int32_t* rest = <int32_t*> room(e.scratch, TABLE, 4 * (2 * n_cells + others))
    e.counts = <int32_t*> room(e.scratch, PLACES, 4 * n_types)
    if rest == NULL or e.counts == NULL:
        return NO_MEMORY
    e.words, e.moved, e.reference = <uint32_t*> cut(&rest, n), <uint32_t*> cut(&rest, n), <uint32_t*> cut(&rest, m + 2)
    e.lows, e.highs = cut(&rest, n + 1), cut(&rest, n + 1)
    e.heads, e.tails, e.rows = cut(&rest, n_cells), cut(&rest, n_cells), cut(&rest, 2 * (m + 3))
    e.aligned, e.errors, e.reference_errors = cut(&rest, m), cut(&rest, n + 1), cut(&rest, m + 1)
    e.candidates = <Shift*> cut(&rest, 3 * (MOST_CANDIDATES + MOST_WORDS + 1))
    e.shifts, e.steps = <Shift*> cut(&rest, 3 * MOST_CANDIDATES), <uint8_t*> rest
    return 0


cdef inline bint must_end(Edits* e, int64_t n_cells) noexcept nogil:
    """Whether Ctrl-C was pressed, asked after many cells."""
    if stopped(e.scratch, n_cells):
        e.problem = INTERRUPTED
    return e.problem != DONE


cdef inline int32_t* row_of(const Edits* e, int32_t* table, int64_t i) noexcept nogil:
    """Return the row of a table so that its column j is [j]; the row below reads one cell beside its own."""
    return table + i * e.width - e.lows[max(i - 1, 0)] + 1


cdef inline int32_t lesser(int32_t one, int32_t other) noexcept nogil:
    return one if one < other else other


cdef void find_beam(Edits* e) noexcept nogil:
    """Find the columns of each row that count, and fill the one before the first word."""
    cdef int64_t n = e.n_words, beam = BEAM, diagonal, i
    cdef int32_t* here
    cdef double ratio = <double> e.n_reference / <double> n
    if beam < ratio / 2:
        beam = <int64_t> ceil(ratio / 2 + beam)
    for i in range(1, n + 1):
        diagonal = <int64_t> (<double> i * ratio)
        e.lows[i] = <int32_t> max(0, diagonal - beam)
        e.highs[i] = <int32_t> min(e.n_reference + 1, diagonal + beam)
    e.highs[n] = <int32_t> e.n_reference + 1
    e.lows[0], e.highs[0] = 0, e.highs[1]  # of the row before the first word, what the next one reads
    e.width = 0
    for i in range(n + 1):
        e.width = max(e.width, e.highs[min(i + 1, n)] - e.lows[max(i - 1, 0)] + 3)
    here = row_of(e, e.heads, 0)
    for i in range(-1, e.highs[0]):
        here[i] = 0 if i >= 0 else FAR


cdef void fill_row(const Edits* e, int64_t i, uint32_t word, const int32_t* before, int32_t* here) noexcept nogil:
    """Fill row i of costs of beginnings, from that of the word before."""
    cdef const uint32_t* reference = e.reference
    cdef int64_t low = e.lows[i], high = e.highs[i], j
    cdef int32_t left = FAR, both
    here[low - 1] = FAR
    for j in range(low, high):  # a loop of its own, in which no cell waits for another
        here[j] = lesser(before[j] + 1, before[j - 1] - (reference[j] == word))
    for j in range(low, high - 1, 2):  # two cells wait for the one before at a time
        both = lesser(here[j], here[j + 1])
        here[j] = lesser(left, here[j])
        left = here[j + 1] = lesser(left, both)
    here[high - 1] = lesser(left, here[high - 1])
    for j in range(high, e.highs[min(i + 1, e.n_words)]):
        here[j] = FAR


cdef void fill_heads(Edits* e, int64_t first) noexcept nogil:
    """Fill the rows from `first` on, which is at least 1, of the costs of all beginnings."""
    cdef int64_t i
    for i in range(first, e.n_words + 1):
        fill_row(e, i, e.words[i - 1], row_of(e, e.heads, i - 1), row_of(e, e.heads, i))


cdef void fill_tails(Edits* e, int64_t last) noexcept nogil:
    """Fill the rows from `last` back to 1 of the costs of all ends."""
    cdef int64_t i, j, low, high
    cdef int32_t right
    cdef uint32_t word
    cdef const int32_t* below
    cdef int32_t* here
    for i in range(last, 0, -1):
        low, high, here = e.lows[i], e.highs[i], row_of(e, e.tails, i)
        for j in range(e.lows[i - 1], low):
            here[j] = FAR
        here[high] = FAR
        if i == e.n_words:
            for j in range(low, high):
                here[j] = <int32_t> e.n_reference
            continue
        below, word, right = row_of(e, e.tails, i + 1), e.words[i], FAR
        for j in range(low, high):
            here[j] = lesser(below[j] + 1, below[j + 1] - (e.reference[j + 1] == word))
        for j in range(high - 1, low - 1, -1):
            right = here[j] = lesser(right, here[j])


cdef void fill_steps(Edits* e) noexcept nogil:
    """Fill the alignment. Of equal ones: a match or a substitution first, then a word of the text alone.

    A word of the reference without counterpart is aligned with the word before it, -1 at the beginning.
    """
    cdef int64_t i = e.n_words, j = e.n_reference
    cdef int32_t cost, differs
    cdef const int32_t* above
    cdef uint8_t step
    e.n_steps = e.errors[i] = e.reference_errors[j] = 0
    while i > 0 or j > 0:
        step = DELETION
        if i > 0:
            cost, above = row_of(e, e.heads, i)[j], row_of(e, e.heads, i - 1)
            differs = e.words[i - 1] != e.reference[j]
            if j > 0 and above[j - 1] - 1 + differs == cost:
                step = SUBSTITUTION if differs else MATCH
            elif above[j] + 1 == cost:
                step = INSERTION
        e.steps[e.n_steps] = step
        e.n_steps += 1
        if step != INSERTION:
            j -= 1
            e.aligned[j] = <int32_t> i - 1
            e.reference_errors[j] = e.reference_errors[j + 1] + (step != MATCH)
        if step != DELETION:
            i -= 1
            e.errors[i] = e.errors[i + 1] + (step != MATCH)


cdef int64_t find_candidates(Edits* e, int64_t n_before) noexcept nogil:
    """Find the shifts to try; return their number, which with `n_before` may be one of too many.

    They are of words that stand in the reference too, and are not aligned there, to a place that is wrong.
    """
    cdef int64_t n = 0, start, place, length, most, k
    cdef int32_t target, previous
    for start in range(e.n_words):
        for place in range(max(0, start - MOST_DISTANCE), min(e.n_reference, start + MOST_DISTANCE + 1)):
            if e.reference[place + 1] != e.words[start]:
                continue
            most = min(MOST_WORDS, min(e.n_words - start, e.n_reference - place))
            for length in range(1, most + 1):
                if e.words[start + length - 1] != e.reference[place + length]:
                    break
                if e.errors[start + length] == e.errors[start]:
                    continue
                if e.reference_errors[place + length] == e.reference_errors[place]:
                    continue
                if start <= e.aligned[place] < start + length:
                    continue
                previous = -1
                for k in range(place - 1, place + length):
                    target = e.aligned[k] + 1 if k >= 0 else 0
                    if target != previous:
                        e.candidates[n] = Shift(<int32_t> start, <int32_t> length, target)
                        previous = target
                        n += 1
                if n_before + n >= MOST_CANDIDATES:
                    return n
    return n


cdef inline void find_blocks(const Edits* e, Shift s, int64_t* first, int64_t* middle, int64_t* last) noexcept nogil:
    """Find where the two blocks begin that a shift exchanges, and where the second ends."""
    first[0], middle[0] = s.start, s.start + s.length
    if s.target < s.start:
        first[0], middle[0], last[0] = s.target, s.start, s.start + s.length
    elif s.target > s.start + s.length:
        last[0] = s.target
    else:  # into itself: moved on by so many words
        last[0] = min(e.n_words, s.length + s.target)


cdef int32_t cost_of_exchange(Edits* e, int64_t first, int64_t middle, int64_t last) noexcept nogil:
    """Return the edit distance of the text whose blocks are exchanged."""
    cdef int32_t* here = row_of(e, e.heads, first)
    cdef int32_t* before
    cdef int32_t least = FAR
    cdef int64_t i, j, k = middle
    for i in range(first + 1, last + 1):
        before, here = here, e.rows + 1 + (i & 1) * (e.n_reference + 3)
        fill_row(e, i, e.words[k], before, here)
        k = k + 1 if k + 1 < last else first
    before = row_of(e, e.tails, last)
    for j in range(e.lows[last], e.highs[last]):
        least = lesser(least, here[j] + before[j])
    return least


cdef int64_t fewest_edits(Edits* e) noexcept nogil:
    """Return a bound that no order of the words can beat: the words that are not in the other text."""
    cdef int64_t common = 0, i
    for i in range(1, e.n_reference + 1):
        e.counts[e.reference[i]] += 1
    for i in range(e.n_words):
        if e.counts[e.words[i]] > 0:
            e.counts[e.words[i]] -= 1
            common += 1
    for i in range(1, e.n_reference + 1):
        e.counts[e.reference[i]] = 0
    return max(e.n_words, e.n_reference) - common


cdef int64_t best_shift(Edits* e, int64_t n, int64_t cost, int64_t least) noexcept nogil:
    """Return the candidate of the least cost below `cost`, or -1; none can have less than `least`.

    Of the same cost, the longest is made, then the first in the text, and they come in this order, then the one that
    goes farthest to the front.
    """
    cdef int64_t best = -1, each, first = 0, middle = 0, last = 0, found
    cdef Shift one, other
    cdef bint preferred
    for each in range(n):
        one, other = e.candidates[each], e.candidates[max(best, 0)]
        preferred = best >= 0 and (one.length > other.length or (
            one.length == other.length and one.start == other.start and one.target < other.target
        ))
        if cost == least and not preferred:
            continue
        find_blocks(e, one, &first, &middle, &last)
        if first == middle or middle == last:
            continue  # the text as it was
        if must_end(e, (last - first) * e.width):
            return -1
        found = cost_of_exchange(e, first, middle, last)
        if found < cost or (found == cost and preferred):
            best, cost = each, found
    return best


cdef int64_t count_edits(
    Edits* e, const uint32_t* text, int64_t n_words, const uint32_t* reference, int64_t n_reference
) noexcept nogil:
    """Return how many edits turn a text into a reference, which `shifts` and `steps` then hold."""
    cdef int64_t least, cost = 0, n, best, n_tried = 0, first = 0, middle = 0, last = n_words + 1
    e.n_words, e.n_reference, e.n_shifts, e.n_steps = n_words, n_reference, 0, n_words + n_reference
    if n_words == 0 or n_reference == 0:
        memset(e.steps, INSERTION if n_words else DELETION, e.n_steps)
        return e.n_steps
    memcpy(e.words, text, 4 * n_words)
    memcpy(e.reference + 1, reference, 4 * n_reference)
    e.reference[0] = e.reference[n_reference + 1] = 0
    find_beam(e)
    least = fewest_edits(e)
    while not must_end(e, 2 * n_words * (e.width + MOST_DISTANCE)):
        fill_heads(e, first + 1)  # the others are as they were before the last shift
        cost = row_of(e, e.heads, n_words)[n_reference] + n_reference
        fill_steps(e)
        if cost <= least:
            break
        n = find_candidates(e, n_tried)
        n_tried += n
        if n_tried >= MOST_CANDIDATES:
            break  # sacrebleu drops what it found in this round
        fill_tails(e, last - 1)
        best = best_shift(e, n, cost, least)
        if best < 0:
            break
        find_blocks(e, e.candidates[best], &first, &middle, &last)
        memcpy(e.moved, e.words + first, 4 * (middle - first))
        memmove(e.words + first, e.words + middle, 4 * (last - middle))
        memcpy(e.words + first + last - middle, e.moved, 4 * (middle - first))
        e.shifts[e.n_shifts] = e.candidates[best]
        e.shifts[e.n_shifts].target = <int32_t> (
            first if first < e.candidates[best].start else last - e.candidates[best].length
        )
        e.n_shifts += 1
    return e.n_shifts + cost


cdef int write_edits(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Edits* kept, double* row
) noexcept nogil:
    """Fewest edits, and average length of the references: the documents from `first` on, up to `last`."""
    cdef uint32_t* of = a.token_of
    cdef Edits own
    cdef Edits* e = kept
    cdef int64_t size = of[text + 1] - of[text], length, total = 0, fewest = size, found
    cdef size_t d
    if kept == NULL:
        e = &own
        e.scratch = &a.scratch
    e.problem = DONE
    for d in range(first, last):
        length = of[d + 1] - of[d]
        if make_room_for_edits(e, size, length, n_types + 1):  # ids of words that no reference has are n_types
            return NO_MEMORY
        found = count_edits(e, a.ids + of[text], size, a.ids + of[d], length)
        fewest = found if d == first else min(fewest, found)
        total += length
    row[0], row[1] = <double> fewest, <double> total / <double> max(last - first, 1)
    return e.problem


cdef Request ter_request(Edits* kept) noexcept:
    """Return what asks for the rows of TER; a search that is read later is kept, others are NULL."""
    cdef Request q
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.edits, q.columns = TER_ROWS, BLANKS, kept, BASE + 2
    return q


def ter_rows(texts, size_t n, reference_offsets, size_t n_systems=1):
    """See `plain.ter_rows`."""
    cdef Request q = ter_request(NULL)
    return filled_rows(&q, texts, n, reference_offsets, n_systems)


cdef int edits_of_pair(Scratch* s, const Pairs* p, size_t pair, int64_t* found) noexcept nogil:
    """Write how many edits turn a text into a reference."""
    cdef int64_t text = p.texts[pair], reference = p.references[pair]
    cdef int64_t size = size_of(p, text), length = size_of(p, reference)
    cdef Edits e
    e.scratch, e.problem = s, DONE
    if make_room_for_edits(&e, size, length, p.n_types):
        return NO_MEMORY
    found[0] = count_edits(&e, p.ids + p.offsets[text], size, p.ids + p.offsets[reference], length)
    return e.problem


cdef inline double ter_of(const double* row, double scale) noexcept nogil:
    """Return TER of a sum of rows; where the references have no word, any edit makes it 1."""
    cdef double edits = row[BASE], length = row[BASE + 1]
    if length > 0:
        return scale * (edits / length)
    return scale if edits > 0 else 0


def ter_scores(rows, double scale):
    """See `plain.ter_scores`."""
    cdef size_t n, columns, i, one
    cdef const double* row = doubles_of(rows, &n, &columns)
    if columns != BASE + 2:
        raise ValueError("rows have edits and words of references")
    scores = np.empty(n)
    cdef double* to = doubles_of(scores, &one, &i)
    with nogil:
        for i in range(n):
            to[i] = ter_of(row + i * columns, scale)
    return scores


def pair_edits(
    const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] texts, const int64_t[::1] references,
    size_t n_types,
):
    """See `plain.pair_edits`."""
    cdef Pairs p = pairs_of(ids, offsets, texts, references, n_types)
    return count_pairs(&p, edits_of_pair, 1)[:, 0]


def edit_path(str text, str reference):
    """See `plain.edit_path`."""
    cdef Scratch rooms
    cdef Edits e
    cdef Request q = ter_request(&e)
    cdef int64_t i
    memset(&rooms, 0, sizeof(Scratch))
    e.scratch = &rooms
    try:
        filled_rows(&q, [text, reference], 1, None, 1)
        shifts = [(e.shifts[i].start, e.shifts[i].length, e.shifts[i].target) for i in range(e.n_shifts)]
        return shifts, [e.steps[i] for i in range(e.n_steps - 1, -1, -1)]
    finally:
        free_rooms(&rooms)
