"""The warnings of BLEU, and its facts on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .smoothing import Counts

#: The smoothing of the package being reproduced.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


def facts_line(known: Mapping[str, Any], scale: float) -> str:
    """Return the facts of a corpus as sacrebleu prints them."""
    bleu, *precisions = (100 / scale * value for value in (known["bleu"], *known["precisions"]))
    return (
        f"BLEU = {bleu:.1f} {'/'.join(f'{each:.1f}' for each in precisions)} (BP = {known['brevity_penalty']:.3f} "
        f"ratio = {known['length_ratio']:.3f} hyp_len = {known['translation_length']} "
        f"ref_len = {known['reference_length']:g})"
    )


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place of "
        "the corpus, and a resampled corpus has no last item. To smooth over the corpus, leave out compat='nltk' and "
        "give tokenizer='none'; or smooth with 'nltk1' to 'nltk4'."
    )


def zero_warning(
    counts: Counts, used: Sequence[Any], effective: bool, compat: str | None, smoothed: bool = False
) -> str | None:
    """Return why the BLEU of a corpus is 0 although words match, and how to avoid that."""
    if counts.matches[0] == 0:
        return None
    each = list(zip(used, counts.matches, counts.totals, strict=True))
    unmatched = [not smoothed and bool(wanted) and hits == 0 and total > 0 for wanted, hits, total in each]
    unreached = [not effective and bool(wanted) and not total > 0 for wanted, _, total in each]
    order = next((n for n in range(len(each)) if unmatched[n] or unreached[n]), None)
    if order is None:
        return None
    why = f"no n-gram of order {order + 1} matches"
    if not unmatched[order]:
        why = f"the texts are short: no prediction has an n-gram of order {order + 1}"
    smoothing = _SMOOTHING.get(compat or "") if not smoothed else None  # which gives the orders unreached a score too
    ways = [smoothing or "smooth_method='exp'"] if smoothing or any(unmatched) else []
    ways += ["effective_order=True"] if any(unreached) and not smoothing else []
    zero = "next to 0" if compat == "nltk" else "0"
    return (
        f"BLEU is {zero} only because {why} (of order 1, {counts.matches[0]:.0f} of "
        f"{counts.totals[0]:.0f} match). {' with '.join(ways)} gives such a corpus a nonzero score."
    )
