"""What a user is told about the BLEU of a corpus: what it means, its line of facts, why it has no interval."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

#: Bands of the AutoML Translation documentation, by the BLEU in percent that each starts at; a rough guide, for one
#: language and test set.
BANDS = (
    (0, "0-10: almost useless"),
    (10, "10-20: hard to get the gist"),
    (20, "20-30: the gist is clear, but has significant grammatical errors"),
    (30, "30-40: understandable to good translations"),
    (40, "40-50: high quality translations"),
    (50, "50-60: very high quality, adequate and fluent translations"),
    (60, "over 60: quality often better than human"),
)
_STARTS = [start for start, _ in BANDS]


def interpretation(percent: float) -> str:
    """Return the interpretation of a BLEU in percent.

    Scores of different languages or test sets cannot be compared, and so neither can their bands.
    """
    band = bisect_right(_STARTS, percent) - 1
    _, meaning = BANDS[band]
    return meaning


def line_of_sacrebleu(report: Mapping[str, Any], scale: float) -> str:
    """Return what a result says besides its score, as sacrebleu prints it, in percent."""
    percent = 100 / scale
    precisions = "/".join(f"{percent * precision:.1f}" for precision in report["precisions"])
    return (
        f"BLEU = {percent * report['bleu']:.1f} {precisions} "
        f"(BP = {report['brevity_penalty']:.3f} ratio = {report['length_ratio']:.3f} "
        f"hyp_len = {report['translation_length']} ref_len = {report['reference_length']:g})"
    )


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place of "
        "the corpus, and a resampled corpus has no last item. To smooth over the corpus, leave out compat='nltk' and "
        "give tokenizer='none'; or smooth with 'nltk1' to 'nltk4'."
    )
