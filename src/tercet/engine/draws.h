/* The innermost loops of tests of many pairs: plain, so that compilers make vectors of them. */
#include <math.h>
#include <stdint.h>

#include "wide.h"

/* Write totals of two systems, in n draws, less what each gives, plus what it gets from the other. */
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
    const double *__restrict differences, double *__restrict largest, int64_t n, double centre, double scale, double least
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
