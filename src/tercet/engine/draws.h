/* The innermost loops of tests of many pairs: plain, so that compilers make vectors of them. */
#include <math.h>
#include <stdint.h>

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
