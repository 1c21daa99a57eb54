"""The kinds of paired tests by name: how they resample, and what sentences call them."""

from __future__ import annotations

from typing import NamedTuple

from .draws import Resamples


class TestKind(NamedTuple):
    """How two systems are tested on the same units.

    Attributes
    ----------
    name : str
    title : str
        What sentences call it, without the article.
    is_resampled : bool
        Whether p is from resamples, which all pairs share. Else it is computed, and pairs are adjusted by Holm.
    exchanges : bool
        Whether outputs are exchanged unit by unit: then p of n units is at least 2 ** (1 - n).
    is_centred : bool
        Whether the size of a null difference is by how much it exceeds the mean of all, as in Koehn's test (2004).
        Of a clear difference that is one tail.
    """

    name: str
    title: str
    is_resampled: bool
    exchanges: bool
    is_centred: bool = False

    @property
    def errs_more(self) -> bool:
        """Whether it calls equal systems different more often than alpha says: two to four times as often."""
        return self.is_centred

    def resamples(self, n_units: int, n_resamples: int) -> Resamples:
        """Return how many resamples a test takes: those asked for, or all exchanges of units where they are fewer."""
        if self.exchanges:
            return Resamples.of_exchanges(n_units, n_resamples)
        return Resamples(n_resamples)

    def level(self, alpha: float) -> str:
        """Return the level of the test, as sentences have it."""
        if self.errs_more:
            return f"nominal alpha {alpha:g}; this test errs two to four times as often"
        return f"alpha {alpha:g}"


PERMUTATION = TestKind("permutation", "paired permutation test", is_resampled=True, exchanges=True)
BOOTSTRAP = TestKind("bootstrap", "paired bootstrap test", is_resampled=True, exchanges=False, is_centred=True)
#: Of scores that are 0 or 1: what all permutations would give.
MCNEMAR = TestKind("McNemar", "McNemar's exact test", is_resampled=False, exchanges=True)
#: Of systems with several runs.
WELCH = TestKind("Welch", "Welch's t over units and runs", is_resampled=False, exchanges=False)

#: The tests by name. Those of systems with one output each can be asked for.
TESTS = {test.name: test for test in (PERMUTATION, BOOTSTRAP, WELCH)}
