"""The texts that are measured: generated, seeded, with a Zipf-like vocabulary, so that anyone can repeat it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

VOCABULARY = 30_000
LETTERS = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))


@dataclass(frozen=True)
class Work:
    """Predictions and their references, and how many tokens all texts have."""

    name: str
    predictions: list[str]
    references: list[list[str]]
    tokens: int

    @cached_property
    def first_references(self) -> list[str]:
        """The first reference of each item."""
        return [texts[0] for texts in self.references]


def make_words(rng: np.random.Generator) -> np.ndarray:
    """Return different words; frequent ones are short, as in English (Zipf's law of abbreviation)."""
    weights = 1 / np.arange(1, len(LETTERS) + 1)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        mean = 2 + np.log2(len(words) + 2) / 2.4
        length = max(1, int(rng.normal(mean, 1.3)))
        words["".join(rng.choice(LETTERS, length, p=weights / weights.sum()))] = None
    return np.array(list(words))


def make_work(
    name: str, items: int, length: int, lines: int = 1, references: int = 1, seed: int = 1, spread: float = 1 / 6
) -> Work:
    """Return a test set: predictions and further references keep about two thirds of the first reference's words.

    Lengths have a standard deviation of `spread` times the mean; a text ends with a full stop and has a comma now and then.
    """
    rng = np.random.default_rng(seed)
    words = make_words(rng)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    weights /= weights.sum()
    sizes = np.maximum(3, rng.normal(length, length * spread, items).astype(int))
    total = int(sizes.sum())
    base = rng.choice(VOCABULARY, total, p=weights)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    columns = []
    for copy in range(references + 1):
        kept = base
        if copy != 1:
            kept = np.where(rng.random(total) < 0.68, base, rng.choice(VOCABULARY, total, p=weights))
        columns.append([_written(words[kept[start:stop]].tolist(), lines) for start, stop in pairwise(bounds)])
    lists = [list(texts) for texts in zip(*columns[1:], strict=True)]
    return Work(name, columns[0], lists, total * (references + 1))


def _written(words: list[str], lines: int) -> str:
    for comma in range(11, len(words), 12):
        words[comma] += ","
    size = -(-len(words) // lines)
    parts = [" ".join(words[start : start + size]) for start in range(0, len(words), size)]
    return "\n".join(f"{part.capitalize()}." for part in parts)
