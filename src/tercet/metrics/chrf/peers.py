"""The package that chrF is explained against."""

from __future__ import annotations

from typing import Any

from tercet.metric.peers import Peers, by_sacrebleu


def _metrics(sacrebleu: Any, scorer: Any) -> dict[str, Any]:
    given = {
        name: getattr(scorer, name) for name in ("char_order", "beta", "lowercase", "whitespace", "eps_smoothing")
    }
    return {name: sacrebleu.CHRF(word_order=order, **given) for name, order in scorer.word_orders.items()}


PEERS = Peers(
    packages={"sacrebleu": by_sacrebleu(_metrics)},
    decides={
        "char_order": "the longest n-gram of characters that counts",
        "word_order": "the longest n-gram of words that counts",
        "beta": "the weight of recall in F",
        "lowercase": "whether capitals matter",
        "whitespace": "whether white space counts as characters",
        "eps_smoothing": "whether the F of all orders is averaged, or precision and recall",
    },
)
