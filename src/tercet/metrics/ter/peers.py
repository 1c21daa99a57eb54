"""The package that TER is explained against."""

from __future__ import annotations

from typing import Any

from tercet.metric.peers import Peers, by_sacrebleu

_DECIDES = {
    "normalized": "whether punctuation marks are words of their own",
    "no_punct": "whether punctuation marks are removed",
    "asian_support": "whether Chinese characters are words",
    "case_sensitive": "whether capitals matter",
}


def _metrics(sacrebleu: Any, scorer: Any) -> dict[str, Any]:
    return {"ter": sacrebleu.TER(**{name: getattr(scorer, name) for name in _DECIDES})}


PEERS = Peers(packages={"sacrebleu": by_sacrebleu(_metrics)}, decides=_DECIDES)
