/* N-grams that two texts share, by sets of places in the shorter one, a bit each.
 *
 * From where the number stands that the text has at i follows, order by order, where the n-grams end that end at i:
 *
 *     ends of order n = (ends of order n - 1 at i - 1, moved on by one) & places of the number at i
 *
 * Clipping takes the lowest place that is still free. All orders are counted at once, so that their chains of steps
 * overlap in the processor; `n_orders` is a number that the compiler knows, at most MOST_AT_ONCE: `matches` has room
 * for these. The other text has at most 8 sizeof(set_t) numbers, all of both are below the size of `places`, which are
 * empty before, and number 0 stands nowhere. */
#include <stddef.h>
#include <stdint.h>

#if defined(__SIZEOF_INT128__)
typedef unsigned __int128 wide_t;
#else
typedef uint64_t wide_t;
#endif
enum { MOST_AT_ONCE = 6 };

#define MATCH_BY_SETS(name, set_t)                                                                              \
    static inline void name(set_t *places, const uint32_t *text, size_t size, const uint32_t *other,            \
                            size_t length, const int n_orders, int64_t *matches) {                              \
        set_t ends[MOST_AT_ONCE], left[MOST_AT_ONCE];                                                           \
        for (size_t i = 0; i < length; i++) places[other[i]] |= (set_t)1 << i;                                  \
        places[0] = 0;                                                                                          \
        for (int n = 0; n < n_orders; n++) ends[n] = 0, left[n] = ~(set_t)0;                                    \
        for (size_t i = 0; i < size; i++) {                                                                     \
            const set_t here = places[text[i]];                                                                 \
            for (int n = n_orders - 1; n > 0; n--) ends[n] = (ends[n - 1] << 1) & here;                         \
            ends[0] = here;                                                                                     \
            for (int n = 0; n < n_orders; n++) {                                                                \
                const set_t open = ends[n] & left[n];                                                           \
                left[n] ^= open & (0 - open);                                                                   \
            }                                                                                                   \
        }                                                                                                       \
        for (int n = 0; n < n_orders; n++) {                                                                    \
            const set_t taken = ~left[n];                                                                       \
            matches[n] = (int64_t)(bit_count((uint64_t)taken) + bit_count((uint64_t)(taken >> 32 >> 32)));      \
        }                                                                                                       \
    }

MATCH_BY_SETS(match_in_one, uint64_t)
MATCH_BY_SETS(match_in_two, wide_t)
