"""For a moment."""

from .metric import Metric as Scorer
from .metric import segment_lists as segment_lists
from .rows import PairRows as PairRows
from .rows import base_of_pairs as base_of_pairs
from .rows import left_out as left_out

__all__ = ["PairRows", "Scorer", "base_of_pairs", "left_out", "segment_lists"]
