"""BERTScore with IDF weights for any encoder, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.bertscore.metric import BertScore as Metric


class BertscoreIdf(SuiteModule, evaluate.Metric):
    """BERTScore as an evaluate module."""

    of = Metric
