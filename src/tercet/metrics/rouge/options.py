"""Options of rouge_nlws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Literal

from tercet.checks import integer, number, text_or_callable
from tercet.corpus.stems import check_stopwords
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
        doc="The types of ROUGE to score. rouge1 to rouge9; rougeL, rougeLsum; rougeW (weight 1.2), or with a "
        "weight from 1 to 5, as in rougeW1.5; rougeS and rougeSU (any gap), or with the greatest gap, as in "
        "rougeS4.",
        check=as_names,
    )
    use_aggregator: bool = option(
        default=True,
        doc="The mean over the items; False returns a list of scores, one per item.",
    )
    use_stemmer: bool = option(
        default=False,
        doc="Porter's stemmer (English) on words of more than three letters. It does nothing with "
        'compat="rouge_score" and a function as tokenizer, as in rouge_score.',
    )
    tokenizer: (
        Literal["auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none"]
        | Callable[[str], Iterable[str]]
    ) = option(
        default="auto",
        doc='How texts are split into tokens. "rouge" is that of rouge_score: it lowercases, and everything but '
        'a-z and 0-9 is a separator. "auto" is "rouge" unless that would drop more than half of the '
        'references\' letters (Russian, Chinese, Hindi ...); then it is "unicode", with a warning, and the '
        'signature says so. "unicode": words of letters, marks and digits of any script, Chinese, Japanese, '
        'Thai, Lao, Khmer and Burmese by character. "char", "13a", "zh", "ja", "jieba": as in bleu_multi, '
        'lowercased. "none" splits at white space and changes nothing. A callable gets a text and returns its'
        " tokens.",
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
        doc="ROUGE-1.5.5's option -p, instead of beta. F is P R / ((1 - alpha) P + alpha R): P where it is 1, R "
        "where 0.",
        check=number("a number from 0 to 1", lambda x: 0 <= x <= 1, none=True),
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    multi_ref: Literal["best", "average", "jackknife"] = option(
        default="best",
        doc="How several references count, for each type. The one with the best F (the first on ties), the "
        'average of all, or "jackknife" (Lin 2004): the mean of the best over every choice of all but one.',
    )
    stemmer: str | Callable[[str], str] | None = option(
        default=None,
        doc='Stem the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a function.',
        check=text_or_callable("a language"),
    )
    lemmatizer: str | Callable[[str], str] | None = option(
        default=None,
        doc="Lemmatize the words. A language code of simplemma (Russian by pymorphy3 where that is installed; the"
        " signature says which one it was), or a function.",
        check=text_or_callable("a language code"),
    )
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
        "have each line truncated by itself, up to the first that reaches the limit, as in the script.",
        check=integer(1, none=True),
    )
    sentence_split: Literal["newline", "auto"] = option(
        default="newline",
        doc='Where the sentences of rougeLsum and rougeW end. "newline": at line ends; "auto": in texts without '
        "line ends, at punctuation. Without either, rougeLsum of a text on one line is its rougeL.",
        only_with=OnlyWith(
            "rougeLsum or rougeW among rouge_types, unless the tokenizer or another package reads line by line",
            _reads_lines,
        ),
    )
    output: Literal["precision", "recall", "fmeasure", "all"] = option(
        default="fmeasure",
        doc='What a type gives. "all" adds `<type>_precision` and `<type>_recall` to the F.',
    )
    rounded: bool | None = option(
        default=None,
        doc="Round as the script does. True, its default there, rounds the precision and recall of every item to "
        "five decimals and computes F from them; False returns unrounded scores.",
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    compat: Literal["rouge_score", "rouge155", "rouge", "rouge_chinese"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. "rouge_score" is its tokenizer for every text, "rouge155" the '
        'Perl script, "rouge" pltrdy\'s package. The second name in `load("rouge_nlws", "rouge_score")` sets '
        "it, with the types and defaults of evaluate's rouge.",
    )


#: The defaults of evaluate's rouge.
DIALECTS = {
    "rouge_score": Dialect({"compat": "rouge_score", "rouge_types": ["rouge1", "rouge2", "rougeL", "rougeLsum"]})
}
