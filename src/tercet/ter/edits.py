"""Edits and shifts that turn texts into their references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.columns.ragged import Ragged

from .shift_kernels import fill_edits

Documents = NDArray[np.int64]


class Edits(NamedTuple):
    """How one text becomes its reference.

    Attributes
    ----------
    shifts : list of (int, int, int)
        In their order: where the first word stood, how many there are, and where the first one stands then.
    steps : list of int
        The alignment of the shifted text and the reference: `MATCH`, `SUBSTITUTION`, `INSERTION` (a word of the
        text alone) and `DELETION` (one of the reference) of :mod:`.beam_kernels`.
    """

    shifts: list[tuple[int, int, int]]
    steps: list[int]


def edit_counts(tokens: Ragged, texts: Documents, references: Documents, n_types: int) -> NDArray[np.int64]:
    """Return how many edits turn each text into its reference; a shift of words next to each other is one edit.

    The rules are those of Tercom (Snover et al. 2006) in the form of sacrebleu, which the number is equal to: of all
    shifts of up to 10 words that match the reference, by up to 50 places, the one that lowers the edit distance
    most is made, as long as there is one; the distance counts paths in a beam of 25 cells around the diagonal; a
    text tries 1,000 shifts at most.

    Parameters
    ----------
    tokens : Ragged of int32
        Token ids of all documents.
    texts, references : ndarray of int64, shape (g,)
        The two documents of each pair.
    n_types : int
        All ids are smaller than it.

    Returns
    -------
    ndarray of int64, shape (g,)

    Notes
    -----
    Time per pair: 50 cells of a table a word, and for each shift that is tried 50 cells a word that it moves or
    passes. Memory: 4 bytes a type, and some 500 bytes a word of the longest document.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 2, 3, 2, 3, 0, 4], np.int32), np.array([0, 4, 8]))
    >>> edit_counts(documents, np.array([0]), np.array([1]), 5).tolist()
    [2]
    """
    return _filled(tokens, texts, references, n_types)[0]


def edits_of(tokens: Ragged, text: int, reference: int, n_types: int) -> Edits:
    """Return the edits that :func:`edit_counts` counts, of one pair.

    Examples
    --------
    >>> documents = Ragged(np.array([0, 1, 2, 3, 2, 3, 0, 4], np.int32), np.array([0, 4, 8]))
    >>> edits_of(documents, 0, 1, 5)
    Edits(shifts=[(2, 2, 0)], steps=[0, 0, 0, 1])
    """
    _, shifts, steps, sizes = _filled(tokens, np.array([text]), np.array([reference]), n_types)
    n_shifts, n_steps = sizes.tolist()
    return Edits([(a, b, c) for a, b, c in shifts[:n_shifts].tolist()], steps[:n_steps][::-1].tolist())


def _filled(
    tokens: Ragged, texts: Documents, references: Documents, n_types: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    lengths = tokens.lengths
    longest = int(lengths.max(initial=0))
    edits, sizes = np.zeros(len(texts), np.int64), np.zeros(2, np.int64)
    shifts, steps = np.zeros((longest + 1, 3), np.int64), np.zeros(2 * longest, np.uint8)
    fill_edits(tokens.values, tokens.offsets, texts, references, n_types, edits, shifts, steps, sizes)
    return edits, shifts, steps, sizes
