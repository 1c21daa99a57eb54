"""The functions and classes of sacrebleu, with tercet's metrics behind: ``from tercet.compat import sacrebleu``.

Scores are those of sacrebleu 2.6.0 to the last bit, and signatures name that version; tercet's own signature is in
``BLEU().tercet.signature()``. References that are not stream by stream are refused: see :class:`Metric`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any, TypeVar

from . import sacrebleu_metrics as metrics
from .sacrebleu_metrics import BLEU, CHRF, TER, Metric, Streams
from .sacrebleu_scores import VERSION, BLEUScore, CHRFScore, TERScore
from .truth_values import truth

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "Metric",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "metrics",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

__version__ = VERSION

# Making a metric takes as long as scoring a sentence.
_kept = lru_cache(maxsize=128, typed=True)(lambda cls, *options: cls(*options))


def _metric(cls: Any, *options: Any) -> Any:
    try:
        return _kept(cls, *options)
    except TypeError:  # a value without a hash
        return cls(*options)


#: Under this name until sacrebleu 2.
compute_bleu = BLEU.compute_bleu

F = TypeVar("F", bound=Callable[..., Any])


def _with_former_names(function: F) -> F:
    """Also take the keywords that sacrebleu had before version 2."""

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        for former, name in (("sys_stream", "hypotheses"), ("ref_streams", "references")):
            if former in keywords:
                keywords[name] = keywords.pop(former)
        return function(*args, **keywords)

    return call  # type: ignore[return-value]


@_with_former_names
def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a corpus against streams of references, as :meth:`Metric.corpus_score`.

    Examples
    --------
    >>> corpus_bleu(["The cat sat on the mat."], [["The cat sat on a mat."], ["A cat sat on the mat."]]).score
    100.00000000000004
    >>> corpus_bleu(["a b", "c d", "e f"], [["a b", "b"], ["c d"], ["e f"]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tercet.errors.InputError: BLEU: the references look transposed, with a list for each hypothesis. ...
    """
    effective = truth("corpus_bleu", "use_effective_order", use_effective_order)
    options = (lowercase, force, tokenize, smooth_method, smooth_value, metrics.MAX_NGRAM_ORDER, effective)
    score: BLEUScore = _metric(BLEU, *options).corpus_score(hypotheses, references)
    return score


@_with_former_names
def raw_corpus_bleu(
    hypotheses: Sequence[str], references: Streams, smooth_value: float | None = BLEU.SMOOTH_DEFAULTS["floor"]
) -> BLEUScore:
    """Score a corpus that is split into tokens at white space, with smoothing by a floor."""
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        lowercase=False,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one hypothesis against its references, as :meth:`Metric.sentence_score`."""
    effective = truth("sentence_bleu", "use_effective_order", use_effective_order)
    options = (lowercase, False, tokenize, smooth_method, smooth_value, metrics.MAX_NGRAM_ORDER, effective)
    score: BLEUScore = _metric(BLEU, *options).sentence_score(hypothesis, references)
    return score


@_with_former_names
def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus against streams of references, as :meth:`Metric.corpus_score`."""
    whitespace = not truth("corpus_chrf", "remove_whitespace", remove_whitespace)
    options = (char_order, word_order, beta, False, whitespace, eps_smoothing)
    score: CHRFScore = _metric(CHRF, *options).corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one hypothesis against its references, as :meth:`Metric.sentence_score`."""
    whitespace = not truth("sentence_chrf", "remove_whitespace", remove_whitespace)
    options = (char_order, word_order, beta, False, whitespace, eps_smoothing)
    score: CHRFScore = _metric(CHRF, *options).sentence_score(hypothesis, references)
    return score


@_with_former_names
def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score a corpus against streams of references, as :meth:`Metric.corpus_score`."""
    score: TERScore = _metric(TER, normalized, no_punct, asian_support, case_sensitive).corpus_score(
        hypotheses, references
    )
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one hypothesis against its references, as :meth:`Metric.sentence_score`."""
    score: TERScore = _metric(TER, normalized, no_punct, asian_support, case_sensitive).sentence_score(
        hypothesis, references
    )
    return score
