"""The names that other rooms still have for a corpus."""

from .corpus import Corpus as Batch
from .corpus import Corpus as Corpus
from .corpus import join_batches as join_batches

__all__ = ["Batch"]
