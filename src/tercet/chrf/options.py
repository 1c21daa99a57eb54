"""Options of chrf_multi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from typing import Any

from tercet.core.dialect import Dialect
from tercet.core.options import OnlyWith, Options, as_scale, finite, flag, integer, one_of, option, refuse
from tercet.errors import OptionError

#: The longest n-gram of words, and the greatest weight of recall.
LONGEST_OF_WORDS, MOST_BETA = 10, 1000


def _check_word_order(value: Any) -> Any:
    """Return a whole number, or a tuple of different ones."""
    several = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
    given = list(islice(value, LONGEST_OF_WORDS + 2)) if several else [value]
    orders = [int(each) for each in given if isinstance(each, Integral) and not isinstance(each, bool)]
    fit = {order for order in orders if 0 <= order <= LONGEST_OF_WORDS}
    if not given or len(fit) < len(given):
        raise refuse(_WORD_ORDERS)
    return tuple(orders) if several else orders[0]


_WORD_ORDERS = f"a whole number from 0 to {LONGEST_OF_WORDS}, or a list of different ones, such as [0, 2]"


def _check_beta(value: Any) -> Any:
    real = finite(value)
    if real is None or not 0 <= real <= MOST_BETA:
        raise refuse(f"a number from 0 to {MOST_BETA:,}")
    return int(real) if real == int(real) else real


@dataclass(frozen=True, slots=True, kw_only=True)
class ChrfOptions(Options):
    """Options of chrf_multi: names and meanings are sacrebleu's."""

    char_order: int = option(6, integer(0, 20), "The longest n-gram of characters; with 0, words alone count.")
    word_order: int | Sequence[int] = option(
        0,
        _check_word_order,
        "The longest n-gram of words. 0 is chrF, 1 chrF+, 2 chrF++. A list such as [0, 2] computes several scores in "
        "one pass. The first is `chrf`, each further one is named by its order, such as `chrf_w2`.",
        takes="int | Sequence[int]",
    )
    beta: float = option(2, _check_beta, "How many times as important recall is as precision.", takes="float")
    lowercase: bool = option(False, flag, "Lowercase the texts first.")
    whitespace: bool = option(
        False,
        flag,
        "Count white space as characters.",
        only_with=OnlyWith(
            "char_order above 0 (compat='sacrebleu' takes it with 0 too, as sacrebleu does)",
            lambda o: o.char_order > 0 or o.compat is not None,
        ),
    )
    eps_smoothing: bool = option(
        False,
        flag,
        "Average the F of all orders, as chrF++.py, Moses and NLTK do. An order that a text is too short for then "
        "counts as one without a match. By default F is made of the averages of precision and recall, over the "
        "orders that both texts are long enough for.",
    )
    compat: str | None = option(
        None,
        one_of(None, "sacrebleu"),
        'The score equals sacrebleu\'s in any case. `load("chrf_multi", "sacrebleu")` sets it, and then the result '
        "has only the four keys of evaluate's chrf.",
    )
    scale: int = option(
        100,
        as_scale,
        "Scores in percent, as sacrebleu and evaluate's chrf print them, or from 0 to 1.",
        takes="Literal[1, 100]",
    )


#: sacrebleu's defaults are the defaults.
PRESETS: dict[str, dict[str, Any]] = {"sacrebleu": {}}

#: What evaluate's chrf, which calls sacrebleu, returns.
DIALECTS = {
    "sacrebleu": Dialect(
        {"compat": "sacrebleu"}, keys={name: name for name in ("score", "char_order", "word_order", "beta")},
        left_out=("chrf",),
    ),
}  # fmt: skip


def word_orders(options: ChrfOptions) -> dict[str, int]:
    """Return the order of words of each score, by its name.

    Raises
    ------
    OptionError
        For n-grams neither of characters nor of words.

    Examples
    --------
    >>> word_orders(ChrfOptions(word_order=(2, 0)))
    {'chrf': 2, 'chrf_w0': 0}
    """
    given = options.word_order
    orders = [given] if isinstance(given, int) else list(given)
    if options.char_order == 0 and 0 in orders:
        raise OptionError(
            "chrf_multi: with char_order=0 and word_order=0 there is nothing to count. Give word_order=2, or leave "
            "char_order out."
        )
    return {"chrf" if place == 0 else f"chrf_w{order}": order for place, order in enumerate(orders)}


def with_keys_of_evaluate(scores: dict[str, Any], options: ChrfOptions) -> dict[str, Any]:
    """Return the scores with the keys of evaluate's chrf, whose `score` is our `chrf`.

    Examples
    --------
    >>> with_keys_of_evaluate({"chrf": 51.5, "chrf_w2": 50.0}, ChrfOptions(word_order=(0, 2)))
    {'chrf': 51.5, 'chrf_w2': 50.0, 'score': 51.5, 'char_order': 6, 'word_order': 0, 'beta': 2}
    """
    given = options.word_order
    order = given if isinstance(given, int) else given[0]
    kept = {"score": scores["chrf"], "char_order": options.char_order, "word_order": order, "beta": options.beta}
    return {**scores, **kept}
