/* Innermost loops over many numbers: plain, so that compilers make vectors of them. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Some are compiled twice where a processor can choose: with its wider registers they take half the time. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__)
#define FOR_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_WIDE_VECTORS
#endif

/* crossed.pxi: what each of n references has of one n-gram, at most `most` of it, is added to its total. */
static inline void add_clipped(uint8_t *__restrict totals, const uint8_t *__restrict counts, uint8_t most, size_t n) {
    for (size_t r = 0; r < n; r++) totals[r] = (uint8_t)(totals[r] + (counts[r] < most ? counts[r] : most));
}

enum { TILE = 256, TOGETHER = 4 };

/* sums.pxi: add to each of n totals its weights of some items (rows of weights) times a value of each item. */
FOR_WIDE_VECTORS static void add_items(
    double *__restrict totals, double (*__restrict weights)[TILE], const double *__restrict values, int n
) {
    for (int k = 0; k < n; k++)
        totals[k] += weights[0][k] * values[0] + weights[1][k] * values[1] + weights[2][k] * values[2]
            + weights[3][k] * values[3];
}

/* null_draws.pxi: write totals of two systems, in n draws, less what each gives, plus what it gets from the other. */
FOR_WIDE_VECTORS static void exchange_sums(
    double *__restrict to_first, double *__restrict to_second, const double *__restrict first,
    const double *__restrict second, double total_of_first, double total_of_second, int64_t n
) {
    for (int64_t draw = 0; draw < n; draw++) {
        to_first[draw] = total_of_first - first[draw] + second[draw];
        to_second[draw] = total_of_second - second[draw] + first[draw];
    }
}

/* Return how many sizes of differences, less the centre, are at least as large. */
FOR_WIDE_VECTORS static int64_t count_alone(const double *differences, int64_t n, double centre, double least) {
    int64_t count = 0;
    for (int64_t draw = 0; draw < n; draw++) count += fabs(differences[draw]) - centre >= least;
    return count;
}

/* Take the sizes, divided by the scale, into the largest of each draw; return how many of these are then as large. */
FOR_WIDE_VECTORS static int64_t count_largest(
    const double *__restrict differences, double *__restrict largest, int64_t n, double centre, double scale,
    double least
) {
    int64_t count = 0;
    for (int64_t draw = 0; draw < n; draw++) {
        double size = (fabs(differences[draw]) - centre) / scale;
        double greater = size > largest[draw] ? size : largest[draw]; /* NaN is never greater */
        largest[draw] = greater;
        count += greater >= least;
    }
    return count;
}

/* chrf.pxi: add precision and recall of an order to their sums, and count it, where both texts have n-grams of it. */
FOR_WIDE_VECTORS static void add_order(
    const double *__restrict predicted, const double *__restrict referenced, const double *__restrict matched,
    double *__restrict precisions, double *__restrict recalls, double *__restrict reached, size_t n
) {
    for (size_t i = 0; i < n; i++) {
        /* 1 or 0, as a factor: what is chosen by a condition is no vector */
        double counts = (double)(predicted[i] > 0) * (double)(referenced[i] > 0);
        precisions[i] += matched[i] * counts / (predicted[i] * counts + (1.0 - counts));
        recalls[i] += matched[i] * counts / (referenced[i] * counts + (1.0 - counts));
        reached[i] += counts;
    }
}

/* Write F of the means of precision and recall, in the steps of `f_of`. */
FOR_WIDE_VECTORS static void write_f(
    const double *__restrict precisions, const double *__restrict recalls, const double *__restrict reached,
    double factor, double scale, double *__restrict to, size_t n
) {
    for (size_t i = 0; i < n; i++) {
        double orders = reached[i] > 1.0 ? reached[i] : 1.0;
        double precision = precisions[i] / orders, recall = recalls[i] / orders;
        double below = factor * precision + recall;
        /* where there is no match, 0 over 1 */
        to[i] = scale * ((1 + factor) * precision * recall / (below + (double)(below == 0)));
    }
}
