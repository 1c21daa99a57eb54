"""BLEU for one or many references, with every choice named, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.bleu.metric import Bleu as Metric


class BleuMulti(SuiteModule, evaluate.Metric):
    """BLEU as an evaluate module."""

    of = Metric
