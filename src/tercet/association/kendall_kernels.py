"""The kernel of Kendall's tau: pairs in the same order less pairs in the other, in n log n steps."""

import numpy as np

from tercet.core.jit import kernel


@kernel
def fill_order_sums(starts, ranks, n_ranks, weights, sums):
    """Fill `sums`, shape (B,): for each row of weights the weight of concordant less that of discordant pairs.

    Points come sorted by x; ``starts[g]`` to ``starts[g + 1]`` are those with the same x. `ranks`, from 1 to
    `n_ranks`, are dense ranks of y. `weights` has shape (B, n). Each point looks up how much before
    it is lower and higher in y in a tree of partial sums: B n log n steps, memory for one tree.
    """
    tree = np.zeros(n_ranks + 1)
    for row in range(len(weights)):
        tree[:] = 0.0
        total, found = 0.0, 0.0
        for group in range(len(starts) - 1):
            for point in range(starts[group], starts[group + 1]):
                upto, index = 0.0, ranks[point]
                while index > 0:
                    upto += tree[index]
                    index -= index & -index
                below, index = 0.0, ranks[point] - 1
                while index > 0:
                    below += tree[index]
                    index -= index & -index
                found += weights[row, point] * (below - (total - upto))
            for point in range(starts[group], starts[group + 1]):
                index = ranks[point]
                while index <= n_ranks:
                    tree[index] += weights[row, point]
                    index += index & -index
                total += weights[row, point]
        sums[row] = found
