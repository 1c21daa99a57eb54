"""BLEU (Papineni et al. 2002): one pass over the texts, many weightings, smoothings and length rules.

    BLEU = brevity penalty * exp(sum over the orders n of weight_n * log precision_n)

The precision of order n is the share of the predictions' n-grams that match a reference, each counted at most as
often as it occurs in the one reference that has it most often (clipped): "the the the" has one match where each
reference has one "the". Precision alone would favour short texts, hence the penalty: 1 for predictions at least as
long as their references, else exp(1 - reference length / prediction length). Matches, n-grams and lengths are
summed over all items before anything is divided.

An order without a match would make the score 0, and is smoothed (Chen and Cherry 2014). Its precision, of N n-grams:

    none     0
    exp      1 / (2N) for the first such order, 1 / (4N) for the next, and so on
    floor    0.1 / N
    add-k    (M + 1) / (N + 1) for all orders but the first, also where there are M matches

0.1 and 1 are the defaults of smooth_value. Where no word matches, BLEU is 0, except with smooth=True. The first three
do not smooth an order of which the predictions have no n-gram (N = 0): BLEU is then 0, unless effective_order=True
takes the mean over the other orders. The formula, step by step, is `engine/plain_bleu.py`, and `engine/bleu.pxi` the
same compiled, as are NLTK's methods.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property, partial
from itertools import product
from os import PathLike, curdir, fspath
from os.path import join
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.base.about import from_card
from tercet.base.blanks import HasTokenizer
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import lemmatizer_option, option, shared_labels, stemmer_option
from tercet.base.peers import Lists, Peer, Peers, Rule, UnavailableError, by_sacrebleu
from tercet.base.rows import PairRows, as_rows, base_of_pairs, leave_out
from tercet.checks import Check, finite, integer, number, one_of, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import Crossing, engine_texts, of_texts
from tercet.corpus.stems import check_word_options, lemmatizer_label, map_words, spelled, stemmer_label, word_map
from tercet.corpus.tokenizers import MECAB_TOKENIZERS, SACREBLEU_MODELS, is_model_path, is_subword_model, tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import crossed_matches
from tercet.engine.ragged import TokenBatch
from tercet.errors import OptionError, did_you_mean
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from tercet.explanation.explanation import Matched
    from tercet.explanation.ngrams import NgramMatches

Array = NDArray[np.float64]

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

# Options of bleu_multi, and the interpretation of its scores.

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
    if options.smooth and options.smooth_method != "none" and "smooth_method" in options.given:
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


_ENDS = [high for high, _ in BANDS[:-1]]

_STARTS = [0.0, *_ENDS]

_INTERPRETATIONS = [
    f"{f'over {low:g}' if high == float('inf') else f'{low:g}-{high:g}'}: {meaning}"
    for low, (high, meaning) in zip(_STARTS, BANDS, strict=True)
]


def interpretation(percent: float) -> str:
    """Return the interpretation of a BLEU in percent.

    Scores of different languages or test sets cannot be compared, and so neither can their bands.
    """
    return _INTERPRETATIONS[bisect_right(_ENDS, percent)]


#: Places in a row, where looking for the name of a column would take longer than the formula.
_LENGTH_COLUMN = len(Metric.base_columns)

_REFERENCE_LENGTH_COLUMNS = {rule: _LENGTH_COLUMN + 1 + number for number, rule in enumerate(REFERENCE_LENGTHS)}

_FIRST_MATCH_COLUMN = _LENGTH_COLUMN + 1 + len(REFERENCE_LENGTHS)


class _Settings(NamedTuple):
    """What :func:`.plain_bleu.bleu_scores` takes besides rows, in its order."""

    length_column: int
    method: str
    smooth_value: float
    effective: bool
    weights: Array
    scale: float


class Bleu(BleuOptions):
    """BLEU: the n-grams that predictions share with their references.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(scale=100)
    >>> result = bleu(["The cat sat on a mat."], [["The cat sat on the mat.", "A cat was sitting on a mat."]])
    >>> round(result["bleu"], 1)
    79.5
    """

    name = "bleu_multi"
    about = from_card()
    takes_systems = True
    title = "BLEU"
    primary = "bleu"
    presets = PRESETS
    dialects = DIALECTS
    facts = (
        "translation_length",
        "reference_length",
        "length_ratio",
        "brevity_penalty",
        "precisions",
        "counts",
        "totals",
    )

    def check(self) -> None:
        """Refuse options that exclude each other."""
        check_word_options(self)
        super().check()
        check_smoothing(self)
        # They refuse weights that do not fit the orders.
        _ = self._weightings, self._grid

    # What the options imply: made when it is first read.

    @cached_property
    def _method(self) -> str:
        """The smoothing method of the score."""
        return smoothing_methods(self)[0]

    @cached_property
    def _segment_method(self) -> str:
        """The smoothing method of single segments."""
        return "exp" if self._method == "none" else self._method

    @cached_property
    def _scores_like_nltk(self) -> bool:
        """Whether the score is made as NLTK makes it."""
        return self.compat == "nltk" or self._method.startswith("nltk")

    @cached_property
    def _lowercase(self) -> bool:
        """Whether texts are lowercased, as they are for stems and lemmas."""
        return self.lowercase or self.stemmer is not None or self.lemmatizer is not None

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same."""
        return self._lowercase

    @cached_property
    def _nltk_columns(self) -> bool:
        """Whether rows have the columns that only NLTK's methods need."""
        return self._scores_like_nltk or any(method.startswith("nltk") for method in smoothing_methods(self))

    @cached_property
    def _next_columns(self) -> bool:
        """Whether rows count the order above the highest, which NLTK's methods 5 and 7 take into their means."""
        return not {"nltk5", "nltk7"}.isdisjoint(smoothing_methods(self))

    @cached_property
    def _weightings(self) -> Weightings:
        """The weights of the orders, by the key of their score."""
        return score_weightings(self)

    @cached_property
    def _grid(self) -> Grid | None:
        """The combinations of weights, smoothing and reference length that are asked for."""
        return None if self.grid is None else Grid(self, smoothing_methods(self)[1:])

    @property
    def original_scale(self) -> int:  # type: ignore[override]
        """The scale of the package that the scores equal: evaluate and NLTK have 1."""
        return 100 if self.compat in (None, "sacrebleu") else 1

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a row.

        The base columns; the tokens of the prediction, and of its references by each rule; the clipped matches of all
        orders, then the n-grams of all orders; and what NLTK's methods need: n-grams that are at least 1 an item
        (called floor, which is not the smoothing), matches and n-grams of the order above the highest.
        """
        orders = range(1, self.max_order + 1)
        names = [*self.base_columns, "length", *REFERENCE_LENGTHS]
        names += [f"match{n}" for n in orders] + [f"total{n}" for n in orders]
        if self._nltk_columns:
            names += [f"floor{n}" for n in orders]
        if self._next_columns:
            names += ["next_match", "next_floor"]
        return tuple(names)

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Matches are some of the n-grams, and these no more than tokens; the shortest length is the least."""
        orders = range(1, self.max_order + 1)
        matches = ((f"match{n}", f"total{n}") for n in orders)
        totals = (f"total{n}" for n in reversed(orders))
        return (*matches, (*totals, "length"), ("length", "total1"), ("shortest", "closest"), ("shortest", "average"))

    @property
    def score_names(self) -> tuple[str, ...]:
        """``bleu`` and one ``bleu_<name>`` for each named weighting."""
        return tuple(self._weightings)

    def new_signature(self) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        smooth = self._method
        if smooth in SMOOTH_VALUES:
            smooth += f"[{SMOOTH_VALUES[smooth] if self.smooth_value is None else self.smooth_value!r}]"
        weights: object = self.weights
        # Named weightings are written as Python writes floats, a list without the .0 of whole numbers.
        if isinstance(weights, Mapping):
            weights = ";".join(f"{name}={','.join(map(repr, values))}" for name, values in weights.items())
        parts = {
            "tok": self.label,
            "case": "lc" if self._lowercase else "mixed",
            "order": self.max_order,
            "weights": weights,
            "smooth": smooth,
            "reflen": self.reference_length,
            "eff": self.effective_order,
            "stem": stemmer_label(self.stemmer),
            "lemma": lemmatizer_label(self.lemmatizer),
            **shared_labels(self),
            "compat": self.compat,
            "equals": equal_implementation(self, self._method),
        }
        return Signature.of(self.name, parts)

    @cached_property
    def needs_blanks(self) -> bool:
        """Whether the tokenizer splits at blanks, and was not chosen by another package."""
        return self.compat is None and super().needs_blanks

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when the score is 0 only because an order has no match."""
        # The check that is fast comes first: most corpora match, or at least have, n-grams of every order.
        if self._never_zero is None or 0.0 not in totals[self._never_zero].tolist():
            return None
        matches, ngrams = self._matches_and_ngrams(totals)
        smoothed = self._method != "none"
        return zero_warning(matches, ngrams, self._used, self.effective_order, self.compat, smoothed)

    @cached_property
    def _never_zero(self) -> slice | None:
        """The sums of which none is 0 unless the score may be for that alone; None where no corpus is too short."""
        smoothed, middle = self._method != "none", _FIRST_MATCH_COLUMN + self.max_order
        if smoothed and (self._scores_like_nltk or self._method in (ADD_ONE, "add-k")):
            return None
        return slice(middle, middle + self.max_order) if smoothed else slice(_FIRST_MATCH_COLUMN, middle)

    def _matches_and_ngrams(self, totals: Array) -> tuple[list[float], list[float]]:
        """Return the matches and the n-grams of each order in the sums of a corpus."""
        counts, n = totals[_FIRST_MATCH_COLUMN : _FIRST_MATCH_COLUMN + 2 * self.max_order].tolist(), self.max_order
        return counts[:n], counts[n:]

    @cached_property
    def _used(self) -> list[bool]:
        """Whether an order has a weight, in the named weightings if there are any."""
        weightings = list(self._weightings.values())
        if isinstance(self.weights, Mapping):
            weightings = weightings[1:]  # the first one is uniform: `bleu`, which is scored besides the named ones
        return [any(weights) for weights in zip(*weightings, strict=True)]

    @property
    def _tokenizer(self) -> Any:
        return "13a-unstripped" if self.compat == "evaluate" and self.tokenizer == "13a" else self.tokenizer

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time is linear in the tokens."""
        if self.stemmer is None and self.lemmatizer is None:
            texts, reading = engine_texts(batch, self._tokenizer, lowercase=self._lowercase)
        else:
            texts, reading = spelled(self.tokens(batch)[0]), "none"
        options = self.max_order, self._nltk_columns, self._next_columns
        rows: Array = of_texts(batch, engine.bleu_rows, texts, reading, *options)
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are tokenized once."""
        tokens, _ = self.tokens(crossing.batch)
        options = self.max_order, self._nltk_columns, self._next_columns
        return lambda texts, references: rows_of_pairs(tokens.crossed(texts, references), *options)

    def tokens(self, batch: Corpus, as_written: bool = False) -> tuple[TokenBatch, Callable[[], list[str]]]:
        """Return the tokens that are counted, and a callable that gives the different ones by id.

        With `as_written`, the words as they were before they got a stem or a lemma.
        """
        tokens, words = tokenize(batch, self._tokenizer, lowercase=self._lowercase)
        mapping = None if as_written else word_map(self)
        return (tokens, words) if mapping is None else map_words(tokens, words(), mapping)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sum of the rows; with ``compat="nltk"``, methods 5 to 7 see the last item in place of all.

        NLTK passes its smoothing function the last hypothesis only.
        """
        if self.compat != "nltk" or not len(stats):
            return stats.total()
        totals, last = stats.total().copy(), stats.rows[stats.column("items") > 0][-1]
        borrowed = ["next_match", "next_floor"] if self._next_columns else []
        if "nltk6" in smoothing_methods(self):  # the only method that reads the totals
            borrowed += [name for name in stats.columns if name.startswith("total")]
        for name in borrowed:
            totals[stats.columns.index(name)] = last[stats.columns.index(name)]
        return totals

    def check_call(self, *, resampled: bool = False, summed: bool = False) -> None:
        """Raise an OptionError also for NLTK's methods that see the last segment: a resample has no last one."""
        super().check_call(resampled=resampled, summed=summed)
        if (resampled or summed) and self.compat == "nltk" and self._method in ("nltk5", "nltk6", "nltk7"):
            raise OptionError(no_resamples(self._method))

    def formula(self, totals: Array, method: str, length_rule: str, weights: Array) -> Array:
        """Return BLEU under each weighting, the precision of each order, and the brevity penalty.

        Parameters
        ----------
        totals : ndarray, shape (..., k)
            Sums of rows.
        method : str
            Of smoothing.
        length_rule : str
            Which of several references' lengths the penalty uses, as the option ``reference_length``.
        weights : ndarray, shape (W, N)
            Of the N orders in each of W scores.

        Returns
        -------
        ndarray, shape (..., W + N + 1)
        """
        settings = self._settings(method, length_rule, weights)
        scores = self._row_scores(as_rows(totals, self.columns, by_column=not self._as_in_nltk(method)), settings)
        return scores.reshape(*totals.shape[:-1], scores.shape[1])

    def _row_scores(self, rows: Array, settings: _Settings) -> Array:
        """Return what :meth:`formula` does, of sums in rows, shape (n, W + N + 1)."""
        if self._as_in_nltk(settings.method):
            return self._nltk_scores(rows, settings.length_column, settings.method, settings.weights)
        return engine.bleu_scores(rows, *settings)

    def _as_in_nltk(self, method: str) -> bool:
        return self.compat == "nltk" or method.startswith("nltk")

    def _settings(self, method: str, length_rule: str, weights: Array) -> _Settings:
        """Return what the formula takes besides sums."""
        # One smooth_value serves all methods of a grid.
        value = SMOOTH_VALUES.get(method, 0.0) if self.smooth_value is None else self.smooth_value
        value = 1.0 if method == ADD_ONE else value
        column = _REFERENCE_LENGTH_COLUMNS[length_rule]
        return _Settings(column, method, value, self.effective_order, weights, self.scale)

    @cached_property
    def _settings_of_score(self) -> _Settings:
        return self._settings(self._method, self.reference_length, self._weights)

    def _nltk_scores(self, rows: Array, length_column: int, method: str, weights: Array) -> Array:
        """Return BLEU with NLTK's smoothing, which leaves orders of precision 0 out of the mean."""
        parts = nltk_precisions(rows, length_column, method, self.smooth_value, self.max_order)
        precisions, penalty, has_match = parts[:, :-1], parts[:, -1:], rows[:, _FIRST_MATCH_COLUMN, None] > 0
        # The logarithm of a 0 is minus infinity: that of 1 adds nothing.
        logarithms = np.log(np.where(precisions > 0, precisions, 1.0))
        means = np.exp((logarithms[:, None, :] * weights).sum(axis=-1))
        scores = self.scale * penalty * np.where(has_match, means, 0.0)
        return np.concatenate([scores, self.scale * precisions, penalty], axis=1)

    def finalize(self, totals: Array) -> Scores:
        """Return BLEU under every weighting."""
        scores = self.formula(totals, self._method, self.reference_length, self._weights)
        return {name: scores[..., place] for place, name in enumerate(self._weightings)}

    @cached_property
    def _weights(self) -> Array:
        """The weights of the orders, a row for each score."""
        return np.array([*self._weightings.values()])

    @cached_property
    def segment_metric(self) -> Bleu:
        """BLEU as sacrebleu's sentence_bleu: effective order, and exp smoothing where the corpus has none.

        A single sentence seldom matches 4-grams: without smoothing, nearly all would be 0.
        """
        if self._scores_like_nltk:
            return self
        smoothed = {"smooth_method": "exp"} if self._method == "none" else {}
        return self.with_options({**smoothed, "effective_order": True}, idle=True)

    def notes(self, references: str, *, segments: bool = False) -> dict[str, str]:
        """Return further entries of a result's signature."""
        rule = {} if self._scores_like_nltk or not segments else {"seg": f"{self._segment_method},eff"}
        return {**super().notes(references), **rule}

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the keys of evaluate's bleu, a key for each named weighting, and the grid on request."""
        rule, names = self.reference_length, self._weightings
        (scores,) = self._row_scores(as_rows(totals, self.columns), self._settings_of_score).tolist()
        sums = totals.tolist()
        length, reference_length = sums[_LENGTH_COLUMN], sums[_REFERENCE_LENGTH_COLUMNS[rule]]
        entries: dict[str, Any] = {}
        for place, name in enumerate(names):
            entries[name] = scores[place]
        entries["precisions"] = scores[len(names) : -1]
        entries["brevity_penalty"] = scores[-1]
        entries["length_ratio"] = length / reference_length if reference_length else 0.0
        entries["translation_length"] = int(length)
        entries["reference_length"] = reference_length if rule == "average" else int(reference_length)
        if self._grid is not None:
            entries["grid"] = self._grid.rows(partial(self.formula, totals))
        return entries

    def details(self, totals: Array, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the counts behind the precisions, and the interpretation of the score."""
        matches, ngrams = self._matches_and_ngrams(totals)
        return {
            "counts": [*map(int, matches)],
            "totals": [*map(int, ngrams)],
            "interpretation": interpretation(entries["bleu"] * 100 / self.scale) if self._is_usual else None,
        }

    @cached_property
    def _is_usual(self) -> bool:
        """Whether the bands of `interpretation` are meant for this BLEU: of words, four orders and equal weights."""
        usual_weights = self.weights is None or isinstance(self.weights, Mapping)
        words = self.tokenizer != "char" and not is_subword_model(self.tokenizer)
        return words and usual_weights and self.max_order == 4 and self._method not in ("nltk5", "nltk7")

    def explained(self, batch: Corpus, context: Any = None) -> NgramMatches:
        """Explain a batch of one item, as a corpus of one: `segment_metric` explains it as a segment."""
        from tercet.explanation.ngrams import NgramMatches, compared

        # Shares of 1, and not percents divided: a perfect text is 100.00000000000004 in percent.
        share = self if self.scale == 1 else self.with_options({"scale": 1}, idle=True)
        scores = share.report(self.corpus_totals(self.segment_stats(batch)), None)
        tokens, spelling, orders, as_written = self._texts(batch)
        return NgramMatches(
            **compared(tokens.tokens.lists(), spelling, orders, as_written),
            score=scores["bleu"],
            brevity_penalty=scores["brevity_penalty"],
            precisions=scores["precisions"],
            length=scores["translation_length"],
            reference_length=float(scores["reference_length"]),
            signature=str(self.signature()),
        )

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds matched tokens: by their longest matched n-gram."""
        from tercet.explanation.explanation import NGRAM_LEVELS, Matched
        from tercet.explanation.ngrams import predicted

        return Matched(NGRAM_LEVELS[: self.max_order], lambda batch: predicted(*self._texts(batch)))

    def _texts(self, batch: Corpus) -> tuple[TokenBatch, list[str], range, list[list[str]]]:
        """Return the tokens of a batch, their spelling, the orders, and the tokens of each text as written."""
        tokens, words = self.tokens(batch)
        plain, plain_words = self.tokens(batch, as_written=True)
        written = plain_words()
        as_written = [[written[token] for token in ids] for ids in plain.tokens.lists()]
        return tokens, words(), range(1, self.max_order + 1), as_written


# Rows of pairs, from tokens.


def rows_of_pairs(tokens: TokenBatch, max_order: int, of_nltk: bool, of_next_order: bool) -> Array:
    """Return the row of each prediction with each reference of one segment."""
    lengths, references = (tokens.tokens.lengths[side][:, None] for side in tokens.pairs)
    matches = crossed_matches(tokens.tokens, tokens.n_items, max_order + of_next_order)
    totals = np.maximum(lengths - np.arange(matches.shape[1]), 0)
    # A single reference is the closest, the shortest and the average one.
    parts = [base_of_pairs(lengths[:, 0]), lengths, *[references] * len(REFERENCE_LENGTHS)]
    parts += [matches[:, :max_order], totals[:, :max_order]]
    if of_nltk:
        parts.append(np.maximum(totals[:, :max_order], 1))
    if of_next_order:
        parts += [matches[:, -1:], np.maximum(totals[:, -1:], 1)]
    return np.concatenate(parts, axis=1)


# The smoothing of NLTK.


def nltk_precisions(rows: Array, length_column: int, method: str, value: float | None, max_order: int) -> Array:
    """Return :func:`.plain_bleu.nltk_precisions` of these rows, of the method's own value without another."""
    lengths = log_lengths = rows[:, _LENGTH_COLUMN]
    if method in ("nltk4", "nltk7"):
        log_lengths = np.log(np.where(lengths > 1, lengths, 2.0))
    smooth_value = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    precisions: Array = engine.nltk_precisions(rows, length_column, method, smooth_value, max_order, log_lengths)
    return precisions


# Which implementation gives the same number.


def equal_implementation(options: BleuOptions, method: str) -> str | None:
    """Return the name of the implementation that gives the same number with these options, if there is one."""
    o = options
    plain = o.stemmer is None and o.lemmatizer is None and o.missing_references == "error"
    if not plain or o.tokenizer not in OF_SACREBLEU:
        return None
    if o.compat == "nltk":
        is_default = o.tokenizer == "none" and o.reference_length == "closest" and not o.lowercase
        # These methods read the order after the last one, which NLTK takes to be 5 whatever the weights.
        reads_next_order = method in ("nltk5", "nltk7")
        four_weights = o.max_order == 4 and (
            o.weights is None or (not isinstance(o.weights, Mapping) and len(o.weights) == 4)
        )
        return "nltk" if is_default and (four_weights or not reads_next_order) else None
    if method.startswith("nltk") or (o.weights is not None and not isinstance(o.weights, Mapping)):
        return None
    suffix = "" if o.weights is None else "(bleu)"  # the named weightings have no equal there
    if o.compat == "evaluate":
        is_default = o.tokenizer == "13a" and o.reference_length == "shortest" and not o.lowercase
        smoothed = o.smooth_method != "none" or o.smooth_value is not None
        return f"evaluate-bleu{suffix}" if is_default and not smoothed and not o.effective_order else None
    return f"sacrebleu{suffix}" if o.reference_length == "closest" and method != ADD_ONE else None


# The warnings of BLEU.

#: The smoothing of the package being reproduced.
_SMOOTHING = {"evaluate": "smooth=True", "nltk": "smooth_method='nltk3'"}


def no_resamples(method: str) -> str:
    """Return why a method of NLTK that sees the last segment has no intervals and tests."""
    return (
        f"smooth_method={method!r} with compat='nltk' has no intervals or tests: NLTK uses the last item in place of "
        "the corpus, and a resampled corpus has no last item. To smooth over the corpus, leave out compat='nltk' and "
        "give tokenizer='none'; or smooth with 'nltk1' to 'nltk4'."
    )


def zero_warning(
    matches: Sequence[float],
    ngrams: Sequence[float],
    weighted: Sequence[Any],
    effective: bool,
    compat: str | None,
    smoothed: bool = False,
) -> str | None:
    """Return why the BLEU of a corpus is 0 although words match, and how to avoid that; None if it is not 0."""
    if matches[0] == 0:
        return None
    orders = list(zip(weighted, matches, ngrams, strict=True))
    unmatched = [
        not smoothed and bool(has_weight) and n_matches == 0 and n_ngrams > 0
        for has_weight, n_matches, n_ngrams in orders
    ]
    unreached = [not effective and bool(has_weight) and not n_ngrams > 0 for has_weight, _, n_ngrams in orders]
    order = next((n for n in range(len(orders)) if unmatched[n] or unreached[n]), None)
    if order is None:
        return None
    reason = f"no n-gram of order {order + 1} matches"
    if not unmatched[order]:
        reason = f"the texts are short: no prediction has an n-gram of order {order + 1}"
    # The smoothing of a package also gives a score to orders that no prediction reaches.
    remedy_of_package = _SMOOTHING.get(compat or "") if not smoothed else None
    remedies = [remedy_of_package or "smooth_method='exp'"] if remedy_of_package or any(unmatched) else []
    remedies += ["effective_order=True"] if any(unreached) and not remedy_of_package else []
    zero = "next to 0" if compat == "nltk" else "0"
    return (
        f"BLEU is {zero} only because {reason} (of order 1, {matches[0]:.0f} of "
        f"{ngrams[0]:.0f} match). {' with '.join(remedies)} gives such a corpus a nonzero score."
    )


# The packages that BLEU is explained against, and their rules without an option.


def _metrics(sacrebleu: Any, metric: Any) -> dict[str, Any]:
    o = metric
    return {
        "bleu": sacrebleu.BLEU(
            lowercase=o.lowercase,
            tokenize=o.tokenizer,
            smooth_method=o.smooth_method,
            smooth_value=o.smooth_value,
            max_ngram_order=o.max_order,
            effective_order=o.effective_order,
        )
    }


def _by_evaluate(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    import evaluate

    try:
        module = evaluate.load("bleu")
    except Exception as error:
        kind = type(error).__name__
        raise UnavailableError(
            f"evaluate.load('bleu') finds it neither on the Hub nor in its cache ({kind})"
        ) from error
    o = metric
    texts = {
        "predictions": list(predictions),
        "references": [list(item_references) for item_references in references],
    }
    try:
        return {"bleu": float(module.compute(**texts, max_order=o.max_order, smooth=o.smooth)["bleu"])}
    except ZeroDivisionError as error:
        raise UnavailableError("evaluate's bleu divides by zero: no prediction has a token") from error


def _nltk_scores(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    o = metric
    method = "method0" if o.smooth_method == "none" else o.smooth_method.replace("nltk", "method")
    argument_names = {"method1": ("epsilon",), "method4": ("k",), "method6": ("alpha",), "method7": ("k",)}
    arguments = {} if o.smooth_value is None else dict.fromkeys(argument_names.get(method, ()), o.smooth_value)
    weights = tuple(o.weights) if o.weights is not None else (1 / o.max_order,) * o.max_order
    split_references = [[text.split() for text in texts] for texts in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # orders without a match: NLTK has its own rule for them
        try:
            smoothing = getattr(SmoothingFunction(**arguments), method)
            value = corpus_bleu(split_references, [text.split() for text in predictions], weights, smoothing)
        except AssertionError as error:
            raise UnavailableError(f"NLTK's {method} is not defined here: {error}") from error
        except IndexError as error:
            # Method 6 reads a third precision.
            raise UnavailableError(f"NLTK's {method} is not defined for fewer than three orders") from error
    return {"bleu": float(value)}


class _PartOfNltk(Bleu):
    """BLEU under ``compat="nltk"`` without some of its rules."""

    _off: ClassVar[Collection[str]] = ()

    @classmethod
    def of(cls, metric: Bleu, off: Collection[str]) -> Bleu:
        """Return the metric without the rules that are off."""
        part = cls.made(metric.given, idle=True)
        # Not assigned to the attribute: for type checkers, a ClassVar belongs to the class.
        part.__dict__["_off"] = off
        part.check()
        return part

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums that the score is made from, with all items' n-grams or none for short texts."""
        totals = stats.total().copy() if "last item" in self._off else super().corpus_totals(stats)
        if "short texts" in self._off:
            for order in range(1, self.max_order + 1):
                totals[self.columns.index(f"floor{order}")] = totals[self.columns.index(f"total{order}")]
        return totals


def _spelled_out(options: dict[str, Any]) -> dict[str, Any]:
    if options["smooth"]:
        options["smooth_method"] = "none"  # because `smooth` is a method of its own
    default = SMOOTH_VALUES.get(options["smooth_method"])
    if default is None or options["smooth_value"] is None:
        options["smooth_value"] = default
    if isinstance(options["weights"], Mapping):
        options["weights"] = None  # named weightings are not compared
    return options


_NLTK = (
    Rule(
        name="zero order",
        description="precision of an order without a match",
        ours="0",
        theirs="the smallest positive float",
        applies=lambda options: options.smooth_method == "none",
    ),
    Rule(
        name="short texts",
        description="number of n-grams counted for a text shorter than n",
        ours="0",
        theirs="1",
        applies=lambda options: options.smooth_method == "none",  # NLTK's methods bring this rule along
    ),
    Rule(
        name="last item",
        description="which n-grams the smoothing of the corpus looks at",
        ours="of all items",
        theirs="of the last item",
        applies=lambda options: options.smooth_method in ("nltk5", "nltk6", "nltk7"),
    ),
)
_RIGHT_END = Rule(
    name="right end",
    description="whether 13a strips the right end of a text first",
    ours="stripped",
    theirs="as it stands",
    applies=lambda options: options.tokenizer == "13a",
)

PEERS = Peers(
    packages={
        "sacrebleu": by_sacrebleu(_metrics),
        "evaluate": Peer(_by_evaluate, (_RIGHT_END,)),
        "nltk": Peer(_nltk_scores, _NLTK, _PartOfNltk.of, sentences=True),
    },
    decides={
        "tokenizer": "how texts are split into tokens",
        "lowercase": "whether capitals matter",
        "max_order": "the longest n-gram that counts",
        "weights": "the weights of the n-gram orders",
        "smooth_method": "how orders without a match are smoothed",
        "smooth_value": "the number that the smoothing adds",
        "smooth": "whether one is added to the matches and n-grams of every order",
        "reference_length": "which of several references the length is compared with",
        "effective_order": "whether orders without any n-gram in the predictions are left out",
        "stemmer": "whether endings matter",
        "lemmatizer": "whether inflected forms are different words",
    },
    together=(("max_order", "weights"), ("smooth_method", "smooth_value", "smooth"), ("stemmer", "lemmatizer")),
    aside=lambda options: {"grid": None, **({"weights": None} if isinstance(options.weights, Mapping) else {})},
    spelled_out=_spelled_out,
)


# Which weightings a BLEU has, and the grid of weightings, smoothing methods and length rules.

Weightings = dict[str, list[float]]


def score_weightings(options: BleuOptions) -> Weightings:
    """Return the weights of the orders by the key of their score: ``bleu``, and ``bleu_<name>`` of named ones."""
    order, weights = options.max_order, options.weights
    uniform = [1 / order] * order
    if weights is None:
        return {"bleu": uniform}
    if isinstance(weights, Mapping):
        return {"bleu": uniform, **{f"bleu_{name}": _padded(values, order) for name, values in weights.items()}}
    return {"bleu": _padded(weights, order)}


class Grid:
    """All combinations that the option ``grid`` asks for."""

    def __init__(self, options: BleuOptions, methods: Sequence[str]) -> None:
        axes = options.grid if isinstance(options.grid, Mapping) else {}
        self._methods = methods
        self._lengths: Sequence[str] = REFERENCE_LENGTHS
        if isinstance(options.grid, Mapping):
            self._lengths = axes.get("reference_length", [options.reference_length])
        self._weightings = _grid_weightings(axes.get("weights", options.weights), options.max_order)

    def rows(self, formula: Callable[[str, str, Array], Array]) -> list[dict[str, Any]]:
        """Return a row for each combination; `formula` scores a method and a length rule under weightings."""
        weights, rows = np.array([*self._weightings.values()]), []
        for method, rule in product(self._methods, self._lengths):
            scores = formula(method, rule, weights)[: len(weights)].tolist()
            for name, score in zip(self._weightings, scores, strict=True):
                rows.append({"weights": name, "smooth_method": method, "reference_length": rule, "bleu": score})
        return rows


def _grid_weightings(weights: Any, max_order: int) -> Weightings:
    """Return the weightings of a grid by the name that its rows have."""
    if weights is None:
        return {"uniform": [1 / max_order] * max_order}
    if isinstance(weights, Mapping):
        return {name: _padded(values, max_order) for name, values in weights.items()}
    return {",".join(f"{weight:g}" for weight in weights): _padded(weights, max_order)}


def _padded(weights: Sequence[float], max_order: int) -> list[float]:
    if len(weights) > max_order:
        raise OptionError(
            f"The 'weights' option of bleu_multi has {len(weights)} weights, but max_order is {max_order}: "
            f"set max_order={len(weights)}."
        )
    return [*map(float, weights), *[0.0] * (max_order - len(weights))]
