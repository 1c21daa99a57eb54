/* The alignment of a text with a reference of at most 256 tokens: see `alignments.pxi`. The words of a column stay in
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

/* Fill words of the next column, and a copy of them where there is room for one; the last row's rise and fall remain. */
static inline void fill_words(
    Column *__restrict column, const uint64_t *__restrict equal, int64_t n_words, uint64_t last_row, Column *__restrict copy, uint64_t *last_rise, uint64_t *last_fall
) {
    uint64_t rise = 1, fall = 0, rises = 0, falls = 0;
    for (int64_t w = 0; w < n_words; w++) {
        uint64_t more = column[w].more, less = column[w].less, same = equal[w] | fall;
        same = (((same & more) + more) ^ more) | same | less;
        rises = less | ~(same | more), falls = same & more;
        more = falls << 1 | fall | ~(same | (rises << 1 | rise)), less = (rises << 1 | rise) & same;
        column[w].more = more, column[w].less = less;
        if (copy) copy[w].more = more, copy[w].less = less;
        rise = rises >> 63, fall = falls >> 63;
    }
    *last_rise = rises >> last_row & 1, *last_fall = falls >> last_row & 1;
}

static FOR_EACH_NUMBER void count_of_words(
    Column *columns, const uint64_t *places, int64_t n, const uint32_t *text, int64_t m, int64_t *counts, const int n_words
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

/* Write hits, substitutions, deletions and insertions of the alignment; there is room for m + 1 columns. */
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

/* A band of 64 diagonals, the same in all columns, so that its bits move on by a row from one to the next: bit b of column
 * j is row j + lowest + b. A row that enters below costs no less than it would, and so do those above the table, whose
 * rise is 0. Write where there are deletions, and insertions from the column before; return how many of the steps on a
 * diagonal cost nothing. */
static FOR_EACH_NUMBER int64_t fill_band(
    Column *columns, const uint8_t *bytes, int64_t lowest, const uint32_t *text, int64_t m, int64_t diagonal,
    uint64_t (*const places)(const uint8_t *, uint8_t)
) {
    uint64_t more = ~(uint64_t)0 << -lowest, less = 0, in_table = more, n_free = 0;
    for (int64_t j = 0; j < m; j++) {
        uint64_t free_steps = places(bytes + j, (uint8_t)text[j]) & in_table, rises_not, falls;
        in_table = in_table >> 1 | (uint64_t)1 << 63;
        free_steps = (((free_steps & more) + more) ^ more) | free_steps | less;
        rises_not = (free_steps | more) & ~less, falls = free_steps & more;
        more = falls | (rises_not & ~(free_steps >> 1));
        columns[j] = (Column){more << 1, less};
        less = free_steps >> 1 & ~rises_not;
        n_free += free_steps >> diagonal & 1;
    }
    return (int64_t)n_free;
}

#if defined(WIDE_VECTORS)
BY_WIDE_VECTORS static int64_t fill_band_by_wide_vectors(
    Column *columns, const uint8_t *bytes, int64_t lowest, const uint32_t *text, int64_t m, int64_t diagonal
) {
    return fill_band(columns, bytes, lowest, text, m, diagonal, places_by_wide_vectors);
}
#endif

/* The same for tokens that are bytes, where the lengths differ by less than 64; return the edits. Where these are 64 or
 * more, there may be fewer, and nothing is written. There is room for m + 1 columns, and n + 128 bytes. */
static int64_t count_in_band(
    Column *columns, uint8_t *bytes, const uint32_t *reference, int64_t n, const uint32_t *text, int64_t m, int64_t *counts
) {
    const int64_t lowest = -((63 - n + m) >> 1);
    int64_t diagonal = n - m - lowest, deletions = 0, edits = n > m ? n : m; /* the diagonal of the last cell */
    for (int64_t i = 0; i < n; i++) bytes[64 + i] = (uint8_t)reference[i];
    bytes += 64 + lowest;
    columns[0] = (Column){0, ~(uint64_t)0}; /* where the way back ends */
#if defined(WIDE_VECTORS)
    if (WIDE_VECTORS)
        edits -= fill_band_by_wide_vectors(columns + 1, bytes, lowest, text, m, diagonal);
    else
#endif
        edits -= fill_band(columns + 1, bytes, lowest, text, m, diagonal, places_of_byte);
    if (edits >= 64) return edits;
    for (int64_t j = m; j > 0;) {
        while (!((columns[j].more | columns[j].less) >> diagonal & 1)) j--;
        if (j == 0) break;
        int64_t deleted = columns[j].more >> diagonal & 1;
        deletions += deleted, diagonal += 1 - 2 * deleted, j -= 1 - deleted;
    }
    if (diagonal + lowest > 0) deletions += diagonal + lowest; /* the rows that are left above */
    counts[0] = m + deletions - edits, counts[2] = deletions, counts[3] = m - n + deletions;
    counts[1] = n - deletions - counts[0];
    return edits;
}
