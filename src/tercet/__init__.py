"""BLEU, ROUGE and BERTScore: equal to the reference implementations, fast, with intervals and signatures.

Examples
--------
>>> import tercet
>>> result = tercet.score("rouge_nlws", ["the cat sat on the mat"], ["the cat lay on the mat"])
>>> round(result["rouge1"], 3)
0.833
"""

from . import errors
from .api import explain, score
from .bertscore.idf_table import IdfTable
from .comparison.compare import compare
from .comparison.test_sets import read_test_sets
from .core.result import Result
from .core.signature import __version__
from .correlation.best_mean import best_mean
from .correlation.correlate import correlate
from .errors import GatheringError as GatheringError
from .errors import InputError as InputError
from .errors import MergeError as MergeError
from .errors import OptionError as OptionError
from .errors import TercetError as TercetError
from .modules.loading import load
from .prepared import scorer
from .training.token_ids import preprocess_logits_for_metrics as preprocess_logits_for_metrics
from .training.trainer import compute_metrics

#: What there is to see; the names with ``as`` above can be imported too.
__all__ = [
    "IdfTable",
    "Result",
    "__version__",
    "best_mean",
    "compare",
    "compute_metrics",
    "correlate",
    "errors",
    "explain",
    "load",
    "read_test_sets",
    "score",
    "scorer",
]


def __dir__() -> list[str]:
    return __all__
