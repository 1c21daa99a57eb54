"""Options of rouge_nlws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tercet.core.dialect import Dialect
from tercet.core.options import OnlyWith, Options, flag, integer, number, one_of, option, text_or_callable
from tercet.text.stems import check_stopwords

from .types import RougeType, parse_types

TOKENIZERS = ("auto", "rouge", "unicode", "char", "13a", "zh", "ja", "jieba", "none")
MEASURES = ("precision", "recall", "fmeasure")


def _reads_lines(o: RougeOptions) -> bool:
    """Whether it can matter where lines end."""
    by_line = o.tokenizer not in ("auto", "rouge", "unicode", "char", "none") or o.compat not in (None, "rouge_score")
    return by_line or o.max_bytes is not None or any(each.kind in ("Lsum", "W") for each in o.rouge_types)


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeOptions(Options):
    """Options of rouge_nlws."""

    rouge_types: tuple[RougeType, ...] = option(
        parse_types(None),
        parse_types,
        "The types of ROUGE to score. rouge1 to rouge9; rougeL, rougeLsum; rougeW (weight 1.2), or with a weight "
        "from 1 to 5, as in rougeW1.5; rougeS and rougeSU (any gap), or with the greatest gap, as in rougeS4.",
        takes="str | Sequence[str]",
    )
    use_aggregator: bool = option(
        True, flag, "The mean over the items; False returns a list of scores, one per item."
    )
    use_stemmer: bool = option(
        False,
        flag,
        "Porter's stemmer (English) on words of more than three letters. It does nothing with "
        'compat="rouge_score" and a function as tokenizer, as in rouge_score.',
    )
    tokenizer: str | Callable[[str], Iterable[str]] = option(
        "auto",
        one_of(*TOKENIZERS, callables=True),
        'How texts are split into tokens. "rouge" is that of rouge_score: it lowercases, and everything but a-z and '
        '0-9 is a separator. "auto" is "rouge" unless that would drop more than half of the references\' letters '
        '(Russian, Chinese, Hindi ...); then it is "unicode", with a warning, and the signature says so. "unicode": '
        "words of letters, marks and digits of any script, Chinese, Japanese, Thai, Lao, Khmer and Burmese by "
        'character. "char", "13a", "zh", "ja", "jieba": as in bleu_multi, lowercased. "none" splits at white space '
        "and changes nothing. A callable gets a text and returns its tokens.",
    )
    beta: float = option(
        1.0,
        number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000),
        "Weight of recall in F. 2 weighs recall twice as much as precision.",
        only_with=OnlyWith(
            'an F in the output, or in the choice of a reference: output="fmeasure" or "all", or multi_ref="best" or '
            '"jackknife"',
            lambda o: o.output in ("fmeasure", "all") or o.multi_ref != "average",
        ),
    )
    alpha: float | None = option(
        None,
        number("a number from 0 to 1", lambda x: 0 <= x <= 1, none=True),
        "ROUGE-1.5.5's option -p, instead of beta. F is P R / ((1 - alpha) P + alpha R): P where it is 1, R where 0.",
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    multi_ref: str = option(
        "best",
        one_of("best", "average", "jackknife"),
        "How several references count, for each type. The one with the best F (the first on ties), the average of "
        'all, or "jackknife" (Lin 2004): the mean of the best over every choice of all but one.',
    )
    stemmer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language"),
        'Stem the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a function.',
    )
    lemmatizer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language code"),
        "Lemmatize the words. A language code of simplemma (Russian by pymorphy3 where that is installed; the "
        "signature says which one it was), or a function.",
    )
    stopwords: str | frozenset[str] | None = option(
        None,
        partial(check_stopwords, other="'smart' (the list of ROUGE-1.5.5)"),
        'Words to leave out, as the tokenizer returns them (lowercase). A string is a language code, or "smart" (the '
        "list of ROUGE-1.5.5).",
        takes="str | Collection[str] | None",
    )
    max_words: int | None = option(
        None,
        integer(1, none=True),
        "Truncate all predictions and references to this many words. Words are separated by any white space; with "
        'compat="rouge155" by ASCII white space only, and a space at the start of a line counts as a word, as in the '
        "script.",
    )
    max_bytes: int | None = option(
        None,
        integer(1, none=True),
        'Truncate all predictions and references to this many bytes. With compat="rouge155", ROUGE-L and W have each '
        "line truncated by itself, up to the first that reaches the limit, as in the script.",
    )
    sentence_split: str = option(
        "newline",
        one_of("newline", "auto"),
        'Where the sentences of rougeLsum and rougeW end. "newline": at line ends; "auto": in texts without line '
        "ends, at punctuation. Without either, rougeLsum of a text on one line is its rougeL.",
        only_with=OnlyWith(
            "rougeLsum or rougeW among rouge_types, unless the tokenizer or another package reads line by line",
            _reads_lines,
        ),
    )
    output: str = option(
        "fmeasure",
        one_of(*MEASURES, "all"),
        'What a type gives. "all" adds `<type>_precision` and `<type>_recall` to the F.',
    )
    rounded: bool | None = option(
        None,
        one_of(None, True, False),
        "Round as the script does. True, its default there, rounds the precision and recall of every item to five "
        "decimals and computes F from them; False returns unrounded scores.",
        only_with=OnlyWith("compat='rouge155'", lambda o: o.compat == "rouge155"),
    )
    compat: str | None = option(
        None,
        one_of(None, "rouge_score", "rouge155", "rouge", "rouge_chinese"),
        'Reproduce the scores of this package. "rouge_score" is its tokenizer for every text, "rouge155" the Perl '
        'script, "rouge" pltrdy\'s package. The second name in `load("rouge_nlws", "rouge_score")` sets it, with the '
        "types and defaults of evaluate's rouge.",
    )


#: How evaluate's rouge answers unless it is told otherwise.
DIALECTS = {
    "rouge_score": Dialect({"compat": "rouge_score", "rouge_types": ["rouge1", "rouge2", "rougeL", "rougeLsum"]})
}
