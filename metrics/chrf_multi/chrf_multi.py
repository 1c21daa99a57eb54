"""chrF and chrF++, several orders of words in one pass, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.chrf.metric import Chrf as Metric


class ChrfMulti(SuiteModule, evaluate.Metric):
    """chrF as an evaluate module."""

    of = Metric
