"""Options of bleu_multi, and what its scores roughly mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from .dialect import Dialect
from .options import Check, Options, finite, flag, integer, number, one_of, option, refuse, text_or_callable
from .smoothing import SMOOTH_METHODS

#: Bands of the AutoML Translation documentation, by BLEU in percent; a rough guide, for one language and test set.
BANDS = (
    (10, "almost useless"),
    (20, "hard to get the gist"),
    (30, "the gist is clear, but has significant grammatical errors"),
    (40, "understandable to good translations"),
    (50, "high quality translations"),
    (60, "very high quality, adequate and fluent translations"),
    (float("inf"), "quality often better than human"),
)

REFERENCE_LENGTHS = ("closest", "shortest", "average")
TOKENIZERS = ("13a", "intl", "zh", "ja", "jieba", "char", "unicode", "none")


def _as_weights(value: Any) -> tuple[float, ...]:
    if isinstance(value, (bytes, bytearray, Set, Mapping)):  # numbers, too, but of no order or no weights
        raise TypeError
    weights = tuple(finite(weight) for weight in value)
    if not weights or any(weight is None or weight < 0 for weight in weights) or not any(weights):
        raise ValueError
    return tuple(weight for weight in weights if weight is not None)


def _check_weights(value: Any) -> Any:
    if value is None:
        return None
    try:
        if isinstance(value, Mapping):
            named = {str(name): _as_weights(weights) for name, weights in value.items()}
            if len(named) < len(value) or any(set(name) & set("|;=,: ") for name in named):
                raise ValueError
            return named
        return _as_weights(value)
    except (TypeError, ValueError):
        raise refuse(
            "a sequence of weights such as (0.25, 0.25, 0.25, 0.25), none negative and not all 0, or a dict of "
            "named ones (each name once, without | ; = , : or blanks)"
        ) from None


def _each(check: Check) -> Check:
    """Return a check of a list of values, or of one of them."""

    def check_each(values: Any) -> list[Any]:
        if isinstance(values, (list, tuple)):
            if not values:
                raise refuse("True or a dict whose lists are not empty")
            return [check(value) for value in values]
        return [check(values)]

    return check_each


def _check_grid(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value or None
    axes: dict[str, Check] = {
        "weights": _check_weights,
        "smooth_method": _each(one_of(*SMOOTH_METHODS)),
        "reference_length": _each(one_of(*REFERENCE_LENGTHS)),
    }
    if isinstance(value, Mapping) and value and set(value) <= set(axes):
        return {name: axes[name](given) for name, given in value.items()}
    raise refuse("True or a dict with any of the keys 'weights', 'smooth_method' and 'reference_length'")


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuOptions(Options):
    """Options of bleu_multi; the card describes each."""

    tokenizer: str | Callable[[str], Iterable[str]] = option("13a", one_of(*TOKENIZERS, callables=True))
    lowercase: bool = option(False, flag)
    max_order: int = option(4, integer(1, 20))
    weights: Sequence[float] | Mapping[str, Sequence[float]] | None = option(None, _check_weights)
    smooth_method: str = option("none", one_of(*SMOOTH_METHODS))
    smooth_value: float | None = option(
        None, number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000, none=True)
    )
    smooth: bool = option(False, flag)
    reference_length: str = option("closest", one_of(*REFERENCE_LENGTHS))
    effective_order: bool = option(False, flag)
    stemmer: str | Callable[[str], str] | None = option(None, text_or_callable("a language"))
    lemmatizer: str | Callable[[str], str] | None = option(None, text_or_callable("a language code"))
    grid: Any = option(None, _check_grid)
    compat: str | None = option(None, one_of(None, "sacrebleu", "evaluate", "nltk"))


#: What other packages do where the default differs from it.
PRESETS = {
    "sacrebleu": {"smooth_method": "exp"},
    "evaluate": {"reference_length": "shortest"},
    "nltk": {"tokenizer": "none"},
}

#: How evaluate's sacrebleu is called, and answers. Its `force` silences a warning that is not given here.
DIALECTS = {
    "sacrebleu": Dialect(
        options={"compat": "sacrebleu", "scale": 100},
        arguments={"tokenize": "tokenizer", "use_effective_order": "effective_order"},
        without_effect=("force",),
        keys={
            "score": "bleu", "counts": "counts", "totals": "totals", "precisions": "precisions",
            "bp": "brevity_penalty", "sys_len": "translation_length", "ref_len": "reference_length",
        },
        left_out=("length_ratio",),
    ),
}  # fmt: skip


def interpretation(percent: float) -> str:
    """Return what a BLEU in percent roughly means.

    Scores of different languages or test sets cannot be compared, and so neither can their bands.

    Examples
    --------
    >>> interpretation(27.2)
    '20-30: the gist is clear, but has significant grammatical errors'
    """
    low = 0.0
    for high, meaning in BANDS:
        if percent < high:
            bounds = f"over {low:g}" if high == float("inf") else f"{low:g}-{high:g}"
            return f"{bounds}: {meaning}"
        low = high
    raise AssertionError("the last band has no end")
