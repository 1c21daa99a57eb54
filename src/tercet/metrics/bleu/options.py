"""What the options of bleu_multi may be: names, checks of each and of several together, presets of other packages."""

from __future__ import annotations

from collections.abc import Mapping, Set
from os import PathLike, curdir, fspath
from os.path import join
from typing import Any, Literal, get_args

from tercet.base.dialects import Dialect
from tercet.base.options import option
from tercet.corpus.mecab import MECAB_TOKENIZERS
from tercet.corpus.subword_models import SACREBLEU_MODELS, is_model_path
from tercet.errors import OptionError, near_hint
from tercet.option_checks import Check, finite, one_of, refuse

SmoothMethod = Literal["none", "floor", "add-k", "exp", "nltk1", "nltk2", "nltk3", "nltk4", "nltk5", "nltk6", "nltk7"]
SMOOTH_METHODS: tuple[str, ...] = get_args(SmoothMethod)
#: Those that NLTK has.
NLTK_METHODS = ("none", *(method for method in SMOOTH_METHODS if method.startswith("nltk")))
#: The default smooth_value of each method of smoothing that uses one.
SMOOTH_VALUES: dict[str, float] = {
    "floor": 0.1,
    "add-k": 1.0,
    "nltk1": 0.1,
    "nltk4": 5.0,
    "nltk6": 5.0,
    "nltk7": 5.0,
}
#: Methods of NLTK that take the order above the highest into their means.
OF_NEXT_ORDER = ("nltk5", "nltk7")
#: Methods of NLTK that look at texts: it passes them the last one alone, in place of the corpus.
OF_LAST_ITEM = ("nltk5", "nltk6", "nltk7")
#: Methods of NLTK that divide by their smooth_value, which cannot be 0.
_DIVIDING_METHODS = ("nltk4", "nltk6", "nltk7")
#: What ``smooth=True`` stands for.
ADD_ONE = "add-one"

ReferenceLength = Literal["closest", "shortest", "average"]
REFERENCE_LENGTHS: tuple[str, ...] = get_args(ReferenceLength)

#: Most named weightings: each is one more score of every item and of every resample, in time and in memory.
MOST_WEIGHTINGS = 100
#: The most that weights add up to: more would take a smoothed precision above 1 to a power that no float holds.
_MOST_WEIGHT = 100

TokenizerName = Literal[
    "13a",
    "intl",
    "zh",
    "char",
    "none",
    "ja-mecab",
    "ko-mecab",
    "flores101",
    "flores200",
    "spBLEU-1K",
    "ja",
    "jieba",
    "unicode",
]
TOKENIZERS: tuple[str, ...] = get_args(TokenizerName)

#: Those whose tokens are sacrebleu's.
OF_SACREBLEU = ("13a", "intl", "zh", "char", "none", *MECAB_TOKENIZERS, *SACREBLEU_MODELS)

#: Older names of tokenizers that sacrebleu still accepts.
_FORMER_NAMES = {"spm": "flores101"}


def _check_tokenizer(value: Any) -> Any:
    if callable(value):
        return value
    name = fspath(value) if isinstance(value, PathLike) else value
    if isinstance(name, str):
        if isinstance(value, PathLike) and not is_model_path(name):
            # A relative path without a folder could be mistaken for the name of a tokenizer.
            return join(curdir, name)
        name = _FORMER_NAMES.get(name, str(name))
        if name in TOKENIZERS or is_model_path(name):
            return name
    raise refuse(
        f"one of {', '.join(map(repr, TOKENIZERS))}, the path of a SentencePiece model (with a / in it, or with "
        ".model at its end), or a callable",
        near_hint(value, TOKENIZERS),
    )


def _as_weights(value: Any) -> tuple[float, ...]:
    # Iterating over these gives numbers too, but they are no weights, or have no order.
    if isinstance(value, (bytes, bytearray, Set, Mapping)):
        raise TypeError
    weights = tuple(finite(weight) for weight in value)
    usable_weights = tuple(weight for weight in weights if weight is not None and weight >= 0)
    if len(usable_weights) < len(weights) or not 0 < sum(usable_weights) <= _MOST_WEIGHT:
        raise ValueError
    return usable_weights


def check_weights(value: Any) -> Any:
    """Return weights as floats, or dicts of named ones as they are given."""
    if value is None:
        return None
    try:
        if isinstance(value, Mapping):
            if len(value) > MOST_WEIGHTINGS:
                raise refuse(
                    f"a dict of at most {MOST_WEIGHTINGS} named weights, because each adds a score to every item; "
                    f"this one has {len(value):,}"
                )
            weightings = {str(name): _as_weights(weights) for name, weights in value.items()}
            if not weightings or len(weightings) < len(value):
                raise ValueError
            if any(not name or set(name) & set("|;=,: ") for name in weightings):
                raise ValueError
            return weightings
        return _as_weights(value)
    except (TypeError, ValueError):
        raise refuse(
            "a sequence of weights such as (0.25, 0.25, 0.25, 0.25), none negative and not all 0, with a sum of at "
            f"most {_MOST_WEIGHT}, or a dict of named ones (each name once, not empty, without | ; = , : or blanks)"
        ) from None


def _each(check: Check) -> Check:
    """Return a check of a list of values, or of one of them."""

    def check_each(values: Any) -> list[Any]:
        if isinstance(values, (list, tuple)):
            if not values:
                raise refuse("True or a dict whose lists are not empty")
            checked = [check(value) for value in values]
            if len(set(checked)) < len(checked):
                raise refuse("True or a dict whose lists name each value once")
            return checked
        return [check(values)]

    return check_each


def check_grid(value: Any) -> Any:
    """Return the values to combine, each as a list; None where there is no grid."""
    if value is None or isinstance(value, bool):
        return value or None
    axes: dict[str, Check] = {
        "weights": check_weights,
        "smooth_method": _each(one_of(*SMOOTH_METHODS)),
        "reference_length": _each(one_of(*REFERENCE_LENGTHS)),
    }
    if isinstance(value, Mapping) and value and set(value) <= set(axes):
        return {name: axes[name](values) for name, values in value.items()}
    raise refuse("True or a dict with any of the keys 'weights', 'smooth_method' and 'reference_length'")


def check_smoothing(options: Any) -> None:
    """Raise an OptionError for options of smoothing that exclude each other, or that nothing reads."""
    if options.smooth and options.smooth_method != "none" and "smooth_method" in options.changed_options:
        raise OptionError(
            "The options 'smooth' (add one to the matches and n-grams of every order) and 'smooth_method' exclude "
            "each other: give one of them."
        )
    methods = options.smoothing_methods
    foreign = [method for method in methods if method not in NLTK_METHODS]
    if options.compat == "nltk" and foreign:
        used_option = "smooth=True" if foreign[0] == ADD_ONE else repr(foreign[0])
        raise OptionError(
            "compat='nltk' takes the smoothing methods that NLTK has: 'smooth_method' must be 'none' or 'nltk1' "
            f"to 'nltk7'. Got {used_option} instead."
        )
    if options.effective_order and options.scores_like_nltk:
        raise OptionError("The option 'effective_order' has no meaning for NLTK's smoothing methods.")
    if options.smooth_value is None:
        return
    methods_with_value = [method for method in methods if method in SMOOTH_VALUES]
    # sacrebleu ignores a smooth_value that its method does not use.
    if not methods_with_value and options.compat != "sacrebleu":
        used_option = "smooth=True" if options.smooth else f"smooth_method={options.smooth_method!r}"
        raise OptionError(
            f"The option 'smooth_value' is used only by the smoothing methods {', '.join(SMOOTH_VALUES)}; with "
            f"{used_option} it is not used. Got {options.smooth_value!r}."
        )
    dividing = [method for method in methods_with_value if method in _DIVIDING_METHODS]
    if options.smooth_value == 0 and dividing:
        raise OptionError(f"The option 'smooth_value' must be above 0 for {dividing[0]}, which divides by it. Got 0.")


#: How texts become tokens: the option of BLEU, and of other metrics of its n-grams.
TOKENIZER_OF_BLEU = option(
    default="13a",
    doc='How texts are split into tokens. As in sacrebleu: "13a" (mteval-v13a), "intl" (mteval-v14, '
    'international), "zh" (Chinese by character), "char", "none" (at white space), "ja-mecab" and "ko-mecab" '
    '(Japanese and Korean words by MeCab), "flores101", "flores200" and "spBLEU-1K" (subwords by SentencePiece, '
    "with the model in sacrebleu's folder). The path of a file selects another SentencePiece model, and "
    'hf://owner/name/file one in the Hub\'s cache. Not in sacrebleu: "ja" (Japanese words by MeCab with another '
    'dictionary, unidic-lite), "jieba" (Chinese words), "unicode" (words of letters and digits; scripts without '
    "spaces by character). A callable gets a text and returns its tokens; in the signature it appears only by "
    "name.",
    check=_check_tokenizer,
    none_is_default=True,  # as `tokenize` in sacrebleu and in evaluate's sacrebleu
)


#: What other packages do where the default differs from it.
PRESETS = {
    "sacrebleu": {},
    "evaluate": {"reference_length": "shortest", "smooth_method": "none"},
    "nltk": {"tokenizer": "none", "smooth_method": "none"},
}

#: How evaluate's sacrebleu is called, and answers. Its `force` silences a warning that is not given here.
DIALECTS = {
    "sacrebleu": Dialect(
        options={"compat": "sacrebleu", "scale": 100},
        arguments={"tokenize": "tokenizer", "use_effective_order": "effective_order"},
        without_effect=("force",),
        keys={
            "score": "bleu",
            "counts": "counts",
            "totals": "totals",
            "precisions": "precisions",
            "bp": "brevity_penalty",
            "sys_len": "translation_length",
            "ref_len": "reference_length",
        },
        left_out=("length_ratio",),
    ),
}
