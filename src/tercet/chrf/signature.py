"""The signature of a chrF, and which implementation gives the same number."""

from __future__ import annotations

from tercet.core.signature import Signature

from .options import ChrfOptions, word_orders


def chrf_signature(metric: str, options: ChrfOptions) -> Signature:
    """Return the options that the scores depend on; the short names are sacrebleu's.

    Examples
    --------
    >>> print(chrf_signature("chrf_multi", ChrfOptions(word_order=(0, 2))))
    chrf_multi|case:mixed|eff:yes|nc:6|nw:0,2|beta:2|space:no|equals:sacrebleu|version:tercet-0.1.0
    """
    o = options
    parts = {
        "case": "lc" if o.lowercase else "mixed",
        "eff": not o.eps_smoothing,
        "nc": o.char_order,
        "nw": tuple(word_orders(o).values()),
        "beta": o.beta,
        "space": o.whitespace,
        "missing": None if o.missing_references == "error" else o.missing_references,
        "equals": "sacrebleu" if o.missing_references == "error" else None,
    }
    return Signature.of(metric, parts)
