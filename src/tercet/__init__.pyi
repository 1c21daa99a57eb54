"""The types of the package: what is called by a metric's name takes that metric's options."""

from collections.abc import Iterable
from typing import Any, Literal, overload

import pyarrow as pa
from typing_extensions import Self, Unpack

from . import errors as errors
from .bertscore.explain import Alignment
from .bertscore.idf_table import IdfTable as IdfTable
from .bertscore.options import BertscoreOptions as BertscoreValues
from .bleu.explain import NgramMatches
from .bleu.options import BleuOptions as BleuValues
from .bleu_rouge.explain import BleuRougeMatches
from .bleu_rouge.options import BleuRougeOptions as BleuRougeValues
from .chrf.explain import ChrfMatches
from .chrf.options import ChrfOptions as ChrfValues
from .comparison.compare import compare as compare
from .comparison.test_sets import read_test_sets as read_test_sets
from .core.result import Result as Result
from .core.signature import __version__ as __version__
from .correlation.best_mean import best_mean as best_mean
from .correlation.correlate import correlate as correlate
from .cosine.explain import Contributions
from .cosine.options import CosineOptions as CosineValues
from .errors import GatheringError as GatheringError
from .errors import InputError as InputError
from .errors import MergeError as MergeError
from .errors import OptionError as OptionError
from .errors import TercetError as TercetError
from .jaccard.explain import JaccardMatches
from .jaccard.options import JaccardOptions as JaccardValues
from .modules.suite_module import SuiteModule
from .perplexity.explain import Surprisals
from .perplexity.options import PerplexityOptions as PerplexityValues
from .prepared import PreparedScorer
from .rouge.explain import RougeMatches
from .rouge.options import RougeOptions as RougeValues
from .sums.stream import Stream as _Stream
from .ter.explain import TerEdits
from .ter.options import TerOptions as TerValues
from .training.token_ids import preprocess_logits_for_metrics as preprocess_logits_for_metrics
from .training.trainer import compute_metrics as compute_metrics
from .typing import (
    Bertscore,
    BertscoreOptions,
    Bleu,
    BleuOptions,
    BleuRouge,
    BleuRougeOptions,
    Chrf,
    ChrfOptions,
    Cosine,
    CosineOptions,
    Jaccard,
    JaccardOptions,
    Metric,
    Perplexity,
    PerplexityOptions,
    Rouge,
    RougeOptions,
    Ter,
    TerOptions,
)

@overload
def score(metric: Bleu, predictions: Any, references: Any, **options: Unpack[BleuOptions]) -> Result: ...
@overload
def score(metric: Rouge, predictions: Any, references: Any, **options: Unpack[RougeOptions]) -> Result: ...
@overload
def score(metric: Bertscore, predictions: Any, references: Any, **options: Unpack[BertscoreOptions]) -> Result: ...
@overload
def score(metric: Cosine, predictions: Any, references: Any, **options: Unpack[CosineOptions]) -> Result: ...
@overload
def score(metric: BleuRouge, predictions: Any, references: Any, **options: Unpack[BleuRougeOptions]) -> Result: ...
@overload
def score(metric: Chrf, predictions: Any, references: Any, **options: Unpack[ChrfOptions]) -> Result: ...
@overload
def score(metric: Jaccard, predictions: Any, references: Any, **options: Unpack[JaccardOptions]) -> Result: ...
@overload
def score(metric: Ter, predictions: Any, references: Any, **options: Unpack[TerOptions]) -> Result: ...
@overload
def score(
    metric: Perplexity, predictions: Any, references: Any = None, **options: Unpack[PerplexityOptions]
) -> Result: ...
@overload
def explain(
    metric: Bleu, prediction: str, references: str | Iterable[str], **options: Unpack[BleuOptions]
) -> NgramMatches: ...
@overload
def explain(
    metric: Rouge, prediction: str, references: str | Iterable[str], **options: Unpack[RougeOptions]
) -> RougeMatches: ...
@overload
def explain(
    metric: Bertscore,
    prediction: str,
    references: str | Iterable[str],
    *,
    corpus: Iterable[str] | None = None,
    **options: Unpack[BertscoreOptions],
) -> Alignment: ...
@overload
def explain(
    metric: Cosine, prediction: str, references: str | Iterable[str], **options: Unpack[CosineOptions]
) -> Contributions: ...
@overload
def explain(
    metric: BleuRouge, prediction: str, references: str | Iterable[str], **options: Unpack[BleuRougeOptions]
) -> BleuRougeMatches: ...
@overload
def explain(
    metric: Chrf, prediction: str, references: str | Iterable[str], **options: Unpack[ChrfOptions]
) -> ChrfMatches: ...
@overload
def explain(
    metric: Jaccard, prediction: str, references: str | Iterable[str], **options: Unpack[JaccardOptions]
) -> JaccardMatches: ...
@overload
def explain(
    metric: Ter, prediction: str, references: str | Iterable[str], **options: Unpack[TerOptions]
) -> TerEdits: ...
@overload
def explain(
    metric: Perplexity, prediction: str, references: Any = None, **options: Unpack[PerplexityOptions]
) -> Surprisals: ...
@overload
def scorer(metric: Bleu, **options: Unpack[BleuOptions]) -> PreparedScorer[BleuValues]: ...
@overload
def scorer(metric: Rouge, **options: Unpack[RougeOptions]) -> PreparedScorer[RougeValues]: ...
@overload
def scorer(metric: Bertscore, **options: Unpack[BertscoreOptions]) -> PreparedScorer[BertscoreValues]: ...
@overload
def scorer(metric: Cosine, **options: Unpack[CosineOptions]) -> PreparedScorer[CosineValues]: ...
@overload
def scorer(metric: BleuRouge, **options: Unpack[BleuRougeOptions]) -> PreparedScorer[BleuRougeValues]: ...
@overload
def scorer(metric: Chrf, **options: Unpack[ChrfOptions]) -> PreparedScorer[ChrfValues]: ...
@overload
def scorer(metric: Jaccard, **options: Unpack[JaccardOptions]) -> PreparedScorer[JaccardValues]: ...
@overload
def scorer(metric: Ter, **options: Unpack[TerOptions]) -> PreparedScorer[TerValues]: ...
@overload
def scorer(metric: Perplexity, **options: Unpack[PerplexityOptions]) -> PreparedScorer[PerplexityValues]: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Bleu,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[BleuOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Rouge,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[RougeOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Bertscore,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[BertscoreOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Cosine,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[CosineOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: BleuRouge,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[BleuRougeOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Chrf,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[ChrfOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Jaccard,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[JaccardOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Ter,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[TerOptions],
) -> pa.Table: ...
@overload
def arrow_statistics(
    table: Any,
    metric: Perplexity,
    *,
    prediction: str | None = None,
    references: str | Iterable[str] | None = None,
    id: str | None = None,
    **options: Unpack[PerplexityOptions],
) -> pa.Table: ...
@overload
def load(metric: Metric, config_name: str | None = None, **settings: Any) -> SuiteModule: ...
@overload
def load(metric: Literal["paired_significance"], config_name: str | None = None, **settings: Any) -> Any: ...

class Stream(_Stream):
    @overload
    def __init__(self, metric: Bleu, **options: Unpack[BleuOptions]) -> None: ...
    @overload
    def __init__(self, metric: Rouge, **options: Unpack[RougeOptions]) -> None: ...
    @overload
    def __init__(self, metric: Bertscore, **options: Unpack[BertscoreOptions]) -> None: ...
    @overload
    def __init__(self, metric: Cosine, **options: Unpack[CosineOptions]) -> None: ...
    @overload
    def __init__(self, metric: BleuRouge, **options: Unpack[BleuRougeOptions]) -> None: ...
    @overload
    def __init__(self, metric: Chrf, **options: Unpack[ChrfOptions]) -> None: ...
    @overload
    def __init__(self, metric: Jaccard, **options: Unpack[JaccardOptions]) -> None: ...
    @overload
    def __init__(self, metric: Ter, **options: Unpack[TerOptions]) -> None: ...
    @overload
    def __init__(self, metric: Perplexity, **options: Unpack[PerplexityOptions]) -> None: ...
    @overload  # type: ignore[override]
    @classmethod
    def from_arrow(cls, table: Any, metric: Bleu, **options: Unpack[BleuOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Rouge, **options: Unpack[RougeOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Bertscore, **options: Unpack[BertscoreOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Cosine, **options: Unpack[CosineOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: BleuRouge, **options: Unpack[BleuRougeOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Chrf, **options: Unpack[ChrfOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Jaccard, **options: Unpack[JaccardOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Ter, **options: Unpack[TerOptions]) -> Self: ...
    @overload
    @classmethod
    def from_arrow(cls, table: Any, metric: Perplexity, **options: Unpack[PerplexityOptions]) -> Self: ...
