"""The line that says how a number was made, and the version that stands in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

__version__ = "0.1.0"


def format_signature(metric: str, parts: Mapping[str, object]) -> str:
    """Return ``metric|key:value|...|version:tercet-x.y.z`` without the parts that are None.

    Two results with the same signature were made by the same rules; statistics with different ones do not merge.

    Examples
    --------
    >>> format_signature("bleu_multi", {"tok": "13a", "stem": None, "eff": False})
    'bleu_multi|tok:13a|eff:no|version:tercet-0.1.0'
    """
    fields = [f"{key}:{_spelled(value)}" for key, value in parts.items() if value is not None]
    return "|".join([metric, *fields, f"version:tercet-{__version__}"])


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, (list, tuple)):
        return ",".join(_spelled(each) for each in value)
    return str(value)


def digest(words: Iterable[str]) -> str:
    """Return eight characters that stand for a list of words.

    Examples
    --------
    >>> digest(["a", "the"]) == digest(["a", "an"])
    False
    """
    return sha256("\0".join(words).encode()).hexdigest()[:8]
