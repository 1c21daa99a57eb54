"""Options of rouge_nlws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Literal

from tercet.checks import integer, number
from tercet.corpus.stems import check_stopwords
from tercet.metric.common_options import lemmatizer_option, stemmer_option
from tercet.metric.dialect import Dialect
from tercet.metric.metric import Metric
from tercet.metric.options import OnlyWith, option

from .types import DEFAULT_TYPES, as_names, parse_types

TOKENIZERS = ("auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none")

MEASURES = ("precision", "recall", "fmeasure")


def _reads_lines(o: RougeOptions) -> bool:
    """Whether it can matter where lines end."""
    by_line = o.tokenizer not in ("auto", "rouge", "unicode", "char", "none") or o.compat not in (None, "rouge_score")
    return (
        by_line or o.max_bytes is not None or any(each.kind in ("Lsum", "W") for each in parse_types(o.rouge_types))
    )


class RougeOptions(Metric):
    """Options of rouge_nlws."""

    rouge_types: str | Sequence[str] = option(
        default=DEFAULT_TYPES,
        doc="The types of ROUGE to score. rouge1 to rouge9; rougeL, rougeLsum; rougeW (weight 1.2), or with a weight "
        "from 1 to 5, as in rougeW1.5; rougeS and rougeSU (any gap), or with a maximum gap, as in rougeS4.",
        check=as_names,
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
        check=partial(check_stopwords, other="'smart' (the list of ROUGE-1.5.5)"),
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
DIALECTS = {
    "rouge_score": Dialect({"compat": "rouge_score", "rouge_types": ["rouge1", "rouge2", "rougeL", "rougeLsum"]})
}
