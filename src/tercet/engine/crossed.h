/* The innermost loop of `crossed.pxi`: what each of n references has of one n-gram, at most `most` of it, is added to
 * the total of that reference. Plain, so that compilers make vectors of it. */
#include <stddef.h>
#include <stdint.h>

static inline void add_clipped(uint8_t *__restrict totals, const uint8_t *__restrict counts, uint8_t most, size_t n) {
    for (size_t r = 0; r < n; r++) totals[r] = (uint8_t)(totals[r] + (counts[r] < most ? counts[r] : most));
}
