"""Options of bleu_rouge_f."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tercet.core.options import Options, flag, integer, number, one_of, option, text_or_callable

TOKENIZERS = ("unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuRougeOptions(Options):
    """Options of bleu_rouge_f.

    The tokenizer is "unicode" by default, for both sides: it keeps the words of every script, by the same rule
    whatever the corpus is. That of BLEU keeps marks as tokens, which ROUGE leaves out.
    """

    max_order: int = option(2, integer(1, 20), "The longest n-gram.")
    beta: float = option(
        1.0,
        number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000),
        "Weight of recall in F. 2 weighs recall twice as much as precision.",
    )
    brevity_penalty: bool = option(
        False,
        flag,
        "Multiply the precision side by BLEU's brevity penalty. It is then BLEU itself; without it, recall alone "
        "punishes predictions that are too short. The F of single orders has no penalty.",
    )
    multi_ref: str = option(
        "best",
        one_of("best", "average"),
        "How several references count in recall. For each order the one with the best F of ROUGE (the shortest on "
        'ties), or "average": the n-grams of all in one, as ROUGE-1.5.5 -f A. Precision takes all at once, as BLEU.',
    )
    tokenizer: str | Callable[[str], Iterable[str]] = option(
        "unicode",
        one_of(*TOKENIZERS, callables=True),
        'How texts are split into tokens. "unicode": words of letters, marks and digits of any script; Chinese, '
        'Japanese, Thai, Lao, Khmer and Burmese by character. "char": characters, without white space. "13a", '
        '"intl", "zh", "ja", "jieba", "none": as in bleu_multi. "rouge": as in rouge_nlws. A callable gets a text '
        "and returns its tokens; in the signature it appears only by name.",
    )
    lowercase: bool = option(True, flag, "Lowercase the texts first.")
    stemmer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language"),
        'Stem the words, in lower case. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a '
        "function.",
    )
    lemmatizer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language code"),
        "Lemmatize the words, in lower case. A language code of simplemma (Russian by pymorphy3 where that is "
        "installed; the signature says which one it was), or a function.",
    )
