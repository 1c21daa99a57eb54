"""Translation edit rate with shifts, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.ter.metric import Ter as Metric


class Ter(SuiteModule, evaluate.Metric):
    """Translation edit rate as an evaluate module."""

    of = Metric
