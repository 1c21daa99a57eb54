"""Cosine similarity of whole-text embeddings, as an evaluate module."""

import evaluate

try:
    from tercet import Cosine as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class EmbeddingCosine(SuiteModule, evaluate.Metric):
    """Cosine similarity of whole-text embeddings, as an evaluate module."""

    of = Metric
