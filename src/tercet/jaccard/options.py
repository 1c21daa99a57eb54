"""Options of jaccard_sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.options import (
    OnlyWith,
    Options,
    build_options,
    flag,
    integer,
    one_of,
    option,
    refuse,
    text_or_callable,
)
from tercet.errors import did_you_mean
from tercet.text.stems import check_stopwords

TOKENIZERS = ("unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none")

#: What a variant may change: how texts become tokens or n-grams, and how these are compared.
VARIED = ("tokenizer", "lowercase", "ngram", "multiset", "stemmer", "lemmatizer", "stopwords", "multi_ref")
#: Limit on variants: each may tokenize and score every item once more.
MOST_VARIANTS = 20


def _check_variants(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(each, Mapping) for each in value.values()):
        raise refuse("a dict of dicts of options, such as {'lemma': {'lemmatizer': 'en'}}, or None")
    if not 0 < len(value) <= MOST_VARIANTS:
        raise refuse(f"a dict of 1 to {MOST_VARIANTS} variants; this one has {len(value):,}")
    return {_checked_name(name): _checked_options(name, each) for name, each in value.items()}


def _checked_name(name: Any) -> str:
    fits = isinstance(name, str) and name.isidentifier()
    if not fits or f"_{name}".endswith("_micro"):  # jaccard_micro is the other mean
        raise refuse(
            "a dict whose names are words of letters, digits and _, and do not end in micro; this one has "
            f"{name!r:.50}"
        )
    return str(name)


def _checked_options(name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    for each in changes:
        if each not in VARIED:
            raise refuse(
                f"a dict of variants; the variant {name!r} has {each!r:.50}, which no variant can change",
                did_you_mean(str(each), VARIED),
            )
    built = build_options(JaccardOptions, changes, f"the variant {name!r} of jaccard_sets", {})
    return {each: getattr(built, each) for each in changes}


@dataclass(frozen=True, slots=True, kw_only=True)
class JaccardOptions(Options):
    """Options of jaccard_sets.

    The default tokenizer is "unicode": it keeps the words of every script, by the same rule for every corpus.
    ROUGE's tokenizer drops everything but a-z and 0-9, and BLEU's tokenizers keep punctuation marks as tokens.
    """

    tokenizer: str | Callable[[str], Iterable[str]] = option(
        "unicode",
        one_of(*TOKENIZERS, callables=True),
        'How texts are split into tokens. "unicode": words of letters, marks and digits of any script; Chinese, '
        'Japanese, Thai, Lao, Khmer and Burmese by character. "char": characters, without white space. "13a", '
        '"intl", "zh", "ja", "jieba", "none": as in bleu_multi. "rouge": as in rouge_nlws. A callable gets a text '
        "and returns its tokens; in the signature it appears only by name.",
    )
    lowercase: bool = option(
        True,
        flag,
        "Lowercase the texts first.",
        only_with=OnlyWith(
            'a tokenizer other than "rouge", which always does',
            lambda o: o.tokenizer != "rouge",
        ),
    )
    ngram: int = option(
        1,
        integer(1, 20),
        "Compare runs of this many tokens; 1 compares single tokens. With the tokenizer "
        '"char" these are n-grams of characters. A text with fewer tokens has no n-grams.',
    )
    multiset: bool = option(
        False,
        flag,
        "Count each token or n-gram as often as it occurs in a text. The score is then the "
        "sum of the smaller counts over the sum of the greater ones.",
    )
    stemmer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language"),
        'Stem the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a function.',
    )
    lemmatizer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language code"),
        "Lemmatize the words. A language code of simplemma (for Russian, pymorphy3 is used where it is installed; "
        "the signature names the package), or a function.",
    )
    stopwords: str | frozenset[str] | None = option(
        None,
        check_stopwords,
        "Words to leave out, as the tokenizer returns them. A string is a language code of the package stop-words.",
        takes="str | Collection[str] | None",
    )
    multi_ref: str = option(
        "best",
        one_of("best", "average"),
        "How several references count. The most similar one (the first on ties), or the average of all.",
    )
    variants: Mapping[str, Mapping[str, Any]] | None = option(
        None,
        _check_variants,
        "Further scores in the same call. Each name adds `jaccard_<name>`. Its mapping holds the options "
        'that differ from those of the call: `{"lemma": {"lemmatizer": "en"}}` scores lemmas beside words. Up to '
        f"{MOST_VARIANTS} variants, which may change {', '.join(VARIED)}.",
    )
