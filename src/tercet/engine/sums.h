/* The innermost loop of weighted sums. */
#include "wide.h"

enum { TILE = 256, TOGETHER = 4 };

/* Add to each of n totals its weights of some items (rows of weights) times a value of each item. */
FOR_WIDE_VECTORS static void add_items(double *__restrict totals, double (*__restrict weights)[TILE], const double *__restrict values, int n) {
    for (int k = 0; k < n; k++)
        totals[k] += weights[0][k] * values[0] + weights[1][k] * values[1] + weights[2][k] * values[2] + weights[3][k] * values[3];
}
