"""Kernel of the bootstrap."""

from tercet.core.jit import kernel


@kernel
def fill_counts(draws, counts):
    """Count how often each segment was drawn: draws (b, n) -> counts (b, n) of float64, zero before."""
    for row in range(draws.shape[0]):
        for draw in draws[row]:
            counts[row, draw] += 1
