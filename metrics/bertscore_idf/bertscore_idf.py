"""BERTScore with IDF weights for any encoder, as an evaluate module."""

import evaluate

from tercet.bertscore.metric import BertScore as Metric
from tercet.modules.suite_module import SuiteModule


class BertscoreIdf(SuiteModule, evaluate.Metric):
    """BERTScore as an evaluate module."""

    of = Metric
