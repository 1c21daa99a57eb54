"""What a user of BLEU is told besides the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .smoothing import Counts

#: By the package whose number it is: the smoothing that it has.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


def unsplit_notice(tokenizer: object) -> str:
    """Return the warning that a tokenizer which splits at blanks met texts without any."""
    return (
        f"tokenizer={tokenizer!r} splits at spaces and punctuation, but these references are mostly in "
        "scripts written without spaces. Give tokenizer='zh', 'ja', 'jieba', 'char' or 'unicode'."
    )


def facts_line(known: Mapping[str, Any], scale: float) -> str:
    """Return what is known of a corpus as sacrebleu prints it.

    Examples
    --------
    >>> known = {"bleu": 0.5373, "precisions": [5 / 6, 0.6, 0.5, 1 / 3], "brevity_penalty": 1.0, "length_ratio": 1.0}
    >>> facts_line({**known, "translation_length": 6, "reference_length": 6}, 1)
    'BLEU = 53.7 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)'
    """
    bleu, *precisions = (100 / scale * value for value in (known["bleu"], *known["precisions"]))
    return (
        f"BLEU = {bleu:.1f} {'/'.join(f'{each:.1f}' for each in precisions)} (BP = {known['brevity_penalty']:.3f} "
        f"ratio = {known['length_ratio']:.3f} hyp_len = {known['translation_length']} "
        f"ref_len = {known['reference_length']:g})"
    )


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place "
        "of the corpus, and a resampled corpus has no last item. Leave out compat='nltk' and give "
        "tokenizer='none', which takes the corpus, or smooth with 'nltk1' to 'nltk4'."
    )


def zero_remark(
    counts: Counts, used: Sequence[Any], effective: bool, compat: str | None, smoothed: bool = False
) -> str | None:
    """Return why the BLEU of a corpus is 0 although words match, and what gives it a score.

    Parameters
    ----------
    counts : Counts
        Of one corpus.
    used : sequence of N flags
        Orders whose weight is not 0, in the weightings that were asked for.
    effective : bool
        Whether orders of which the predictions have no n-gram are left out.
    compat : str or None
        Whose number it is.
    smoothed : bool
        Whether orders without a match have a precision all the same; not those that no prediction is long enough for.

    Examples
    --------
    >>> counts = Counts([3.0, 1.0, 0.0, 0.0], [5.0, 4.0, 3.0, 2.0], 5.0)
    >>> zero_remark(counts, [True] * 4, False, None)  # doctest: +NORMALIZE_WHITESPACE
    "BLEU is 0 only because no n-gram of order 3 matches (of order 1, 3 of 5 match). smooth_method='exp' gives such a
    corpus a nonzero score."
    >>> perfect = Counts([2.0, 1.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], 2.0)
    >>> zero_remark(perfect, [True] * 4, False, None)  # doctest: +NORMALIZE_WHITESPACE
    'BLEU is 0 only because the texts are short: no prediction has an n-gram of order 3 (of order 1, 2 of 2 match).
    effective_order=True gives such a corpus a nonzero score.'
    """
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
