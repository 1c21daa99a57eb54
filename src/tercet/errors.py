"""Errors that tercet raises on purpose; each names the item or option, what was given and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TercetError(ValueError):
    """Base of every error that tercet raises on purpose."""


class InputError(TercetError):
    """A text, a list of references or a corpus that cannot be scored."""


class OptionError(TercetError):
    """An option that no metric knows, or a value that it does not take."""


class MergeError(TercetError):
    """Statistics that were made with different options and so do not add up."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known spelling, or all of them when none is near.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        What would have been right.

    Returns
    -------
    str
        A sentence to put behind an error message.

    Examples
    --------
    >>> did_you_mean("smooth_metod", ["smooth_method", "tokenizer"])
    "Did you mean 'smooth_method'?"
    >>> did_you_mean("x", ["smooth_method", "tokenizer"])
    'Known: smooth_method, tokenizer.'
    >>> did_you_mean("bleu", ["bleu_multi", "rouge_nlws"])
    "Did you mean 'bleu_multi'?"
    """
    names = list(known)
    folded = {candidate.lower(): candidate for candidate in names}
    near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    if not near and len(name) > 2:
        near = [each for each in folded if each.startswith(name.lower())]
    if near:
        return f"Did you mean {folded[near[0]]!r}?"
    return f"Known: {', '.join(names)}."


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)`` cut to `limit` characters, for messages about values of any size.

    Examples
    --------
    >>> shorten("a" * 100, limit=10)
    "'aaaaaaaa…"
    """
    text = repr(value[:limit]) if isinstance(value, (str, bytes, list, tuple)) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
