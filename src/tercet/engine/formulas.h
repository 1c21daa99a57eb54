/* Formulas of many sums that lie column by column: plain loops, so that compilers make vectors of them. */
#include <math.h>
#include <stddef.h>

#include "wide.h"

/* Add precision and recall of an order to their sums, and count the order, where both texts have n-grams of it. */
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
