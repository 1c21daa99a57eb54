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
static inline uint64_t highest_bit(uint64_t b) { /* of one at least */
    unsigned long at;
    _BitScanReverse64(&at, b);
    return at;
}
#else
static inline uint64_t lowest_bit(uint64_t b) { return b ? (uint64_t)__builtin_ctzll(b) : 64; }
static inline uint64_t highest_bit(uint64_t b) { return 63 - (uint64_t)__builtin_clzll(b); } /* of one at least */
#endif
