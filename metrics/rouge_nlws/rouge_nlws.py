"""ROUGE-N, L, W and S for one or many references, in any script, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.rouge.metric import Rouge as Metric


class RougeNlws(SuiteModule, evaluate.Metric):
    """ROUGE as an evaluate module."""

    of = Metric
