"""Kernel of the bootstrap."""

import numpy as np

from tercet.core.jit import kernel


@kernel
def add_draws(draws, start, n, counts):
    """Count draws of segments in uint16; the first is draw `start` of all, and n of them make a resample."""
    done = 0
    while done < len(draws):
        resample, before = divmod(start + done, n)
        stop = min(len(draws), done + n - before)
        own = counts[resample * n : (resample + 1) * n]
        for k in range(done, stop):
            own[np.uint64(draws[k])] += np.uint16(1)
        done = stop
