"""BLEU, chrF, TER, ROUGE and BERTScore: equal to the reference implementations, fast, with intervals and signatures.

Examples
--------
>>> import tercet
>>> result = tercet.score("rouge_nlws", ["the cat sat on the mat"], ["the cat lay on the mat"])
>>> round(result["rouge1"], 3)
0.833
"""

from importlib import import_module
from typing import Any

from . import errors as errors
from .core.signature import __version__ as __version__
from .errors import GatheringError as GatheringError
from .errors import InputError as InputError
from .errors import MergeError as MergeError
from .errors import OptionError as OptionError
from .errors import TercetError as TercetError

#: Where each name is, which is imported when it is first used: the import of this package takes milliseconds.
_PLACES = {
    "IdfTable": "bertscore.idf_table",
    "Result": "core.result",
    "Stream": "sums.stream",
    "arrow_statistics": "sums.arrow",
    "best_mean": "correlation.best_mean",
    "compare": "comparison.compare",
    "compute_metrics": "training.trainer",
    "correlate": "correlation.correlate",
    "explain": "api",
    "load": "modules.loading",
    "preprocess_logits_for_metrics": "training.token_ids",
    "read_test_sets": "comparison.test_sets",
    "score": "api",
    "scorer": "prepared",
}
#: What there is to see; the others can be imported too.
__all__ = sorted({*_PLACES, "__version__", "errors"} - {"preprocess_logits_for_metrics"})


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    found = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
