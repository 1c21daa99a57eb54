/* Bits of bytes: what is better written in C than in Cython. */
#include <stdint.h>
#include <string.h>

static inline uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

#if defined(__POPCNT__)
static inline uint64_t bit_count(uint64_t b) { return (uint64_t)__builtin_popcountll(b); }
#else /* sums of pairs, fours and bytes */
static inline uint64_t bit_count(uint64_t b) {
    b -= (b >> 1) & 0x5555555555555555u;
    b = (b & 0x3333333333333333u) + ((b >> 2) & 0x3333333333333333u);
    b = (b + (b >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (b * 0x0101010101010101u) >> 56;
}
#endif

/* The place of the lowest one, 64 where there is none. */
#if defined(_MSC_VER)
#include <intrin.h>
static inline uint64_t lowest_bit(uint64_t b) {
    unsigned long at;
    return _BitScanForward64(&at, b) ? at : 64;
}
#else
static inline uint64_t lowest_bit(uint64_t b) { return b ? (uint64_t)__builtin_ctzll(b) : 64; }
#endif

enum { INSIDE, LINE_END, MARK, POINT, DASH, DIGIT, WIDE, N_PLANES };

#ifndef CLONES
#define CLONES
#endif

/* Texts are read in place; `planes` are N_PLANES rows of n_blocks numbers. */

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(PORTABLE)
#include <emmintrin.h>
#define SET(byte) _mm_set1_epi8((char)(byte))
#define OR _mm_or_si128
static inline __m128i is(__m128i x, int byte) { return _mm_cmpeq_epi8(x, SET(byte)); }
static inline __m128i within(__m128i x, int first, int last) {
    __m128i y = _mm_sub_epi8(x, SET(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(y, SET(last - first)), y);
}
#define COLLECT(plane, x) planes[(plane) * n_blocks + block] |= (uint64_t)(uint32_t)_mm_movemask_epi8(x) << (16 * part)

static void read_words(uint8_t *text, size_t n_blocks, uint64_t *planes) {
    memset(planes, 0, 2 * n_blocks * 8);
    for (size_t block = 0; block < n_blocks; block++)
        for (int part = 0; part < 4; part++) {
            __m128i *at = (__m128i *)(text + 64 * block + 16 * part), x = _mm_loadu_si128(at);
            __m128i small = OR(x, _mm_and_si128(within(x, 'A', 'Z'), SET(32)));
            _mm_storeu_si128(at, small);
            COLLECT(INSIDE, OR(within(small, 'a', 'z'), within(x, '0', '9')));
            COLLECT(LINE_END, is(x, '\n'));
        }
}

static void read_blanks(uint8_t *text, size_t n_blocks, uint64_t *planes) {
    memset(planes, 0, N_PLANES * n_blocks * 8);
    for (size_t block = 0; block < n_blocks; block++)
        for (int part = 0; part < 4; part++) {
            __m128i *at = (__m128i *)(text + 64 * block + 16 * part), x = _mm_loadu_si128(at);
            _mm_storeu_si128(at, OR(x, is(x, 0)));
            __m128i blank = OR(within(x, 9, 13), within(x, 28, 32)), dash = is(x, '-'), point = OR(is(x, ','), is(x, '.'));
            __m128i mark = OR(OR(within(x, 33, 47), within(x, 58, 64)), OR(within(x, 91, 96), within(x, 123, 126)));
            COLLECT(INSIDE, _mm_xor_si128(blank, SET(-1)));
            COLLECT(LINE_END, is(x, '\n'));
            COLLECT(MARK, _mm_andnot_si128(OR(OR(dash, point), is(x, '\'')), mark));
            COLLECT(POINT, point);
            COLLECT(DASH, dash);
            COLLECT(DIGIT, within(x, '0', '9'));
            COLLECT(WIDE, OR(is(x, 0xC2), within(x, 0xE1, 0xE3)));
        }
}
#else
#define WITHIN(x, first, last) ((uint8_t)((uint8_t)((x) - (first)) <= (uint8_t)((last) - (first))))
static inline void gather(const uint8_t *flags, int n_flags, size_t n_blocks, size_t block, uint64_t *planes) {
    for (int flag = 0; flag < n_flags; flag++) {
        uint64_t bits = 0;
        for (int eight = 0; eight < 8; eight++)
            bits |= ((((load64(flags + 8 * eight) >> flag) & 0x0101010101010101u) * 0x0102040810204080u) >> 56) << (8 * eight);
        planes[flag * n_blocks + block] = bits;
    }
}

CLONES static void read_words(uint8_t *text, size_t n_blocks, uint64_t *planes) {
    for (size_t block = 0; block < n_blocks; block++) {
        uint8_t *at = text + 64 * block, flags[64];
        for (int i = 0; i < 64; i++) {
            uint8_t byte = at[i], small = byte | (uint8_t)(WITHIN(byte, 65, 90) << 5);
            at[i] = small;
            flags[i] = WITHIN(small, 97, 122) | WITHIN(byte, 48, 57) | (uint8_t)((byte == 10) << LINE_END);
        }
        gather(flags, 2, n_blocks, block, planes);
    }
}

CLONES static void read_blanks(uint8_t *text, size_t n_blocks, uint64_t *planes) {
    for (size_t block = 0; block < n_blocks; block++) {
        uint8_t *at = text + 64 * block, flags[64];
        for (int i = 0; i < 64; i++) {
            uint8_t byte = at[i], point = (byte == 44) | (byte == 46), dash = byte == 45;
            uint8_t mark = WITHIN(byte, 33, 47) | WITHIN(byte, 58, 64) | WITHIN(byte, 91, 96) | WITHIN(byte, 123, 126);
            mark &= (uint8_t)~(point | dash | (byte == 39));
            at[i] = (uint8_t)(byte - (byte == 0));
            flags[i] = (uint8_t)(1 ^ (WITHIN(byte, 9, 13) | WITHIN(byte, 28, 32))) | (uint8_t)((byte == 10) << LINE_END)
                | (uint8_t)(mark << MARK) | (uint8_t)(point << POINT) | (uint8_t)(dash << DASH)
                | (uint8_t)(WITHIN(byte, 48, 57) << DIGIT)
                | (uint8_t)((uint8_t)((byte == 0xC2) | WITHIN(byte, 0xE1, 0xE3)) << WIDE);
        }
        gather(flags, N_PLANES, n_blocks, block, planes);
    }
}
#endif

/* A few kept arenas that threads take and give back; no lock, and good without the GIL. */
#if defined(_MSC_VER)
#define EXCHANGE(place, value) _InterlockedExchangePointer((void *volatile *)(place), value)
#else
#define EXCHANGE(place, value) __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL)
#endif
#define N_KEPT 8
static void *kept[N_KEPT];
static void *take_kept(void) {
    for (int i = 0; i < N_KEPT; i++) {
        void *found = EXCHANGE(&kept[i], (void *)0);
        if (found) return found;
    }
    return 0;
}
static void *give_kept(void *arena) { /* returns what finds no place */
    for (int i = 0; i < N_KEPT && arena; i++) arena = EXCHANGE(&kept[i], arena);
    return arena;
}
