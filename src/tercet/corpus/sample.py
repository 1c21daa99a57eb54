"""Places of a sample: what is looked at where looking at all texts would take as long as scoring them."""

from __future__ import annotations

from functools import lru_cache

_GOLDEN = (5**0.5 - 1) / 2


@lru_cache
def places(n: int, number: int) -> list[int]:
    """Return so many places of n, or up to twice as many; all of them where n is less than twice the number.

    They are one of each stretch of the same length, at another place in each: texts of systems or languages that
    take turns are all among them.
    """
    step = max(1, n // number)
    return [start + int(turn * _GOLDEN % 1 * step) for turn, start in enumerate(range(0, n - step + 1, step))]
