"""Options of bleu_multi, and which implementation gives the same number with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from os import PathLike, curdir, fspath
from os.path import join
from typing import Any, Literal

from tercet.base.dialects import Dialect
from tercet.base.has_tokenizer import HasTokenizer
from tercet.base.options import lemmatizer_option, option, stemmer_option
from tercet.checks import Check, finite, integer, number, one_of, refuse
from tercet.corpus.tokenizers import MECAB_TOKENIZERS, SACREBLEU_MODELS, is_model_path
from tercet.errors import OptionError, did_you_mean

#: The default smooth_value of each method of smoothing that uses one.
SMOOTH_VALUES: dict[str, float] = {
    "floor": 0.1,
    "add-k": 1.0,
    "nltk1": 0.1,
    "nltk4": 5.0,
    "nltk6": 5.0,
    "nltk7": 5.0,
}
NLTK_METHODS = ("none", *(f"nltk{number}" for number in range(1, 8)))
SMOOTH_METHODS = ("none", "floor", "add-k", "exp", *NLTK_METHODS[1:])
#: What ``smooth=True`` stands for.
ADD_ONE = "add-one"

REFERENCE_LENGTHS = ("closest", "shortest", "average")

#: Most named weightings: each is one more score of every item and of every resample, in time and in memory.
MOST_WEIGHTINGS = 100

#: Tokenizers whose tokens are sacrebleu's, and all that have a name.
OF_SACREBLEU = ("13a", "intl", "zh", "char", "none", *MECAB_TOKENIZERS, *SACREBLEU_MODELS)

TOKENIZERS = (*OF_SACREBLEU, "ja", "jieba", "unicode")

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
    hint = did_you_mean(value, TOKENIZERS)
    raise refuse(
        f"one of {', '.join(map(repr, TOKENIZERS))}, the path of a SentencePiece model (with a / in it, or with "
        ".model at its end), or a callable",
        hint if hint.startswith("Did") else "",  # the message names them all
    )


#: A greater sum would take a smoothed precision, which may be above 1, to a power that no float holds.
_MOST_WEIGHT = 100


def _as_weights(value: Any) -> tuple[float, ...]:
    # Iterating over these gives numbers too, but they are no weights, or have no order.
    if isinstance(value, (bytes, bytearray, Set, Mapping)):
        raise TypeError
    weights = tuple(finite(weight) for weight in value)
    usable_weights = tuple(weight for weight in weights if weight is not None and weight >= 0)
    if len(usable_weights) < len(weights) or not 0 < sum(usable_weights) <= _MOST_WEIGHT:
        raise ValueError
    return usable_weights


def _check_weights(value: Any) -> Any:
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
            if (
                not weightings
                or len(weightings) < len(value)
                or any(not name or set(name) & set("|;=,: ") for name in weightings)
            ):
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


def _check_grid(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value or None
    axes: dict[str, Check] = {
        "weights": _check_weights,
        "smooth_method": _each(one_of(*SMOOTH_METHODS)),
        "reference_length": _each(one_of(*REFERENCE_LENGTHS)),
    }
    if isinstance(value, Mapping) and value and set(value) <= set(axes):
        return {name: axes[name](values) for name, values in value.items()}
    raise refuse("True or a dict with any of the keys 'weights', 'smooth_method' and 'reference_length'")


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

#: How texts become tokens: the option of BLEU, and of other metrics of its n-grams.
TOKENIZER = option(
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
)


class BleuOptions(HasTokenizer):
    """Options of bleu_multi."""

    tokenizer: TokenizerName | str | PathLike[str] | Callable[[str], Iterable[str]] = TOKENIZER
    lowercase: bool = option(default=False, doc="Lowercase the texts first.")
    max_order: int = option(default=4, doc="The longest n-gram.", check=integer(1, 20))
    weights: Sequence[float] | Mapping[str, Sequence[float]] | None = option(
        default=None,
        doc="Weights of the n-gram orders, uniform by default. Each name of a mapping adds a score `bleu_<name>` "
        "besides bleu, up to 100 of them. Shorter lists leave out the higher orders: [1] is BLEU-1, [0.5, 0.5] "
        "BLEU-2. They are not normalized: weights that do not sum to 1 give a power of the mean of the precisions.",
        check=_check_weights,
    )
    smooth_method: Literal[
        "none", "floor", "add-k", "exp", "nltk1", "nltk2", "nltk3", "nltk4", "nltk5", "nltk6", "nltk7"
    ] = option(
        default="exp",
        doc='How orders without a match are smoothed. "exp", "floor" and "add-k" are as in sacrebleu, whose default '
        'is "exp"; "nltk1" to "nltk7" as in NLTK\'s SmoothingFunction (5 and 7 can exceed 1, by their definition). '
        'With "none", BLEU is 0 where an order has no match; it is the default of compat="evaluate" and "nltk".',
    )
    smooth_value: float | None = option(
        default=None,
        doc="The number that the smoothing method uses. By default 0.1 for floor and nltk1, 1 for add-k, and 5 for "
        "nltk4, nltk6 and nltk7. These last three divide by it, so they refuse 0; elsewhere 0 means what it means in "
        'sacrebleu and NLTK. A method that does not use it refuses it, except with compat="sacrebleu", which ignores '
        "it.",
        check=number("a number from 0 to 1000", lambda x: 0 <= x <= 1000, none=True),
    )
    smooth: bool = option(
        default=False,
        doc="Add one to the matches and the n-grams of every order, including unigrams. This is smooth=True of "
        "evaluate's bleu, with or without compat: even texts with no word in common score above 0. (Lin and "
        "Och 2004 and add-k do not smooth unigrams.)",
    )
    reference_length: Literal["closest", "shortest", "average"] = option(
        default="closest",
        doc="Which of several references' lengths the brevity penalty uses. Of two equally close lengths, the "
        "shorter counts.",
    )
    effective_order: bool = option(default=False, doc="Leave out orders for which the predictions have no n-grams.")
    stemmer: str | Callable[[str], str] | None = stemmer_option("Lowercase and stem")
    lemmatizer: str | Callable[[str], str] | None = lemmatizer_option("Lowercase and lemmatize")
    grid: bool | Mapping[str, Any] | None = option(
        default=None,
        doc="Add a row for each combination of weights, smoothing and reference length. A mapping lists the values "
        'to combine, each once: `{"weights": {...}, "smooth_method": [...], "reference_length": [...]}`.',
        check=_check_grid,
    )
    compat: Literal["sacrebleu", "evaluate", "nltk"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. `load("bleu_multi", "sacrebleu")` sets it too, with the arguments '
        "and keys of evaluate's sacrebleu, in percent.",
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

#: Methods that divide by their number: as in NLTK, it cannot be 0.
_DIVISORS = ("nltk4", "nltk6", "nltk7")


def smoothing_methods(options: BleuOptions) -> list[str]:
    """Return the smoothing method of the score, then those of the grid."""
    method = ADD_ONE if options.smooth else options.smooth_method
    if options.grid is None:
        return [method]
    if isinstance(options.grid, Mapping):
        return [method, *options.grid.get("smooth_method", [method])]
    return [method, *(NLTK_METHODS if options.compat == "nltk" else ("none", "floor", "add-k", "exp"))]


def check_smoothing(options: BleuOptions) -> None:
    """Raise an OptionError for options of smoothing that exclude each other, or that nothing reads."""
    if options.smooth and options.smooth_method != "none" and "smooth_method" in options.changed_options:
        raise OptionError(
            "The options 'smooth' (add one to the matches and n-grams of every order) and 'smooth_method' exclude "
            "each other: give one of them."
        )
    methods = smoothing_methods(options)
    foreign = [method for method in methods if method not in NLTK_METHODS]
    if options.compat == "nltk" and foreign:
        used_option = "smooth=True" if foreign[0] == ADD_ONE else repr(foreign[0])
        raise OptionError(
            "compat='nltk' takes the smoothing methods that NLTK has: 'smooth_method' must be 'none' or 'nltk1' "
            f"to 'nltk7'. Got {used_option} instead."
        )
    if options.effective_order and (options.compat == "nltk" or methods[0].startswith("nltk")):
        raise OptionError("The option 'effective_order' has no meaning for NLTK's smoothing methods.")
    if options.smooth_value is None:
        return
    readers = [method for method in methods if method in SMOOTH_VALUES]
    # sacrebleu ignores a smooth_value that its method does not use.
    if not readers and options.compat != "sacrebleu":
        used_option = "smooth=True" if options.smooth else f"smooth_method={options.smooth_method!r}"
        raise OptionError(
            f"The option 'smooth_value' is used only by the smoothing methods {', '.join(SMOOTH_VALUES)}; with "
            f"{used_option} it is not used. Got {options.smooth_value!r}."
        )
    divided = [method for method in readers if method in _DIVISORS]
    if options.smooth_value == 0 and divided:
        raise OptionError(f"The option 'smooth_value' must be above 0 for {divided[0]}, which divides by it. Got 0.")


def equal_implementation(options: BleuOptions, method: str) -> str | None:
    """Return the name of the implementation that gives the same number with these options, if there is one."""
    o = options
    if o.stemmer is not None or o.lemmatizer is not None or o.missing_references != "error":
        return None
    if o.tokenizer not in OF_SACREBLEU:
        return None
    if o.compat == "nltk":
        return "nltk" if _equals_nltk(o, method) else None
    # The others have neither NLTK's smoothing nor weights; of named weightings, `bleu` is uniform as theirs is.
    if method.startswith("nltk"):
        return None
    if o.weights is None:
        suffix = ""
    elif isinstance(o.weights, Mapping):
        suffix = "(bleu)"
    else:
        return None
    if o.compat == "evaluate":
        return f"evaluate-bleu{suffix}" if _equals_evaluate(o) else None
    if o.reference_length == "closest" and method != ADD_ONE:
        return f"sacrebleu{suffix}"
    return None


def _equals_nltk(o: BleuOptions, method: str) -> bool:
    if o.tokenizer != "none" or o.reference_length != "closest" or o.lowercase:
        return False
    if method not in ("nltk5", "nltk7"):
        return True
    # These methods read the order after the last one, which NLTK takes to be 5 whatever the weights.
    if o.max_order != 4 or isinstance(o.weights, Mapping):
        return False
    return o.weights is None or len(o.weights) == 4


def _equals_evaluate(o: BleuOptions) -> bool:
    if o.tokenizer != "13a" or o.reference_length != "shortest" or o.lowercase or o.effective_order:
        return False
    return o.smooth_method == "none" and o.smooth_value is None
