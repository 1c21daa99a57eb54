"""Embedding cosine: the metric, what an encoder's folder declares, pooling, vectors of texts, contributions."""

from .metric import Cosine as Cosine
