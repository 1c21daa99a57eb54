"""Cosine similarity of whole-text embeddings, as an evaluate module."""

import evaluate

from tercet.cosine.metric import Cosine as Metric
from tercet.modules.suite_module import SuiteModule


class EmbeddingCosine(SuiteModule, evaluate.Metric):
    """Cosine similarity of whole-text embeddings, as an evaluate module."""

    of = Metric
