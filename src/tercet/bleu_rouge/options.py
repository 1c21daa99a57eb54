"""Options of bleu_rouge_f."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tercet.core.options import OnlyWith, Options, flag, integer, number, one_of, option, text_or_callable

TOKENIZERS = ("unicode", "char", "13a", "intl", "rouge", "zh", "ja", "jieba", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuRougeOptions(Options):
    """Options of bleu_rouge_f.

    The default tokenizer is "unicode", for precision and recall: it keeps the words of every script, by the same rule
    for every corpus. BLEU's tokenizers keep punctuation marks as tokens, and ROUGE's leaves them out.
    """

    max_order: int = option(2, integer(1, 20), "The longest n-gram.")
    beta: float = option(
        1.0,
        number("a number above 0 and up to 1000", lambda x: 0 < x <= 1000),
        "Weight of recall in F. At 1 both weigh the same; at 2 recall weighs twice as much as precision.",
    )
    brevity_penalty: bool = option(
        False,
        flag,
        "Multiply the precision by BLEU's brevity penalty, which makes it BLEU itself. Without it, only recall "
        "punishes predictions that are too short. The F of a single order never has the penalty.",
    )
    multi_ref: str = option(
        "best",
        one_of("best", "average"),
        'How several references count in recall. "best": for each order, the one with the best F of ROUGE (the '
        'shortest on ties). "average": the n-grams of all references together, as ROUGE-1.5.5 with -f A. Precision '
        "always uses all references, as BLEU does.",
    )
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
            'a tokenizer other than "rouge", and without stemmer and lemmatizer, which always do',
            lambda o: o.tokenizer != "rouge" and o.stemmer is None and o.lemmatizer is None,
        ),
    )
    stemmer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language"),
        'Lowercase and stem the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a '
        "function.",
    )
    lemmatizer: str | Callable[[str], str] | None = option(
        None,
        text_or_callable("a language code"),
        "Lowercase and lemmatize the words. A language code of simplemma (for Russian, pymorphy3 is used where it is "
        "installed; the signature names the package), or a function.",
    )
