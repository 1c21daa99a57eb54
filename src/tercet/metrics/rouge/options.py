"""Options of rouge_nlws."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.shared_options import lemmatizer_option, stemmer_option
from tercet.corpus.stems import check_stopwords
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.option_checks import integer, number

# The members of the ROUGE family as values: the name of a type says all about what it counts.

_FORM = re.compile(
    r"rouge(?:(?P<order>[1-9])|(?P<lcs>L|Lsum)|W(?P<weight>[0-9]{1,2}(?:\.[0-9]+)?)?|(?P<skip>SU|S)(?P<gap>[0-9]{1,6})?)"
)
_EXAMPLES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "rougeW", "rougeW1.5", "rougeS", "rougeS4", "rougeSU4")

#: What the script ROUGE-1.5.5 counts line by line.
BY_LINE = ("L", "Lsum", "W")
#: The types that evaluate's rouge has, and what a comparison shows where no others are asked for.
TABLE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
DEFAULT_TYPES = (*TABLE_TYPES, "rougeW", "rougeS4", "rougeSU4")


@dataclass(frozen=True, slots=True)
class RougeType:
    """One member of the family."""

    #: As given, and as in the result.
    name: str
    #: {"n", "L", "Lsum", "W", "S", "SU"}
    kind: str
    #: n-grams: their length.
    order: int = 0
    #: ROUGE-W: runs of k matches are worth k ** weight.
    weight: float = 1.2
    #: Skip-bigrams: the most tokens between the two; -1 for any number.
    gap: int = -1


def parse_types(names: Any) -> tuple[RougeType, ...]:
    """Return the types that names stand for."""
    if names is None:
        names = DEFAULT_TYPES
    try:
        type_names = [names] if isinstance(names, str) else list(names)
    except TypeError:
        type_names = []
    if not type_names:
        raise OptionError(
            f"The 'rouge_types' option of rouge_nlws must be a list of at least one name, got {shorten(names)}."
        )
    types: dict[str, RougeType] = {}
    for name in type_names:
        rouge_type = as_type(name)
        if rouge_type is None:
            raise OptionError(
                f"The 'rouge_types' option of rouge_nlws has no type {shorten(name)}. "
                f"{did_you_mean(name, _EXAMPLES)} "
                "The forms are rouge1 to rouge9, rougeL, rougeLsum, rougeW[weight from 1 to 5], rougeS[gap] and "
                "rougeSU[gap]."
            )
        if name in types:
            raise OptionError(f"The 'rouge_types' option of rouge_nlws names {name!r} twice.")
        types[name] = rouge_type
    return tuple(types.values())


def as_type(name: Any) -> RougeType | None:
    """Return the type of this name; None where there is none."""
    match = _FORM.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        return None
    if match["order"]:
        return RougeType(name, "n", order=int(match["order"]))
    if match["lcs"]:
        return RougeType(name, match["lcs"])
    if match["skip"]:
        return RougeType(name, match["skip"], gap=int(match["gap"]) if match["gap"] else -1)
    weight = float(match["weight"] or 1.2)
    if not 1 <= weight <= 5:
        return None
    return RougeType(name, "W", weight=weight)


def _as_names(names: Any) -> tuple[str, ...]:
    """Return the names of types as an option keeps them; errors as :func:`parse_types`."""
    return tuple(rouge_type.name for rouge_type in parse_types(names))


MEASURES = ("precision", "recall", "fmeasure")


def _reads_lines(options: RougeOptions) -> bool:
    """Whether it can matter where lines end."""
    # Tokenizers that are not listed, a callable among them, read line by line, and so do the other packages.
    by_line = options.tokenizer not in ("auto", "rouge", "unicode", "char", "none") or options.compat not in (
        None,
        "rouge_score",
    )
    return (
        by_line
        or options.max_bytes is not None
        or any(rouge_type.kind in ("Lsum", "W") for rouge_type in parse_types(options.rouge_types))
    )


class RougeOptions(Metric):
    """Options of rouge_nlws."""

    rouge_types: str | Sequence[str] = option(
        default=DEFAULT_TYPES,
        doc="The types of ROUGE to score. rouge1 to rouge9; rougeL, rougeLsum; rougeW (weight 1.2), or with a weight "
        "from 1 to 5, as in rougeW1.5; rougeS and rougeSU (any gap), or with a maximum gap, as in rougeS4.",
        check=_as_names,
    )
    use_aggregator: bool = option(
        default=True, doc="Return the mean over the items. False returns a list of scores, one per item."
    )
    use_stemmer: bool = option(
        default=False,
        doc="Stem English words of more than three letters with Porter's stemmer. It has no effect with "
        'compat="rouge_score" and a function as tokenizer, as in rouge_score.',
    )
    tokenizer: (
        Literal["auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = option(
        default="auto",
        doc='How texts are split into tokens. "rouge": as in rouge_score, which lowercases and treats everything but '
        'a-z and 0-9 as a separator. "auto": "rouge" unless that would drop more than half of the references\' '
        'letters (Russian, Chinese, Hindi ...), and then "unicode", with a warning; the signature says which. '
        'A warning also says where "rouge" drops 5 % of the letters, or makes different words equal. '
        '"unicode": words of letters, marks and digits of any script; Chinese, Japanese, Thai, Lao, Khmer and '
        'Burmese by character. "char", "13a", "zh", "ja", "jieba": as in bleu_multi, lowercased. "none": split at '
        "white space, without lowercasing. A callable gets a text and returns its tokens.",
        none_is_default=True,  # as in rouge_score and in evaluate's rouge
    )
    beta: float = option(
        default=1.0,
        doc="Weight of recall in F. 2 weighs recall twice as much as precision.",
        check=number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000),
        only_with=OnlyWith(
            'an F in the output, or in the choice of a reference: output="fmeasure" or "all", or multi_ref="best" or '
            '"jackknife"',
            lambda o: o.output in ("fmeasure", "all") or o.multi_ref != "average",
        ),
    )
    alpha: float | None = option(
        default=None,
        doc="ROUGE-1.5.5's option -p, instead of beta. F is P R / ((1 - alpha) P + alpha R), which is P if alpha is "
        "1, and R if it is 0.",
        check=number("a number from 0 to 1", lambda x: 0 <= x <= 1, none=True),
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    multi_ref: Literal["best", "average", "jackknife"] = option(
        default="best",
        doc='How several references count, for each type. "best": the one with the best F (the first on ties). '
        '"average": the average of all. "jackknife" (Lin 2004): leave out each reference in turn, take the best of '
        "the others, and average.",
    )
    stemmer: str | Callable[[str], str] | None = stemmer_option()
    lemmatizer: str | Callable[[str], str] | None = lemmatizer_option()
    stopwords: str | Collection[str] | None = option(
        default=None,
        doc="Words to leave out, as the tokenizer returns them (lowercase). A string is a language code, or "
        '"smart" (the list of ROUGE-1.5.5).',
        check=partial(check_stopwords, further_name="'smart' (the list of ROUGE-1.5.5)"),
    )
    max_words: int | None = option(
        default=None,
        doc="Truncate all predictions and references to this many words. Words are separated by any white space; "
        'with compat="rouge155" by ASCII white space only, and a space at the start of a line counts as a '
        "word, as in the script.",
        check=integer(1, none=True),
    )
    max_bytes: int | None = option(
        default=None,
        doc='Truncate all predictions and references to this many bytes. With compat="rouge155", ROUGE-L and W '
        "truncate each line by itself, up to the first line that reaches the limit, as the script does.",
        check=integer(1, none=True),
    )
    sentence_split: Literal["newline", "auto"] = option(
        default="newline",
        doc='Where the sentences of rougeLsum and rougeW end. "newline": at line ends. "auto": at line ends, or at '
        'punctuation in texts without line ends. With "newline", texts on one line have the same rougeLsum as '
        "rougeL.",
        only_with=OnlyWith(
            "rougeLsum or rougeW among rouge_types, unless the tokenizer or another package reads line by line",
            _reads_lines,
        ),
    )
    output: Literal["precision", "recall", "fmeasure", "all"] = option(
        default="fmeasure",
        doc='What is returned for each type. "all" adds `<type>_precision` and `<type>_recall` to the F.',
    )
    rounded: bool | None = option(
        default=None,
        doc="Round as ROUGE-1.5.5 does. True, the default with compat='rouge155', rounds the precision and recall of "
        "every item to five decimals and computes F from them. False returns unrounded scores.",
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    compat: Literal["rouge_score", "rouge155", "rouge", "rouge_chinese"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. "rouge_score" uses its tokenizer for every text; "rouge155" is '
        'the Perl script ROUGE-1.5.5; "rouge" and "rouge_chinese" are the packages of these names. '
        '`load("rouge_nlws", "rouge_score")` sets it too, with the types and defaults of evaluate\'s rouge.',
    )


#: The defaults of evaluate's rouge.
DIALECTS = {"rouge_score": Dialect({"compat": "rouge_score", "rouge_types": list(TABLE_TYPES)})}
