"""BLEU, chrF, TER, ROUGE and BERTScore: equal to the reference implementations, fast, with intervals and signatures.

Examples
--------
>>> import tercet
>>> result = tercet.score("rouge_nlws", ["the cat sat on the mat"], ["the cat lay on the mat"])
>>> round(result["rouge1"], 3)
0.833
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors as errors
from .errors import GatheringError as GatheringError
from .errors import InputError as InputError
from .errors import MergeError as MergeError
from .errors import OptionError as OptionError
from .errors import TercetError as TercetError
from .registry import CLASS_NAMES, metric_class
from .signature import __version__ as __version__

if TYPE_CHECKING:
    from . import compat as compat
    from .api import explain as explain
    from .api import score as score
    from .api import scorer as scorer
    from .base.metric import Metric as Metric
    from .bayes_risk import mbr as mbr
    from .comparison.compare import compare as compare
    from .comparison.overall import overall as overall
    from .comparison.plan import plan as plan
    from .correlation.best_mean import best_mean as best_mean
    from .correlation.correlate import correlate as correlate
    from .huggingface.compute_metrics import compute_metrics as compute_metrics
    from .huggingface.generation_callback import GenerationCallback as GenerationCallback
    from .huggingface.loading import load as load
    from .huggingface.token_ids import preprocess_logits_for_metrics as preprocess_logits_for_metrics
    from .metrics.bertscore.idf_table import IdfTable as IdfTable
    from .metrics.column import Column as Column
    from .networks.load import free_models as free_models
    from .registry import *  # noqa: F403
    from .result import Result as Result
    from .rewards.reward import reward as reward
    from .streaming.arrow_statistics import arrow_statistics as arrow_statistics
    from .streaming.stream import Stream as Stream
    from .test_sets.read import read_test_sets as read_test_sets

#: Where each name is, which is imported when it is first used: the import of this package takes milliseconds.
_MODULES = {
    "Column": "metrics.column",
    "GenerationCallback": "huggingface.generation_callback",
    "IdfTable": "metrics.bertscore.idf_table",
    "Metric": "base.metric",
    "Result": "result",
    "Stream": "streaming.stream",
    "arrow_statistics": "streaming.arrow_statistics",
    "best_mean": "correlation.best_mean",
    "compare": "comparison.compare",
    "compute_metrics": "huggingface.compute_metrics",
    "correlate": "correlation.correlate",
    "explain": "api",
    "free_models": "networks.load",
    "load": "huggingface.loading",
    "mbr": "bayes_risk",
    "overall": "comparison.overall",
    "plan": "comparison.plan",
    "preprocess_logits_for_metrics": "huggingface.token_ids",
    "read_test_sets": "test_sets.read",
    "reward": "rewards.reward",
    "score": "api",
    "scorer": "api",
}
#: What ``import *`` takes: no name that needs a network's packages.
__all__ = sorted(
    {*_MODULES, *CLASS_NAMES, "__version__", "errors"} - {"GenerationCallback", "preprocess_logits_for_metrics"}
)


def __getattr__(name: str) -> Any:
    if name in CLASS_NAMES:
        value: Any = metric_class(CLASS_NAMES[name])
    elif name == "compat":
        return import_module(".compat", __name__)
    elif name in _MODULES:
        value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    else:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
