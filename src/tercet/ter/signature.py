"""The signature of a translation edit rate."""

from __future__ import annotations

from tercet.core.signature import Signature

from .options import TerOptions


def ter_signature(metric: str, o: TerOptions) -> Signature:
    """Return the options that the scores depend on, by the names of sacrebleu's signature.

    Examples
    --------
    >>> print(ter_signature("ter", TerOptions(normalized=True)))
    ter|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|equals:sacrebleu|version:tercet-0.1.0
    """
    parts = {
        "case": "mixed" if o.case_sensitive else "lc",
        "tok": "tercom",
        "norm": o.normalized,
        "punct": not o.no_punct,
        "asian": o.asian_support,
        "missing": None if o.missing_references == "error" else o.missing_references,
        "equals": "sacrebleu" if o.missing_references == "error" else None,
    }
    return Signature.of(metric, parts)
