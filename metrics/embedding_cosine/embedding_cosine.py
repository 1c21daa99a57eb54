"""Cosine similarity of whole-text embeddings, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.cosine.metric import Cosine as Metric


class EmbeddingCosine(SuiteModule, evaluate.Metric):
    """Cosine similarity of whole-text embeddings, as an evaluate module."""

    of = Metric
