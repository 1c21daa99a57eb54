"""Ones among bits: how many there are, and where."""

import numpy as np

from .jit import part_of_kernel

ONE, NONE, ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@part_of_kernel
def bit_count(bits):
    """Return the number of ones (sums of pairs, fours, bytes; a processor's own instruction where it has one)."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)


@part_of_kernel
def lowest_bit(bits):
    """Return the place of the lowest one, from 0; 64 where there is none."""
    return bit_count(~bits & (bits - ONE))


@part_of_kernel
def is_set(bits, place):
    """Return whether there is a one at a place of many bits, 64 to a number."""
    return (bits[place >> np.uint64(6)] >> (place & np.uint64(63))) & ONE != NONE
