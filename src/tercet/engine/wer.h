/* The alignment of a text with a reference of at most 256 tokens: see `wer.pxi`. The words of a column stay in
 * registers, for which the compiler must know how many there are. */
#if defined(__GNUC__)
#define UNLIKELY(x) __builtin_expect(x, 0)
#else
#define UNLIKELY(x) (x)
#endif

enum { FEW_WORDS = 4 };

typedef struct { /* 64 rows of a column: which of them cost one more than the row above, and which one less */
    uint64_t more, less;
} Column;

/* Fill n_words words of the next column from as many of `column` and `equal`, and a copy of them where it is not NULL;
 * `last_row` is that of the last word, whose rise and fall remain. */
static inline void fill_words(
    Column *__restrict column, const uint64_t *__restrict equal, int64_t n_words, uint64_t last_row,
    Column *__restrict copy, uint64_t *last_rise, uint64_t *last_fall
) {
    uint64_t rise = 1, fall = 0, rises = 0, falls = 0;
    uint8_t carry = 0; /* the one thing that a word must wait for */
    for (int64_t w = 0; w < n_words; w++) {
        uint64_t more = column[w].more, less = column[w].less, same = equal[w];
        same = (add_with_carry(same & more, more, &carry) ^ more) | same | less;
        rises = less | ~(same | more), falls = same & more;
        more = falls << 1 | fall | ~(same | (rises << 1 | rise)), less = (rises << 1 | rise) & same;
        column[w].more = more, column[w].less = less;
        if (copy) copy[w].more = more, copy[w].less = less;
        rise = rises >> 63, fall = falls >> 63;
    }
    *last_rise = rises >> last_row & 1, *last_fall = falls >> last_row & 1;
}

static FOR_EACH_NUMBER void count_of_words(
    Column *columns, const uint64_t *places, int64_t n, const uint32_t *text, int64_t m, int64_t *counts,
    const int n_words
) {
    uint64_t more[FEW_WORDS], less[FEW_WORDS];
    for (int w = 0; w < n_words; w++) {
        more[w] = ~(uint64_t)0, less[w] = 0;
        columns[w] = (Column){more[w], less[w]};
    }
    for (int64_t j = 0; j < m; j++) {
        const uint64_t *equal = places + (size_t)text[j] * n_words;
        uint64_t rise = 1, fall = 0;
        columns += n_words;
        for (int w = 0; w < n_words; w++) {
            uint64_t same = equal[w] | fall;
            same = (((same & more[w]) + more[w]) ^ more[w]) | same | less[w];
            uint64_t rises = less[w] | ~(same | more[w]), falls = same & more[w];
            uint64_t rises_here = rises << 1 | rise, falls_here = falls << 1 | fall;
            more[w] = falls_here | ~(same | rises_here), less[w] = rises_here & same;
            rise = rises >> 63, fall = falls >> 63;
            columns[w] = (Column){more[w], less[w]};
        }
    }
    /* The way back: a deletion if it can be, then an insertion in place of a match. Most steps are neither: branches
     * let the processor go on before it has read the bits. */
    int64_t edits = m, i = n - 1, deletions = 0, insertions, hits;
    for (int w = 0; w < n_words; w++) {
        uint64_t rows = w < n_words - 1 || !(n & 63) ? ~(uint64_t)0 : ((uint64_t)1 << (n & 63)) - 1;
        edits += (int64_t)bit_count(more[w] & rows) - (int64_t)bit_count(less[w] & rows);
    }
    for (int64_t j = m; i >= 0 && j > 0; i--) {
        if (UNLIKELY(columns[i >> 6].more >> (i & 63) & 1)) {
            deletions++;
            continue;
        }
        do j--, columns -= n_words;
        while (UNLIKELY(columns[i >> 6].less >> (i & 63) & 1)); /* as none is in the column before the first */
    }
    deletions += i + 1;
    insertions = m - (n - deletions);
    hits = m + deletions - edits; /* those that are neither are matched, or substituted */
    counts[0] = hits, counts[1] = n - deletions - hits, counts[2] = deletions, counts[3] = insertions;
}

/* Write hits, substitutions, deletions and insertions of the alignment. The reference has 1 to 64 FEW_WORDS tokens, of
 * which w = (n + 63) / 64 numbers hold the places: token t has places[w t] to places[w t + w - 1]. There is room for
 * w (m + 1) columns. */
static void count_small(
    Column *columns, const uint64_t *places, int64_t n, const uint32_t *text, int64_t m, int64_t *counts
) {
    switch ((n - 1) >> 6) {
    case 0: count_of_words(columns, places, n, text, m, counts, 1); break;
    case 1: count_of_words(columns, places, n, text, m, counts, 2); break;
    case 2: count_of_words(columns, places, n, text, m, counts, 3); break;
    default: count_of_words(columns, places, n, text, m, counts, 4);
    }
}

/* A band of 64 diagonals, the same in all columns, so that its bits move on by a row from one to the next: bit b of
 * column j is row j + lowest + b. A row that enters below costs no less than it would, and so do those above the table,
 * whose rise is 0, and where no token of the text stands. Write where there are deletions, and insertions from the
 * column before, of m columns; return how many of the steps on a diagonal cost nothing. m + 63 bytes are read from
 * `bytes` on. */
static FOR_EACH_NUMBER int64_t fill_band(
    Column *columns, const uint8_t *bytes, int64_t lowest, const uint8_t *text, int64_t m, int64_t diagonal,
    uint64_t (*const places)(const uint8_t *, uint8_t)
) {
    uint64_t more = ~(uint64_t)0 << -lowest, less = 0, n_free = 0;
    for (int64_t j = 0; j < m; j++) {
        uint64_t free_steps = places(bytes + j, text[j]), rises_not, falls;
        free_steps = (((free_steps & more) + more) ^ more) | free_steps | less;
        rises_not = (free_steps | more) & ~less, falls = free_steps & more;
        more = falls | (rises_not & ~(free_steps >> 1));
        columns[j] = (Column){more << 1, less};
        less = free_steps >> 1 & ~rises_not;
        n_free += free_steps >> diagonal & 1;
    }
    return (int64_t)n_free;
}

enum {
    LANES = 4,         /* pairs whose bands are filled at once: a column waits for the one before, but for no other's */
    MOST_ROWS = 256,   /* of those */
    FEWEST_FAR = 64    /* edits that no band tells; nor if the lengths differ by as much */
};

typedef struct { /* a pair of a text and a reference, and what is common to both ends left out */
    const uint8_t *reference, *text;
    int64_t n, m;
} BytePair;

typedef struct { /* a text, and its reference behind 64 bytes; all lanes are read as far as the longest text */
    uint8_t bytes[64 + MOST_ROWS + FEWEST_FAR + 64], text[MOST_ROWS + FEWEST_FAR];
} Lane;

/* The row of the lowest bit in the first column, 0 or above the table: see `fill_band`. */
static inline int64_t lowest_of(const BytePair *pair) { return -((63 - pair->n + pair->m) >> 1); }

/* Write the reference behind 64 bytes that the text has not; return whether there is such a byte. */
static inline int put_reference(uint8_t *bytes, const BytePair *pair) {
    int absent = 255;
    while (absent >= 0 && memchr(pair->text, absent, (size_t)pair->m)) absent--;
    memset(bytes, absent, 64);
    memcpy(bytes + 64, pair->reference, (size_t)pair->n);
    return absent >= 0;
}

/* Write hits, substitutions, deletions and insertions if the edits are few enough for the band. Where there are
 * deletions and insertions of the next column stands a step on. Both have places 0, which is overwritten, to m step. */
static inline void count_edits(
    uint64_t *deletes, uint64_t *inserts, int64_t step, const BytePair *pair, int64_t edits, int64_t *counts
) {
    int64_t n = pair->n, m = pair->m, lowest = lowest_of(pair), diagonal = n - m - lowest, deletions = 0;
    if (edits >= FEWEST_FAR) return;
    if (edits <= (n < m ? m - n : n - m) + 1) { /* of the kind that the lengths ask for, and at most a substitution */
        deletions = n > m ? n - m : 0;
    } else {
        inserts[0] = ~(uint64_t)0; /* where the way back ends */
        for (int64_t j = m * step; j > 0;) {
            while (!((deletes[j] | inserts[j]) >> diagonal & 1)) j -= step;
            if (j == 0) break;
            int64_t deleted = deletes[j] >> diagonal & 1;
            deletions += deleted, diagonal += 1 - 2 * deleted, j -= deleted ? 0 : step;
        }
        if (diagonal + lowest > 0) deletions += diagonal + lowest; /* the rows that are left above */
    }
    counts[0] = m + deletions - edits, counts[2] = deletions, counts[3] = m - n + deletions;
    counts[1] = n - deletions - counts[0];
}

#if defined(WIDE_VECTORS)
BY_WIDE_VECTORS static int64_t fill_band_by_wide_vectors(
    Column *columns, const uint8_t *bytes, int64_t lowest, const uint8_t *text, int64_t m, int64_t diagonal
) {
    return fill_band(columns, bytes, lowest, text, m, diagonal, places_by_wide_vectors);
}

/* Do as `fill_band` for all lanes: a column has the deletions of all of them, and then the insertions. */
BY_WIDE_VECTORS static void fill_lanes(uint64_t *columns, const Lane *lanes, const BytePair *pairs, uint64_t *n_free) {
    uint64_t first[LANES], diagonals[LANES], counted[LANES];
    const uint8_t *bytes[LANES];
    int64_t last = 0, j = 0, stop;
    for (int k = 0; k < LANES; k++) {
        int64_t lowest = lowest_of(pairs + k);
        first[k] = ~(uint64_t)0 << -lowest, diagonals[k] = (uint64_t)(pairs[k].n - pairs[k].m - lowest);
        bytes[k] = lanes[k].bytes + 64 + lowest;
        if (pairs[k].m > last) last = pairs[k].m;
    }
    __m256i more = _mm256_loadu_si256((const __m256i *)first), less = _mm256_setzero_si256(), sums = less;
    const __m256i diagonal = _mm256_loadu_si256((const __m256i *)diagonals);
    for (; j < last; j = stop) {
        stop = last;
        for (int k = 0; k < LANES; k++) {
            counted[k] = pairs[k].m > j;
            if (pairs[k].m > j && pairs[k].m < stop) stop = pairs[k].m;
        }
        const __m256i in_text = _mm256_loadu_si256((const __m256i *)counted);
        for (int64_t i = j; i < stop; i++) {
            __m256i equal = _mm256_set_epi64x(
                (long long)places_by_wide_vectors(bytes[3] + i, lanes[3].text[i]),
                (long long)places_by_wide_vectors(bytes[2] + i, lanes[2].text[i]),
                (long long)places_by_wide_vectors(bytes[1] + i, lanes[1].text[i]),
                (long long)places_by_wide_vectors(bytes[0] + i, lanes[0].text[i])
            );
            __m256i sum = _mm256_add_epi64(_mm256_and_si256(equal, more), more);
            __m256i free_steps = _mm256_or_si256(_mm256_xor_si256(sum, more), _mm256_or_si256(equal, less));
            __m256i rises_not = _mm256_andnot_si256(less, _mm256_or_si256(free_steps, more));
            __m256i falls = _mm256_and_si256(free_steps, more), above = _mm256_srli_epi64(free_steps, 1);
            more = _mm256_or_si256(falls, _mm256_andnot_si256(above, rises_not));
            _mm256_storeu_si256((__m256i *)(columns + 2 * LANES * i), _mm256_add_epi64(more, more));
            _mm256_storeu_si256((__m256i *)(columns + 2 * LANES * i + LANES), less);
            less = _mm256_andnot_si256(rises_not, above);
            sums = _mm256_add_epi64(sums, _mm256_and_si256(_mm256_srlv_epi64(free_steps, diagonal), in_text));
        }
    }
    _mm256_storeu_si256((__m256i *)n_free, sums);
}
#endif

static inline int has_lanes(void) { /* this processor */
#if defined(WIDE_VECTORS)
    return WIDE_VECTORS != 0;
#else
    return 0;
#endif
}

/* Write the counts of a pair, whose lengths differ by less than 64, and return the edits. Where these are 64 or more,
 * there may be fewer, and nothing is written; so it is if the text has all bytes. There is room for m + 1 columns, and
 * n + 128 bytes; neither text is empty. */
static int64_t count_in_band(Column *columns, uint8_t *bytes, const BytePair *pair, int64_t *counts) {
    const int64_t n = pair->n, m = pair->m, lowest = lowest_of(pair), diagonal = n - m - lowest;
    int64_t edits = n > m ? n : m;
    if (!put_reference(bytes, pair)) return FEWEST_FAR;
    bytes += 64 + lowest;
#if defined(WIDE_VECTORS)
    if (WIDE_VECTORS)
        edits -= fill_band_by_wide_vectors(columns + 1, bytes, lowest, pair->text, m, diagonal);
    else
#endif
        edits -= fill_band(columns + 1, bytes, lowest, pair->text, m, diagonal, places_of_byte);
    count_edits(&columns->more, &columns->less, 2, pair, edits, counts);
    return edits;
}

/* Do so for as many pairs as there are lanes, or fewer, whose references are of up to MOST_ROWS bytes. There is room
 * for 2 LANES (m + 1) numbers in `columns`, m that of the longest text, LANES lanes and pairs, and 4 counts a pair. */
static void count_in_lanes(
    uint64_t *columns, Lane *lanes, BytePair *pairs, int n_pairs, int64_t *edits, int64_t *counts
) {
#if defined(WIDE_VECTORS)
    uint64_t n_free[LANES];
    int has_absent[LANES] = {0};
    for (int k = 0; k < LANES; k++) {
        if (k >= n_pairs) {
            pairs[k] = (BytePair){0, 0, 0, 0};
            continue;
        }
        has_absent[k] = put_reference(lanes[k].bytes, pairs + k);
        memcpy(lanes[k].text, pairs[k].text, (size_t)pairs[k].m);
    }
    fill_lanes(columns + 2 * LANES, lanes, pairs, n_free);
    for (int k = 0; k < n_pairs; k++) {
        int64_t longer = pairs[k].n > pairs[k].m ? pairs[k].n : pairs[k].m;
        edits[k] = has_absent[k] ? longer - (int64_t)n_free[k] : FEWEST_FAR;
        count_edits(columns + k, columns + LANES + k, 2 * LANES, pairs + k, edits[k], counts + 4 * k);
    }
#else
    (void)columns, (void)lanes, (void)pairs, (void)n_pairs, (void)edits, (void)counts;
#endif
}

/* How many bytes at the beginning, or at the end, of two texts are the same, of so many. */
static inline int64_t same_first(const uint8_t *one, const uint8_t *other, int64_t size) {
    int64_t n = 0;
    for (; n + 8 <= size; n += 8) {
        uint64_t differs = load64(one + n) ^ load64(other + n);
        if (differs) return n + (int64_t)(lowest_bit(differs) >> 3);
    }
    while (n < size && one[n] == other[n]) n++;
    return n;
}

static inline int64_t same_last(const uint8_t *one_end, const uint8_t *other_end, int64_t size) {
    int64_t n = 0;
    for (; n + 8 <= size; n += 8) {
        uint64_t differs = load64(one_end - n - 8) ^ load64(other_end - n - 8);
        if (differs) return n + (int64_t)((63 - highest_bit(differs)) >> 3);
    }
    while (n < size && one_end[-n - 1] == other_end[-n - 1]) n++;
    return n;
}
