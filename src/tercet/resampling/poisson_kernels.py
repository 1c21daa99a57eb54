"""Kernels of the Poisson bootstrap: keys of items, and how often each item is drawn in each resample."""

import numpy as np

from tercet.core.jit import kernel, part_of_kernel

U64 = np.uint64
_STEP = U64(0x9E3779B97F4A7C15)


@part_of_kernel
def _mixed(bits):
    """Return 64 bits that look random (the last steps of splitmix64: Steele, Lea and Flood 2014)."""
    bits = (bits ^ (bits >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> U64(27))) * U64(0x94D049BB133111EB)
    return bits ^ (bits >> U64(31))


@kernel
def hash_texts(data, offsets, keys):
    """Replace the key of each text by one that also depends on the text's bytes, eight at a time."""
    for text in range(len(keys)):
        start, stop = U64(offsets[text]), U64(offsets[text + 1])
        key = _mixed(keys[text] + (stop - start) * _STEP)
        while start < stop:
            word = U64(0)
            end = min(start + U64(8), stop)
            for at in range(start, end):
                word = (word << U64(8)) | U64(data[at])
            key = _mixed((key ^ word) + _STEP)
            start = end
        keys[text] = key


@kernel
def fill_weights(keys, weight_of, bits, weights):
    """Fill in how often each item, by its key, is drawn in each resample.

    A resample has 16 bits of each item, and `weight_of` says what they stand for; `bits` (uint64) is room for those
    of one item.
    """
    draws = bits.view(np.uint16)
    for item in range(len(keys)):
        for quarter in range(len(bits)):
            bits[quarter] = _mixed(keys[item] + U64(quarter + 1) * _STEP)
        row = weights[item]
        for resample in range(len(row)):
            row[resample] = weight_of[U64(draws[resample])]
