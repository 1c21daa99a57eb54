"""BLEU, ROUGE and BERTScore: equal to the reference implementations, fast, with intervals and signatures.

Examples
--------
>>> import tercet
>>> result = tercet.score("rouge_nlws", ["the cat sat on the mat"], ["the cat lay on the mat"])
>>> round(result["rouge1"], 3)
0.833
"""

from .api import explain, score
from .errors import GatheringError, InputError, MergeError, OptionError, TercetError
from .idf import IdfTable
from .loading import load
from .result import Result
from .signature import __version__
from .token_ids import preprocess_logits_for_metrics
from .trainer import compute_metrics

__all__ = [
    "GatheringError",
    "IdfTable",
    "InputError",
    "MergeError",
    "OptionError",
    "Result",
    "TercetError",
    "__version__",
    "compute_metrics",
    "explain",
    "load",
    "preprocess_logits_for_metrics",
    "score",
]
