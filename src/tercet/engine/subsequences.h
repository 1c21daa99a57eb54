/* The longest common subsequence of long texts: a strip of the textbook's table, 504 columns wide.
 *
 * Each of eight numbers holds 63 columns, a bit each as in ngrams.pxi, so that its highest bit takes the carry of an
 * addition. `places` are eight such numbers for each token: where it stands in these columns. `carries` of each token
 * of the text come from the strip before, and become those for the next one; seven more behind them are 0.
 *
 * The next number waits for the carry, but not for other tokens: of eight numbers, vectors take each for another token,
 * one behind the other. So before and behind the text stand seven tokens that have no places. */
#include <stddef.h>
#include <stdint.h>

enum {
    NUMBERS_OF_STRIP = 8,
    COLUMNS_OF_NUMBER = 63,
    COLUMNS_OF_STRIP = NUMBERS_OF_STRIP * COLUMNS_OF_NUMBER,
    EMPTY_TOKENS = NUMBERS_OF_STRIP - 1
};
static const uint64_t ALL_COLUMNS = ~(uint64_t)0 >> 1;

static uint64_t columns_that_grow(const uint64_t *row) {
    uint64_t n = 0;
    for (int k = 0; k < NUMBERS_OF_STRIP; k++) n += bit_count(~row[k] & ALL_COLUMNS);
    return n;
}

static uint64_t common_in_order(const uint32_t *text, size_t size, const uint64_t *places, uint8_t *carries) {
    uint64_t row[NUMBERS_OF_STRIP];
    for (int k = 0; k < NUMBERS_OF_STRIP; k++) row[k] = ALL_COLUMNS;
    for (size_t i = 0; i < size; i++) {
        const uint64_t *here = places + NUMBERS_OF_STRIP * (size_t)text[i];
        uint64_t carry = carries[i];
        for (int k = 0; k < NUMBERS_OF_STRIP; k++) {
            uint64_t both = row[k] & here[k], sum = row[k] + both + carry;
            row[k] = (sum | (row[k] ^ both)) & ALL_COLUMNS;
            carry = sum >> COLUMNS_OF_NUMBER;
        }
        carries[i] = (uint8_t)carry;
    }
    return columns_that_grow(row);
}

#if defined(WIDE_VECTORS)
#define AT(k) (long long)places[NUMBERS_OF_STRIP * (size_t)token[-(k)] + (k)]

/* The next four numbers; their carries become those that they hand on. */
BY_WIDE_VECTORS static inline __m256i next_numbers(__m256i row, __m256i places, __m256i *carries) {
    __m256i both = _mm256_and_si256(row, places), sum = _mm256_add_epi64(_mm256_add_epi64(row, both), *carries);
    *carries = _mm256_srli_epi64(sum, COLUMNS_OF_NUMBER);
    row = _mm256_or_si256(sum, _mm256_xor_si256(row, both));
    return _mm256_and_si256(row, _mm256_set1_epi64x((long long)ALL_COLUMNS));
}

BY_WIDE_VECTORS static uint64_t common_by_vectors(
    const uint32_t *text, size_t size, const uint64_t *places, uint8_t *carries
) {
    __m256i low = _mm256_set1_epi64x((long long)ALL_COLUMNS), high = low;
    __m256i of_low = _mm256_setzero_si256(), of_high = of_low;
    uint64_t row[NUMBERS_OF_STRIP];
    for (size_t i = 0; i < size + EMPTY_TOKENS; i++) {
        const uint32_t *token = text + i; /* of the first number; the last one is seven behind */
        __m256i first = _mm256_set_epi64x(0, 0, 0, carries[i]);
        of_low = _mm256_permute4x64_epi64(of_low, 0x93); /* each moves on, and the last one to the front */
        of_high = _mm256_permute4x64_epi64(of_high, 0x93);
        of_high = _mm256_blend_epi32(of_high, of_low, 3);
        of_low = _mm256_blend_epi32(of_low, first, 3);
        low = next_numbers(low, _mm256_set_epi64x(AT(3), AT(2), AT(1), AT(0)), &of_low);
        high = next_numbers(high, _mm256_set_epi64x(AT(7), AT(6), AT(5), AT(4)), &of_high);
        if (i >= EMPTY_TOKENS) carries[i - EMPTY_TOKENS] = (uint8_t)_mm256_extract_epi64(of_high, 3);
    }
    _mm256_storeu_si256((__m256i *)row, low);
    _mm256_storeu_si256((__m256i *)(row + 4), high);
    return columns_that_grow(row);
}
#endif

/* Return how many columns of the strip the subsequence grows in. */
static uint64_t common_in_strip(const uint32_t *text, size_t size, const uint64_t *places, uint8_t *carries) {
#if defined(WIDE_VECTORS)
    if (WIDE_VECTORS) return common_by_vectors(text, size, places, carries);
#endif
    return common_in_order(text, size, places, carries);
}
