"""The line that says how a number was made, and the version that stands in it."""

from __future__ import annotations

from collections.abc import Mapping

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
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ",".join(_spelled(each) for each in value)
    return str(value)
