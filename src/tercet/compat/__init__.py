"""Drop-ins for other packages' modules: their functions, classes and results, with the scores of the suite."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .installing import install as install
from .installing import uninstall as uninstall

if TYPE_CHECKING:
    from . import bert_score as bert_score
    from . import evaluate as evaluate
    from . import jiwer as jiwer
    from . import nltk as nltk
    from . import rouge as rouge
    from . import rouge_scorer as rouge_scorer
    from . import sacrebleu as sacrebleu
    from . import scoring as scoring
    from . import tokenizers as tokenizers
    from . import torchmetrics as torchmetrics

#: The drop-ins, each imported when it is first used: some need a package of their own.
_DROP_INS = (
    "bert_score",
    "evaluate",
    "jiwer",
    "nltk",
    "rouge",
    "rouge_scorer",
    "sacrebleu",
    "scoring",
    "tokenizers",
    "torchmetrics",
)


def __getattr__(name: str) -> Any:
    if name in _DROP_INS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'tercet.compat' has no attribute {name!r}")
