"""Names with numbers, such as those of runs: their words and numbers, in any script."""

from __future__ import annotations

import re

#: Between the parts of a name.
SEPARATORS = "-_./: "

#: Words that number runs, and name no system.
_COUNTED = {
    *("attempt", "checkpoint", "ckpt", "epoch", "fold", "iter", "iteration", "rep", "repeat", "repetition"),
    *("replicate", "run", "sample", "seed", "step", "trial", "try"),
}


def words_of(name: str) -> list[str]:
    """Return the words in a name."""
    words: list[str] = re.findall(r"[^\W\d_]+", name)
    return words


def numbers_of(name: str) -> tuple[str, ...]:
    """Return the numbers in a name, as they are written."""
    return tuple(re.findall(r"\d+", name))


def shape_of(name: str) -> str:
    """Return a name with a sign for each number."""
    return re.sub(r"\d+", "#", name)


def is_number(name: str) -> bool:
    """Return whether a name is a number, also that of a seed or a step."""
    return bool(numbers_of(name)) and _COUNTED.issuperset(word.casefold() for word in words_of(name))


def is_letter(name: str) -> bool:
    """Return whether a name is a single letter, such as a or B; one of Chinese is a word."""
    return len(name) == 1 and name.lower() != name.upper()


def without_number(name: str) -> str:
    """Return the name of a system from that of a numbered output."""
    words = [word for word in re.split(r"\d+|[-_./: ]+", name) if word]
    return "-".join(word for word in words if word.casefold() not in _COUNTED) or name
