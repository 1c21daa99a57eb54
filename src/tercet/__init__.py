"""BLEU, ROUGE and BERTScore: equal to the reference implementations, fast, with intervals and signatures.

Examples
--------
>>> import tercet
>>> result = tercet.score("rouge_nlws", ["the cat sat on the mat"], ["the cat lay on the mat"])
>>> round(result["rouge1"], 3)
0.833
"""

from .api import explain, score, scorer
from .bertscore.idf_table import IdfTable
from .core.result import Result
from .core.signature import __version__
from .errors import GatheringError, InputError, MergeError, OptionError, TercetError
from .modules.loading import load
from .training.token_ids import preprocess_logits_for_metrics
from .training.trainer import compute_metrics

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
    "scorer",
]
